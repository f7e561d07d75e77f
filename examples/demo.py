"""Explain the bundled diamonds and say where the report and the pictures are."""

from importlib.util import find_spec
from pathlib import Path

import paribus as pb

OUT = Path(__file__).parents[1] / "build" / "demo"


def main() -> None:
    """Draw what each column goes with, the other columns held still."""
    OUT.mkdir(parents=True, exist_ok=True)
    diamonds = pb.datasets.diamonds()
    # Length, width and height fix the weight: with them held still, carat could hardly move.
    data = {name: v for name, v in diamonds.table.items() if name not in ("x", "y", "z")}
    effects = pb.effects(data, target="price")
    print(effects)
    for name, effect in effects.items():
        effect.plot().figure.savefig(OUT / f"{name}.png", dpi=150)
    effects.plot().savefig(OUT / "overview.png", dpi=110)
    print(f"\nThe pictures are in {OUT}: overview.png, and one for each column.")
    if find_spec("altair") and find_spec("vl_convert") and find_spec("jinja2"):
        print(f"The report, for any browser: {effects.report(OUT / 'diamonds.html')}")
    else:
        print("For the report as well: pip install 'paribus[report]'")


if __name__ == "__main__":
    main()

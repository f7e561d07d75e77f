"""Explain the bundled diamonds and say where the pictures are."""

from pathlib import Path

from matplotlib.figure import Figure

import paribus as pb

OUT = Path(__file__).parents[1] / "build" / "demo"
NUMBERS = ("carat", "depth", "table")
CATEGORIES = ("cut", "color", "clarity")


def main() -> None:
    """Draw each column's effect on the price, the other columns held still."""
    OUT.mkdir(parents=True, exist_ok=True)
    diamonds = pb.datasets.diamonds()
    # Length, width and height fix the weight: with them held still, carat could not move.
    data = {name: v for name, v in diamonds.table.items() if name not in ("x", "y", "z")}
    print(f"{len(diamonds.y):,} diamonds: what goes with a higher price, other things equal?")
    overview = Figure(figsize=(12, 6.4), layout="constrained")
    panels = overview.subplots(2, 3).ravel()
    for name, panel in zip(NUMBERS + CATEGORIES, panels, strict=True):
        explain = pb.stratpd if name in NUMBERS else pb.catstratpd
        result = explain(data, "price", name, n_trials=5)
        result.plot(panel)
        path = OUT / f"{name}.png"
        result.plot().figure.savefig(path, dpi=150)
        print(f"\n{name}: {path}")
        for note in result.notes:
            print(f"  {note}")
    overview.savefig(OUT / "overview.png", dpi=110)
    print(f"\nAll together: {OUT / 'overview.png'}")


if __name__ == "__main__":
    main()

"""Write docs/gallery.md: real tables, what they say at first sight, and a picture of each.

``python examples/gallery.py FOLDER`` reads the Parquet files of a folder; a table that is not there
is left out, and what the page says of it stays as it is.
"""

from __future__ import annotations

import sys
from pathlib import Path

import paribus as pb
from paribus.files import read_table

DOCS = Path(__file__).parent.parent / "docs"
HEAD = """# Gallery

Real tables, given to paribus as they come: the name of the target, nothing else. The sentences are
its own. Made by `examples/gallery.py`.
"""
STORIES = {
    "bike_sharing_hourly": ("cnt", "Bikes lent in Washington, hour by hour", ""),
    "king_county_houses": ("price", "Houses sold around Seattle", ""),
    "diamonds": ("price", "Diamonds", ""),
    "adult_census": ("income", "Incomes above 50,000 dollars in the census of 1994", ">50K"),
    "california_housing": ("median_house_value", "House values in California's districts", ""),
}
MOST = 6  # columns of a picture


def main(folder: Path) -> None:
    """Explain each table that is there, and write the page."""
    parts = [HEAD]
    for name, (target, title, class_) in STORIES.items():
        path = folder / f"{name}.parquet"
        if not path.exists():
            print(f"{path} is not there: the page is left as it is.")
            return
        effects = pb.effects(read_table(path), target, class_=class_ or None)
        picture = f"images/gallery-{name.replace('_', '-')}.png"
        effects.plot(most=MOST).savefig(DOCS / picture, dpi=80)
        parts.append(_story(title, target, picture, effects))
        print(f"{name}: {', '.join(effects.ranking[:MOST])}")
    (DOCS / "gallery.md").write_text("\n".join(parts), encoding="utf-8")


def _story(title: str, target: str, picture: str, effects: pb.EffectSet) -> str:
    """Return a table's part of the page: what was done, what it says, and the picture."""
    done = [f"- {note.text}" for note in effects.notes]
    said = [f"{k}. {effects[name].summary()}" for k, name in enumerate(effects.ranking[:3], 1)]
    size = f"{effects.n_rows:,} rows. What goes with `{target}`, other things equal?"
    lines = [f"## {title}", size, "\n".join(said), f"![{title}: {target}]({picture})"]
    if done:
        lines.append("Done before, and undone by one word each:\n\n" + "\n".join(done))
    return "\n\n".join(lines) + "\n"


if __name__ == "__main__":
    main(Path(sys.argv[1]))

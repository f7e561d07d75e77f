"""Draw the pictures of docs/how-to/see-who-differs.md from four real tables.

``python examples/who_differs.py FOLDER`` reads the Parquet files of a folder. Of the rents of New
York only what was found is shown: the rows may not be passed on.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

import paribus as pb

if TYPE_CHECKING:
    from matplotlib.axes import Axes

IMAGES = Path(__file__).parent.parent / "docs" / "images"
# The middle of each part of the city; a flat lies in the part whose middle is nearest.
PARTS = {
    "Harlem and north": (40.815, -73.945),
    "Upper West Side": (40.786, -73.976),
    "Upper East Side": (40.773, -73.956),
    "Midtown": (40.755, -73.983),
    "Lower Manhattan": (40.722, -73.996),
    "Brooklyn": (40.690, -73.965),
    "Queens": (40.747, -73.915),
}


def bikes(folder: Path) -> None:
    """Bikes rented by the hour, on working days and others."""
    table = pd.read_parquet(folder / "bike_sharing_hourly.parquet")
    table["day"] = np.where(table.pop("workingday") == 1, "working day", "weekend or holiday")
    found = pb.effect(table.drop(columns=["casual", "registered"]), "cnt", "hr", by="day")
    title = "Working days have two rush hours, other days one long afternoon"
    ax = found.by.plot()
    ax.set_xticks([0, 6, 12, 18, 23], ["midnight", "6 am", "noon", "6 pm", "11 pm"])
    _finish(ax, title, "hour of the day", "bikes rented, compared with the mean hour", "by-hour")


def incomes(folder: Path) -> None:
    """Incomes above 50,000 by years of education, for women and men."""
    table = pd.read_parquet(folder / "adult_census.parquet").drop(columns=["education", "fnlwgt"])
    table["sex"] = table["sex"].map({"Female": "women", "Male": "men"})
    found = pb.effect(table, "income", "education_num", by="sex", class_=">50K")
    print(found.by)
    title = "More education goes with higher incomes, for men more than for women"
    y = "share with income above 50,000,\npercentage points from the mean"
    _finish(found.by.plot(), title, "years of education (as coded in the census)", y,
            "by-education")  # fmt: skip


def houses(folder: Path) -> None:
    """House prices by size in three parts of the county, by size along latitude, and by place."""
    table = pd.read_parquet(folder / "king_county_houses.parquet")
    third = pd.qcut(table["lat"], 3, labels=["south", "middle", "north"])
    found = pb.effect(table.assign(part=third), "price", "sqft_living", by="part")
    print(found.by)
    title = "A larger house goes with a higher price, least so in the south of the county"
    y = "price in dollars, compared with the mean"
    _finish(found.by.plot(), title, "square feet of living space", y, "by-place")
    slopes = pb.effect(table, "price", "sqft_living").slope_by("lat")
    print(slopes)
    title = "What 1,000 square feet more go with, from the south of the county to the north"
    ax = slopes.plot()
    places = {"Kent": 47.38, "Renton": 47.48, "Seattle": 47.61, "Shoreline": 47.755}
    ax.set_xticks([*places.values()], [*places])
    _finish(ax, title, "latitude of these towns, south on the left",
            "dollars more for 1,000 square feet", "slope-by-place")  # fmt: skip
    place = pb.effect(table, "price", ("long", "lat"))
    ax = place.plot_map()
    ax.set_aspect(1 / np.cos(np.radians(47.5)))
    for name, at in {"Seattle": (-122.34, 47.61), "Bellevue": (-122.20, 47.61)}.items():
        ax.annotate(name, at, (at[0], 47.54), ha="center", arrowprops={"arrowstyle": "->"})
    _finish(ax, "House prices around Seattle, size and the rest held still", "longitude",
            "latitude (grey: no houses)", "by-place-map", size=(6.4, 5.4))  # fmt: skip


def rents(folder: Path) -> None:
    """What a doorman goes with, in parts of New York."""
    table = pd.read_parquet(folder / "nyc_rent.parquet")
    table = table[table["price"].between(1_001, 9_999) & (table["bathrooms"] <= 6)]
    table = table[table["latitude"].between(40.55, 40.94)]
    table = table[table["longitude"].between(-74.1, -73.67)]
    middle = np.array([*PARTS.values()])
    north = table["latitude"].to_numpy()[:, None] - middle[:, 0]
    east = np.cos(np.radians(40.7)) * (table["longitude"].to_numpy()[:, None] - middle[:, 1])
    table["part of the city"] = np.array([*PARTS])[np.argmin(north**2 + east**2, axis=1)]
    table["doorman"] = np.where(table.pop("feat_doorman") > 0, "yes", "no")
    table = table.drop(columns=["listing_id", "interest_level", "interest_level_num"])
    found = pb.effect(table, "price", "doorman", by="part of the city")
    title = "What a doorman goes with: more rent in some parts of New York, not in others"
    _finish(found.by.plot(), title, "dollars of monthly rent more with a doorman", "",
            "by-doorman")  # fmt: skip
    print(found.by)


def _finish(
    ax: Axes, title: str, x: str, y: str, name: str, size: tuple[float, float] = (8, 4.8)
) -> None:
    """Name what is drawn as a newspaper would, and write it."""
    ax.figure.set_size_inches(size)
    ax.set_title(title, loc="left", fontsize=11, wrap=True)
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    if (legend := ax.get_legend()) is not None:
        legend.set_title("")
    ax.figure.savefig(IMAGES / f"{name}.png", dpi=96)
    print(name)


if __name__ == "__main__":
    for draw in (bikes, incomes, houses, rents):
        draw(Path(sys.argv[1]))

"""Sample data for the page."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from paribus import datasets
from paribus.datasets import Dataset


@dataclass(frozen=True, slots=True)
class Sample:
    """A table that comes with paribus."""

    # What the page says of it.
    title: str
    text: str
    make: Callable[[], Dataset]  # returns it
    opening: str  # the Python that does the same
    target: str  # the column to explain

    def write(self, folder: Path) -> Path:
        """Write the table as CSV into a folder."""
        path = folder / "sample.csv"
        columns = self.make().table
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows(zip(*(c.tolist() for c in columns.values()), strict=True))
        return path


SAMPLES = {
    "diamonds": Sample(
        "Diamonds",
        "Price, weight, cut, colour and clarity of 53,940 diamonds.",
        datasets.diamonds,
        'pb.datasets.diamonds().to_frame("polars")',
        "price",
    ),
    "body-weight": Sample(
        "Body weight",
        "2,000 made-up people whose true answers are known: 10 pounds an inch, 40 for pregnancy.",
        datasets.body_weight,
        'pb.datasets.body_weight().to_frame("polars")',
        "weight",
    ),
}

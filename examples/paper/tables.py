"""The paper's three real data sets, where they are at hand."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).parents[2]
FOLDER = Path(os.environ.get("PARIBUS_DATA", ROOT.parent / "shared" / "data"))
SIZES = {"Mini": 1, "Compact": 1, "Small": 2, "Medium": 3, "Large / Medium": 4, "Large": 5}


@dataclass(frozen=True)
class RealTable:
    """A table less its target, the target, and which columns are categories."""

    X: pd.DataFrame
    y: pd.Series
    categories: tuple[str, ...] = ()

    def sample(self, n: int, seed: int = 0) -> RealTable:
        """Draw n rows at random."""
        rows = np.sort(np.random.default_rng(seed).permutation(len(self.y))[:n])
        X, y = self.X.iloc[rows], self.y.iloc[rows]
        return RealTable(X.reset_index(drop=True), y.reset_index(drop=True), self.categories)

    def coded(self) -> pd.DataFrame:
        """Return the columns as numbers, categories by their place among the sorted levels."""
        X = self.X.copy()
        for name in self.categories:
            X[name] = pd.Categorical(X[name]).codes
        return X.astype(np.float64)


def is_there(*names: str) -> bool:
    """Tell whether data files are at hand."""
    return all((FOLDER / f"{name}.parquet").exists() for name in names)


def rent() -> RealTable:
    """Rents in New York City, the authors' filter; distances to four places stand for theirs."""
    d = pd.read_parquet(FOLDER / "nyc_rent.parquet")
    kept = d["price"].between(1000, 10_000, inclusive="neither") & (d["bathrooms"] <= 6)
    kept &= d["latitude"].between(40.55, 40.94) & d["longitude"].between(-74.1, -73.67)
    d = d[kept].reset_index(drop=True)
    names = [
        "bedrooms", "bathrooms", "latitude", "longitude", "interest_level_num", "created_hour",
        "num_photos", "num_features", "num_desc_words", "feat_dishwasher", "feat_doorman",
        "feat_elevator", "feat_fee", "feat_fitness", "feat_hardwoods", "feat_laundry",
    ]  # fmt: skip
    X = d[names].copy()
    for place, (latitude, longitude) in {
        "midtown": (40.7549, -73.9840), "village": (40.7336, -74.0027),
        "financial": (40.7075, -74.0113), "williamsburg": (40.7081, -73.9571),
    }.items():  # fmt: skip
        X[place] = (d["latitude"] - latitude).abs() + (d["longitude"] - longitude).abs()
    return RealTable(X, d["price"].astype(np.float64))


def bulldozer() -> RealTable:
    """Auction sales of construction machines with a usable year."""
    d = pd.read_parquet(FOLDER / "bulldozer.parquet")
    d = d[d["YearMade"] > 1950].reset_index(drop=True)
    X = pd.DataFrame(
        {
            "YearMade": d["YearMade"],
            "MachineHours": d["MachineHoursCurrentMeter"].fillna(0),
            "ProductSize": d["ProductSize"].map(SIZES).fillna(0).astype(int),
            "AC": d["Enclosure"].fillna("").str.contains("AC").astype(int),
            "saleyear": d["saledate"].dt.year,
            "salemonth": d["saledate"].dt.month,
            "saleday": d["saledate"].dt.day,
            "saledayofweek": d["saledate"].dt.dayofweek,
            "saledayofyear": d["saledate"].dt.dayofyear,
            "ModelID": d["ModelID"].astype(str),
            "datasource": d["datasource"].astype(str),
            "auctioneerID": d["auctioneerID"].fillna(-1).astype(int).astype(str),
            "Enclosure": d["Enclosure"].fillna("none").astype(str),
            "state": d["state"].astype(str),
        }
    )
    categories = ("ModelID", "datasource", "auctioneerID", "Enclosure", "state")
    return RealTable(X, d["SalePrice"].astype(np.float64), categories)


def flights() -> RealTable:
    """Arrival delays of US flights in 2015, without cancelled or diverted ones."""
    d = pd.read_parquet(FOLDER / "flights_2015.parquet")
    d = d[(d["CANCELLED"] == 0) & (d["DIVERTED"] == 0) & d["ARRIVAL_DELAY"].notna()]
    d = d.reset_index(drop=True)
    date = pd.to_datetime({"year": d["YEAR"], "month": d["MONTH"], "day": d["DAY"]})
    numbers = [
        "MONTH", "DAY", "DAY_OF_WEEK", "SCHEDULED_DEPARTURE", "SCHEDULED_ARRIVAL",
        "DEPARTURE_TIME", "AIR_TIME", "DISTANCE", "TAXI_IN", "TAXI_OUT", "SCHEDULED_TIME",
    ]  # fmt: skip
    categories = (
        "AIRLINE", "ORIGIN_AIRPORT", "DESTINATION_AIRPORT", "FLIGHT_NUMBER", "TAIL_NUMBER",
    )  # fmt: skip
    X = d[numbers].assign(dayofyear=date.dt.dayofyear)
    for name in categories:
        X[name] = d[name].astype(str)
    return RealTable(X, d["ARRIVAL_DELAY"], categories)

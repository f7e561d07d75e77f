"""Data to try things on: the paper's generators with their true effects, and diamonds."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, TypeAlias

import numpy as np

from paribus.base.arrays import AnyArray, FloatArray
from paribus.base.checks import check_seed, check_whole
from paribus.table.columns import Backend, make_frame

Truth: TypeAlias = Callable[[Any], FloatArray]

STATES = {"AZ": 90.0, "CA": 70.0, "CO": 40.0, "NV": 80.0, "WA": 60.0}


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """A table, its target and, for made data, what each column truly does.

    Attributes
    ----------
    X : dict of str to array of shape (n,)
        The columns.
    y : array of shape (n,)
        The target.
    target : str
        The target's name.
    truth : dict of str to function
        For a numeric column the true effect at each x; for a category, at each level. Only
        differences mean anything. Empty for real data.
    """

    X: Mapping[str, AnyArray]
    y: FloatArray
    target: str
    truth: Mapping[str, Truth] = field(default_factory=dict)

    @property
    def table(self) -> dict[str, AnyArray]:
        """Columns and target together."""
        return {**self.X, self.target: self.y}

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return columns and target as one data frame (pandas, polars or pyarrow).

        Examples
        --------
        >>> frame = quadratic(100, seed=0).to_frame("polars")
        >>> frame.shape
        (100, 3)
        """
        return make_frame(self.table, backend)


def body_weight(n: int = 2000, *, seed: int = 0) -> Dataset:
    """Body weight from sex, pregnancy, height and education, strongly codependent, no noise.

    Each inch of height adds 10 pounds, pregnancy 40, each year of education takes 1.5 away.
    Men are taller than women, women have two years more education, no man is pregnant.

    Examples
    --------
    >>> d = body_weight(100, seed=0)
    >>> list(d.X), d.target
    (['sex', 'pregnant', 'height', 'education'], 'weight')
    """
    rng = _generator(seed, n=n)
    female = rng.integers(2, size=n).astype(bool)
    pregnant = female & rng.integers(2, size=n).astype(bool)
    height = np.where(female, 65 + rng.uniform(-4.5, 5, n), 68 + rng.uniform(-7, 8, n))
    education = np.where(female, 12, 10) + rng.uniform(0, 8, n)
    weight = 120 + 10 * (height - height.min()) + 40.0 * pregnant - 1.5 * education
    columns = {
        "sex": np.where(female, "F", "M"),
        "pregnant": pregnant,
        "height": height,
        "education": education,
    }
    truth: dict[str, Truth] = {
        "sex": lambda sex: np.zeros(len(sex)),
        "pregnant": lambda pregnant: 40.0 * np.asarray(pregnant, dtype=np.float64),
        "height": lambda height: 10.0 * np.asarray(height),
        "education": lambda education: -1.5 * np.asarray(education),
    }
    return Dataset(columns, weight, "weight", truth)


def interactions(n: int = 2000, *, seed: int = 0) -> Dataset:
    """Three independent columns, two of which interact; x3 does nothing. No noise.

    ``y = x1**2 + x1*x2 + 5*x1*sin(3*x2) + 10``, all uniform on 0 to 10; the truth of one
    column is its effect averaged over the others.

    Examples
    --------
    >>> d = interactions(100, seed=0)
    >>> d.truth["x3"](d.X["x3"]).any().item()
    False
    """
    rng = _generator(seed, n=n)
    x1, x2, x3 = rng.uniform(0, 10, (3, n))
    y = x1**2 + x1 * x2 + 5 * x1 * np.sin(3 * x2) + 10
    mean_sine = (1 - np.cos(30.0)) / 30
    truth: dict[str, Truth] = {
        "x1": lambda x: np.asarray(x) ** 2 + (5 + 5 * mean_sine) * np.asarray(x),
        "x2": lambda x: 5 * np.asarray(x) + 25 * np.sin(3 * np.asarray(x)),
        "x3": lambda x: np.zeros(len(x)),
    }
    return Dataset({"x1": x1, "x2": x2, "x3": x3}, y, "y", truth)


def quadratic(n: int = 2000, *, sigma: float = 1.0, seed: int = 0) -> Dataset:
    """A parabola in x1 and a line in x2 under normal noise of standard deviation `sigma`.

    ``y = x1**2 + x2 + 10 + noise``, both uniform on -2 to 2.

    Examples
    --------
    >>> d = quadratic(100, sigma=0, seed=0)
    >>> bool(np.allclose(d.y, d.X["x1"]**2 + d.X["x2"] + 10))
    True
    """
    rng = _generator(seed, n=n)
    x1, x2 = rng.uniform(-2, 2, (2, n))
    y = x1**2 + x2 + 10 + sigma * rng.standard_normal(n)
    truth: dict[str, Truth] = {
        "x1": lambda x: np.asarray(x) ** 2,
        "x2": lambda x: np.asarray(x, dtype=np.float64),
    }
    return Dataset({"x1": x1, "x2": x2}, y, "y", truth)


def weather(n_years: int = 3, *, sigma: float = 4.0, seed: int = 0) -> Dataset:
    """Daily temperature in five states over some years: a level a state, a sine over the year.

    ``y = base[state] + 10*sin(2*pi*dayofyear/365 + pi) + noise``. As in the authors' generator
    each day of a year belongs to one state, drawn at random; the base temperatures are
    90, 70, 40, 80 and 60 for AZ, CA, CO, NV and WA.

    Examples
    --------
    >>> d = weather(seed=0)
    >>> len(d.y), d.truth["state"](["AZ", "CO"]).tolist()
    (1095, [90.0, 40.0])
    """
    rng = _generator(seed, n_years=n_years)
    day = np.tile(np.arange(1.0, 366.0), n_years)
    year = np.repeat(np.arange(1980.0, 1980.0 + n_years), 365)
    state = rng.choice(list(STATES), size=len(day))
    truth: dict[str, Truth] = {
        "state": lambda states: np.array([STATES[str(s)] for s in states]),
        "dayofyear": lambda d: 10 * np.sin(2 * np.pi / 365 * np.asarray(d) + np.pi),
        "year": lambda years: np.zeros(len(years)),
    }
    noise = sigma * rng.standard_normal(len(day))
    temperature = truth["state"](state) + truth["dayofyear"](day) + noise
    columns = {"dayofyear": day, "year": year, "state": state}
    return Dataset(columns, temperature, "temperature", truth)


def diamonds() -> Dataset:
    """Price and properties of 53,940 diamonds, as published with ggplot2.

    Carat, cut, colour, clarity, depth and table in per cent, and length, width and height
    (x, y, z) in millimetres; a few of the three are 0. Price in US dollars.

    Examples
    --------
    >>> d = diamonds()
    >>> len(d.y), d.target
    (53940, 'price')
    """
    path = files("paribus") / "data" / "diamonds.csv.gz"
    with path.open("rb") as packed, gzip.open(packed, "rt", encoding="utf-8", newline="") as lines:
        names, *rows = csv.reader(lines)
    text = {"cut", "color", "clarity"}
    columns: dict[str, AnyArray] = {
        name: np.array(values) if name in text else np.array(values, dtype=np.float64)
        for name, values in zip(names, zip(*rows, strict=True), strict=True)
    }
    return Dataset(columns, columns.pop("price"), "price")


def _generator(seed: int, **size: int) -> np.random.Generator:
    for name, value in size.items():
        check_whole(name, value, 1)
    check_seed(seed)
    return np.random.default_rng(seed)

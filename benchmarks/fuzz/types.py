"""Tables of any types, in any library's frames, and any options: hypothesis draws them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st

import paribus as pb
from fuzz.rooms import Tried, one_try
from paribus.base.errors import InputError

EXAMPLES = 20  # of each seed
USUAL = [
    st.integers(-9, 9),
    st.integers(),
    st.integers(0, 1),
    st.floats(-100, 100, width=32),
    st.floats(),
    st.booleans(),
    st.text(max_size=6),
    st.sampled_from(["", "a", "b", "NA", "nan", "1,5", "$3,200", "2020-01-31", "8e10203"]),
    st.dates(date(1600, 1, 1)),
    st.datetimes(datetime(1700, 1, 1), datetime(2250, 1, 1)),
    st.datetimes(datetime(1990, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC)),
]
ODD = [
    st.timedeltas(timedelta(-999), timedelta(999)),
    st.times(),
    st.decimals(allow_nan=True),
    st.fractions(),
    st.complex_numbers(),
    st.binary(max_size=3),
    st.none(),
    st.lists(st.integers(0, 2), max_size=2),
    st.sampled_from([Decimal("sNaN"), 10**400, Fraction(1, 3), np.nan, pd.NaT, pd.NA, np.inf]),
    st.sampled_from([time(1), frozenset(), {"a": 1}, object, np.datetime64("NaT"), 1j, "\ud800"]),
]
MADE: list[Callable[[list[Any]], Any]] = [
    list,
    np.array,
    lambda v: np.array(v, dtype=object),
    lambda v: np.array(v, dtype=np.float16),
    lambda v: np.ma.masked_array(v, mask=np.arange(len(v)) % 3 == 0),
    pd.Series,
    lambda v: pd.Series(v, dtype="category"),
    lambda v: pd.Series(v, dtype="Int64"),
    lambda v: pd.Series(v, dtype="string"),
    lambda v: pd.Series(pd.arrays.SparseArray(v)),
    pl.Series,
    lambda v: pl.Series(v, dtype=pl.Categorical),
    lambda v: pl.Series(v, dtype=pl.Decimal(10, 2)),
    lambda v: pl.Series(v, dtype=pl.UInt8),
    pa.array,
    lambda v: pa.array(v).dictionary_encode(),
    lambda v: pa.array(v, pa.timestamp("ns", "UTC")),
]
FRAMES: list[Callable[[dict[Any, Any]], Any]] = [
    dict,
    dict,
    pd.DataFrame,
    pl.DataFrame,
    lambda table: pl.DataFrame(table).lazy(),
    pa.table,
    lambda table: pd.DataFrame(table, index=list(range(len(next(iter(table.values())))))[::-1]),
]
NAMES = st.sampled_from([*"bcde", *"bcde", "", " ", "=x", "é", 1, None, ("t", "u"), "a" * 300])
ROLES = ("weights", "counts", "cluster", "within", "exposure", "by")
CHOICES: dict[str, list[Any]] = {
    "target_scale": ["log", "ratio", "odds", "none"],
    "per": ["doubling", 0, 1.5, "a"],
    "min_samples_leaf": [1, 2, 0, 2**62, 10**20, 1.5, "5"],
    "conf_level": [0.5, 0.999999, 0, 1, np.nan, "0.9"],
    "repeats": [1, 2, 0, None],
    "folds": [2, 3, 1, 10**9],
    "adjust": [False],
    "honest": [False],
    "estimator": ["slopes", "trees"],
    "average": ["overlap", ""],
    "effort": ["quick", "thorough", "idle"],
    "seed": [1, 2**64, -1, 1.5],
    "n_jobs": [1, 2, -1, 0],
    "tidy": [False],
    "sample_rows": [100, 1000, 0],
    "class_": ["a", 1, None, True],
}


def made(maker: Callable[[Any], Any], plain: Any) -> Any:
    """Return what a library makes of values, or the values where it refuses or panics."""
    try:
        return maker(plain)
    except BaseException:
        return plain


@st.composite
def columns(draw: st.DrawFn, n: int) -> Any:
    """Draw a column: a few values, drawn from again for each row."""
    n_kinds = draw(st.sampled_from([1, 1, 1, 3]))
    pick = st.sampled_from([*USUAL, *USUAL, *ODD])
    kinds = draw(st.lists(pick, min_size=1, max_size=n_kinds))
    pool = draw(st.lists(st.one_of(kinds), min_size=1, max_size=8))
    order = np.random.default_rng(draw(st.integers(0, 999))).integers(len(pool), size=n)
    return made(draw(st.sampled_from(MADE)), [pool[k] for k in order])


@st.composite
def questions(draw: st.DrawFn) -> tuple[Any, Any, dict[str, Any]]:
    """Draw a table, a target and options; most targets are plain numbers."""
    n = draw(st.sampled_from([60, 150, 150, 150, 60, 20, 3, 1, 0]))
    names = draw(st.lists(NAMES, min_size=1, max_size=5, unique_by=str).map(lambda n: ["a", *n]))
    table = {name: draw(columns(n)) for name in names}
    numbers = np.random.default_rng(draw(st.integers(0, 999))).normal(size=n)
    target: Any = "y"
    if draw(st.integers(0, 7)):
        table["y"] = numbers
    else:
        target = draw(st.one_of(NAMES, columns(n)))
    asked: dict[str, Any] = {}
    for role in draw(st.lists(st.sampled_from(ROLES), max_size=1)):
        asked[role] = draw(st.one_of(st.sampled_from(names), st.just(np.abs(numbers)), columns(n)))
    for option in draw(st.lists(st.sampled_from(list(CHOICES)), max_size=2)):
        asked[option] = draw(st.sampled_from(CHOICES[option]))
    for option in draw(st.lists(st.sampled_from(["features", "together", "keep"]), max_size=1)):
        asked[option] = draw(st.lists(st.sampled_from([*names, "z"]), max_size=3))
    return made(draw(st.sampled_from(FRAMES)), table), target, asked


def ask(data: Any, target: Any, asked: dict[str, Any], way: str) -> None:
    """Ask one of the public functions, and look at the answer in some of its forms."""
    known = {k: v for k, v in asked.items() if k in ("names", "min_samples_leaf", "seed", "n_jobs")}
    if way == "effects":
        found = pb.effects(data, target, **asked)
        found.to_frame(), found._repr_html_(), found.table().to_markdown()
    elif way == "effect":
        options = {k: v for k, v in asked.items() if k not in ("features", "repeats")}
        found = pb.effect(data, target, [*(asked.get("features") or ()), "a"][0], **options)
        found.to_frame(), found._repr_html_()
    elif way == "check":
        found = pb.check(data, target)
    elif way == "interactions":
        found = pb.interactions(data, target)
    else:
        found = getattr(pb, way)(data, target, "a", **known)
    str(found), repr(found)


WAYS = ("effects", "effects", "effect", "check", "interactions", "stratpd", "catstratpd")


def asking(seed: int, one: Callable[[Callable[[], None]], None], phases: list[Phase]) -> None:
    """Draw questions from a seed, and let `one` ask each."""

    @seeded(seed)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=phases,
    )
    @given(st.data(), st.sampled_from(WAYS))
    def asks(draw: st.DataObject, way: str) -> None:
        data, target, asked = draw.draw(questions())
        one(lambda: ask(data, target, asked, way))

    asks()


def try_types(seed: int) -> list[Tried]:
    """Try what follows from a seed."""
    came: list[Tried] = []
    asking(seed, lambda question: came.append(one_try(question)), [Phase.generate])
    return came


def smallest(seed: int) -> None:
    """Find the smallest question of a seed that goes wrong, and let its problem out."""

    def must_answer(question: Callable[[], None]) -> None:
        with suppress(InputError):
            question()

    asking(seed, must_answer, [Phase.generate, Phase.shrink])

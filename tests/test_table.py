"""Anything tabular in: kinds, levels and missing values, the same from every library."""

import datetime as dt
import json
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import paribus as pb
from paribus import InputError
from paribus.table.columns import as_column, as_table, make_frame

ROWS = {
    "number": [1.5, None, 3.0, 1.5],
    "whole": [3, 1, 2, 3],
    "text": ["b", "a", None, "b"],
    "flag": [True, False, None, True],
    "day": [dt.date(1970, 1, 2), None, dt.date(1970, 1, 4), dt.date(2020, 2, 29)],
    "moment": [dt.datetime(1970, 1, 1, 12), None, dt.datetime(1970, 1, 3), dt.datetime(2000, 1, 1)],
}
MAKERS = {
    "pandas": lambda: pl.DataFrame(ROWS).to_pandas(),
    "pandas-objects": lambda: pd.DataFrame(ROWS, dtype=object),
    "pandas-arrow": lambda: pl.DataFrame(ROWS).to_pandas(use_pyarrow_extension_array=True),
    "polars": lambda: pl.DataFrame(ROWS),
    "pyarrow": lambda: pa.table(ROWS),
    "dict": lambda: ROWS,
    "array": lambda: np.array(list(zip(*ROWS.values(), strict=True)), dtype=object),
}


@pytest.mark.parametrize("maker", MAKERS)
def test_every_library_reads_alike(maker):
    names = list(ROWS) if maker == "array" else None
    table = as_table(MAKERS[maker](), names)
    kinds = ["number", "number", "category", "category", "date", "date"]
    assert [c.kind for c in table.columns] == kinds
    assert table.names == list(ROWS)
    expected = {
        "number": [1.5, np.nan, 3, 1.5],
        "whole": [3, 1, 2, 3],
        "text": [1, 0, np.nan, 1],
        "flag": [1, 0, np.nan, 1],
        "day": [1, np.nan, 3, 18321],
        "moment": [0.5, np.nan, 2, 10957],
    }
    for name, values in expected.items():
        np.testing.assert_allclose(table[name].values, values)
    assert table["text"].levels == ("a", "b")
    assert table["flag"].levels == (False, True)


@pytest.mark.parametrize(
    "series",
    [
        pd.Series(pd.Categorical(["lo", "hi", "lo"], categories=["lo", "mid", "hi"], ordered=True)),
        pl.Series(["lo", "hi", "lo"], dtype=pl.Enum(["lo", "mid", "hi"])),
    ],
    ids=["pandas", "polars"],
)
def test_declared_order_is_kept(series):
    column = as_column("size", series)
    assert column.levels == ("lo", "hi")
    assert column.values.tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    "series",
    [
        pd.Series(["lo", "hi", None], dtype="category"),
        pl.Series(["lo", "hi", None], dtype=pl.Categorical),
        pa.chunked_array([pa.array(["lo", "hi", None]).dictionary_encode()]),
    ],
    ids=["pandas", "polars", "pyarrow"],
)
def test_unordered_categories_are_sorted(series):
    column = as_column("size", series)
    assert column.levels == ("hi", "lo")
    np.testing.assert_equal(column.values, [1, 0, np.nan])


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([Decimal("1.5"), None], "number"),
        (np.array([1, 2], dtype="timedelta64[D]"), "number"),
        (pd.Series(pd.to_timedelta([1, 2], unit="D")), "number"),
        (pd.Series(pd.to_datetime(["2020-01-01"], utc=True)), "date"),
        (pl.Series([dt.datetime(2020, 1, 1)], dtype=pl.Datetime("us", "Europe/Berlin")), "date"),
        ([dt.datetime(2020, 1, 1, tzinfo=dt.UTC), None], "date"),
        ([1, "two", None], "category"),
        (pd.Series([None, None], dtype=object), "category"),
        (pd.Series([1, None], dtype="Int64"), "number"),
        (pd.Series([True, None], dtype="boolean"), "category"),
    ],
    ids=str,
)
def test_kinds(values, kind):
    assert as_column("c", values).kind == kind


def test_time_zones_are_one_time():
    berlin = pl.Series([dt.datetime(2020, 1, 1)]).dt.replace_time_zone("Europe/Berlin")
    assert as_column("t", berlin).values[0] == pytest.approx(18262 - 1 / 24)
    offset = dt.timezone(dt.timedelta(hours=1))
    assert as_column("t", [dt.datetime(2020, 1, 1, tzinfo=offset)]).values[0] == pytest.approx(
        18262 - 1 / 24
    )


def test_times_finer_than_a_microsecond_and_lengths_of_centuries():
    """Arrow refuses to turn what would lose a billionth of a second."""
    moment = pa.chunked_array(
        [pa.array([626_502_277_039_345_489, None], pa.timestamp("ns", "UTC"))]
    )
    length = pa.chunked_array([pa.array([9_007_199_254_740_994, None], pa.duration("us"))])
    table = as_table(pa.table({"moment": moment, "length": length}))
    np.testing.assert_allclose(table["moment"].values, [7251.183762029462, np.nan])
    np.testing.assert_allclose(table["length"].values, [104_249.991374317, np.nan])


def test_numbers_and_dates_turn_into_levels():
    column = as_column("n", [2.0, np.nan, 1.0, 2.0]).as_category()
    assert column.levels == (1, 2)
    np.testing.assert_equal(column.values, [1, np.nan, 0, 1])
    days = as_column("d", np.array(["2020-02-29", "2020-01-01"], dtype="datetime64[D]"))
    assert days.as_category().levels == (dt.date(2020, 1, 1), dt.date(2020, 2, 29))


@pytest.mark.parametrize(
    ("backend", "kind"),
    [("pandas", pd.DataFrame), ("polars", pl.DataFrame), ("pyarrow", pa.Table)],
)
def test_frames_come_back_in_their_library(backend, kind):
    table = as_table(MAKERS[backend]())
    assert table.backend == backend
    assert isinstance(make_frame({"a": np.arange(3)}, table.backend), kind)


def test_masked_values_are_missing():
    column = as_column("m", np.ma.MaskedArray([1.0, 2.0], mask=[False, True]))
    np.testing.assert_equal(column.values, [1.0, np.nan])


def test_levels_nobody_has_are_gone():
    column = as_column("c", ["a", "b", "c"]).take(np.array([0, 2]))
    assert column.levels == ("a", "c")
    assert column.values.tolist() == [0, 1]


def test_numbers_and_text_in_one_category():
    column = as_column("c", pd.Series([1, "a", 2.5], dtype="category"))
    assert set(column.levels) == {1, "a", 2.5}


def test_text_that_looks_like_numbers_can_be_numeric():
    column = as_column("c", ["2", "10", None]).as_number()
    np.testing.assert_equal(column.values, [2, 10, np.nan])
    with pytest.raises(ValueError, match="'c' cannot be numeric: it holds 'x'"):
        as_column("c", ["x"]).as_number()


def test_a_masked_matrix_keeps_its_mask():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 2))
    y = x[:, 0] + rng.normal(size=300) / 9
    masked = np.ma.masked_equal(np.where(rng.random(x.shape) < 0.1, -9999, x), -9999)
    found = pb.effects(masked, y)
    assert found["x0"].x.min() > -10
    assert found["x0"].missing.count == int(masked.mask[:, 0].sum())


def test_a_nan_among_texts_is_missing():
    y = np.random.default_rng(0).normal(size=90)
    found = pb.effects({"x": ["a", float("nan"), "b"] * 30, "y": y}, "y")
    same = pb.effects({"x": ["a", None, "b"] * 30, "y": y}, "y")
    assert found["x"].levels == same["x"].levels
    assert "nan" not in found["x"].levels


@pytest.mark.parametrize("kind", [None, {"x": "numeric"}])
def test_numbers_of_python_that_no_float_holds(kind):
    rng = np.random.default_rng(0)
    a = rng.normal(size=90)
    decimals = [Decimal("sNaN"), *(Decimal(str(v)) for v in a[1:])]
    assert pb.effects({"x": decimals, "y": a}, "y", kind=kind).n_rows == 90
    for first in (10**400, -(10**400)):
        with pytest.raises(InputError, match=r"'x' is infinite in row 0|'x' is equal"):
            pb.effects({"x": [first, *a[1:].tolist()], "y": a}, "y", kind=kind)


def test_two_numbers_that_no_whole_number_holds_make_a_frame():
    x = np.where(np.arange(60) % 2, 1.5e120, -2e120)
    found = pb.effect(pl.DataFrame({"x": x, "y": np.arange(60) % 2 + np.arange(60) % 5}), "y", "x")
    assert found.to_frame()["x"].to_list() == [-2e120, 1.5e120]


def test_half_a_character_does_not_break_what_is_written():
    rng = np.random.default_rng(0)
    x = np.array(["a\ud800", "b"])[rng.integers(0, 2, size=90)]
    found = pb.effects({"x\udfff": x.tolist(), "y": rng.normal(size=90)}, "y")
    json.dumps(found.to_dict(), ensure_ascii=False).encode()


def test_what_cannot_be_hashed_or_compared_is_missing():
    mixed = as_column("a", [Decimal("sNaN"), "x", None, "y"])
    assert np.isnan(mixed.values).tolist() == [True, False, True, False]
    empty = pd.Series([pd.NA, pd.NA], dtype="Int64")
    assert np.isnan(as_column("a", empty).values).all()

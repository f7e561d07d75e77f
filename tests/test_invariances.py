"""What cannot matter does not: the same rows, written otherwise, give the same answer.

Answers are compared to a millionth of the intervals' half width. Which of several columns that say
the same stands for them is the one exception: the first in the table does. Columns that are not
explained stand in the order of their names.
"""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import paribus as pb

SAME = 1e-6


def of_numbers():
    rng = np.random.default_rng(3)
    n = 1500
    data = {f"x{k}": rng.normal(size=n) for k in range(4)}
    data["x1"] = data["x1"] + 0.7 * data["x0"]
    data["g"] = np.array(list("abcd"))[rng.integers(4, size=n)]
    data["k"] = rng.integers(0, 6, size=n).astype(float)
    data["b"] = rng.integers(0, 2, size=n).astype(float)
    signal = 2 * data["x0"] + data["x1"] * data["b"] + 1.5 * (data["g"] == "b") + 0.3 * data["k"]
    return pd.DataFrame({**data, "y": signal + rng.normal(size=n)})


def of_categories():
    """Columns of equal shares, and a target of two values: little to tell columns apart by."""
    rng = np.random.default_rng(4)
    data = {f"b{k}": rng.permutation(np.tile(["no", "yes"], 600)) for k in range(5)}
    data["u"] = rng.integers(0, 10, 1200).astype(float)
    chance = 0.3 + 0.1 * (data["b0"] == "yes") + 0.1 * (data["b1"] == data["b2"])
    return pd.DataFrame({**data, "y": (rng.random(1200) < chance).astype(float)})


def of_holes():
    """Missing values, a number and its logarithm, and a column that repeats its values."""
    rng = np.random.default_rng(5)
    size = rng.lognormal(size=900)
    data = {"size": size, "log": np.log(size), "u": rng.normal(size=900).round(1)}
    data["c"] = np.array(list("uvwz"))[rng.integers(4, size=900)]
    data["y"] = data["log"] + data["u"] + (data["c"] == "u") + rng.normal(size=900)
    data["u"][rng.random(900) < 0.1] = np.nan
    return pd.DataFrame(data)


def of_places():
    """Numbers that act together and are cut where they jump: many cuts are equally good.

    Not so those of numbers far from zero, such as 98001: another unit rounds them.
    """
    rng = np.random.default_rng(11)
    n = 1200
    area = rng.integers(0, 60, n)
    north = (0.01 * (area // 8) + 0.008 * rng.random(n)).round(3)
    east = (0.01 * (area % 8) + 0.008 * rng.random(n)).round(3)
    data = {"zip": 101.0 + (7 * area) % 60, "north": north, "east": east}
    data["size"] = rng.lognormal(7, 0.4, n).round(-1)
    worth = np.where((area // 8 > 3) ^ (area % 8 > 4), 300_000, 0) + 9_000 * (area % 5)
    price = 250 * data["size"] + worth + rng.normal(0, 60_000, n)
    return pd.DataFrame({**data, "y": price.round(-3)})


def of_twins():
    """A category beside a number for it, rare levels, and a target that columns all but fix."""
    rng = np.random.default_rng(7)
    n = 1200
    school = rng.integers(0, 12, n)
    data = {"school": np.array(list("abcdefghijkl"))[school], "years": (3 * school + 1) % 13.0}
    data["land"] = np.array([f"{chr(97 + k % 26)}{chr(97 + k // 5 % 26)}" for k in range(90)])[
        np.minimum(rng.geometric(0.06, n) - 1, 89)
    ]
    data["work"] = np.array(list("mnopqr"))[rng.integers(6, size=n)]
    data["due"] = rng.integers(0, 1440, n).astype(float)
    data["late"] = rng.exponential(30, n).round() - 10
    data["came"] = data["due"] + data["late"]
    hits = 4.0 * ((school > 6) ^ (data["work"] == "m"))
    return pd.DataFrame({**data, "y": data["late"] + hits + rng.normal(0, 0.2, n).round(2)})


TABLES = {
    "numbers": of_numbers,
    "categories": of_categories,
    "holes": of_holes,
    "places": of_places,
    "twins": of_twins,
}


@pytest.fixture(scope="module", params=TABLES)
def case(request):
    data = TABLES[request.param]()
    return data, found(data)


def found(data, **options):
    return pb.effects(data, "y", tidy=False, **options)


def assert_same(got, before, *, times=1.0, named=lambda name: name, level=lambda level: level):
    told = [named(name) for name in before.ranking if before[name].explained]
    rest = sorted(named(name) for name in before.ranking if not before[name].explained)
    assert [*told, *rest] == list(got.ranking)
    for name, e in before.items():
        other = got[named(name)]
        assert other.explained == e.explained
        if not e.explained:
            continue
        at = slice(None)
        if isinstance(e, pb.CategoricalEffect):
            at = [other.levels.index(level(value)) for value in e.levels]
        half = float(np.nanmean(e.upper - e.lower)) / 2
        ends = (other.lower, other.upper) if times > 0 else (other.upper, other.lower)
        for mine, theirs in zip((e.effect, e.lower, e.upper), (other.effect, *ends), strict=True):
            np.testing.assert_allclose(theirs[at] / times, mine, rtol=0, atol=SAME * half)
        assert other.impact / abs(times) == pytest.approx(
            e.impact, rel=SAME, abs=SAME * half, nan_ok=True
        )
        assert [note.kind for note in other.notes] == [note.kind for note in e.notes]


def test_the_order_of_columns(case):
    data, before = case
    for seed in range(2):
        order = np.random.default_rng(seed).permutation(data.columns)
        assert_same(found(data[list(order)]), before)


def test_the_order_of_rows(case):
    data, before = case
    assert_same(found(data.sample(frac=1, random_state=2).reset_index(drop=True)), before)


def test_the_names_of_columns(case):
    data, before = case
    new = {c: f"q{len(data.columns) - k:02d}" for k, c in enumerate(data.columns) if c != "y"}
    assert_same(found(data.rename(columns=new)), before, named=new.get)


def test_the_names_of_levels(case):
    data, before = case
    texts = [c for c in data.columns if not pd.api.types.is_numeric_dtype(data[c])]
    turned = data.assign(**{c: data[c].map(lambda level: "".join(_turn(level))) for c in texts})
    assert_same(found(turned), before, level=lambda value: "".join(_turn(str(value))))


def _turn(text):
    return [chr(ord("a") + ord("z") - ord(letter)) for letter in text if letter.isalpha()] or text


@pytest.mark.parametrize(
    ("shift", "times"), [(1.0, -1.0), (11.3, 3.7), (-5.0, -1e3), (2.0**14, 1.0)]
)
def test_shift_scale_and_sign_of_the_target(case, shift, times):
    data, before = case
    if set(data["y"]) == {0.0, 1.0} and shift != 1.0:
        pytest.skip("other values than 0 and 1 have another unit")
    assert_same(found(data.assign(y=shift + times * data["y"])), before, times=times)


@pytest.mark.parametrize("times", [25.4, 1 / 3])
def test_units_of_columns(case, times):
    data, before = case
    numbers = [c for c in data.columns if c != "y" and pd.api.types.is_numeric_dtype(data[c])]
    assert_same(found(data.assign(**{c: times * data[c] for c in numbers})), before)


def test_the_scale_of_weights(case):
    data, _ = case
    weights = np.random.default_rng(0).uniform(0.5, 2, len(data))
    assert_same(found(data, weights=7.3 * weights), found(data, weights=weights))


@pytest.mark.parametrize("threads", [1, 2])
def test_threads(case, threads):
    data, before = case
    assert_same(found(data, n_jobs=threads), before)


@pytest.mark.parametrize(
    "make", [pl.from_pandas, pa.Table.from_pandas, lambda d: d.to_dict("list")]
)
def test_the_library_of_the_frame(case, make):
    data, before = case
    assert_same(found(make(data)), before)


def test_a_matrix_without_names(case):
    data, _ = case
    numbers = data.select_dtypes("number")
    names = [name for name in numbers if name != "y"]
    matrix, y = numbers[names].to_numpy(), numbers["y"].to_numpy()
    assert_same(pb.effects(matrix, y, names=names, tidy=False), found(numbers))


def in_batches(data, folder, **options):
    half = len(data) // 2
    parts = [folder / "first.parquet", folder / "second.parquet"]
    for path, part in zip(parts, (data[:half], data[half:]), strict=True):
        part.to_parquet(path, index=False)
    return found(parts, **options)


def test_memory_or_batches(case, tmp_path):
    """Up to a million rows, that is; of larger tables a sample draws the strata."""
    data, before = case
    assert_same(in_batches(data, tmp_path), before)


def test_in_batches_of_which_a_sample_draws_the_strata(tmp_path):
    """The sample is drawn by what rows hold: other names, levels or units are another seed."""
    data = of_numbers().assign(w=np.random.default_rng(0).uniform(0.5, 2, 1500))
    options = {"sample_rows": 500, "weights": "w"}
    before = in_batches(data, tmp_path, **options)
    mixed = data.sample(frac=1, random_state=2)[
        list(np.random.default_rng(0).permutation(data.columns))
    ]
    assert_same(in_batches(mixed, tmp_path, n_jobs=1, **options), before)
    turned = data.assign(y=1 - 1e3 * data["y"], w=7.3 * data["w"])
    assert_same(in_batches(turned, tmp_path, **options), before, times=-1e3)

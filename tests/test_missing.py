"""Missing values bend no curve and open no door to confounding."""

import numpy as np
import pytest

import paribus as pb
from paribus.estimate.covariates import Covariates
from paribus.estimate.design import Fill
from paribus.estimate.missing import missing_point
from paribus.estimate.partitions import partitions_of

N, SEEDS = 2000, 8


def confounded(rng):
    z = rng.normal(size=N)
    x = 0.8 * z + 0.6 * rng.normal(size=N)
    return x, z, x + 2 * z + rng.normal(size=N)


def without(values, gone):
    return np.where(gone, np.nan, values)


def x_missing(rng):
    x, z, y = confounded(rng)
    return {"x": without(x, rng.random(N) < 0.3), "z": z}, y


def confounder_missing(share):
    def make(rng):
        x, z, y = confounded(rng)
        return {"x": x, "z": without(z, rng.random(N) < share)}, y

    return make


def missing_where_x_is_high(rng):
    x, z, y = confounded(rng)
    return {"x": x, "z": without(z, rng.random(N) < 1 / (1 + np.exp(-x)))}, y


def missing_where_it_is_high(rng):
    x, z, y = confounded(rng)
    return {"x": x, "z": without(z, rng.random(N) < 0.6 / (1 + np.exp(-2 * z)))}, y


def holes_everywhere(rng):
    x, z, y = confounded(rng)
    other = z + rng.normal(size=N)
    columns = {"x": x, "z": z, "other": other, "noise": rng.normal(size=N)}
    return {name: without(v, rng.random(N) < 0.2) for name, v in columns.items()}, y


def category_missing(rng):
    group = rng.integers(5, size=N)
    x = group - 2 + rng.normal(size=N)
    names = np.array(list("abcde"), dtype=object)[group]
    names[rng.random(N) < 0.4] = None
    return {"x": x, "group": names}, x + 2.0 * group + rng.normal(size=N)


DESIGNS = {
    "x": x_missing,
    "5 %": confounder_missing(0.05),
    "30 %": confounder_missing(0.3),
    "45 %": confounder_missing(0.45),
    "where x is high": missing_where_x_is_high,
    "where it is high": missing_where_it_is_high,
    "everywhere": holes_everywhere,
    "category": category_missing,
}


@pytest.mark.parametrize("design", DESIGNS)
def test_the_slope_is_right_whatever_is_missing(design):
    """Before, slopes of 1 came out as 0.85 (x missing) or as 2.3 (confounder missing)."""
    off = []
    for seed in range(SEEDS):
        data, y = DESIGNS[design](np.random.default_rng(seed))
        contrast = pb.effect(data, y, "x", seed=seed).between(-1, 1)
        off.append((contrast.value - 2) / contrast.se)
    assert abs(np.mean(off)) < 1.2
    assert np.mean(np.abs(off) < 2) >= 0.75


def test_the_missing_values_have_a_point_of_their_own():
    rng = np.random.default_rng(0)
    x, z, _ = confounded(rng)
    gone = rng.random(N) < 0.3
    y = np.where(gone, 5.0, x) + 2 * z + rng.normal(size=N) / 2
    effect = pb.effect({"x": without(x, gone), "z": z}, y, "x")
    shift = 5.0 - x[~gone].mean()  # the curve is centred over the rows that have a value
    assert effect.missing.effect == pytest.approx(shift, abs=0.1)
    assert effect.missing.lower < shift < effect.missing.upper
    assert effect.missing.count == gone.sum()


def test_a_missing_level_is_compared_with_alike_rows():
    rng = np.random.default_rng(0)
    z = rng.normal(size=N)
    treated = rng.random(N) < 1 / (1 + np.exp(-1.5 * z))
    names = np.where(treated, "yes", "no").astype(object)
    gone = rng.random(N) < 0.3
    y = np.where(gone, 3.0, 1.0 * treated) + 2 * z + rng.normal(size=N) / 2
    names[gone] = None
    effect = pb.effect({"x": names, "z": z}, y, "x")
    by_level = dict(zip(effect.levels, effect.effect, strict=True))
    assert by_level["yes"] - by_level["no"] == pytest.approx(1, abs=0.12)
    assert by_level["(missing)"] - by_level["no"] == pytest.approx(3, abs=0.15)


def test_what_was_done_is_said():
    rng = np.random.default_rng(0)
    x, z, y = confounded(rng)
    few, many = rng.random(N) < 0.1, rng.random(N) < 0.6
    data = {"x": x, "z": without(z, few), "w": without(rng.normal(size=N), many)}
    found = {note.kind: note for note in pb.effects(data, y).notes}
    assert found["incomplete_rows"].facts == {"columns": ["z"], "rows": few.sum()}
    assert found["filled_in"].facts == {"columns": ["w"], "rows": many.sum()}


@pytest.mark.parametrize("shown", ["number", "boolean", "yes/no", "a/b"])
def test_two_values_are_adjusted_alike_however_they_are_written(shown):
    rng = np.random.default_rng(0)
    a = rng.normal(size=N)
    x = rng.random(N) < 1 / (1 + np.exp(-2 * np.tanh(2 * a)))
    y = x + 2 * np.tanh(2 * a) + rng.normal(size=N)
    ways = {
        "number": (x.astype(float), 0.0, 1.0),
        "boolean": (x, False, True),
        "yes/no": (np.where(x, "yes", "no"), "no", "yes"),
        "a/b": (np.where(x, "b", "a"), "a", "b"),
    }
    values, low, high = ways[shown]
    contrast = pb.effect({"x": values, "a": a}, y, "x").between(low, high)
    number = pb.effect({"x": x.astype(float), "a": a}, y, "x").between(0.0, 1.0)
    assert contrast.value == pytest.approx(number.value, abs=0.01)
    assert contrast.se == pytest.approx(number.se, rel=0.05)
    assert abs(contrast.value - 1) < 2.5 * contrast.se


def test_the_last_digits_of_what_is_filled_in_leave_no_trace(monkeypatch):
    """Rows alike but for rounding are alike: another machine rounds otherwise."""
    rng = np.random.default_rng(0)
    group, other = rng.integers(0, 6, (2, 3000))
    size = group + rng.normal(size=3000)
    table = {"g": np.array(list("abcdef"))[group], "h": np.array(list("pqrstu"))[other]}
    table["size"] = without(size, rng.random(3000) < 0.6)
    table["age"] = without(size + other + rng.normal(size=3000), rng.random(3000) < 0.6)
    y = size + 2.0 * (other % 3) + rng.normal(size=3000)
    before = pb.effects(table, y, tidy=False)
    exact = Fill.to_all_digits
    monkeypatch.setattr(
        Fill,
        "to_all_digits",
        lambda self, v: exact(self, v) * (1 + 1e-9 * rng.standard_normal((len(v), 1))),
    )
    after = pb.effects(table, y, tidy=False)
    assert "filled_in" in {note.kind for note in before.notes}
    for name, e in before.items():
        half = np.nanmean(e.upper - e.lower)
        np.testing.assert_allclose(after[name].effect, e.effect, rtol=0, atol=1e-3 * half)


@pytest.mark.parametrize("kind", ["alike", "apart", "twin"])
def test_what_cannot_be_compared_is_seen_at_a_glance(kind, monkeypatch):
    """The glance says what least squares on all rows would say."""
    rng = np.random.default_rng(0)
    label = np.repeat(np.arange(200, dtype=np.int32), 5)
    missing = rng.random(1_000) < 0.3 if kind != "apart" else label < 60
    flag = (missing - 0.3) / 0.46 if kind == "twin" else rng.normal(size=1_000)
    covariates = Covariates(np.column_stack([rng.normal(size=1_000), flag]), np.ones(2, bool))
    strata = partitions_of([label], [200], np.ones(1_000))
    left = rng.normal(size=1_000)
    found = missing_point(missing, left, covariates, strata)
    monkeypatch.setattr("paribus.estimate.missing._not_alike", lambda *_: False)
    assert found == missing_point(missing, left, covariates, strata)
    assert (found is None) == (kind != "alike")

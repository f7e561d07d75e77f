"""Sums add up, and say the same as the rows."""

import pickle

import numpy as np
import pyarrow as pa
import pytest

import paribus as pb
from paribus.base.arrays import lacks
from paribus.estimate.covariates import Covariates
from paribus.estimate.curve import solve_curve
from paribus.estimate.levels import solve_levels
from paribus.estimate.partitions import partitions_of
from paribus.estimate.within import by_sums
from paribus.pipeline.blas import single_blas_thread
from paribus.pipeline.diagnostics import comparisons_across, find_holes, used_rows
from paribus.pipeline.options import Options
from paribus.scale.plan import Asked, make_plan
from paribus.scale.reading import Part, Reader
from paribus.scale.solve import explain_sums, kept_rows, summed_within
from paribus.scale.sources import sorts_of
from paribus.scale.summing import Summing
from paribus.scale.sums import no_rows
from paribus.scale.survey import Roles, Surveying, hashes_of

from scale_tables import make_table, write_parts

SAMPLE = 500


def survey_of(table, weights=None, sample_rows=SAMPLE):
    role = {} if weights is None else {"counts" if weights == "whole" else "weights": weights}
    reader, roles = Reader(sorts_of(table.schema)), Roles("y", **role)
    surveying = Surveying(reader, roles, sample_rows, sample_rows)
    batches = table.to_batches(max_chunksize=700)
    return surveying, surveying.feed(surveying.begin(), Part(0, "all", iter(batches), len(table)))


def plan_of(table, weights=None, adjust=True):
    surveying, survey = survey_of(table, weights)
    asked = Asked(surveying.reader, surveying.roles, Options(adjust=adjust))
    return make_plan(asked, survey, SAMPLE)


def sums_of(plan, table, sizes=None):
    """Sum a table up in parts of certain sizes, and return the parts' sums."""
    work = Summing(plan.transform)
    sizes = [len(table)] if sizes is None else sizes
    starts = np.cumsum([0, *sizes])
    return [
        work.feed(work.begin(), Part(k, str(k), iter(table.slice(start, size).to_batches())))
        for k, (start, size) in enumerate(zip(starts[:-1], sizes, strict=True))
    ]


@pytest.fixture(scope="module")
def table():
    return make_table()


@pytest.fixture(scope="module")
def plan(table):
    return plan_of(table)


def same_sums(first, second, rtol=1e-9):
    for mine, theirs in zip(first.columns, second.columns, strict=True):
        for name in mine.__slots__:
            a, b = getattr(mine, name), getattr(theirs, name)
            scale = np.abs(np.where(np.isfinite(b), b, 0)).max(initial=1.0)
            np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * scale, err_msg=name)
    np.testing.assert_allclose(first.gram, second.gram, rtol=rtol, atol=1e-7)
    for name in ("sampled", "missing_target", "zero_weight", "used", "checksum"):
        assert getattr(first, name) == getattr(second, name)
    (h1, t1, b1), (h2, t2, b2) = (s.kept.first(s.kept.limit) for s in (first, second))
    assert h1.tolist() == h2.tolist()
    assert b1 == b2
    for one, two in zip(t1.columns, t2.columns, strict=True):
        np.testing.assert_array_equal(one.to_numpy(), two.to_numpy())


@pytest.mark.parametrize("seed", range(8))
def test_sums_add_up_in_any_order_and_grouping(table, plan, seed):
    rng = np.random.default_rng(seed)
    ends = np.sort(rng.integers(0, len(table), size=rng.integers(1, 6)))
    parts = sums_of(plan, table, np.diff([0, *ends, len(table)]).tolist())
    (whole,) = sums_of(plan, table)
    parts = [parts[k] for k in rng.permutation(len(parts))]
    while len(parts) > 1:
        k = int(rng.integers(len(parts) - 1))
        parts[k : k + 2] = [parts[k] + parts[k + 1]]
    same_sums(parts[0], whole)


def test_adding_leaves_both_as_they_were_and_nothing_adds_nothing(table, plan):
    first, second = sums_of(plan, table, [2_000, 4_000])
    before = pickle.dumps(first)
    same_sums(first + no_rows(plan.transform), first)
    _ = first + second
    same_sums(pickle.loads(before), first)  # noqa: S301


def rows_of(plan, table):
    """Return what the estimate in memory needs of the rows that are summed."""
    recipe = plan.transform
    columns = recipe.reader.read(table.combine_chunks().to_batches()[0])
    hashes = hashes_of(columns, recipe.roles, 0, 0)
    summed = hashes >= np.uint64(recipe.below)
    matrix = recipe.matrix(columns)[summed]
    y = recipe.target.values(columns["y"])[summed]
    weights = np.ones(len(y))
    if recipe.roles.counts:
        weights = columns[recipe.roles.counts][summed]
    if recipe.roles.weights:
        weights = (columns[recipe.roles.weights] / recipe.mean_weight)[summed]
    return matrix, y, weights


@pytest.mark.parametrize(
    ("weights", "adjust"), [(None, True), ("whole", True), ("part", True), (None, False)]
)
def test_effects_are_those_in_memory_on_the_same_rows_and_trees(table, weights, adjust):
    rng = np.random.default_rng(1)
    if weights == "whole":
        table = table.append_column("whole", pa.array(rng.integers(1, 4, len(table))))
    if weights == "part":
        table = table.append_column("part", pa.array(rng.random(len(table)) + 0.1))
    with single_blas_thread:
        compare(table, plan_of(table, weights, adjust))


def compare(table, plan):
    """Estimate from sums and from rows, and compare everything."""
    recipe, (sums,) = plan.transform, sums_of(plan, table)
    matrix, y, w = rows_of(plan, table)
    effects = {e.feature: e for e in explain_sums(plan, sums, 0.95, len(table), "overlap")}
    kept = kept_rows(recipe, sums)
    shared = recipe.design.values(matrix)
    every = recipe.covariates(matrix, shared, y)
    label_of = recipe.labels(matrix, shared)
    for explained, column in zip(recipe.explained, sums.columns, strict=True):
        held = recipe.held[explained.position]
        x = np.ascontiguousarray(matrix[:, explained.position])
        present, n_missing = ~lacks(matrix, explained.needs), np.count_nonzero(np.isnan(x))
        label = label_of[explained.strata][present]
        _, label = np.unique(label, return_inverse=True)
        weights, x = w[present], x[present]
        counts = weights if recipe.roles.counts else None
        strata = partitions_of([label.astype(np.int32)], [int(label.max()) + 1], weights, counts)
        basis = explained.basis(x)
        own = explained.columns[:-1]
        covariates = Covariates(every[np.ix_(present, own)], np.ones(len(own), bool))
        within = by_sums(basis, covariates, y[present], strata)
        ours, _ = summed_within(explained, sums, column, kept)
        np.testing.assert_allclose(ours.gram, within.gram, atol=1e-8 * np.abs(within.gram).max())
        np.testing.assert_allclose(ours.score, within.score, atol=1e-8)
        assert ours.total == pytest.approx(within.total, rel=1e-10)
        assert ours.df == pytest.approx(within.df)
        effect, scale = effects[held.name], recipe.target.scale
        if explained.knots is None:
            fit = solve_levels(basis.index, within, basis.totals(weights), len(own), scale)
        else:
            points = basis.rarer_point()
            fit = solve_curve(basis, points, within, basis.totals(weights), len(own), scale)
            k = len(explained.knots)
            comparisons = comparisons_across(basis, k, strata)
            support = np.maximum(np.append(comparisons, 0.0), np.append(0.0, comparisons))
            np.testing.assert_allclose(effect.support, support, rtol=1e-9)
            holes = find_holes(x, basis, fit.knots, comparisons, weights)
            assert len(effect.gaps) == len(holes)
            assert (effect.missing.count if effect.missing else 0) == n_missing
        size = len(fit.effect)
        covariance = effect.covariance[:size, :size]
        np.testing.assert_allclose(effect.effect[:size], fit.effect, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(covariance, fit.covariance, rtol=1e-5, atol=1e-10)
        assert effect.p_value == pytest.approx(fit.p_value, rel=1e-5, abs=1e-12)
        assert effect.n_used == np.count_nonzero(used_rows(x, strata))


def test_rare_levels_and_long_tails_are_as_unsure_in_batches_as_all_rows_say(monkeypatch):
    rng = np.random.default_rng(7)
    n = 30_000
    z, x = rng.normal(size=n), rng.lognormal(size=n)
    level = np.where(rng.random(n) < 0.003, rng.integers(10, 14, n), rng.integers(0, 5, n))
    noise = np.where(level > 9, 3.0, 1.0) * (0.5 + x / 2) * rng.normal(size=n)
    columns = {"x": x, "level": np.char.mod("l%02d", level), "z": z, "y": z + np.sqrt(x) + noise}
    table = pa.table(columns)
    found = []
    for kept in (3_000, n):
        for place in ("sums", "plan"):
            monkeypatch.setattr(f"paribus.scale.{place}.KEPT_ROWS", kept)
        plan = plan_of(table)
        (sums,) = sums_of(plan, table)
        assert len(kept_rows(plan.transform, sums).weights) == min(kept, len(table) - SAMPLE)
        found.append({e.feature: e for e in explain_sums(plan, sums, 0.95, n, "overlap")})
    part, whole = found
    for name, least, most in (("x", 0.6, 1.6), ("level", 0.75, 1.33)):
        # How rough a curve may be is read off the errors too.
        np.testing.assert_allclose(part[name].effect, whole[name].effect, atol=0.02)
        width = [e[name].upper - e[name].lower for e in (part, whole)]
        ratio = width[0] / width[1]
        assert least < ratio.min() < ratio.max() < most
        assert np.mean(ratio) == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("how", ["cells", "rings", "added up"])
def test_columns_that_confound_together(tmp_path, how):
    """Cells found in the sample are held still in all rows; what is finer is told of."""
    rng = np.random.default_rng(2)
    place, kind = rng.integers(8, size=(2, 20_000))
    east, north = rng.uniform(-1, 1, size=(2, 20_000))
    cells = np.random.default_rng(9).normal(size=(8, 8))
    shared = {
        "cells": cells[place, kind],
        "rings": np.sign(np.sin(9 * np.hypot(east, north))),
        "added up": (place + kind) / 4,
    }[how]
    x = shared + rng.normal(size=20_000)
    letters = np.array(list("abcdefgh"))
    table = {"x": x, "place": letters[place], "kind": letters[kind], "east": east, "north": north}
    target = 0.5 * x + 2 * shared + rng.normal(size=20_000)
    paths = write_parts(tmp_path, pa.table({**table, "y": target}), 2)
    e = pb.effect(paths, "y", "x", sample_rows=4_000)
    told = [note.facts["columns"] for note in e.notes if note.kind == "too_fine_in_batches"]
    assert [set(columns) for columns in told] == ([{"east", "north"}] if how == "rings" else [])
    if how != "rings":
        rise = e.between(-1, 1)
        assert abs(rise.value - 1) < 3 * rise.se < 0.15

"""What is compiled gives what its readable twin gives."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paribus
from paribus.base.compiled import TWINS, load
from paribus.estimate import groups, hats
from paribus.scale import sums
from paribus.strata import cells, coding, fit_coding, grow, nodes, own_edges, reference, rows

PACKAGE = Path(paribus.__file__).parent
SOURCES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts): path.read_text(encoding="utf-8")
    for path in PACKAGE.rglob("*.pyx")
}
needs_build = pytest.mark.skipif(
    load("strata.kernel.task") is None, reason="nothing is compiled here"
)
seeds = given(st.integers(0, 10_000))
often = settings(max_examples=30, deadline=None)


def both(name, module, given, made):
    """Run a compiled function and its twin on `given`, each on its own copy of `made`."""
    fast, slow = ([array.copy() for array in made] for _ in range(2))
    twin = getattr(module, f"{name}_reference")
    assert getattr(module, name)(*given, *fast) == twin(*given, *slow)
    for got, expected in zip(fast, slow, strict=True):
        np.testing.assert_allclose(got, expected, atol=1e-12)


@needs_build
def test_every_compiled_function_has_a_twin():
    written = {
        f"{module}.{name}"
        for module, text in SOURCES.items()
        for name in re.findall(r"^def (\w+)", text, re.MULTILINE)
    }
    assert written - {"strata.kernel.task.first_task"} == set(TWINS)
    assert all(fast is not slow for fast, slow in TWINS.values())


@pytest.mark.skipif("PARIBUS_DEBUG_PATH" not in os.environ, reason="for make test-debug")
@pytest.mark.parametrize("module", SOURCES)
def test_the_debug_build_is_the_one_that_is_tested(module):
    folder = Path(os.environ["PARIBUS_DEBUG_PATH"]).resolve()
    assert Path(load(module).__file__).is_relative_to(folder)


EVERYTHING = """
import sys, warnings
for name in sys.argv[1:]:
    sys.modules["paribus." + name] = None
import paribus as pb
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    data = pb.datasets.body_weight(600, seed=1).table
    effects = pb.effects(data, "weight", n_jobs=1)
warned = [str(w.message)[:30] for w in seen if w.category is RuntimeWarning]
print(pb.info().engine, warned, effects.ranking)
print(" ".join(f"{effects[c].impact:.6g}" for c in sorted(effects)))
"""


def told_by(*modules):
    run = subprocess.run(
        [sys.executable, "-c", EVERYTHING, *modules], capture_output=True, text=True, check=True
    )
    said, impacts = run.stdout.splitlines()
    return said, np.array(impacts.split(), dtype=float)


@needs_build
def test_without_anything_compiled_the_answer_is_as_good():
    """The trees are scikit-learn's then, and not the same to the last row."""
    said, fast = told_by()
    assert said == "compiled [] ['height', 'pregnant', 'education', 'sex']"
    said, slow = told_by(*SOURCES)
    warned = "['paribus was installed without ']"
    assert said == f"scikit-learn {warned} ['height', 'pregnant', 'education', 'sex']"
    np.testing.assert_allclose(slow, fast, rtol=0.1, atol=0.5)


@needs_build
def test_without_what_has_a_twin_the_answer_is_the_same():
    trees = {name for name in SOURCES if name.startswith("strata.kernel.")}
    _, fast = told_by()
    _, slow = told_by(*(set(SOURCES) - trees))
    np.testing.assert_allclose(slow, fast, rtol=1e-5)


@seeds
@often
def test_values_to_codes(seed):
    rng = np.random.default_rng(seed)
    values = rng.choice([np.nan, *rng.normal(size=300)], size=(int(rng.integers(1, 500)), 3))
    edges = fit_coding(values).edges
    n = len(values)
    few = np.hstack([edges[:, : rng.integers(8)], np.full((3, 8), np.inf)])[:, :8]
    for table in (values, np.asfortranarray(values)):
        for padded in (edges, np.ascontiguousarray(few)):
            codes = np.zeros(table.shape, np.uint8)
            fast, slow = codes.copy(), codes.copy()
            coding.encode(table, padded, fast, 0, n)
            reference.encode_reference(table, padded, slow, 0, n)
            np.testing.assert_array_equal(fast, slow)


@seeds
@often
def test_squares_between_cells(seed):
    rng = np.random.default_rng(seed)
    n, t = int(rng.integers(1, 99)), int(rng.integers(1, 4))
    made = [np.unique(rng.integers(0, 9, n), return_inverse=True)[1] for _ in range(5)]
    count = [np.bincount(cell) for cell in made]
    first = np.cumsum([0, *map(len, count)])
    tested, targets = np.array([0, 2, 4]), rng.normal(size=(t, n))
    given = np.array(made, np.uint16), tested, first, np.concatenate(count).astype(float), targets
    both("between_cells", cells, given, [np.full((3, t), np.nan)])
    four = np.zeros((2, n, 4))
    four[0, :, :t] = four[1, :, 1 : t + 1] = targets.T
    given = np.array(made, np.uint16), first, np.concatenate(count).astype(float), four
    both("between_cells_of_four", cells, given, [np.full((5, 8), np.nan)])


@seeds
@often
def test_gains_of_edges(seed):
    rng = np.random.default_rng(seed)
    n, t = int(rng.integers(1, 60)), int(rng.integers(1, 4))
    number = np.sort(rng.integers(0, 40, n).astype(float))
    both("edge_gains", own_edges, (number, rng.normal(size=(n, t))), [np.full(n, np.nan)])


@seeds
@often
def test_rows_to_hashes(seed):
    rng = np.random.default_rng(seed)
    values = rng.choice([np.nan, 0.0, -0.0, 1.5], size=(int(rng.integers(1, 99)), 4))
    fast, slow = (np.empty(len(values), np.uint64) for _ in range(2))
    rows.hash_rows(values, fast, int(rows.MISSING))
    rows.hash_rows_reference(values, slow, int(rows.MISSING))
    np.testing.assert_array_equal(fast, slow)


@seeds
@often
def test_rows_to_strata(seed):
    rng = np.random.default_rng(seed)
    X = rng.choice([np.nan, *rng.normal(size=60)], size=(300, 4))
    family = grow(X, np.nan_to_num(X) @ rng.normal(size=4), leave_out=[0, (1, 2), (), 3])
    made, sets = family.nodes, np.arange(4, dtype=np.int32)
    given = (family.codes, made.fields, made.leaf_sets, made.numbers, made.member, sets, sets, 0)
    fast, slow = (np.zeros((300, 4), np.int32) for _ in range(2))
    nodes.apply(*given, np.arange(300, dtype=np.int32), fast)
    reference.apply_reference(*given, np.arange(300, dtype=np.int32), slow)
    np.testing.assert_array_equal(fast, slow)
    blank = [np.zeros_like(made.numbers), np.zeros_like(made.n_strata)]
    given = (made.fields, made.leaf_sets, np.zeros(1, np.int32))
    for number in (nodes.number_leaves, reference.number_leaves_reference):
        numbers, n_strata = (array.copy() for array in blank)
        number(*given, numbers, n_strata)
        np.testing.assert_array_equal(numbers, made.numbers)
        np.testing.assert_array_equal(n_strata, made.n_strata)


@seeds
@often
def test_rows_to_sums(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 60)), int(rng.integers(1, 7))
    table, weights = rng.normal(size=(n, 5)), rng.random(n)
    columns = rng.permutation(5)[: rng.integers(1, 6)].astype(np.int32)
    label, index = (rng.integers(size, size=n).astype(np.int32) for size in (4, k))
    share = np.where(index < k - 1, rng.random(n) * rng.integers(2, size=n), 0.0)
    made = [np.zeros((4, len(columns) + k)), np.zeros((k, len(columns)))]
    both("add_rows", sums, (table, columns, weights, label, index, share), made)


@seeds
@often
def test_sums_by_group(seed):
    rng = np.random.default_rng(seed)
    n, d, size = rng.integers(1, 60), rng.integers(1, 5), int(rng.integers(1, 9))
    values, weights = rng.normal(size=(n, d)), rng.random(n)
    group = rng.integers(size, size=n).astype(np.int32)
    both("add_rows", groups, (values, weights, group), [np.zeros((size, d + 1))])
    fast, slow = values.copy(), values.copy()
    means = rng.normal(size=(size, d))
    groups.subtract_rows(fast, group, means, 0.5)
    groups.subtract_rows_reference(slow, group, means, 0.5)
    np.testing.assert_allclose(fast, slow)
    bounds, order = np.zeros(size + 1, np.int64), np.empty(n, np.int64)
    both("order_by_group", groups, (group,), [bounds, order])
    extremes = [np.full(size, np.inf), np.full(size, -np.inf)]
    both("spread", groups, (values[:, 0].copy(), group), extremes)
    place = rng.integers(6, size=n).astype(np.int32)  # 5 is beyond the last of 4: missing
    order, bounds = groups.in_groups(place, 6)
    chance = rng.choice([0.1, 0.5, 1.0, *rng.random(3)], size=len(place))
    both("draw_along", groups, (place, chance), [np.zeros(6), np.zeros(n, np.uint8)])
    known = np.bincount(group, weights * (place < 5), size)
    inverse = 1 / np.maximum(known, 1e-300)
    across = (group, weights, order, bounds, inverse)
    both("count_across", groups, across, [np.zeros(size), np.ones(4)])


@seeds
@often
def test_hats(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 60)), int(rng.integers(1, 7))
    knots = np.sort(rng.normal(size=k)) + np.arange(k)
    x = rng.choice([np.nan, *knots, *(3 * rng.normal(size=20))], size=n)
    index, share = np.empty(n, np.int32), np.empty(n)
    both("find_hats", hats, (x, knots), [index, share])
    hats.find_hats(x, knots, index, share)
    both("find_rarer", hats, (index, share), [np.zeros(k + 1, np.int64), np.empty(n, np.int32)])
    weights, group = rng.random(n), rng.integers(3, size=n).astype(np.int32)
    both("add_hats", hats, (index, share, weights, group), [np.zeros((3, k + 1))])
    rows = rng.normal(size=(n, int(rng.integers(4))))
    both("collect_hats", hats, (index, share, weights, rows), [np.zeros((k + 1, rows.shape[1]))])
    both("multiply_hats", hats, (index, share, weights), [np.zeros(k + 1), np.zeros(k + 1)])
    values = rng.normal(size=(k + 1, int(rng.integers(4))))
    both("value_hats", hats, (index, share, values), [np.zeros((n, values.shape[1]))])
    table, psi = (rng.normal(size=(m, values.shape[1])) for m in (k + 1, n))
    both("value_products", hats, (index, share, table, psi), [rng.normal(size=n)])
    functions, psi = rng.normal(size=(k + 1, 2)), rng.normal(size=(n, 3))
    some, pairs = rng.integers(n, size=5), rng.integers(2, size=(4, 2)).astype(np.int32)
    products = (index, share, functions, psi, some, pairs)
    both("lay_products", hats, products, [np.zeros((5, 4))])
    both("add_products", hats, (*products, weights, group), [np.zeros((3, 4))])


@seeds
@often
def test_rows_of_covariates(seed):
    rng = np.random.default_rng(seed)
    n, m = 30, int(rng.integers(1, 20))
    values, rows = 2 * rng.normal(size=(n, 3)), rng.integers(n, size=m)
    n_knots = rng.integers(3, 7, size=int(rng.integers(3))).astype(np.int32)
    knots = np.full((len(n_knots), 6), np.inf)
    for row, size in zip(knots, n_knots, strict=True):
        row[:size] = np.sort(rng.normal(size=size))
    curves = rng.integers(3, size=len(n_knots)).astype(np.int32)
    pairs = rng.integers(3, size=(int(rng.integers(3)), 2)).astype(np.int32)
    width = int(np.sum(n_knots - 2)) + len(pairs)
    out = np.zeros((m, width + 2))  # two columns more are the caller's own
    both("lay_terms", hats, (values, rows, curves, knots, n_knots, pairs), [out])
    both("lay_rows", hats, (values, rows), [np.zeros((m, 5))])
    slopes = rng.normal(size=width)
    both("value_terms", hats, (values, curves, knots, n_knots, pairs, slopes), [np.ones(n)])

"""The family's strata are those of trees grown on their own, whatever the table and the options."""

import pickle

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paribus.strata import fit_coding, grow, grow_coded

from strata_tables import KINDS, Case, all_sets, cases, make_case, twin_strata

SLOW = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
FAST = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def grow_case(case: Case, **more):
    return grow(case.X, case.y, **{**case.options, **more})


def big_case(seed: int, n: int = 3000, **options) -> Case:
    kinds = ["normal", "normal", "few", "copy", "missing", "category", "normal", "heavy"]
    return make_case(seed, n, kinds, "smooth", options)


@given(case=cases())
@SLOW
def test_strata_are_those_of_the_slow_twin(case):
    sets = all_sets(case.X.shape[1])
    family = grow_case(case, leave_out=sets)
    for left_out in sets:
        twin = twin_strata(case, family, left_out)
        grown_on = twin >= 0
        np.testing.assert_array_equal(family.strata(left_out)[grown_on], twin[grown_on])


@pytest.mark.parametrize("rows", [None, "counts"])
@pytest.mark.parametrize("weighted", [False, True])
def test_large_cells_agree_with_the_slow_twin(rows, weighted):
    # Above 256 rows the kernel uses histograms, below sorted lists: this table needs both.
    kinds = ["normal", "missing", "category"]
    case = make_case(
        3, 900, kinds, "smooth", {"rows": rows, "weighted": weighted, "min_samples_leaf": 15}
    )
    family = grow_case(case)
    for j in range(3):
        twin = twin_strata(case, family, (j,))
        grown_on = twin >= 0
        np.testing.assert_array_equal(family.strata(j)[grown_on], twin[grown_on])


@pytest.mark.parametrize("seed", range(40))
def test_ties_are_broken_alike(seed):
    # Few values everywhere: many splits are equally good, and the first must win on every road.
    rng = np.random.default_rng(seed)
    n = int(rng.choice([8, 40, 200, 700]))
    X = rng.integers(0, 4, size=(n, 5)).astype(float)
    X[:, 3] = X[:, 1]
    X[rng.random(n) < 0.3, 2] = np.nan
    options = {
        "min_samples_leaf": int(rng.choice([1, 2, n // 8])),
        "max_features": [None, 2, 3][seed % 3],
        "seed": seed,
    }
    case = Case(X, rng.integers(0, 2, n).astype(float), options)
    family = grow_case(case, leave_out=[(0,), (1,), (2, 4)])
    for left_out in [(0,), (1,), (2, 4)]:
        np.testing.assert_array_equal(family.strata(left_out), twin_strata(case, family, left_out))


@pytest.mark.parametrize("copies", [2, 200])
def test_of_equal_cuts_the_first_wins(copies):
    x = np.repeat([0.0, 1.0, 2.0, 3.0], copies)
    y = np.repeat([0.0, 1.0, 1.0, 0.0], copies)
    family = grow(x[:, None], y, min_samples_leaf=1, max_depth=1, leave_out=[()])
    assert np.unique(x[family.strata(()) == 0]).tolist() == [0.0]


@pytest.mark.parametrize("n", [40, 600])
def test_a_stratum_may_have_exactly_the_fewest_rows(n):
    x = np.arange(n, dtype=float)[:, None] % 200
    family = grow(x, x[:, 0], min_samples_leaf=n // 2, leave_out=[()])
    assert np.bincount(family.strata(())).tolist() == [n // 2, n // 2]
    assert grow(x, x[:, 0], min_samples_leaf=n // 2 + 1, leave_out=[()]).n_strata(()) == 1


@given(case=cases(max_n=2000, max_p=6))
@FAST
def test_sharing_changes_nothing(case):
    sets = all_sets(case.X.shape[1])
    family = grow_case(case, leave_out=sets)
    for left_out in sets:
        alone = grow_case(case, leave_out=[left_out])
        np.testing.assert_array_equal(family.strata(left_out), alone.strata(left_out))


@given(case=cases(max_n=2000, max_p=5), seed=st.integers(0, 1000))
@FAST
def test_row_order_does_not_matter(case, seed):
    order = np.random.default_rng(seed).permutation(len(case.y))
    options = dict(case.options)
    for name in ("rows", "weights"):
        if name in options:
            options[name] = options[name][order]
    shuffled = grow(case.X[order], case.y[order], **options)
    np.testing.assert_array_equal(grow_case(case).strata_all()[order], shuffled.strata_all())


@given(case=cases(max_n=300))
@FAST
def test_counts_are_repeated_rows(case):
    counts = np.asarray(case.options.get("rows", np.ones(len(case.y))), dtype=int)
    options = {k: v for k, v in case.options.items() if k not in ("rows", "weights")}
    coding = fit_coding(case.X)
    codes = coding.encode(case.X)
    counted = grow_coded(codes, coding, case.y, rows=counts, **options)
    repeat = np.repeat(np.arange(counts.size), counts)
    repeated = grow_coded(codes[repeat], coding, case.y[repeat], **options)
    np.testing.assert_array_equal(counted.strata_all()[repeat], repeated.strata_all())


def test_large_counts_leave_the_sorted_lists():
    case = big_case(1, n=400)
    counts = np.full(400, 50)
    family = grow_case(case, rows=counts, min_samples_leaf=500)
    once = grow_case(case, min_samples_leaf=10)
    np.testing.assert_array_equal(family.strata_all(), once.strata_all())


@given(case=cases(max_n=1000))
@FAST
def test_every_stratum_has_enough_rows(case):
    family = grow_case(case)
    counts = np.asarray(case.options.get("rows", np.ones(len(case.y))), dtype=int)
    if "weights" in case.options:
        counts = counts * (case.options["weights"] > 0)
    for j in range(case.X.shape[1]):
        rows = np.bincount(family.strata(j), weights=counts, minlength=family.n_strata(j))
        assert rows.size == family.n_strata(j)
        assert rows.min() >= min(case.options["min_samples_leaf"], counts.sum())


@given(case=cases(max_n=1000))
@FAST
def test_apply_finds_the_strata_again(case):
    family = grow_case(case)
    np.testing.assert_array_equal(family.apply_all(case.X), family.strata_all())
    back = pickle.loads(pickle.dumps(family))  # noqa: S301
    np.testing.assert_array_equal(back.apply(case.X, 0), family.strata(0))


@pytest.mark.parametrize("rows", [None, "mask", "counts"])
def test_threads_leave_no_trace(rows):
    case = big_case(5, n=120_000, rows=rows)
    one, three = grow_case(case), grow_case(case, n_jobs=3)
    np.testing.assert_array_equal(one.nodes.fields, three.nodes.fields)
    np.testing.assert_array_equal(one.strata_all(), three.strata_all())


def test_many_tasks_agree_with_a_tree_alone():
    case = big_case(6, n=120_000)
    family = grow_case(case, leave_out=[(0,), (1,), (0, 6), (5,)], n_jobs=2)
    for left_out in [(0,), (1,), (0, 6), (5,)]:
        alone = grow_case(case, leave_out=[left_out])
        np.testing.assert_array_equal(family.strata(left_out), alone.strata(left_out))


def test_draws_depend_on_the_seed():
    case = big_case(7)
    a, b = (grow_case(case, max_features=2, seed=seed).strata(0) for seed in (1, 2))
    assert (a != b).any()


def test_the_left_out_column_is_not_used():
    case = big_case(8)
    changed = case.X.copy()
    changed[:, 1] = np.random.default_rng(0).normal(size=len(case.y))
    family = grow_case(case)
    np.testing.assert_array_equal(family.apply(changed, 1), family.strata(1))
    assert (family.apply(changed, 2) != family.strata(2)).any()


def test_a_long_chain_of_splits_does_not_overflow_the_stack():
    # Steps that grow by a twelfth: the best split always takes the top one off.
    x = np.arange(20_000.0)
    X = np.column_stack([np.minimum(x, 254), x % 7])
    family = grow(X, np.exp2(np.minimum(x, 254) / 8), min_samples_leaf=1)
    assert family.n_strata(1) == 255


def test_many_columns_and_groups_of_them():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 90))
    y = X[:, :5].sum(axis=1)
    groups = [tuple(range(k, k + 30)) for k in (0, 30, 60)]
    family = grow(X, y, leave_out=[*groups, ()])
    for group in groups:
        alone = grow(np.delete(X, group, axis=1), y, leave_out=[()])
        np.testing.assert_array_equal(family.strata(group), alone.strata(()))


def test_apply_to_some_rows_and_some_sets():
    case = big_case(9, n=1000)
    family = grow_case(case)
    rows = np.array([5, 3, 3, 999])
    some = family.apply_coded(family.codes, [4, 2], rows=rows, n_jobs=2)
    np.testing.assert_array_equal(some, family.strata_all()[np.ix_(rows, [4, 2])])


def test_missing_values_go_where_they_fit():
    x = np.repeat([0.0, 1.0, np.nan], 20)
    y = np.repeat([0.0, 5.0, 5.0], 20)
    family = grow(x[:, None], y, leave_out=[()])
    assert family.n_strata(()) == 2
    assert family.apply([[np.nan]], ()) == family.apply([[1.0]], ())
    low = grow(x[:, None], np.repeat([0.0, 5.0, 0.0], 20), leave_out=[()])
    assert low.apply([[np.nan]], ()) == low.apply([[0.0]], ())


@pytest.mark.parametrize("kind", KINDS)
def test_inputs_are_left_alone(kind):
    case = make_case(1, 50, [kind, "normal"], "smooth", {"weighted": True, "rows": "counts"})
    for array in (case.X, case.y, case.options["weights"], case.options["rows"]):
        array.setflags(write=False)
    grow_case(case).strata_all()

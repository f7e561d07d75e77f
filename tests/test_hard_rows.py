"""Rows that once ended a run, or made columns look fixed that are not."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import linalg, stats

import paribus as pb
from paribus.estimate.ridges import _factor, ridge_out, weigh_ridges


def test_a_column_that_few_rows_have_does_not_fix_others():
    """Among backhoes all cabs were open: the pads, which only they have, seemed to fix the cab."""
    rng = np.random.default_rng(0)
    n = 1000
    cab = rng.choice(["open", "closed"], n)
    cab[:150] = "open"
    pads = np.array([None] * n, dtype=object)
    pads[:150] = rng.choice(["street", "grouser"], 150)
    size = rng.normal(size=n)
    price = 5.0 * (cab == "closed") + size + rng.normal(size=n)
    found = pb.effects({"cab": cab, "pads": pads, "size": size, "price": price}, "price")
    assert found["cab"].explained
    assert abs(found["cab"].between("open", "closed").value) == pytest.approx(5, abs=0.4)


@pytest.mark.parametrize("least", [-1e-9, -1.0])
def test_products_that_rounding_has_made_negative_are_factored(least):
    turn = linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))[0]
    gram = (turn * np.array([least, 0.0, 1.0, 2.0])) @ turn.T
    ridge = np.full(4, 1e-12)
    solved = linalg.cho_solve(_factor(gram, ridge), gram @ turn[:, 2])
    assert solved == pytest.approx(turn[:, 2], abs=1e-5)


def test_an_interaction_of_which_strata_leave_rounding_only_is_held_at_nothing():
    gram = np.diag([2400.0, 2400.0, -1.5e-17])
    within = SimpleNamespace(
        gram=gram, score=np.array([-1900.0, 1900.0, -9e-12]), total=17_000.0, df=18_000.0
    )
    for found in weigh_ridges(within, 2, np.array([0])):
        left = ridge_out(within, 2, found.ridge)
        assert abs(left.coefficients(np.ones(2))[-1]) < 1e-6


def test_a_small_level_with_large_errors_is_as_unsure_as_welch_says():
    ratios = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        level = np.repeat(["usual", "odd"], [288, 12])
        size, error = rng.normal(size=(2, 300))
        error *= np.where(level == "odd", 5.0, 0.5)
        table = {"level": level, "size": size, "y": size + error}
        ours = pb.effect(table, "y", "level").between("usual", "odd")
        welch = stats.ttest_ind(error[288:], error[:288], equal_var=False).confidence_interval()
        ratios.append((ours.upper - ours.lower) / (welch.high - welch.low))
    assert 0.9 < np.exp(np.mean(np.log(ratios))) < 1.15


def test_a_number_that_names_persons_is_held_still_name_by_name():
    off = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        person = rng.integers(0, 200, 2000)
        own = rng.normal(size=200)[person]
        x, z = own + rng.normal(size=(2, 2000))
        found = pb.effect(
            {"x": x, "z": z, "id": person + 1000}, x + 3 * own + rng.normal(size=2000), "x",
            tidy=False, seed=seed,
        )  # fmt: skip
        assert "may_be_confounded" not in {note.kind for note in found.notes}
        off.append(found.between(-1.0, 1.0).value - 2)
    assert abs(np.mean(off)) < 0.06


def test_beside_cells_true_nulls_are_rejected_as_often_as_they_should():
    p = []
    for seed in range(40):
        rng = np.random.default_rng([seed, 5])
        a, c = rng.lognormal(0, 0.5, (2, 800))
        x = np.log(a / c) + rng.normal(size=800)
        y = 2 * (a / c) + rng.normal(size=800)
        p.append(pb.effect({"x": x, "a": a, "c": c}, y, "x", tidy=False, repeats=1).p_value)
    assert np.mean(np.array(p) < 0.05) <= 0.15
    assert np.mean(np.array(p) < 0.3) >= 0.1

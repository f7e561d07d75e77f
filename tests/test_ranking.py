"""What is known ranks before what is not."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import paribus as pb
from paribus.pipeline.ranking import ranked
from paribus.results.impact import impact_of
from paribus.table.problem import Tidying


def test_a_category_of_nothing_with_many_levels_ranks_below_true_effects():
    """Noise has no sign in an impact: 200 levels of nothing took the places 1 to 4 of 11."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        data = {f"x{k}": rng.normal(size=2000) for k in range(10)}
        data["shop"] = np.char.add("s", rng.integers(200, size=2000).astype(str))
        y = 0.2 * data["x0"] + 0.2 * data["x1"] + rng.normal(size=2000)
        found = pb.effects(data, y, seed=seed)
        assert set(found.ranking[:2]) == {"x0", "x1"}


def test_unclear_effects_come_after_clear_ones_however_large():
    rng = np.random.default_rng(0)
    x, rare = rng.normal(size=400), (np.arange(400) < 3).astype(float)
    y = 0.3 * x + rng.standard_t(2, size=400)
    found = pb.effects({"x": x, "rare": rare}, y)
    assert found["rare"].unclear
    assert not found["x"].unclear
    assert found.ranking == ["x", "rare"]
    large = [replace(found["rare"], impact=0.9 * y.std()), found["x"]]
    table = SimpleNamespace(backend=None)
    problem = SimpleNamespace(y=y, target="y", notes=(), table=table, tidied=Tidying())
    assert ranked(problem, large, len(y)).ranking == ["x", "rare"]


def test_what_is_left_out_or_grouped_stands_in_its_place():
    rng = np.random.default_rng(0)
    exper = rng.integers(0, 40, 400)
    wage = 10 + 0.3 * exper + rng.normal(size=400)
    data = {"nr": range(400), "exper": exper, "expersq": exper**2, "cents": 100 * wage}
    found = pb.effects(data | {"hours": rng.normal(size=400)}, wage)
    lines = [getattr(one, "words", rank) for rank, one in found.places]
    assert lines == ["left out: gives it away", 1, 2, "left out: an id"]
    assert [one.column for one in found.left_out] == ["cents", "nr"]
    assert "1. exper, with expersq (" in found.summary()
    again = pb.EffectSet.from_dict(found.to_dict())
    assert again.left_out == found.left_out
    shown = found._repr_html_()
    assert shown.index("cents</bdi>") < shown.index("exper, with expersq</bdi>")
    assert shown.index("hours</bdi>") < shown.index("nr</bdi>")


def test_a_part_of_a_sum_that_is_shown_apart_bears_its_own_name():
    rng = np.random.default_rng(0)
    above, below = rng.integers(500, 3000, 600), rng.integers(0, 900, 600)
    data = {"living": above + below, "above": above, "below": below}
    said = pb.effects(data, above + 2 * below + rng.normal(0, 9, 600)).summary()
    assert ". living, with above and below (" in said
    assert ". above (" in said


def test_a_group_asked_for_counts_once_among_all_impacts():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 300))
    data = {"a": a, "again": 2 * a, "b": b}
    asked = {"together": ["a", "again"], "tidy": False}
    found = pb.effects(data, a + b + rng.normal(size=300), **asked)
    assert found["a"].share == pytest.approx(found["again"].share, rel=1e-12)
    assert found["a"].share + found["b"].share == pytest.approx(1)


def test_of_an_impact_beyond_the_targets_spread_only_what_is_sure_counts():
    """A town all but fixes its distance: with that held still, towns differ by what noise says."""
    rng = np.random.default_rng(5)
    town = rng.integers(0, 8, 300)
    middle = np.linspace(-1.5, 1.5, 8)[town]
    z = middle + 0.04 * rng.normal(size=300)
    s = rng.normal(size=300)
    y = 1.5 * s + 5 * (middle - z) + rng.normal(size=300)
    found = pb.effects({"town": np.array(list("abcdefgh"))[town], "z": z, "s": s}, y, tidy=False)
    assert found["town"].impact > 2 * y.std()
    assert not found["town"].unclear
    assert found.ranking[0] == "s"
    assert found["town"].share < 0.1


def test_a_few_rows_of_which_nothing_is_known_hide_no_impact():
    effect, share = np.array([-1.0, 1.0, 3.0]), np.array([0.5, 0.499, 0.001])
    unsure = impact_of(effect, share, np.array([0.01, 0.01, 1e4]))
    assert unsure == pytest.approx(impact_of(effect, share, np.full(3, 0.01)), rel=0.02)

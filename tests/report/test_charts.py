"""Charts: what they hold, read from their specification."""

import re
from dataclasses import replace

import numpy as np
import pytest

import paribus as pb
from paribus.plotting import theme
from paribus.plotting.vega import chart_of, spec_of
from paribus.report.picture import save_chart
from paribus.results import CategoricalEffect

from odd_tables import NASTY, odd_table


def unnamed(spec):
    """Return a specification without the names that Altair makes up for views."""
    return eval(re.sub(r"view_[0-9a-f]+_\d+", "view", repr(spec)))  # noqa: S307


def test_filled_in_specifications_are_those_of_altair(odd):
    for effect in odd.effects:
        assert unnamed(spec_of(effect)) == unnamed(chart_of(effect).to_dict())


def test_bands_that_cross_zero_enclose_their_curve(odd):
    for effect in (e for e in odd.effects if e.explained):
        rows = effect.chart().to_dict()["datasets"]["points"]
        if all(row["band_lower"] < 0 < row["band_upper"] for row in rows):
            assert effect.feature in ("side", "noise")
        for row in rows:
            sides = ("band_lower", "lower", "effect", "upper", "band_upper")
            values = [row[side] for side in sides]
            assert values == sorted(values)


def test_rows_are_the_numbers_of_the_effect(odd):
    rows = spec_of(odd["x"])["datasets"]["points"]
    np.testing.assert_allclose([r["x"] for r in rows], odd["x"].x, atol=1e-5)
    np.testing.assert_allclose([r["upper"] for r in rows], odd["x"].upper, atol=1e-4)


def test_plain_means_are_smoothed_where_there_are_many(odd):
    x = odd["x"]
    assert len(x.x) > 30
    rows = spec_of(x)["datasets"]["points"]
    drawn = np.array([row["marginal"] for row in rows])
    assert np.abs(np.diff(drawn, 2)).mean() < 0.5 * np.abs(np.diff(x.marginal, 2)).mean()
    assert np.average(drawn - x.marginal, weights=x.row_share) == pytest.approx(0, abs=0.05)
    line = replace(x, marginal=3 * x.x)
    rows = spec_of(line)["datasets"]["points"]
    np.testing.assert_allclose([row["marginal"] for row in rows], 3 * x.x, atol=1e-4)


def test_curves_break_at_gaps_and_say_why(odd, broken):
    broken, income = broken["x"], odd["income"]
    assert broken.gaps
    tables = spec_of(broken)["datasets"]
    gap = broken.gaps[0]
    pieces = [row["piece"] for row in tables["points"]]
    assert pieces == [int(x >= gap.stop) for x in broken.x]
    assert tables["gaps"][0]["why"]
    missing = spec_of(income)["datasets"]["missing"]
    assert missing[0]["rows"] == income.missing.count


def test_fields_have_fixed_names(nasty):
    for effect in nasty.effects:
        text = repr([*_fields(spec_of(effect))])
        assert not any(name in text for name in NASTY.values() if name != "image")


def _fields(part):
    if isinstance(part, dict):
        yield from (v for k, v in part.items() if k in ("field", "expr", "filter", "calculate"))
        for value in part.values():
            yield from _fields(value)
    elif isinstance(part, list):
        for value in part:
            yield from _fields(value)


def test_thirty_levels_are_drawn_the_most_frequent(odd):
    rows = spec_of(odd["town"])["datasets"]["points"]
    drawn = [row["count"] for row in rows if row["drawn"]]
    assert len(drawn) == 30
    assert min(drawn) >= max(row["count"] for row in rows if not row["drawn"])


def islands():
    effect = np.array([1.0, -1.0, 0.5, -0.5, np.nan])
    return CategoricalEffect(
        feature="shop", target="y", method="least_squares", effect=effect, lower=effect - 1,
        upper=effect + 1, conf_level=0.95, n_rows=50, n_used=50, levels=("a", "b", "c", "d", "a"),
        count=np.full(5, 10), island=np.array([0, 0, 1, 1, 2]),
    )  # fmt: skip


def test_islands_are_set_apart_and_unknown_levels_left_out():
    spec = spec_of(islands())
    rows = spec["datasets"]["points"]
    assert [row["level"] for row in rows] == ["a", "b", "c", "d", "a (2)"]
    places = spec["layer"][-1]["encoding"]["y"]["scale"]["domain"]
    assert places == ["a", "b", "\u2007", "c", "d"]


def test_papers_results_are_drawn_too():
    table = odd_table(600)
    curve = pb.stratpd(table, "y", "x", n_trials=3).chart().to_dict()
    assert {row["trial"] for row in curve["datasets"]["trials"]} == {0, 1, 2}
    bars = pb.catstratpd(table, "y", "shop").chart().to_dict()
    assert "lower" not in bars["datasets"]["points"][0]
    assert "trials" not in bars["datasets"]
    tried = pb.catstratpd(table, "y", "shop", n_trials=3)
    rows = spec_of(tried)["datasets"]["trials"]
    assert len(rows) == np.count_nonzero(~np.isnan(tried.trials))
    first = tried.trials[0][list(map(str, tried.levels)).index(rows[0]["level"])]
    assert rows[0]["effect"] == pytest.approx(first, abs=1e-5)


def test_light_and_dark_name_the_same_styles():
    assert theme.LIGHT["style"].keys() == theme.DARK["style"].keys()


@pytest.mark.parametrize(
    ("ending", "start"), [("png", b"\x89PNG"), ("svg", b"<svg"), ("pdf", b"%PDF")]
)
def test_pictures(odd, tmp_path, ending, start):
    path = save_chart(odd["day"], tmp_path / f"day.{ending}")
    assert path.read_bytes().startswith(start)
    assert save_chart(odd["same"], tmp_path / f"same.{ending}").exists()


def test_a_picture_of_another_kind_is_refused(odd, tmp_path):
    with pytest.raises(pb.InputError, match=r"must end in '.png', '.svg' or '.pdf', got 'a.gif'"):
        save_chart(odd["day"], tmp_path / "a.gif")
    assert list(tmp_path.iterdir()) == []


def test_charts_do_not_need_the_covariance(odd):
    bare = replace(odd["x"], covariance=None)
    assert spec_of(bare) == spec_of(odd["x"])


def test_a_huge_interval_does_not_round_the_effect_away(odd):
    town = odd["town"]
    wide = replace(town, lower=town.effect - 1e9, upper=town.effect + 1e9)
    rows = spec_of(wide)["datasets"]["points"]
    np.testing.assert_allclose([r["effect"] for r in rows], np.sort(town.effect)[::-1], atol=1e-5)

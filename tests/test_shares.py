"""What is said of a share stays possible: shares lie between 0 and 100, differences below 100."""

import numpy as np
import pytest

import paribus as pb
from paribus.pipeline.setting import Setting
from paribus.results.scales import limits_of

COUNT = 4000


@pytest.fixture(scope="module")
def table():
    """Rare values that go with nobody, or with everybody, where others are of one mind already."""
    rng = np.random.default_rng(0)
    kind = rng.choice(["rare", "half", "often"], COUNT, p=[0.7, 0.1, 0.2])
    share = np.select([kind == "rare", kind == "half"], [0.02, 0.5], 0.97)
    loss = np.where(rng.random(COUNT) < 0.03, rng.integers(1, 40, COUNT) * 100, 0)
    share = np.where(loss > 0, np.where(loss % 200 == 0, 0.0, 1.0), share)
    often = (kind == "often") & (rng.random(COUNT) < 0.02)
    return {
        "kind": kind,
        "loss": loss,
        "code": np.where(often, "x", np.where(rng.random(COUNT) < 0.01, "y", "z")),
        "area": rng.normal(size=COUNT),
        "w": rng.exponential(size=COUNT) ** 2 + 0.01,
        "won": np.where(rng.random(COUNT) < np.where(often, 0, share), "yes", "no"),
    }


def every(table, **options):
    return pb.effects(table, "won", weights="w", tidy=False, **options)


def mean_of(table):
    return 100 * np.average(table["won"] == "yes", weights=table["w"])


def points_of(e):
    names = ("effect", "lower", "upper", "band_lower", "band_upper")
    found = [getattr(e, name) for name in names]
    if e.missing is not None:
        found.append(np.array([e.missing.effect, e.missing.lower, e.missing.upper]))
    return np.concatenate(found)


def differences(e):
    for a in range(len(e.effect)):
        for b in range(a):
            weights = np.zeros(len(e.effect))
            weights[[a, b]] = 1, -1
            yield e.contrast(weights)


def test_an_average_of_a_share_over_all_rows_is_a_share(table):
    mean = mean_of(table)
    for e in every(table).effects:
        at = points_of(e)
        assert -1e-9 - mean <= np.nanmin(at) <= np.nanmax(at) <= 100 - mean + 1e-9
        assert ((e.lower <= e.effect) & (e.effect <= e.upper)).all()


@pytest.mark.parametrize("average", ["rows", "overlap"])
def test_no_two_shares_differ_by_more_than_all_rows(table, average):
    for e in every(table, average=average).effects:
        for found in differences(e):
            assert -100 <= found.lower <= found.value <= found.upper <= 100
        assert np.nanmax(np.abs(points_of(e))) <= 100


def test_without_the_limits_the_same_table_would_tell_of_shares_below_nothing(table, monkeypatch):
    monkeypatch.setattr(Setting, "limits", lambda *_: (-np.inf, np.inf))
    found = every(table)
    assert min(np.nanmin(points_of(e)) for e in found.effects) < -mean_of(table) - 1
    assert max(np.ptp(points_of(e)) for e in found.effects) > 100


def test_what_is_cut_keeps_its_standard_error_and_stays_unsure(table, monkeypatch):
    cut = every(table)["loss"]
    monkeypatch.setattr(Setting, "limits", lambda *_: (-np.inf, np.inf))
    free = every(table)["loss"]
    assert cut.standard_error == pytest.approx(free.standard_error)
    assert cut.p_value == free.p_value
    inside = np.clip(np.stack([free.lower, free.upper]), -mean_of(table), 100 - mean_of(table))
    assert (cut.lower <= inside[0] + 1e-9).all()
    assert (cut.upper >= inside[1] - 1e-9).all()
    assert (cut.upper > cut.lower).all()


def test_read_in_batches_they_stay_possible_as_well(table):
    for e in every(table, sample_rows=1000).effects:
        assert np.ptp(points_of(e)) <= 100 + 1e-9


def test_relative_to_a_value_and_by_group_they_stay_possible(table):
    loss = every(table, features=["loss"], by="kind")["loss"]
    assert np.abs(points_of(loss.relative_to(0))).max() <= 100
    for e in loss.by.effects:
        assert np.abs(points_of(e)).max() <= 100


def test_two_columns_at_once_stay_possible_and_add_up(table):
    both = pb.effect(table, "won", ("loss", "code"), weights="w", tidy=False)
    for part in (both.effect, both.lower, both.upper):
        assert np.nanmax(np.abs(part)) <= 100
    total = both.first[:, None] + both.second + both.pure_effect
    assert np.nanmax(np.abs(total - both.effect)) < 1e-9


def test_odds_of_a_cut_share_have_intervals_as_wide_as_before(table, monkeypatch):
    cut = every(table, target_scale="ratio")["area"]
    monkeypatch.setattr(Setting, "limits", lambda *_: (-np.inf, np.inf))
    free = every(table, target_scale="ratio")["area"]
    assert cut.upper == pytest.approx(free.upper)


def test_a_number_has_no_limits():
    assert limits_of("") == (-np.inf, np.inf)

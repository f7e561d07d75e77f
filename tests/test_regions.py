"""Regions in which an effect differs: found on one half of the rows, told by the other."""

import numpy as np
import pandas as pd
import pytest

import paribus as pb
from paribus.estimate.jumps import Slopes
from paribus.estimate.partitions import partitions_of
from paribus.estimate.pieces import Other, fit_pieces
from paribus.estimate.regions import find_regions


@pytest.fixture(scope="module")
def homes():
    """Slopes of age: 3 for flats in the North, 1 for other flats, 0.4 for houses."""
    rng = np.random.default_rng(0)
    n = 3000
    d = pd.DataFrame(
        {
            "age": rng.uniform(0, 50, n),
            "kind": rng.choice(["flat", "house"], n),
            "place": rng.choice(["East", "North", "South"], n),
            "size": rng.uniform(20, 200, n),
        }
    )
    slope = np.where(d.kind == "house", 0.4, np.where(d.place == "North", 3.0, 1.0))
    return d.assign(price=slope * d.age + 0.5 * d["size"] + 10 * rng.normal(size=n))


def test_a_tree_of_depth_two_is_told_in_words(homes):
    age = pb.effect(homes, "price", "age")
    where = [region.where for region in age.regions]
    assert where == [
        "kind is 'flat' and place is 'North'",
        "kind is 'flat' and place is 'East' or 'South'",
        "kind is 'house'",
    ]
    for region, truth in zip(age.regions, (3.0, 1.0, 0.4), strict=True):
        assert region.value == pytest.approx(truth, abs=0.12)
    assert sum(region.share for region in age.regions) == pytest.approx(1.0)
    assert age.regions.lower < 2.6 < age.regions.upper
    assert str(age.regions) in age.remarks()
    assert "goes with 3" in str(age.regions)
    again = pb.NumericEffect.from_dict(age.to_dict())
    assert again.regions == age.regions


def test_sampling_weights_do_not_stretch_what_is_told():
    rng = np.random.default_rng(0)
    n = 3000
    weights, x, z = rng.uniform(0.2, 5, n), rng.normal(size=n), rng.normal(size=n)
    kind = rng.choice(["flat", "house"], n, p=[0.8, 0.2])
    # The target goes with the weights, so that its plain mean is another than the weighted one.
    y = np.where(kind == "flat", x, -2 * x) + z + rng.normal(size=n) / 2 + 3 * weights
    regions = pb.effect({"x": x, "kind": kind, "z": z}, y, "x", weights=weights).regions
    assert [region.where for region in regions] == ["kind is 'flat'", "kind is 'house'"]
    assert regions.difference == pytest.approx(3, abs=0.2)  # 3.4 if the wrong mean is taken


def test_a_column_whose_effect_is_common_has_no_regions(homes):
    assert pb.effect(homes, "price", "size").regions is None


def test_a_yes_or_no_column_has_regions(homes):
    kind = pb.effect(homes, "price", "kind")
    assert str(kind.regions).startswith("With kind = house rather than flat, price is ")
    assert any("age is above" in region.where for region in kind.regions)


def test_regions_count_by_a_step_that_the_column_takes():
    rng = np.random.default_rng(0)
    area, z = rng.uniform(0, 3000, 3000), rng.normal(size=3000)
    kind = rng.choice(["flat", "house"], 3000)
    y = np.where(kind == "flat", 2, 1) * area + z + rng.normal(size=3000)
    said = str(pb.effect({"area": area, "kind": kind, "z": z}, y, "area").regions)
    assert said.startswith("Each extra 100 of area goes with 20")


def slopes_of(seed, n=600, step=0.0, cluster=None):
    rng = np.random.default_rng(seed)
    f, z, c = rng.normal(size=n), rng.normal(size=(n, 8)), rng.integers(0, 5, n).astype(float)
    columns = {f"z{k}": Other(v, fit_pieces(v, 0, np.ones(n))) for k, v in enumerate(z.T)}
    columns["c"] = Other(c, fit_pieces(c, 5, np.ones(n)))
    residual = rng.standard_t(5, n) + step * f * ((z[:, 1] > 0) - 0.5)
    if cluster is not None:
        residual += f * rng.normal(size=cluster.max() + 1)[cluster]
        columns["shop"] = Other(cluster % 2.0, fit_pieces(cluster % 2.0, 0, np.ones(n)))
    strata = partitions_of([np.zeros(n, np.int32)], [1], np.ones(n), cluster=cluster)
    return find_regions(Slopes(f * residual, f**2), columns, strata.units)


def test_differences_that_do_not_hold_are_not_told():
    assert sum(bool(slopes_of(seed)) for seed in range(60)) <= 3


def test_differences_that_hold_are_told():
    found = [slopes_of(seed, 1500, 1.0) for seed in range(10)]
    assert all(leaves[0].conditions[0].column == "z1" for leaves in found)
    apart = [leaves[0].value - leaves[-1].value for leaves in found if len(leaves) == 2]
    assert np.mean(apart) == pytest.approx(1.0, abs=0.1)


def test_where_levels_of_which_nothing_is_known_belong_is_not_for_rounding_to_decide():
    rng = np.random.default_rng(0)
    n = 2000
    level = rng.integers(0, 20, n).astype(float)
    alone = (level >= 10) & (np.arange(n) % 2 == 0)  # nothing of these, where cuts are chosen
    others = {"c": Other(level, fit_pieces(level, 20, np.ones(n)))}
    f, residual = np.where(alone, 0.0, rng.normal(size=n)), rng.normal(size=n)
    residual += f * np.where(level % 10 < 5, 1.0, -1.0)
    units = partitions_of([np.zeros(n, np.int32)], [1], np.ones(n)).units
    said = []
    for _ in range(3):
        rounded = f + 1e-16 * rng.normal(size=n)
        leaves = find_regions(Slopes(rounded * residual, rounded**2), others, units)
        said.append([leaf.conditions for leaf in leaves])
    assert said[0] == said[1] == said[2] != []

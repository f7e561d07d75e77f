"""What is known ranks before what is not."""

import numpy as np

import paribus as pb


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

"""The surface of two columns is a result like the others: it speaks, is stored, and refuses."""

import json

import numpy as np
import pandas as pd
import pytest

import paribus as pb
from paribus import models


@pytest.fixture(scope="module")
def square():
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.uniform(-1, 1, (3000, 2)), columns=["u", "v"])


@pytest.fixture(scope="module")
def pair(square, formula):
    return models.ale_pair(formula(lambda X: X["u"] * X["v"]), square, "u", "v", bins=4, target="y")


def test_it_says_where_the_two_go_together(pair):
    said = pair.summary()
    assert said.startswith(
        "Beyond what each goes with alone, u and v together go with y up to about"
    )
    high, low = pair.middle.max(), pair.middle.min()
    assert f"{high:.3g} higher (near u = " in said
    assert f"{-low:.3g} lower (near u = " in said
    assert said.endswith("according to the model, by accumulated local effects.")
    assert (
        repr(pair) == "<PairEffect: u and v on y, 5 by 5 points, 3,000 of 3,000 rows used, 0 notes>"
    )


def test_nothing_together_is_said(square, formula):
    model = formula(lambda X: np.exp(9 * X["u"]) + X["v"] / 3)  # a sum that has to be rounded
    apart = models.ale_pair(model, square, "u", "v")
    assert not apart.effect.any()
    assert "u and v together go with nothing more; according to the model" in apart.summary()
    apart.plot()


def test_classes_and_dates_are_named(square):
    class Share:
        classes_ = ("no", "yes")

        def predict_proba(self, X):
            yes = 0.5 + 0.4 * np.sign(X["u"]) * (X["day"] > pd.Timestamp("2020-02-01"))
            return np.column_stack([1 - yes, yes])

    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(3000) % 60, "D")
    dated = models.ale_pair(Share(), square.assign(day=days), "u", "day", bins=5, target="won")
    assert "the share of rows where won is yes up to about" in dated.summary()
    assert "percentage points higher (near u = " in dated.summary()
    assert ", day = 2020-0" in dated.summary()
    again = pb.PairEffect.from_dict(json.loads(json.dumps(dated.to_dict())))
    np.testing.assert_array_equal(again.x2, dated.x2)


def test_it_is_stored_and_read_back(pair):
    stored = json.loads(json.dumps(pair.to_dict(), allow_nan=False))
    again = pb.PairEffect.from_dict(stored)
    for name in ("x1", "x2", "effect", "count"):
        np.testing.assert_array_equal(getattr(again, name), getattr(pair, name))
    assert again.to_dict() == pair.to_dict()
    assert again.summary() == pair.summary()
    with pytest.raises(pb.InputError, match="stored PairEffect is incomplete"):
        pb.PairEffect.from_dict({k: v for k, v in stored.items() if k != "x1"})
    with pytest.raises(pb.InputError, match="Expected a stored PairEffect"):
        pb.PairEffect.from_dict({**stored, "kind": "NumericEffect"})
    with pytest.raises(ValueError, match="read-only"):
        again.effect[0, 0] = 1


def test_rows_and_rectangles_left_out_are_told(square, formula):
    table = square.assign(v=np.where(square["u"] > 0.5, np.nan, square["v"]))
    model = formula(lambda X: X["u"] * X["v"].fillna(0))
    lost = int(table["v"].isna().sum())
    known = models.ale_pair(model, table, "u", "v", bins=5)
    assert known.n_used == 3000 - lost
    assert known.notes[0].kind == "missing_of_pair"
    assert known.notes[0].facts == {"rows": lost}
    along = square.assign(v=square["u"] + 0.01 * square["v"])
    narrow = models.ale_pair(model, along, "u", "v", bins=10)
    empty = int((narrow.count == 0).sum())
    assert narrow.notes[0].facts == {"rectangles": empty, "of": 100}
    assert pb.PairEffect.from_dict(narrow.to_dict()).notes == narrow.notes


def test_pairs_that_are_never_known_together_are_refused(square, formula):
    model = formula(lambda X: X["u"].fillna(0))
    never = square.assign(
        u=square["u"].where(square.index < 1500), v=square["v"].where(square.index >= 1500)
    )
    with pytest.raises(pb.InputError, match="No row has both 'u' and 'v'"):
        models.ale_pair(model, never, "u", "v")
    once = never.assign(v=square["v"].where(square.index >= 1499))
    with pytest.raises(pb.InputError, match=r"all rows that have both \(1 row\)"):
        models.ale_pair(model, once, "u", "v")

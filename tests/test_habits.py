"""What users of scikit-learn and of notebooks expect."""

import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import paribus as pb
from paribus.base import progress


@pytest.fixture(scope="module")
def made():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    return X, X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=300)


def test_everything_that_scikit_learn_takes(made):
    X, y = made
    wanted = pb.effects(X, y)
    column = pd.DataFrame({"y": y})
    for data, target in (
        (X.tolist(), y.tolist()), (sparse.csr_matrix(X), y), (X, y[:, None]), (X, column),
    ):  # fmt: skip
        found = pb.effects(data, target)
        assert found.ranking == wanted.ranking
        np.testing.assert_array_equal(found["x0"].effect, wanted["x0"].effect)
    with pytest.raises(pb.InputError, match="one column of values"):
        pb.effects(X, np.column_stack([y, y]))
    named = pb.effects(pd.DataFrame(X, columns=["a", "b", "c"]), column["y"])
    assert (named.target, sorted(named)) == ("y", ["a", "b", "c"])


def test_a_fitted_pipeline_is_refereed_as_it_is(made):
    X, y = made
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(town=np.where(X[:, 2] > 0, "p", "q"))
    coded = make_column_transformer((OneHotEncoder(), ["town"]), remainder=StandardScaler())
    fitted = make_pipeline(coded, LinearRegression()).fit(frame, y)
    verdict = pb.models.referee(fitted, frame, y, "a", name="the pipeline")
    assert str(verdict) == verdict.summary()
    assert verdict.summary().startswith("By ALE, the pipeline ")
    assert "the pipeline" in verdict._repr_html_()


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_the_frame_you_gave_is_the_frame_you_get(made, library):
    X, y = made
    data = library({"a": X[:, 0], "b": np.where(X[:, 1] > 0, "p", "q"), "c": X[:, 2], "y": y})
    effects = pb.effects(data, "y")
    results = [effects, effects["a"], effects["b"], pb.check(data, "y"), pb.interactions(data, "y")]
    frames = [result.to_frame() for result in results] + [effects.influential()]
    assert {type(frame) for frame in frames} == {type(data)}


def test_charts_need_no_network(made):
    X, y = made
    alt = pytest.importorskip("altair")
    chart = pb.effect(X, y, "x0").chart()
    shown = chart.properties(width=300)._repr_mimebundle_()
    assert shown["image/svg+xml"].startswith("<svg")
    assert not any("text/html" in kind for kind in shown)
    assert isinstance(chart, alt.LayerChart)
    with alt.renderers.enable("mimetype"):
        assert "image/svg+xml" not in chart._repr_mimebundle_()


class ZMQInteractiveShell:
    """Stands for that of a notebook."""


def test_a_notebook_shows_how_far_the_work_is(made, monkeypatch):
    X, y = made
    shown = []
    handle = SimpleNamespace(update=shown.append)

    def first(html, display_id):
        shown.append(html)
        return handle

    display = SimpleNamespace(HTML=str, display=first)
    notebook = SimpleNamespace(get_ipython=ZMQInteractiveShell, display=display)
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    pb.effects(X, y)
    assert shown == []  # it was quick
    monkeypatch.setattr(progress, "PATIENCE", -1)
    pb.effects(X, y)
    assert shown == [
        "<progress value=1 max=3></progress> 1 of 3", "<progress value=2 max=3></progress> 2 of 3",
        "",
    ]  # fmt: skip
    pb.effects(X, y, progress=False)
    assert len(shown) == 3


def test_a_terminal_shows_it_when_asked(made, monkeypatch, capsys):
    X, y = made
    monkeypatch.setattr(progress, "PATIENCE", -1)
    pb.effects(X, y)
    assert capsys.readouterr().err == ""
    pb.effects(X, y, progress=True)
    lines = capsys.readouterr().err.split("\r\x1b[K")
    assert lines[1] == f"[{'#' * 10}{' ' * 20}] 1 of 3"
    assert lines[-1] == ""  # it goes when all is done


def test_results_print_themselves(made):
    X, y = made
    look = pb.check(X, y)
    assert str(look) == look.summary()
    effect = pb.effect(X, y, "x0")
    assert str(effect).startswith(effect.summary())
    assert "Impact" in str(effect)
    assert "<svg" in effect._repr_html_()
    assert "strata can be compared" in effect.support_at(0.0)._repr_html_()

"""Several ways to explain one column, side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from paribus.api import Kind, effect
from paribus.base import errors
from paribus.base.checks import check_seed
from paribus.models import errors as model_errors
from paribus.models.accumulated import ale_of
from paribus.models.baselines import FittedModel, fit_baselines, scored
from paribus.models.dependence import fpd_of
from paribus.models.match_target import match_target
from paribus.models.referee import Verdict, can_judge, judge
from paribus.models.shapley import shap_of
from paribus.models.to_effect import lined_up
from paribus.paper import catstratpd, stratpd
from paribus.plotting.marks import for_notebook
from paribus.plotting.side_by_side import Panel, panels_chart, plot_panels
from paribus.results import Effect
from paribus.results.stored import versioned
from paribus.results.told import Told
from paribus.results.words import unlike
from paribus.table.columns import Column, make_frame
from paribus.table.problem import Problem, make_problem
from paribus.table.target import coded_target

if TYPE_CHECKING:
    import altair as alt
    from matplotlib.figure import Figure


TECHNIQUES: dict[str, tuple[str, Callable[..., Effect]]] = {
    "fpd": ("FPD", fpd_of),
    "ice": ("ICE", partial(fpd_of, curves=50)),
    "ale": ("ALE", ale_of),
    "shap": ("SHAP", partial(shap_of, max_rows=100)),
}
RANDOM = ("fpd", "ice", "shap")  # rows at random
METHODS = ("paribus", "stratpd", *TECHNIQUES)
USUAL = ("paribus", "stratpd", "fpd", "ale")


@dataclass(frozen=True, slots=True, eq=False)
class Comparison(Told):
    """What several methods say about one column.

    Attributes
    ----------
    feature, target, unit : str
    results : dict of str to Effect
        By method and model: ``"paribus"``, ``"StratPD"``, ``"ALE, random forest"``.
    models : tuple of FittedModel
        The models, with the share of the target's variance that each predicts.
    verdicts : dict of str to Verdict
        For each model, where its accumulated local effects leave our band.

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.weather(seed=0)
    >>> both = pb.compare(d.table, "temperature", "state", methods=["paribus", "stratpd"])
    >>> both
    <Comparison: state on temperature, paribus, CatStratPD>
    >>> list(both.to_frame().columns)
    ['state', 'paribus', 'CatStratPD']
    """

    feature: str
    target: str
    unit: str
    results: Mapping[str, Effect]
    models: tuple[FittedModel, ...]
    verdicts: Mapping[str, Verdict]

    def __repr__(self) -> str:
        return f"<Comparison: {self.feature} on {self.target}, {', '.join(self.results)}>"

    @property
    def base(self) -> Effect:
        """The result at whose points the others are compared: the first that is explained."""
        found = list(self.results.values())
        return next((e for e in found if e.explained), found[0])

    def lined_up(self) -> dict[str, Any]:
        """Return the values of all results at the points of `base` (m,), shifted to its level."""
        base = self.base
        return {
            name: lined_up(base.effect, e.values_at(base), base.weights, base.pieces)
            for name, e in self.results.items()
        }

    def height(self, name: str) -> float:
        """Return by how much a result is shifted to the level of `base`, on average."""
        moved = self.lined_up()[name] - self.results[name].values_at(self.base)
        return float(np.nanmean(moved)) if not np.isnan(moved).all() else 0.0

    def to_frame(self) -> Any:
        """Return a table with a row per value or level and a column per method, all aligned."""
        base = self.base
        columns = self.lined_up()
        return make_frame({unlike(self.feature, columns): base.axis, **columns}, base.backend)

    def summary(self) -> str:
        """Say which models there are, what each method found, and what the referee found."""
        lines = [f"{self.feature} and {self.target}, in {len(self.results)} ways.", *self.about()]
        lines += [f"- {name}: {e.summary()}" for name, e in self.results.items()]
        lines += [verdict.summary() for verdict in self.verdicts.values()]
        return "\n".join(lines)

    def about(self) -> list[str]:
        """Say for each model where it was fitted, on what, and how well it predicts."""
        return [_about(baseline) for baseline in self.models]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values, ready for JSON."""
        models = [
            {"name": w.name, "r2": w.r2, "n_train": w.n_train, "n_test": w.n_test}
            for w in self.models
        ]
        parts = {
            "feature": self.feature, "target": self.target, "unit": self.unit, "models": models,
            "results": self.results,
            "verdicts": {name: v.to_dict() for name, v in self.verdicts.items()},
        }  # fmt: skip
        return versioned("Comparison", parts)

    def plot(self) -> Figure:
        """Draw a panel per method with matplotlib, our band behind each."""
        return plot_panels(self.base, self._panels())

    def chart(self) -> alt.ConcatChart:
        """Draw a panel per method with Altair (extra ``report``)."""
        return for_notebook(panels_chart(self.base, self._panels()))

    def _panels(self) -> list[Panel]:
        r2 = {w.name: w.r2 for w in self.models}
        return [
            Panel(_title(name, r2), self.results[name], values, self.height(name))
            for name, values in self.lined_up().items()
        ]


def compare(
    data: Any,
    target: Any,
    feature: str,
    *,
    model: Any = None,
    methods: Sequence[str] = USUAL,
    kind: Kind | None = None,
    class_: Any = None,
    names: Sequence[str] | None = None,
    seed: int = 0,
) -> Comparison:
    """Explain one column in several ways, with and without models, side by side.

    Parameters
    ----------
    data, target, feature, class_, names, seed
        As in `effect`.
    model : object or dict of str to object, optional
        A fitted model, or several by name, that take `data` without the target. By default a
        random forest and boosting are fitted here to four fifths of the rows.
    methods : sequence of str
        Any of ``"paribus"``, ``"stratpd"`` (the paper's own; CatStratPD for a category), and for
        models ``"fpd"`` and ``"ice"`` (on at most 1,000 rows, drawn at random), ``"ale"`` (on all
        rows), ``"shap"`` (the values of at most 100 rows; `models.shap` takes more).
    kind : {"numeric", "categorical"}, optional
        How to treat the column.

    Returns
    -------
    Comparison
        A table (`to_frame`), a figure (`plot`, `chart`) and a description (`summary`).

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.body_weight(500, seed=0)
    >>> both = pb.compare(d.table, "weight", "pregnant", methods=["paribus", "ale"])
    >>> list(both.results)
    ['paribus', 'ALE, random forest', 'ALE, boosting']
    """
    wanted = _checked(methods)
    check_seed(seed)
    kinds = {} if kind is None else {feature: kind}
    problem = make_problem(
        data, target, names=names, kind=kinds, code=partial(coded_target, class_=class_)
    )
    column = problem.column(feature)
    results: dict[str, Effect] = {}
    ours = effect(
        data, target, feature, kind=kinds, class_=class_, names=names, seed=seed, tidy=False
    )
    if "paribus" in wanted:
        results["paribus"] = ours
    if "stratpd" in wanted:
        results.update(_paper(problem, column, seed))
    of_models = [m for m in wanted if m in TECHNIQUES]
    fitted: list[FittedModel] = []
    if of_models and model is None:
        fitted = fit_baselines(problem, seed)
    elif of_models:
        fitted = _given(model, data, target, names, class_)
    verdicts = {}
    for method in of_models:
        title, technique = TECHNIQUES[method]
        drawing = {"seed": seed} if method in RANDOM else {}
        for baseline in fitted:
            predictor, name = baseline.predictor, baseline.name
            found = technique(predictor, predictor.column(feature, kind), **drawing)
            results[f"{title}, {name}"] = found
            if method == "ale" and can_judge(ours, found):
                verdicts[name] = judge(ours, found, predictor, name)
    return Comparison(column.name, problem.target, problem.unit, results, tuple(fitted), verdicts)


def _checked(methods: Sequence[str]) -> list[str]:
    wanted = [methods] if isinstance(methods, str) else list(dict.fromkeys(methods))
    if not wanted:
        raise model_errors.no_methods(METHODS)
    for method in wanted:
        if method not in METHODS:
            raise errors.bad_choice("methods", method, METHODS)
    return wanted


def _paper(problem: Problem, column: Column, seed: int) -> dict[str, Effect]:
    """Explain the column by the paper's algorithm, in the unit of the problem."""
    table = {c.name: _plain(c) for c in problem.table.columns}
    if column.kind == "category":
        found: Effect = catstratpd(table, problem.y, column.name, seed=seed)
        name = "CatStratPD"
    else:
        # With two values a forward difference has no second point.
        two = len(np.unique(column.known)) <= 2
        difference: Literal["forward", "central"] = "central" if two else "forward"
        found = stratpd(table, problem.y, column.name, difference=difference, seed=seed)
        name = "StratPD"
    backend = problem.table.backend
    return {name: replace(found, target=problem.target, unit=problem.unit, backend=backend)}


def _plain(column: Column) -> Any:
    """Return a column as values that are read back as the same column."""
    if column.kind != "category":
        return column.shown(column.values)
    levels = (*column.levels, None)
    return [levels[k] for k in column.codes]


def _given(model: Any, data: Any, target: Any, names: Any, class_: Any) -> list[FittedModel]:
    """Score the caller's own models on the caller's table."""
    several = model if isinstance(model, Mapping) else {"the model": model}
    found = []
    for name, one in several.items():
        predictor, y = match_target(one, data, target, class_=class_, names=names)
        found.append(scored(str(name), predictor, y))
    return found


def _title(name: str, r2: Mapping[str, float]) -> str:
    model = name.partition(", ")[2]
    return f"{name} (R² {r2[model]:.2f})" if model in r2 else name


def _about(w: FittedModel) -> str:
    name = w.name[:1].upper() + w.name[1:]
    if w.n_train:
        return (
            f"{name}, fitted here on {w.n_train:,} rows: on the other {w.n_test:,} it "
            f"predicts {100 * w.r2:.1f} % of the variance (validation R² {w.r2:.3f})."
        )
    return (
        f"{name}, which came fitted: on the {w.n_test:,} rows given it predicts "
        f"{100 * w.r2:.1f} % of the variance (R² {w.r2:.3f}; too good if it was fitted on them)."
    )

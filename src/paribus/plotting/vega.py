"""Results drawn with Altair: one chart for notebooks, the report and picture files.

A chart is made from the stored form of an effect. Its fields have fixed names, so that a user's
text is only ever data, a title or a label, and is never read as an expression.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from paribus.plotting import marks, theme
from paribus.plotting.curve import CurveLook, curve_chart, curve_look, curve_tables
from paribus.plotting.levels import LevelLook, level_chart, level_look, level_tables
from paribus.plotting.marks import WIDTH
from paribus.plotting.points import Row, Stored

if TYPE_CHECKING:
    import altair as alt

Look: TypeAlias = CurveLook | LevelLook


def chart_of(stored: Stored, config: Mapping[str, Any] | None = theme.LIGHT) -> alt.LayerChart:
    """Draw a stored effect.

    Parameters
    ----------
    stored : mapping
        What `Effect.to_dict` gives.
    config : mapping, optional
        How it looks: `theme.LIGHT`, `theme.DARK`, or None to decide that later.

    Returns
    -------
    altair.LayerChart

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.quadratic(200, seed=0)
    >>> chart = chart_of(pb.effect(d.table, "y", "x1").to_dict())
    >>> chart.to_dict()["datasets"]["strip"][0].keys()
    dict_keys(['start', 'stop', 'rows'])
    """
    alt = marks.altair()
    if not stored["effect"]:
        chart = _sentence(stored)
    else:
        look, tables = _parts(stored)
        chart = _drawn(look).properties(datasets=alt.Datasets(**tables))
    return chart if config is None else chart.configure(**config)


def spec_of(stored: Stored) -> dict[str, Any]:
    """Return the Vega-Lite specification of a stored effect's chart, without a configuration.

    Altair draws one chart of each make; the others differ in titles, ends and data alone, which
    are filled in. That is a hundred times faster.

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.quadratic(200, seed=0)
    >>> stored = pb.effect(d.table, "y", "x1").to_dict()
    >>> spec_of(stored)["datasets"]["points"] == chart_of(stored).to_dict()["datasets"]["points"]
    True
    """
    if not stored["effect"]:
        return dict(_sentence(stored).to_dict())
    look, tables = _parts(stored)
    blanks = {f.name: _BLANKS[f.name] for f in fields(look) if f.name in _BLANKS}
    empty = _empty_spec(replace(look, **blanks))
    values = {blank: getattr(look, name) for name, blank in blanks.items()}
    spec: dict[str, Any] = _filled(empty, values)
    return {**spec, "datasets": {**spec["datasets"], **tables}}


# What stands in a specification until the values of a chart are filled in.
_BLANKS: dict[str, Any] = {
    "x_title": "\0x title",
    "y_title": "\0y title",
    "x_first": -1.01e300,
    "x_last": 1.01e300,
    "y_first": -1.02e300,
    "y_last": 1.02e300,
    "strip": 1.03e300,
    "height": 1.04e300,
    "places": ("\0places",),
}


def _parts(stored: Stored) -> tuple[Look, dict[str, list[Row]]]:
    if stored["kind"] == "NumericEffect":
        return curve_look(stored), curve_tables(stored)
    return level_look(stored), level_tables(stored)


def _drawn(look: Look) -> alt.LayerChart:
    return curve_chart(look) if isinstance(look, CurveLook) else level_chart(look)


@lru_cache(maxsize=256)
def _empty_spec(look: Look) -> dict[str, Any]:
    return dict(_drawn(look).to_dict())


def _filled(part: Any, values: Mapping[Any, Any]) -> Any:
    """Return a copy of a part of a specification with the blanks filled in."""
    if isinstance(part, dict):
        return {key: _filled(value, values) for key, value in part.items()}
    if isinstance(part, list):
        whole = values.get(tuple(part)) if part == ["\0places"] else None
        return list(whole) if whole is not None else [_filled(value, values) for value in part]
    return values.get(part, part) if isinstance(part, (str, float)) else part


def _sentence(stored: Stored) -> alt.LayerChart:
    """Write why there is nothing to draw."""
    alt = marks.altair()
    why = stored["notes"][-1]["text"] if stored["notes"] else ""
    lines = [{"line": line, "y": k} for k, line in enumerate(textwrap.wrap(why, 70))]
    text = alt.Chart(alt.InlineData(values=lines)).mark_text(style="sentence", align="left", x=0)
    shown = text.encode(text="line:N", y=alt.Y("y:O", axis=None))
    return alt.layer(shown).properties(width=WIDTH, height=20 * max(1, len(lines)))

"""Effects drawn with Altair: one chart for notebooks, the report and picture files."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from paribus.plotting.curve import curve_chart
from paribus.plotting.levels import height_of, level_chart
from paribus.plotting.marks import WIDTH, alt
from paribus.plotting.picture import CurveLook, LevelLook, Look, picture_of
from paribus.plotting.rows import Row, rows_of

if TYPE_CHECKING:
    from altair import LayerChart

    from paribus.results import Effect


def chart_of(effect: Effect) -> LayerChart:
    """Draw an effect, in the colours that `theme.LIGHT` or `theme.DARK` will give it.

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.quadratic(200, seed=0)
    >>> chart = chart_of(pb.effect(d.table, "y", "x1"))
    >>> chart.to_dict()["datasets"]["strip"][0].keys()
    dict_keys(['start', 'stop', 'rows', 'between'])
    """
    if not effect.explained:
        return _sentence(effect)
    look, tables = _parts(effect)
    return _drawn(look).properties(datasets=alt.Datasets(**tables))


def spec_of(effect: Effect) -> dict[str, Any]:
    """Return the Vega-Lite specification of an effect's chart, without a configuration.

    Altair draws one chart of each make; the others differ in titles, ends and data alone, which
    are filled in. That is a hundred times faster.

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.quadratic(200, seed=0)
    >>> x1 = pb.effect(d.table, "y", "x1")
    >>> spec_of(x1)["datasets"]["points"] == chart_of(x1).to_dict()["datasets"]["points"]
    True
    """
    if not effect.explained:
        return dict(_sentence(effect).to_dict())
    look, tables = _parts(effect)
    blanks = {f.name: _BLANKS[f.name] for f in fields(look) if f.name in _BLANKS}
    empty = _empty_spec(replace(look, **blanks))
    values = {blank: getattr(look, name) for name, blank in blanks.items()}
    spec: dict[str, Any] = _filled(empty, values)
    if "places" in blanks:
        spec["height"] = height_of(cast(LevelLook, look).places)
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
    "places": ("\0places",),
}


def _parts(effect: Effect) -> tuple[Look, dict[str, list[Row]]]:
    picture = picture_of(effect)
    tables = {name: rows_of(columns) for name, columns in picture.tables.items()}
    return picture.look, tables


def _drawn(look: Look) -> LayerChart:
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


def _sentence(effect: Effect) -> LayerChart:
    """Write why there is nothing to draw."""
    lines = textwrap.wrap(effect.summary(), 70)
    rows = [{"line": line, "y": k} for k, line in enumerate(lines)]
    text = alt.Chart(alt.InlineData(values=rows)).mark_text(style="sentence", align="left", x=0)
    shown = text.encode(text="line:N", y=alt.Y("y:O", axis=None))
    return alt.layer(shown).properties(width=WIDTH, height=20 * max(1, len(lines)))

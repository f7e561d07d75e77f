"""Results drawn with Altair: one chart for notebooks, the report and picture files.

A chart is made from the stored form of an effect. Its fields have fixed names, so that a user's
text is only ever data, a title or a label, and is never read as an expression.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from paribus.plotting import marks, theme
from paribus.plotting.curve import curve_chart
from paribus.plotting.levels import level_chart
from paribus.plotting.marks import WIDTH
from paribus.plotting.points import Row, Stored

if TYPE_CHECKING:
    import altair as alt


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
    tables: dict[str, list[Row]] = {}
    if not stored["effect"]:
        chart = _sentence(stored)
    elif stored["kind"] == "NumericEffect":
        chart, tables = curve_chart(stored)
    else:
        chart, tables = level_chart(stored)
    chart = chart.properties(datasets=alt.Datasets(**tables)) if tables else chart
    return chart if config is None else chart.configure(**config)


def _sentence(stored: Stored) -> alt.LayerChart:
    """Write why there is nothing to draw."""
    alt = marks.altair()
    why = stored["notes"][-1]["text"] if stored["notes"] else ""
    lines = [{"line": line, "y": k} for k, line in enumerate(textwrap.wrap(why, 70))]
    text = alt.Chart(alt.InlineData(values=lines)).mark_text(style="sentence", align="left", x=0)
    shown = text.encode(text="line:N", y=alt.Y("y:O", axis=None))
    return alt.layer(shown).properties(width=WIDTH, height=20 * max(1, len(lines)))

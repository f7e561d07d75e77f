"""What all kinds of charts share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from paribus.base.extras import need
from paribus.plotting import theme
from paribus.plotting.picture import MARGINAL

if TYPE_CHECKING:
    from altair import Chart, LayerChart

Layers: TypeAlias = "list[Chart | LayerChart]"

WIDTH, HEIGHT = 460, 280
NUMBER = ",.4~r"
# How a legend's entries are drawn: a line, a patch, dashes, a dot with its interval, a hollow mark.
PATCH = "M-1,-0.6H1V0.6H-1Z"
CURVE_SIGNS = {
    "line": "M-1,0H1", "interval": PATCH, "band": PATCH,
    "marginal": "M-1,0H-0.5M-0.25,0H0.25M0.5,0H1",
}  # fmt: skip
LEVEL_SIGNS = {
    "dot": "M-1,0H1M-0.45,0A0.45,0.45,0,1,1,0.45,0A0.45,0.45,0,1,1,-0.45,0",
    "hollow": "M0,-0.7L0.6,0L0,0.7L-0.6,0Z",
}


class _Altair:
    """Altair, imported when first used; if it is missing, the error says how to install it."""

    def __getattr__(self, name: str) -> Any:
        return getattr(need("altair", "A chart", "report"), name)


alt: Any = _Altair()


def legend(
    entries: Sequence[tuple[str, str]], signs: dict[str, str], fill: str, stroke: str
) -> Layers:
    """Return a layer that has only a legend, with signs that look like the marks.

    `fill` and `stroke` name lists of colours of the theme, one for each sign.
    """
    if not entries:
        return []
    words = dict(entries)
    names = [words.get(sign, sign) for sign in signs]
    shown = alt.Legend(
        orient="top", title=None, values=[*words.values()], symbolStrokeWidth=1.6, symbolOpacity=1
    )
    data = alt.Chart(alt.InlineData(values=[{"series": name} for name in words.values()]))
    channels = {
        "shape": alt.Shape(scale=alt.Scale(domain=names, range=[*signs.values()])),
        "fill": alt.Fill(scale=alt.Scale(domain=names, range=fill)),
        "stroke": alt.Stroke(scale=alt.Scale(domain=names, range=stroke)),
    }
    for channel in channels.values():
        channel.shorthand, channel.legend = "series:N", shown
    # The mark itself has no size: only its legend is seen.
    return [data.mark_point(size=0).encode(**channels)]


def tooltip(has: frozenset[str] | Sequence[str], *names: str) -> list[Any]:
    """Show under the pointer where a point is, as a heading, then the fields that it has."""
    fields = [alt.Tooltip(f"{name}:Q", format=NUMBER) for name in names if name in has]
    if "marginal" in has:
        fields.append(alt.Tooltip("marginal:Q", format=NUMBER, title=MARGINAL))
    if "share" in has:
        fields.append(alt.Tooltip("share:Q", format=".2~%", title="share of rows"))
    if "count" in has:
        fields.append(alt.Tooltip("count:Q", format=",", title="rows"))
    # A field called title is shown as a heading; as data, a column's name is never an expression.
    return [alt.Tooltip("place:N", title="title"), *fields]


def zero(**where: Any) -> Chart:
    """Draw the line where an effect is zero."""
    return alt.Chart(alt.InlineData(values=[{}])).mark_rule(style="zero").encode(**where)


def colours(names: Sequence[str], shown: bool = True) -> Any:
    """Colour marks by the field `who`, with a legend if it is `shown`."""
    above = alt.Legend(orient="top", title=None, labelLimit=400, symbolOpacity=1)
    scale = alt.Scale(domain=list(names), range="category")
    return alt.Color("who:N", scale=scale, legend=above if shown else None)


def at(axis: Any, field: str) -> Any:
    """Return an axis that reads another field."""
    changed = axis.copy()
    changed.shorthand = field
    return changed


def for_notebook(chart: Any) -> Any:
    """Return a light chart that needs no network, unless another renderer was chosen.

    Where a notebook draws Vega-Lite itself, as JupyterLab does, values show under the pointer;
    elsewhere, and in the output of nbconvert, the chart is a picture.

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.quadratic(200, seed=0)
    >>> shown = pb.effect(d.table, "y", "x1").chart()._repr_mimebundle_()
    >>> sorted(shown)
    ['application/vnd.vegalite.v6+json', 'image/svg+xml']
    """
    chart = chart.configure(**theme.LIGHT)
    kind: Any = type(chart)
    object.__setattr__(chart, "__class__", _offline_kind(kind))  # Altair's own keeps it as a field
    return chart


@cache
def _offline_kind(kind: Any) -> Any:
    """Return a subclass of a chart that differs only in how it displays itself."""

    def bundle(chart: Any, *asked: Any, **more: Any) -> Any:
        if alt.renderers.active != "default":
            return kind._repr_mimebundle_(chart, *asked, **more)
        spec, version = chart.to_dict(), alt.SCHEMA_VERSION.removeprefix("v").split(".")[0]
        svg = need("vl_convert", "A chart", "report").vegalite_to_svg(spec)
        return {f"application/vnd.vegalite.v{version}+json": spec, "image/svg+xml": svg}

    return type(kind.__name__, (kind,), {"_repr_mimebundle_": bundle, "__module__": __name__})

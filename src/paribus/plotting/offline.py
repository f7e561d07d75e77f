"""Charts that show themselves in a notebook without the network."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar

from paribus.base.extras import need
from paribus.plotting.marks import altair

Chart = TypeVar("Chart")


def offline(chart: Chart) -> Chart:
    """Return an Altair chart that fetches nothing, unless another renderer was chosen.

    Where a notebook can draw Vega-Lite itself, as JupyterLab can, values show under the pointer;
    elsewhere, and in what nbconvert makes of it, the chart is a picture.

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.quadratic(200, seed=0)
    >>> shown = pb.effect(d.table, "y", "x1").chart()._repr_mimebundle_()
    >>> sorted(shown)
    ['application/vnd.vegalite.v6+json', 'image/svg+xml']
    """
    kind: Any = type(chart)
    object.__setattr__(chart, "__class__", _offline_kind(kind))  # Altair's own keeps it as a field
    return chart


@cache
def _offline_kind(kind: Any) -> Any:
    """Return a kind of chart that differs from another only in how it shows itself."""

    def bundle(chart: Any, *asked: Any, **more: Any) -> Any:
        if altair().renderers.active != "default":
            return kind._repr_mimebundle_(chart, *asked, **more)
        return _bundle(chart.to_dict())

    return type(kind.__name__, (kind,), {"_repr_mimebundle_": bundle, "__module__": __name__})


def _bundle(spec: dict[str, Any]) -> dict[str, Any]:
    version = altair().SCHEMA_VERSION.removeprefix("v").split(".")[0]
    svg = need("vl_convert", "A chart", "report").vegalite_to_svg(spec)
    return {f"application/vnd.vegalite.v{version}+json": spec, "image/svg+xml": svg}

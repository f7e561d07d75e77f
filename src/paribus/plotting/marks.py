"""What the charts of all kinds share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from paribus.base import errors
from paribus.plotting.points import Stored

if TYPE_CHECKING:
    import altair as alt

Layers: TypeAlias = "list[alt.Chart | alt.LayerChart]"

WIDTH, HEIGHT = 460, 280
NUMBER = ",.4~r"


def altair() -> Any:
    """Import Altair, or say how to install it."""
    try:
        import altair as alt
    except ImportError:
        raise errors.missing_package("altair", "A chart", "'paribus[report]'") from None
    return alt


def legend(names: Sequence[str], shown: Sequence[str], colours: str) -> alt.Chart:
    """Say what the colours stand for: a layer that shows nothing but its legend."""
    alt = altair()
    data = alt.Chart(alt.InlineData(values=[{"series": name} for name in shown]))
    scale = alt.Scale(domain=list(names), range=colours)
    shown_as = alt.Legend(orient="top", title=None, values=list(shown), symbolOpacity=1)
    return data.mark_square(opacity=0).encode(
        fill=alt.Fill("series:N", scale=scale, legend=shown_as)
    )


def told(*names: str) -> list[Any]:
    """Show fields under the pointer."""
    alt = altair()
    return [alt.Tooltip(f"{name}:Q", format=NUMBER) for name in names]


def at(axis: Any, field: str) -> Any:
    """Return an axis that reads another field."""
    changed = axis.copy()
    changed.shorthand = field
    return changed


def quantity(stored: Stored) -> str:
    """Name what an effect is measured in."""
    return f"{stored['target']}, {stored['unit']}" if stored["unit"] else str(stored["target"])

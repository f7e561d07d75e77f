"""A chart as a picture file, without a browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from paribus.base.extras import need
from paribus.plotting import theme
from paribus.plotting.joint import lines_of
from paribus.plotting.lines import lines_chart
from paribus.plotting.marks import alt
from paribus.plotting.vega import spec_of
from paribus.report import errors as report_errors
from paribus.report.writing import write_bytes
from paribus.results.joint import JointEffect

if TYPE_CHECKING:
    from paribus.results import Effect

KINDS = (".png", ".svg", ".pdf")
SCALE = 2  # dots of a PNG to a point of the chart


def save_chart(effect: Effect | JointEffect, path: str | Path) -> Path:
    """Draw an effect into a file: PNG, SVG or PDF by the ending of its name. Return its path.

    Examples
    --------
    >>> import tempfile
    >>> import paribus as pb
    >>> d = pb.datasets.quadratic(200, seed=0)
    >>> path = Path(tempfile.mkdtemp()) / "x1.svg"
    >>> save_chart(pb.effect(d.table, "y", "x1"), path).read_text()[:4]
    '<svg'
    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in KINDS:
        raise report_errors.unknown_picture(path.name, KINDS)
    if isinstance(effect, JointEffect):
        found = lines_chart(lines_of(effect)).to_dict()
    else:
        found = spec_of(effect)
    return write_bytes(_drawn({**found, "config": theme.LIGHT}, kind), path)


def vl_convert() -> Any:
    """Import vl-convert, or say how to install it."""
    return need("vl_convert", "A picture file", "report")


def vegalite_version() -> str:
    """Return the version of Vega-Lite that draws what Altair writes."""
    wanted = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
    known = vl_convert().get_vegalite_versions()
    return wanted if wanted in known else str(known[-1])


def _drawn(spec: dict[str, Any], kind: str) -> bytes:
    convert, version = vl_convert(), vegalite_version()
    if kind == ".svg":
        return str(convert.vegalite_to_svg(spec, vl_version=version)).encode()
    if kind == ".pdf":
        return bytes(convert.vegalite_to_pdf(spec, vl_version=version))
    return bytes(convert.vegalite_to_png(spec, vl_version=version, scale=SCALE))

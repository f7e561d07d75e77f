"""How the site is built: `make site`."""

from importlib.metadata import version as installed
from typing import Any

project = "paribus"
author = "the paribus developers"
copyright = author
version = release = installed("paribus")
extensions = ["myst_parser", "sphinx_design"]
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
root_doc = "index"
html_theme = "furo"
html_title = "paribus"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b5a80", "color-brand-content": "#0b5a80"},
    "dark_css_variables": {"color-brand-primary": "#7cc4e8", "color-brand-content": "#7cc4e8"},
}
html_copy_source = False
html_show_sourcelink = False
html_math_renderer = "mathml"  # formulas are drawn by the browser itself, offline
nitpicky = True
suppress_warnings = ["misc.highlighting_failure"]


def setup(app: Any) -> None:
    """Write formulas as MathML."""
    app.add_html_math_renderer("mathml", (inline_formula, None), (formula, None))


def inline_formula(writer: Any, node: Any) -> None:
    """Write a formula into a line."""
    _write(writer, node, as_block=False)


def formula(writer: Any, node: Any) -> None:
    """Write a formula as a line of its own."""
    _write(writer, node, as_block=True)


def _write(writer: Any, node: Any, *, as_block: bool) -> None:
    from docutils.nodes import SkipNode
    from docutils.utils.math.latex2mathml import tex2mathml

    writer.body.append(tex2mathml(node.astext(), as_block=as_block))
    raise SkipNode

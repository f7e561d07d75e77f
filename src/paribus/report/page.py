"""Effects as one self-contained HTML file."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paribus.base.extras import need
from paribus.base.progress import Progress, silent
from paribus.plotting import theme
from paribus.report.picture import vegalite_version, vl_convert
from paribus.report.summary import summarise
from paribus.report.writing import check_place, write_text

if TYPE_CHECKING:
    from paribus.results import EffectSet

MOST_RANKED, MOST_SECTIONS = 100, 50  # columns shown at once; the others when asked for
MOST_CHARTED = 500  # columns with a chart: each takes ten kilobytes
SCRIPTS = ("charts.js", "profiles.js", "page.js")
TEMPLATES = files("paribus.report") / "templates"


def write_page(
    effects: EffectSet,
    path: str | Path,
    progress: Progress = silent,
    profiles: Mapping[str, Any] | None = None,
) -> Path:
    """Write the page of all effects to a file; see `EffectSet.report`.

    `progress` is called with (done, total) after each column. `profiles` are the profiles to
    compare for stored effects, which have no rows.
    """
    check_place(Path(path))
    text = page_html(effects, progress, profiles)
    return write_text(text, path)


def page_html(
    effects: EffectSet, progress: Progress = silent, profiles: Mapping[str, Any] | None = None
) -> str:
    """Return the page of all effects.

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.body_weight(500, seed=0)
    >>> page_html(pb.effects(d.table, target="weight"))[:15]
    '<!doctype html>'
    """
    template = environment(text_of).get_template("page.html")
    script = "".join(map(text_of, SCRIPTS))
    code = runtime()
    shown = summarise(effects, progress, most=MOST_CHARTED)
    return str(
        template.render(
            {**shown, "profiles": shown["profiles"] or profiles},
            most_ranked=MOST_RANKED,
            most_sections=MOST_SECTIONS,
            most_charted=MOST_CHARTED,
            themes={"light": theme.LIGHT, "dark": theme.DARK},
            style=text_of("page.css"),
            script=script,
            runtime=code,
            allowed=f"{_fingerprint(code)} {_fingerprint(script)}",
            version=version("paribus"),
        )
    )


def as_json(value: Any) -> str:
    r"""Write a value as JSON that is safe inside a script element: it cannot contain tags.

    Examples
    --------
    >>> as_json("</script>")
    '"\\u003c/script\\u003e"'
    """
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def environment(load: Callable[[str], str]) -> Any:
    """Return an environment of templates, loaded by name; users' text is escaped."""
    jinja2 = need("jinja2", "A report", "report")
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(load),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["json"] = as_json
    return environment


def text_of(name: str) -> str:
    """Return a template, a style or a script by its name."""
    return (TEMPLATES / name).read_text(encoding="utf-8")


def runtime() -> str:
    """Return the code that draws charts, as bundled with vl-convert."""
    return _bundle(vegalite_version())


@cache
def _bundle(vl_version: str) -> str:
    return str(vl_convert().javascript_bundle(vl_version=vl_version))


def _fingerprint(script: str) -> str:
    """Return the hash of a script, so that the browser runs it and no other."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"

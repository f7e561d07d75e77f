"""What a run keeps in its folder: the effects, and the pages made from them."""

from __future__ import annotations

import json
import pickle
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paribus.report.page import environment, text_of
from paribus.report.writing import write_bytes, write_text

if TYPE_CHECKING:
    from paribus.results import EffectSet

TEMPLATES = files("paribus.serve") / "templates"
REPORT = ("results.html", "method.html")  # templates shared with the report
# The files of the ranking so far, of the k-th column found, from 1, and of the finished results.
RANKING, COLUMN, RESULTS = "ranking.html", "column-{}.html", "results.html"


def save_effects(effects: EffectSet, folder: Path) -> None:
    """Store effects with all that exports need."""
    write_bytes(pickle.dumps(effects), folder / "effects.pickle")


def load_effects(folder: Path) -> EffectSet:
    """Return the effects that a run has stored; only this server writes to its folder."""
    effects: EffectSet = pickle.loads((folder / "effects.pickle").read_bytes())  # noqa: S301
    return effects


def save_profiles(profiles: dict[str, Any] | None, folder: Path) -> None:
    """Store the profiles to compare: they need rows, which stored effects do not have."""
    write_text(json.dumps(profiles), folder / "profiles.json")


def load_profiles(folder: Path) -> dict[str, Any] | None:
    """Return the profiles to compare that a run has stored, if there are any."""
    profiles: dict[str, Any] | None = json.loads((folder / "profiles.json").read_text("utf-8"))
    return profiles


@cache
def templates() -> Any:
    """Return the environment of the page's templates, including the report's."""
    return environment(_template)


def render(name: str, **values: Any) -> str:
    """Fill in a template; a user's text stays text."""
    return str(templates().get_template(name).render(values))


def _template(name: str) -> str:
    return text_of(name) if name in REPORT else (TEMPLATES / name).read_text(encoding="utf-8")

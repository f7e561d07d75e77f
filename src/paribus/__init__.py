"""What goes with a target, column by column, the other columns held still.

>>> import paribus as pb
>>> d = pb.datasets.body_weight(2000, seed=0)
>>> pb.effects(d.table, target="weight").ranking
['height', 'pregnant', 'education', 'sex']
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paribus import datasets as datasets
    from paribus import models as models
    from paribus.api import effect as effect
    from paribus.api import effects as effects
    from paribus.api import effects_by_class as effects_by_class
    from paribus.base.errors import InputError as InputError
    from paribus.base.notes import Note as Note
    from paribus.environment import info as info
    from paribus.finder import interactions as interactions
    from paribus.models.compare import compare as compare
    from paribus.paper import catstratpd as catstratpd
    from paribus.paper import stratpd as stratpd
    from paribus.results import ByGroup as ByGroup
    from paribus.results import CategoricalEffect as CategoricalEffect
    from paribus.results import Contrast as Contrast
    from paribus.results import EffectSet as EffectSet
    from paribus.results import Interactions as Interactions
    from paribus.results import JointEffect as JointEffect
    from paribus.results import NumericEffect as NumericEffect
    from paribus.results import PairEffect as PairEffect
    from paribus.results import SlopeBy as SlopeBy
    from paribus.results.tables import EffectTable as EffectTable
    from paribus.results.tables import etable as etable
    from paribus.tidy.find import check as check
    from paribus.tidy.result import Check as Check

# Public names by the module they live in, which is loaded on first use: importing is quick.
_NAMES = {
    "api": ("effect", "effects", "effects_by_class"),
    "base.errors": ("InputError",),
    "base.notes": ("Note",),
    "environment": ("info",),
    "finder": ("interactions",),
    "models.compare": ("compare",),
    "paper": ("catstratpd", "stratpd"),
    "results": (
        "ByGroup", "CategoricalEffect", "Contrast", "EffectSet", "Interactions", "JointEffect",
        "NumericEffect", "PairEffect", "SlopeBy",
    ),
    "results.tables": ("EffectTable", "etable"),
    "tidy.find": ("check",),
    "tidy.result": ("Check",),
}  # fmt: skip
_HOME = {name: module for module, names in _NAMES.items() for name in names}
_MODULES = ("datasets", "models")

__all__ = [*sorted(_HOME), *_MODULES]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"paribus.{name}")
    if name in _HOME:
        return getattr(import_module(f"paribus.{_HOME[name]}"), name)
    if name == "__version__":
        return import_module("importlib.metadata").version("paribus")
    raise AttributeError(f"module 'paribus' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]

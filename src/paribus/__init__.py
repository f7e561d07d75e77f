"""What each column of a table does to a target, the other columns held still.

>>> import paribus as pb
>>> d = pb.datasets.body_weight(2000, seed=0)
>>> pb.stratpd(d.table, "weight", "height")  # doctest: +ELLIPSIS
<NumericEffect: height on weight, ... points over ...>
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paribus import datasets as datasets
    from paribus.errors import InputError as InputError
    from paribus.notes import Note as Note
    from paribus.paper import catstratpd as catstratpd
    from paribus.paper import stratpd as stratpd
    from paribus.results import CategoricalEffect as CategoricalEffect
    from paribus.results import NumericEffect as NumericEffect

# Public name -> the module it lives in; loaded on first use, so that importing is quick.
_HOME = {
    "CategoricalEffect": "results",
    "InputError": "errors",
    "Note": "notes",
    "NumericEffect": "results",
    "catstratpd": "paper",
    "stratpd": "paper",
}
_MODULES = ("datasets",)

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

"""The only way to compiled code, and the plain code that stands in where it was not built.

A compiled function has a NumPy twin with the same arguments, called ``..._reference``: to be read,
to be tested against, and to stand in. Only the trees have no twin that grows exactly the same
ones: scikit-learn stands in for them, with a warning.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

# "estimate._groups.add_rows" -> what is called, and its twin; the tests compare each pair.
TWINS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {}


@cache
def load(module: str) -> ModuleType | None:
    """Return a compiled module, such as ``"strata.kernel.task"``, or None if it was not built."""
    try:
        return import_module(f"paribus.{module}")
    except ImportError:
        return None


def compiled(module: str, reference: F) -> F:
    """Return the compiled function that `reference` is the twin of, or `reference` itself.

    Examples
    --------
    >>> def hash_rows_reference(values, out, missing): ...
    >>> compiled("not.built", hash_rows_reference) is hash_rows_reference
    True
    """
    built = load(module)
    name = reference.__name__.removesuffix("_reference")
    chosen = reference if built is None else getattr(built, name)
    if built is not None:
        TWINS[f"{module}.{name}"] = (chosen, reference)
    return chosen

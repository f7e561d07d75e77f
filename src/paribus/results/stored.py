"""Results as plain values for JSON, with a version, and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import cache, partial
from inspect import isabstract
from types import NoneType, UnionType
from typing import Any, Self, Union, get_args, get_origin, get_type_hints

import numpy as np

from paribus.base.arrays import AnyArray, IntArray
from paribus.base.errors import InputError
from paribus.results import errors as result_errors

FORMAT = 3
INFINITE = ("inf", "-inf")  # JSON has no infinity
RENAMED = {"level": "conf_level", "mass": "row_share", "cloud": "scatter"}  # since format 1


class Stored:
    """A result that can be stored as plain values, and read back; pickled too."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave out the functions that rerun it or show its rows: they hold the whole table."""
        return partial(type(self), **_public_parts(self)), ()

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values, ready for JSON."""
        return versioned(type(self).__name__, self)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """Read back what `to_dict` gave.

        Examples
        --------
        >>> import json
        >>> import paribus as pb
        >>> d = pb.datasets.quadratic(200, seed=0)
        >>> curve = pb.stratpd(d.table, "y", "x1")
        >>> again = pb.NumericEffect.from_dict(json.loads(json.dumps(curve.to_dict())))
        >>> bool((again.effect == curve.effect).all())
        True
        """
        with opened(stored, cls.__name__) as parts:
            return cls(**read_back(cls, parts))


def to_plain(value: Any) -> Any:
    """Turn arrays, dates, dataclasses and numbers into what JSON knows.

    NaN becomes None, infinity a word, an array of dates a list of ISO strings, a result its
    `to_dict`, and any other dataclass a dict of its public fields.

    Examples
    --------
    >>> to_plain({"a": np.array([1.0, np.nan]), "b": (np.int64(2), "c")})
    {'a': [1.0, None], 'b': [2, 'c']}
    >>> to_plain(-np.inf)
    '-inf'
    """
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "M":
            return np.datetime_as_string(value).tolist()
        return to_plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [to_plain(v) for v in value]
    if isinstance(value, Stored):
        return value.to_dict()
    if is_dataclass(value):
        return to_plain(_public_parts(value))
    if isinstance(value, Mapping):
        return {str(k): to_plain(v) for k, v in value.items()}
    if isinstance(value, np.generic):
        return to_plain(value.item())
    if isinstance(value, float):
        return value if np.isfinite(value) else None if np.isnan(value) else str(value)
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


def versioned(kind: str, value: Any) -> dict[str, Any]:
    """Return a result as plain values, with its kind and the format's version."""
    parts = _public_parts(value) if is_dataclass(value) else value
    return {"format": FORMAT, "kind": kind, **to_plain(parts)}


def _public_parts(value: Any) -> dict[str, Any]:
    names = [f.name for f in fields(value) if not f.name.startswith("_")]
    return {name: getattr(value, name) for name in names}


@contextmanager
def opened(stored: Mapping[str, Any], kind: str) -> Iterator[dict[str, Any]]:
    """Check kind and version of stored values, and yield the rest as this version has it.

    Missing or wrong parts that are noticed inside are reported as an error of the stored values.
    """
    parts = dict(stored) if isinstance(stored, Mapping) else {}
    version, got = parts.pop("format", None), parts.pop("kind", None)
    if version not in range(1, FORMAT + 1) or got != kind:
        raise result_errors.unknown_version(kind, FORMAT, f"{got} of format {version}")
    try:
        yield parts if version == FORMAT else _from_earlier(parts)
    except InputError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        raise result_errors.unreadable(kind) from None


def _from_earlier(parts: Mapping[str, Any]) -> dict[str, Any]:
    """Rename what has another name by now, and take state from the notes that used to hold it."""
    renamed = {RENAMED.get(name, name): value for name, value in parts.items()}
    noted = [(note["kind"], note.get("facts", {})) for note in parts.get("notes", ())]
    if "effects" in parts:
        told = [_proposal(facts) for kind, facts in noted if kind == "tidied"]
        return {"tidied": told, **renamed}
    if "n_used" not in parts or "features" in parts:  # neither an effect
        return renamed
    facts = dict(noted)
    if "twins" in facts or "nearly_fixed" in facts:
        renamed.setdefault("share_left", facts.get("nearly_fixed", {}).get("share", 0.0))
    if "nothing_held" in facts:
        renamed.setdefault("n_held", 0)
    for alike in facts.get("neighbours_alike", {}).get("correlations", {}).values():
        renamed["neighbours_alike"] = alike
    return renamed


def _proposal(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the stored form of a proposal from the facts of its note."""
    kept = {name: facts[name] for name in ("column", "role", "members", "rows", "why")}
    return kept | {"reason": facts["reason"].partition(". ")[2]}


def as_array(values: Any) -> AnyArray:
    """Read back an array: dates from text, numbers (None is NaN) as floats, of any depth.

    Examples
    --------
    >>> as_array(["inf", 1.0, None]), as_array(["2026-01-31"]).astype("M8[D]")
    (array([inf,  1., nan]), array(['2026-01-31'], dtype='datetime64[D]'))
    """
    if values and isinstance(values[0], str) and values[0] not in INFINITE:
        return np.array(values, dtype="datetime64[us]")
    return np.array(values, dtype=np.float64)


def read_back(kind: Any, parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a dataclass, stored as plain values, as its fields have them."""
    hints = _hints(kind)
    return {name: _read(hints[name], value) for name, value in parts.items()}


@cache
def _hints(kind: Any) -> dict[str, Any]:
    """Return the types of a dataclass's fields, including those imported for type checking only."""
    from paribus.results.by_group import ByGroup

    return get_type_hints(kind, localns={"ByGroup": ByGroup, "RowsBehind": Any})


def _read(hint: Any, value: Any) -> Any:
    """Read back a value of a type."""
    if get_origin(hint) in (Union, UnionType):
        several = [one for one in get_args(hint) if one is not NoneType]
        if value is None or len(several) > 1:
            return value
        hint = several[0]
    if get_origin(hint) is np.ndarray:
        return np.array(value, dtype=np.int64) if hint == IntArray else as_array(value)
    if get_origin(hint) is tuple:
        return tuple(_read(get_args(hint)[0], one) for one in value)
    if isabstract(hint):  # an effect of either kind
        from paribus.results import CategoricalEffect, NumericEffect

        kinds = {kind.__name__: kind for kind in (NumericEffect, CategoricalEffect)}
        hint = kinds[value["kind"]]
    if hasattr(hint, "from_dict"):
        return hint.from_dict(value)
    if is_dataclass(hint) and isinstance(hint, type):
        return hint(**read_back(hint, value))
    if hint is float:
        return np.nan if value is None else float(value)
    if hint in (bool, int, str) and not isinstance(value, hint):
        raise TypeError(value)
    return value

"""Results as plain values and back: what JSON can hold, with a version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from paribus.base.arrays import AnyArray
from paribus.base.errors import InputError
from paribus.results import errors as result_errors

FORMAT = 2
RENAMED = {"level": "conf_level", "mass": "row_share", "cloud": "scatter"}  # since format 1


def to_plain(value: Any) -> Any:
    """Turn arrays, dates, dataclasses and numbers into what JSON knows.

    NaN becomes None, an array of dates a list of ISO strings, and a dataclass a dict of its
    public fields.

    Examples
    --------
    >>> to_plain({"a": np.array([1.0, np.nan]), "b": (np.int64(2), "c")})
    {'a': [1.0, None], 'b': [2, 'c']}
    """
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "M":
            return np.datetime_as_string(value).tolist()
        return to_plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [to_plain(v) for v in value]
    if is_dataclass(value) and not isinstance(value, type):
        names = [f.name for f in fields(value) if not f.name.startswith("_")]
        return {name: to_plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {str(k): to_plain(v) for k, v in value.items()}
    if isinstance(value, np.generic):
        return to_plain(value.item())
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


def versioned(kind: str, value: Any) -> dict[str, Any]:
    """Return a result as plain values, with its kind and the format's version."""
    return {"format": FORMAT, "kind": kind, **to_plain(value)}


@contextmanager
def opened(stored: Mapping[str, Any], kind: str) -> Iterator[dict[str, Any]]:
    """Check kind and version of stored values and give the rest, as this version has it.

    Whatever fails inside for want of a part, or for a wrong one, is an error of the stored values.
    """
    parts = dict(stored)
    version, got = parts.pop("format", None), parts.pop("kind", None)
    if version not in (1, FORMAT) or got != kind:
        raise result_errors.unknown_version(kind, f"{got} of format {version}", FORMAT)
    try:
        yield parts if version == FORMAT else _from_version_1(parts)
    except InputError:
        raise
    except (TypeError, ValueError, KeyError):
        raise result_errors.unreadable(kind) from None


def _from_version_1(parts: Mapping[str, Any]) -> dict[str, Any]:
    """Rename what has another name by now, and read state out of the notes that held it."""
    renamed = {RENAMED.get(name, name): value for name, value in parts.items()}
    if "n_used" not in parts or "features" in parts:  # a set of effects, or a pair
        return renamed
    noted = {note["kind"]: note.get("facts", {}) for note in parts.get("notes", ())}
    if "twins" in noted or "nearly_fixed" in noted:
        renamed["share_left"] = noted.get("nearly_fixed", {}).get("share", 0.0)
    if "nothing_held" in noted:
        renamed["n_held"] = 0
    return renamed


def as_array(values: Any) -> AnyArray:
    """Read back an array: dates from text, numbers (None is NaN) as floats, of any depth."""
    if values and isinstance(values[0], str):
        return np.array(values, dtype="datetime64[us]")
    return np.array(values, dtype=np.float64)

"""Text that is numbers, as people of many countries write them."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

import polars as pl

Style: TypeAlias = Literal["point", "comma"]

_BLANK = " '\u2019\u00a0\u202f"
_EXPONENT = r"(?:[eE][+-]?\d+)?"


def _pattern(grouping: str, decimal: str) -> str:
    whole = rf"(?:\d+|[1-9]\d{{0,2}}(?:[{grouping}{_BLANK}]\d{{3}})+)"
    return rf"^[+-]?(?:{whole}(?:{decimal}\d*)?|{decimal}\d+){_EXPONENT}$"


PATTERNS: dict[Style, str] = {"point": _pattern(",", r"\."), "comma": _pattern(".", ",")}
WHOLE = r"^[+-]?\d+$"
BRACKETS = r"^\(([^()]*\d[^()]*)\)$"  # as bookkeepers write what is negative
CODE = r"^0\d{2,}$"  # 01067 is a place, not an amount
SIGNS = ("$", "€", "£", "¥", "EUR", "USD", "GBP", "CHF", "kr", "%")


def bare(texts: pl.Series) -> pl.Series:
    """Take off the currency or percent sign that every value has.

    Examples
    --------
    >>> bare(pl.Series(["$ 5", "($6)"])).to_list(), bare(pl.Series(["5 %", "6"])).to_list()
    (['5', '-6'], ['5 %', '6'])
    """
    texts = texts.str.replace_all("\u2212", "-", literal=True)
    texts = texts.str.replace(BRACKETS, "-${1}")
    known = texts.drop_nulls()
    first = str(known[0]) if known.len() else ""
    for sign in (re.escape(sign) for sign in SIGNS if sign in first):
        if known.str.contains(sign).all():
            off = rf"^([+-]?)\s*{sign}\s*|\s*{sign}$"
            return texts.str.replace(off, "${1}")
    return texts


def fitting(texts: pl.Series) -> set[Style]:
    """Tell which ways of writing numbers all values follow.

    Examples
    --------
    >>> sorted(fitting(pl.Series(["1.234,5", "7"]))), sorted(fitting(pl.Series(["1,234"])))
    (['comma'], ['comma', 'point'])
    """
    known = bare(texts.drop_nulls().unique())
    if known.is_empty() or known.str.contains(CODE).any():
        return set()
    return {style for style, pattern in PATTERNS.items() if known.str.contains(pattern).all()}


def share(texts: pl.Series) -> float:
    """Return the share of values that are numbers, in one way of writing or the other."""
    known = bare(texts).drop_nulls()
    if known.is_empty() or known.str.contains(CODE).any():
        return 0.0
    fits = [known.str.contains(pattern).sum() for pattern in PATTERNS.values()]
    return float(max(fits)) / known.len()


def strays(texts: pl.Series, style: Style) -> pl.Series:
    """Return the values that are no numbers."""
    known = texts.drop_nulls()
    return known.filter(~bare(known).str.contains(PATTERNS[style]))


def as_numbers(texts: pl.Series, style: Style) -> pl.Series:
    """Turn text into numbers; what is none becomes missing.

    Examples
    --------
    >>> as_numbers(pl.Series(["1.234,5", "7", "x"]), "comma").to_list()
    [1234.5, 7.0, None]
    """
    plain = bare(texts)
    plain = plain.set(~plain.str.contains(PATTERNS[style]), None)
    grouping, decimal = (",", ".") if style == "point" else (".", ",")
    plain = plain.str.replace_all(rf"[{grouping}{_BLANK}]", "")
    plain = plain.str.replace(decimal, ".", literal=True).str.strip_prefix("+")
    if plain.drop_nulls().str.contains(WHOLE).all():
        whole = plain.cast(pl.Int64, strict=False)
        if whole.null_count() == plain.null_count():
            return whole
        return plain  # too long for a number: a name
    return plain.cast(pl.Float64, strict=False)

"""Numbers written as text, in the ways of many countries."""

from __future__ import annotations

from typing import Literal, TypeAlias

import polars as pl

Style: TypeAlias = Literal["point", "comma"]

# Only the digits 0 to 9 count: numbers in other scripts remain text.
_BLANK = " '\u2019\u00a0\u202f"
_EXPONENT = r"(?:[eE][+-]?[0-9]+)?"
_GROUPING: dict[Style, str] = {"point": ",", "comma": "."}
_DECIMAL: dict[Style, str] = {"point": ".", "comma": ","}


def _whole(style: Style) -> str:
    return rf"(?:[0-9]+|[1-9][0-9]{{0,2}}(?:[{_GROUPING[style]}{_BLANK}][0-9]{{3}})+)"


def _pattern(style: Style) -> str:
    decimal = rf"[{_DECIMAL[style]}]"
    return rf"^[+-]?(?:{_whole(style)}(?:{decimal}[0-9]*)?|{decimal}[0-9]+){_EXPONENT}$"


STYLES: tuple[Style, ...] = ("point", "comma")
PATTERNS: dict[Style, str] = {style: _pattern(style) for style in STYLES}
WHOLE: dict[Style, str] = {style: rf"^[+-]?{_whole(style)}$" for style in STYLES}
CODE = r"^0[0-9]{2,}$"  # 01067 is a postcode, not an amount
LONGEST = r"^[+-]?(?:[^0-9]?[0-9]){19}"  # too long for an integer, so a name
PLAIN = r"^[0-9eE.,+-]*$"
BRACKETS = r"^\(([^()]*[0-9][^()]*)\)$"  # as bookkeepers write what is negative
_SIGN = r"[$€£¥%]|EUR|USD|GBP|CHF|kr"
SIGNED = rf"^([+-]?)\s*(?:{_SIGN})\s*|\s*(?:{_SIGN})$"
SIGN = rf"({_SIGN})"
PER_CENT = "%"
LIMIT = r"^(?:[<>]=?|[≤≥])\s*"  # as laboratories write amounts beyond what they can measure


def bare(texts: pl.Series) -> pl.Series:
    """Remove currency and percent signs, and write negative numbers with a minus.

    Examples
    --------
    >>> bare(pl.Series(["$ 5", "($6)", "7 kr", "kraut"])).to_list()
    ['5', '-6', '7', 'kraut']
    """
    if texts.str.contains(PLAIN).all():
        return texts
    plain = texts.str.replace_all("\u2212", "-", literal=True).str.replace(BRACKETS, "-${1}")
    plain = plain.str.replace(SIGNED, "${1}")
    number = plain.str.contains(r"^[+-]?[.,]?[0-9]")
    return plain.zip_with(number.fill_null(value=False), texts)


def too_large(plain: pl.Series) -> pl.Series:
    """Tell which texts are numbers too large for a float, such as the name 8e10203."""
    powers = plain.str.contains(r"[0-9][eE]\+?[0-9]{3}")
    if not powers.any():
        return powers
    values = plain.str.replace(",", ".", literal=True).cast(pl.Float64, strict=False)
    return powers & values.is_infinite()


def as_numbers(texts: pl.Series, style: Style, whole: bool, limits: bool = False) -> pl.Series:
    """Turn text into whole numbers or decimals; what is not a number becomes missing.

    With `limits`, a value such as <0.1 is read as the limit.

    Examples
    --------
    >>> as_numbers(pl.Series(["1.234,5", "7", "x"]), "comma", whole=False).to_list()
    [1234.5, 7.0, None]
    >>> as_numbers(pl.Series(["<0.1", "7"]), "point", whole=False, limits=True).to_list()
    [0.1, 7.0]
    """
    plain = bare(texts.str.replace(LIMIT, "") if limits else texts)
    plain = plain.set(~plain.str.contains(PATTERNS[style]), None)
    plain = plain.str.replace_all(rf"[{_GROUPING[style]}{_BLANK}]", "")
    plain = plain.str.replace(_DECIMAL[style], ".", literal=True).str.strip_prefix("+")
    if whole:
        return plain.cast(pl.Int64, strict=False)
    values = plain.cast(pl.Float64, strict=False)
    return values.set(values.is_infinite(), None)

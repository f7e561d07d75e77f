"""Numbers, places and names as people write them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from paribus.base.arrays import AnyArray
from paribus.base.errors import plural
from paribus.base.notes import Remedy
from paribus.base.wording import listed, rows
from paribus.results.scales import OF_THE_ODDS, PER_CENT, is_ratio
from paribus.table.target import PERCENTAGE_POINTS

if TYPE_CHECKING:
    from paribus.results.base import Effect
    from paribus.results.joint import JointEffect
    from paribus.results.pair import PairEffect
    from paribus.results.parts import Absorbed

TOO_LONG = 1e21  # numbers from here on are written with an exponent
# The mark of an effect that surely differs, and what it means.
DIFFERS, MARKED = "\N{NOT EQUAL TO}", "What the column goes with differs from row to row."


def question(target: str, unit: str = "") -> str:
    """Return the question that all results answer.

    Examples
    --------
    >>> question("price")
    'What goes with price, other things equal?'
    >>> question("income is >50K", "percentage points")
    'What goes with the share of rows where income is >50K, other things equal?'
    """
    return f"What goes with {quantity(target, unit)}, other things equal?"


def quantity(target: str, unit: str) -> str:
    """Name the quantity explained: the target, or the share or the odds of a class."""
    if unit == PERCENTAGE_POINTS:
        return f"the share of rows where {target}"
    return f"the odds that {target}" if unit == OF_THE_ODDS else target


def with_unit(value: float, unit: str) -> str:
    """Write the size of an effect with its unit.

    Examples
    --------
    >>> with_unit(12.3, ""), with_unit(12.3, "% of the odds"), with_unit(2, "percentage points")
    ('12.3', '12.3 %', '2 percentage points')
    """
    shown = PER_CENT if is_ratio(unit) else unit
    return f"{number(value)} {shown}" if shown else number(value)


def size(n_rows: int, n_columns: int, groups: str = "") -> str:
    """Say how large a table is, and what groups its rows fall into.

    Examples
    --------
    >>> size(2000, 1), size(2000, 3, "40 clusters")
    ('2,000 rows, 1 column.', '2,000 rows in 40 clusters, 3 columns.')
    """
    inside = f" in {groups}" if groups else ""
    return f"{rows(n_rows)}{inside}, {n_columns:,} column{plural(n_columns)}."


def counts(effect: Effect | JointEffect | PairEffect) -> str:
    """Say how many rows were used and how many notes there are."""
    n = len(effect.notes)
    return f"{effect.n_used:,} of {effect.n_rows:,} rows used, {n} note{plural(n)}"


def number(value: float) -> str:
    """Write a number to three digits, as people do.

    Examples
    --------
    >>> number(1019.7), number(0.012345), number(-12.0), number(1.5e9), number(2.5e120)
    ('1,020', '0.0123', '-12', '1,500,000,000', '2.5e+120')
    """
    if value == 0 or not np.isfinite(value):
        return "0" if value == 0 else str(value)
    digits = 2 - int(np.floor(np.log10(abs(value))))
    rounded = round(float(value), digits)
    if not 1e-4 <= abs(rounded) < TOO_LONG:
        return f"{rounded:.3g}"
    return _trimmed(f"{rounded:,.{max(digits, 0)}f}")


def whole(value: int) -> str:
    """Write a whole number in full; with up to four digits, as in years, without a comma.

    Examples
    --------
    >>> whole(2015), whole(98001)
    ('2015', '98,001')
    """
    return f"{value:,}" if abs(value) >= 10_000 else str(value)


def share_words(share: float) -> str:
    """Write a share in per cent, to a sensible number of digits.

    Examples
    --------
    >>> share_words(0.634), share_words(0.0212), share_words(1e-6), share_words(0.0)
    ('63.4 %', '2.12 %', '<0.1 %', '0 %')
    """
    return "<0.1 %" if 0 < share < 0.001 else f"{number(100 * share)} %"


def interval_words(conf_level: float, low: float, high: float, below: bool = False) -> str:
    """Write an interval; with `below`, of the size of a negative number, so with signs reversed.

    Examples
    --------
    >>> interval_words(0.95, 3.21, 5.0), interval_words(0.95, -5.0, -3.21, below=True)
    ('95 % interval 3.21 to 5', '95 % interval 3.21 to 5')
    """
    low, high = (-high, -low) if below else (low, high)
    return f"{number(100 * conf_level)} % interval {number(low)} to {number(high)}"


def p_words(p_value: float) -> str:
    """Write a p-value.

    Examples
    --------
    >>> p_words(0.0312), p_words(1e-9)
    ('p = 0.031', 'p < 0.001')
    """
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.2g}"


def lined_up(table: Sequence[Sequence[str]]) -> list[str]:
    """Write cells in columns: the first is aligned to the left, the others to the right.

    Examples
    --------
    >>> lined_up([["", "rows"], ["city", "10"]])
    ['      rows', 'city    10']
    """
    wide = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join([row[0].ljust(wide[0]), *map(str.rjust, row[1:], wide[1:])]).rstrip()
        for row in table
    ]


def explained_with(e: Effect) -> tuple[str, ...]:
    """Return the rest of a group if all of it moved along; parts of a sum are shown separately."""
    return e.group[1:] if {*e.along}.issuperset(e.group[1:]) else ()


def marked_name(e: Effect) -> str:
    """Name a column and those explained with it, with a mark if its effect clearly differs."""
    return grouped_name(e) + (f" {DIFFERS}" if e.differs else "")


def grouped_name(e: Effect) -> str:
    """Name a column and those that are explained as one with it: 'exper, with expersq'."""
    others = explained_with(e)
    return f"{e.feature}, with {listed(others, write=str)}" if others else e.feature


def impact_words(e: Effect) -> str:
    """Write an impact; one that is only rounding compared with the others is 0."""
    if e.unidentified:
        return "not known"
    return "0" if e.negligible else with_unit(e.impact, PER_CENT if is_ratio(e.unit) else "")


def absorbed(e: Effect, by: Absorbed, advice: Callable[[Remedy], str]) -> str:
    """Say that a held column takes most of an effect away, or reverses it, and what can be done.

    Examples
    --------
    >>> import numpy as np, paribus as pb
    >>> rng = np.random.default_rng(0)
    >>> size = rng.normal(size=1000)
    >>> rooms = size + rng.normal(size=1000) / 2
    >>> e = pb.effect({"size": size, "rooms": rooms, "y": size - rooms / 10}, "y", "rooms")
    >>> absorbed(e, e.absorbed_by[0], str)  # doctest: +ELLIPSIS
    "With 'size' held still, this effect goes the other way: ... where 'size' may move along. ..."
    """
    how = "this effect goes the other way" if by.turns else "less than half is left of this effect"
    impact, without = (with_unit(value, e.unit) for value in (by.impact, by.without))
    do = advice(Remedy("together", (by.column,)))
    return (
        f"With {by.column!r} held still, {how}: its impact is {impact}, and {without} where "
        f"{by.column!r} may move along. If {by.column!r} is part of what you compare, "
        f"{do[:1].lower()}{do[1:]}"
    )


def places(x: AnyArray, span: float) -> tuple[str, ...]:
    """Write values of a column, numbers or dates, with the digits that a span of the axis needs.

    Examples
    --------
    >>> places(np.array([47.156, 47.7]), 0.5), places(np.array([1990.0, 2015.0]), 20.0)
    (('47.156', '47.7'), ('1990', '2015'))
    >>> places(np.array([-1.5e120, 2e3]), 1e120)
    ('-1.5e+120', '2000')
    """
    if x.dtype.kind == "M":
        fine = "datetime64[s]" if span < 3 else "datetime64[D]"
        return tuple(str(text).replace("T", " ") for text in np.datetime_as_string(x.astype(fine)))
    share_whole = np.mean(x == np.round(x)) if len(x) else 1.0
    # Among whole numbers some points may be fractional: over a long span that does not matter.
    if share_whole == 1 or (share_whole > 0.5 and span >= 10):
        return tuple(_long(value) or whole(round(value)) for value in x.tolist())
    digits = 2 - int(np.floor(np.log10(span or 1.0)))
    return tuple(_place(value, digits) for value in x.tolist())


def _long(value: float) -> str:
    """Write a number that has too many digits for a table; empty for others."""
    return f"{value:.6g}" if abs(value) >= TOO_LONG else ""


def _place(value: float, digits: int) -> str:
    if long := _long(value):
        return long
    rounded = round(value, digits) + 0.0
    # Up to four digits, as in years, are easier to read without a separator.
    comma = "," if abs(rounded) >= 10_000 else ""
    return _trimmed(f"{rounded:{comma}.{min(max(digits, 0), 12)}f}")


def _trimmed(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def unlike(name: str, taken: Mapping[str, Any]) -> str:
    """Return the feature's name, changed if another column has it."""
    return f"{name} (value)" if name in taken else name

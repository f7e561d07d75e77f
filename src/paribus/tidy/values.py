"""What a column's values are: ids, codes, cycles, stand-ins for missing values, outliers."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from paribus.base.arrays import FloatArray, IntArray
from paribus.table.columns import Column
from paribus.tidy import names, words
from paribus.tidy.profile import Look, Profile, profile_of

FEWEST_ROWS = 20  # below this many rows anything may look like an id
TEXT_ID = 0.75  # text with more levels than this share of the rows names them
NAMED_ID = 0.5  # so does a column called id
COUNTED_ID, MOST_REPEATS = 0.3, 4  # so do numbers called numbers that run on without a gap
FEWEST_UNITS = 20  # ids that repeat equally often: units that are seen several times
MOST_UNEVEN = 3  # how much commoner than usual a unit may be in a sample
ROWS_A_CODE = 2  # rows for each value of a code, at least
# Codes for no answer in surveys: 7, 88, 999, 9998, -9.
NO_ANSWER = frozenset(
    [
        float(f"{sign}{digit * length}")
        for sign in ("", "-")
        for digit in "6789"
        for length in range(1, 6)
    ]
    + [10.0**k - last for k in (2, 3, 4) for last in (2, 3, 4)]
)
SENTINELS = NO_ANSWER - {6.0, 7.0, 8.0} | {0.0, -1.0, 1000.0}
FEWEST_STAND_INS = 3  # rows: what stands for missing does so more than once
# Days that say no day was known, or no end: the first and last that programs hold, or count from.
NO_DAYS = np.array(
    ["1111-11-11", "1600-01-01", "1601-01-01", "1753-01-01", "1800-01-01", "1899-12-30",
     "1899-12-31", "1900-01-01", "1904-01-01", "1960-01-01", "1970-01-01", "2079-06-06",
     "2099-12-31", "2100-01-01", "2199-12-31", "2200-01-01", "2262-04-11"],
    dtype="datetime64[D]",
).astype(float)  # fmt: skip
# Before and after these nobody means a day: one row is enough.
DAYS = np.array(["0002-01-01", "2999-01-01"], dtype="datetime64[D]").astype(float)
MANY = 10  # values of an amount, at least
# How far a stand-in lies from the rest: of their spread, and of their edge's.
APART, APART_DAYS, FAR = 0.5, 0.2, 5.0
STEPS = 4  # and of the usual step between values
FAR_BELOW = 2.0  # how many times its length a code below 0 lies from a scale of few values
NEAR_END = np.array([0.005, 0.02, 0.05, 0.95])  # where the rest begins, and how it is spread
NEARLY_ALL = np.array([0.005, 0.995])
STRAY = 0.001  # share of rows that may lie between
GAP = 0.5  # of the spread of all but the outermost values, that sets an odd value apart
ODD_ROWS = 10
CLOCK_VALUES = 30


@dataclass(frozen=True, slots=True)
class Id:
    """A column that names rows, and how many rows each name has if it names units."""

    reason: str
    rows_each: float = 1.0


def as_id(profile: Profile, n_all: int) -> Id | None:
    """Recognise a column that names or counts rows, of which there were `n_all`."""
    n, distinct = profile.n_present, len(profile.values)
    if n < FEWEST_ROWS or not (profile.is_category or profile.is_whole):
        return None
    called = names.words(profile.name)
    if profile.is_category:
        if not any(isinstance(level, str) for level in profile.column.levels[:1]):
            return None
        if names.names_rows(profile.name) and distinct > NAMED_ID * n:
            return _id(profile, "its text names rows")
        return Id("its text differs in nearly every row") if distinct > TEXT_ID * n else None
    if called & names.TIME:
        return None
    if distinct == n and _counts_rows(profile, n_all):
        return Id("it counts the rows")
    if names.names_rows(profile.name) and distinct > NAMED_ID * n:
        return _id(profile, "its numbers name rows")
    if names.names_rows(profile.name) and distinct >= FEWEST_UNITS and _is_even(profile):
        return _id(profile, "its numbers name units that are seen several times")
    if called & names.COUNTED and distinct > COUNTED_ID * n and _runs_on(profile):
        return Id("it numbers the rows")
    return None


def unit_rows(profile: Profile) -> float:
    """Return how many rows each unit has, of names that all occur equally often; else 0."""
    many = profile.is_category and len(profile.values) >= FEWEST_UNITS
    if not many or profile.n_missing or profile.counts.max() > MOST_UNEVEN * profile.counts.mean():
        return 0.0
    return len(profile.column.values) / len(profile.values) if _is_even(profile) else 0.0


def _id(profile: Profile, reason: str) -> Id:
    every = profile.distinct[0]
    n_distinct = len(every) - bool(np.isnan(every[-1]))
    present = len(profile.column.values) - int(np.isnan(profile.column.values).sum())
    return Id(reason, present / n_distinct)


def _counts_rows(profile: Profile, n_all: int) -> bool:
    values = profile.column.values
    within = profile.high - profile.low < n_all and not profile.n_missing
    return bool(within and len(np.unique(values)) == len(values))


def _runs_on(profile: Profile) -> bool:
    """Tell whether values run on from 1 without a gap, none much commoner than the rest."""
    every, _, place = profile.distinct
    most = np.bincount(place).max()
    return bool(profile.low <= 1 and profile.high - profile.low + 1 == len(every)) and (
        most <= MOST_REPEATS
    )


def _is_even(profile: Profile) -> bool:
    counts = np.bincount(profile.distinct[2])
    return bool(counts.min() >= 2 and counts.max() - counts.min() <= 1)


def as_cycle(profile: Profile) -> int | None:
    """Return the length of a round, of a column that runs in one: 24 for an hour."""
    if not profile.is_whole or len(profile.values) < 3 or profile.low < 0:
        return None
    called = names.words(profile.name)
    for vocabulary, low, high, length in names.CYCLES:
        fits = low <= profile.low and profile.high <= high
        if fits and called & vocabulary and (length < 360 or profile.high > length / 4):
            return length
    return None


def is_clock(profile: Profile) -> bool:
    """Tell whether a column holds times of day written as hhmm."""
    fits = profile.is_whole and profile.low >= 0 and 1000 < profile.high <= 2400
    if not fits or len(profile.values) < CLOCK_VALUES:
        return False
    named = bool(names.words(profile.name) & names.CLOCK)
    return named and bool(np.all(profile.values % 100 < 60))


def is_code(profile: Profile) -> bool:
    """Tell whether whole numbers are names."""
    few = len(profile.values) * ROWS_A_CODE <= profile.n_present
    if not profile.is_whole or len(profile.values) < 3 or not few or profile.low < 0:
        return False
    called = names.words(profile.name)
    if called & (names.TIME | names.AMOUNT):
        return False
    return names.names_rows(profile.name) or names.says(profile.name, names.CODE)


def stand_ins(profile: Profile) -> list[float]:
    """Return values that stand for something else: 0 among years, 9999 among amounts."""
    if profile.is_category:
        return []
    ends = np.array([profile.low]), np.array([profile.high])
    every = np.concatenate([ends[0], profile.values, ends[1]])
    likely: Collection[float] = SENTINELS | NO_ANSWER
    if profile.column.kind == "date":
        days = np.floor(every)
        likely = set(every[np.isin(days, NO_DAYS) | _is_never(days)].tolist())
    found = [
        *_codes_at_the_end(profile, every, likely),
        *_codes_at_the_end(profile, every[::-1], likely),
    ]
    # Where either end stands apart from the other, and nothing lies between, neither is a code.
    return found if not np.isin(profile.values, found).all() else []


def no_answers(column: Column) -> list[float]:
    """Return the codes for no answer among a target's values: 88 on a scale from 0 to 10."""
    ends = {reach.reduce(column.values, initial=np.nan) for reach in (np.fmin, np.fmax)}
    if column.kind != "number" or not ends & NO_ANSWER:
        return []
    known = column.take(np.flatnonzero(~np.isnan(column.values)))
    return [v for v in stand_ins(profile_of(known)) if v in NO_ANSWER]


def _is_never(days: FloatArray) -> NDArray[np.bool_]:
    return (days < DAYS[0]) | (days >= DAYS[1])


def _codes_at_the_end(
    profile: Profile, inwards: FloatArray, likely: Collection[float]
) -> list[float]:
    """Return the outermost values that are codes, as many of them as stand apart."""
    codes = list(dict.fromkeys(takewhile(lambda v: v in likely, map(float, inwards))))
    several = (codes[:k] for k in range(len(codes), 0, -1))
    return next((some for some in several if _stand_apart(profile, some)), [])


def _stand_apart(profile: Profile, codes: list[float]) -> bool:
    """Tell whether values at one end, the last of them next to the others, lie far from those."""
    value, dates = codes[-1], profile.column.kind == "date"
    others = ~np.isin(profile.values, codes)
    rest, counts = profile.values[others], profile.counts[others]
    n_rows = np.count_nonzero(np.isin(profile.column.values, codes))
    repeated = n_rows >= FEWEST_STAND_INS or (dates and _is_never(np.floor(codes)).all())
    if not repeated or len(rest) < 2 or counts.sum() < FEWEST_ROWS:
        return False
    if len(rest) <= MANY:
        times = FAR_BELOW if value < 0 <= rest[0] else FAR
        gap = rest[0] - value if value < rest[0] else value - rest[-1]
        known = dates or (value in NO_ANSWER and profile.is_whole)
        return known and bool(gap >= times * (rest[-1] - rest[0]))
    if value not in SENTINELS and not dates:
        return False
    below = value < rest[0]
    first, edge, low, high = quantiles(rest, counts, NEAR_END if below else 1 - NEAR_END)
    gap, spread = abs(first - value), abs(high - low)
    far = gap >= STEPS * np.median(np.diff(rest)) and gap >= FAR * min(abs(edge - first), spread)
    between = counts[np.abs(rest - value) < gap / 2].sum()
    apart = APART_DAYS if dates else APART
    return bool(gap >= apart * spread and far and between <= STRAY * counts.sum())


def quantiles(values: FloatArray, counts: IntArray, shares: FloatArray) -> FloatArray:
    """Return quantiles of distinct values, in order, that occur so often.

    Examples
    --------
    >>> quantiles(np.array([1.0, 2.0, 5.0]), np.array([1, 8, 1]), np.array([0.05, 0.5, 0.95]))
    array([1., 2., 5.])
    """
    below = np.cumsum(counts)
    return values[np.searchsorted(below, shares * below[-1])]


def stand_in_words(column: Column, found: list[float]) -> str:
    """Say which values stand for something else, and why."""
    values = column.values
    rest = np.sort(values[~(np.isnan(values) | np.isin(values, found))])
    n = int(np.isin(values, found).sum())
    shown = words.listed([words.value_words(column, v) for v in found])
    what, stand = ("Values", "stand") if len(found) > 1 else ("The value", "stands")
    count = f"{n:,} row{'s' * (n != 1)}"
    return f"{what} {shown} ({count}) {stand} apart from {words.span_words(column, rest)}"


def odd_rows(profile: Profile, look: Look, but: list[float]) -> tuple[IntArray, str] | None:
    """Find rows whose value lies far from all others, such as a typo, and say so.

    Values must lie far off on their own scale and, for amounts, on a log scale too: incomes of
    millions are not odd among incomes, a length near 0 is not odd among lengths.
    """
    if profile.column.kind != "number" or len(profile.values) <= MANY:
        return None
    seen, counts = profile.values, profile.counts
    if but:
        kept = ~np.isin(seen, but)
        seen, counts = seen[kept], counts[kept]
    if len(seen) <= MANY:
        return None
    values = profile.column.values
    rows = _far_out(seen, counts, values)
    if len(rows):
        scale = _even_scale(seen)
        rows = np.intersect1d(rows, _far_out(scale(seen), counts, scale(values)))
    rows = rows[~np.isin(values[rows], but)]
    if not 0 < len(rows) <= max(ODD_ROWS, int(STRAY * look.n_rows)):
        return None
    shown = dict.fromkeys(words.value_words(profile.column, v) for v in np.sort(values[rows]))
    what, lie = ("Values", "lie") if len(shown) > 1 else ("The value", "lies")
    return rows, f"{what} {words.listed(list(shown))} {lie} far from all other values"


def _far_out(seen: FloatArray, counts: IntArray, values: FloatArray) -> IntArray:
    """Return the rows beyond a wide gap outside the range of nearly all values of the sample."""
    low, high = quantiles(seen, counts, NEARLY_ALL).tolist()
    gap = GAP * (high - low)
    if gap <= 0 or max(np.nanmax(values) - high, low - np.nanmin(values)) <= gap:
        return np.empty(0, dtype=np.int64)
    return _beyond_a_gap(values, low, high, gap)


def _even_scale(seen: FloatArray) -> Callable[[FloatArray], FloatArray]:
    """Return the scale on which values lie more evenly: logarithms of amounts."""
    if seen[0] >= 0:
        smallest = float(seen[seen > 0][0])
        return lambda v: np.log(np.maximum(v, smallest))
    middle = float(np.median(seen))
    width = max(float(np.median(np.abs(seen - middle))), 1e-300)
    return lambda v: np.arcsinh((v - middle) / width)


def _beyond_a_gap(values: FloatArray, low: float, high: float, gap: float) -> IntArray:
    """Return the rows beyond the first wide gap outside `low` to `high`."""
    out = []
    for sign, edge in ((1.0, high), (-1.0, -low)):
        outside = np.flatnonzero(sign * values > edge)
        order = outside[np.argsort(sign * values[outside])]
        steps = np.diff(np.append(edge, sign * values[order]))
        wide = np.flatnonzero(steps > gap)
        if len(wide):
            out.append(order[wide[0] :])
    return np.sort(np.concatenate(out)) if out else np.empty(0, dtype=np.int64)

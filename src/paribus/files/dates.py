"""Text that is dates: year first, day first or month first, with or without a time."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import polars as pl

Order: TypeAlias = Literal["year", "day", "month"]

_TIME = (
    r"(?:[T ,]+(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}(?:[.,][0-9]+)?))?"
    r"\s*(?P<half>[AaPp][Mm])?\s*(?P<zone>Z|[+-][0-9]{2}:?[0-9]{2})?)?$"
)
_PACKED = (
    r"(?:T?(?P<hour>[0-9]{2})(?P<minute>[0-9]{2})(?P<second>[0-9]{2})?(?P<half>x)?(?P<zone>Z)?)$"
)
_YEAR = r"(?P<year>[0-9]{4}|[0-9]{2})"
_MONTHS = {
    "jan": "uary", "feb": "ruary", "mar": "ch", "apr": "il", "may": "", "jun": "e", "jul": "y",
    "aug": "ust", "sep": "t(?:ember)?", "oct": "ober", "nov": "ember", "dec": "ember",
}  # fmt: skip
# Only a month's name as a whole: Marco 1 99 is a person.
_MONTH = "(?P<month>(?i:" + "|".join(f"{m}(?:{end})?" for m, end in _MONTHS.items()) + "))"
PATTERNS: dict[str, Order] = {
    rf"^(?P<year>[0-9]{{4}})[-/.](?P<month>[0-9]{{1,2}})[-/.](?P<day>[0-9]{{1,2}}){_TIME}": "year",
    rf"^(?P<year>[0-9]{{4}})(?P<month>[0-9]{{2}})(?P<day>[0-9]{{2}})T{_PACKED}": "year",
    rf"^(?P<day>[0-9]{{1,2}})[-/.](?P<month>[0-9]{{1,2}})[-/.]{_YEAR}{_TIME}": "day",
    rf"^(?P<day>[0-9]{{1,2}})[-. ]+{_MONTH}[-., ]+{_YEAR}{_TIME}": "day",
    rf"^(?P<month>[0-9]{{1,2}})[-/.](?P<day>[0-9]{{1,2}})[-/.]{_YEAR}{_TIME}": "month",
    rf"^{_MONTH}[-. ]+(?P<day>[0-9]{{1,2}})[-., ]+{_YEAR}{_TIME}": "month",
}
_PARTS = ("year", "month", "day", "hour", "minute", "second", "zone")
UTC = {"Z", "+00:00", "+0000", "-00:00", "-0000"}
_OLD = 70  # two-digit years from here on belong to the last century


class Said(NamedTuple):
    """What dates contain besides the day."""

    time: bool = False  # whether any has a time
    zones: frozenset[str] = frozenset()  # the time zones that occur
    bare: bool = False  # whether any has no time zone

    def __or__(self, other: Said) -> Said:
        """Return what these and others contain."""
        return Said(self.time or other.time, self.zones | other.zones, self.bare or other.bare)

    @property
    def shifted(self) -> bool:
        """Whether reading all as UTC changes some, or has to guess."""
        return bool(self.zones) and (self.bare or not self.zones <= UTC)


def fitting(texts: pl.Series) -> dict[str, Said]:
    """Return the patterns by which every text is a date, each with what else the texts contain.

    Examples
    --------
    >>> [PATTERNS[p] for p in fitting(pl.Series(["31/12/2020", "1/2/2021"]))]
    ['day']
    """
    if not texts.str.contains(r"^\w{1,9}[-/. ,]|T[0-9]").all():
        return {}
    found = {}
    for pattern in PATTERNS:
        if texts.str.contains(pattern).all() and not as_dates(texts, pattern).has_nulls():
            groups = texts.str.extract_groups(pattern).struct
            zones = groups.field("zone").unique()
            time = groups.field("hour").null_count() < texts.len()
            found[pattern] = Said(time, frozenset(zones.drop_nulls()), zones.has_nulls())
    return found


def as_dates(texts: pl.Series, pattern: str, time: bool = True) -> pl.Series:
    """Read texts by a pattern, as dates with or without a time; what does not fit is missing.

    Examples
    --------
    >>> as_dates(pl.Series(["1/2/2021"]), list(PATTERNS)[2], time=False).to_list()
    [datetime.date(2021, 2, 1)]
    """
    months, numbers = list(_MONTHS), [str(k) for k in range(1, 13)]
    columns = texts.str.extract_groups(pattern).struct.unnest()
    columns = columns.with_columns(
        _full_year(),
        pl.col("month").str.to_lowercase().str.slice(0, 3).replace(months, numbers),
        pl.col("hour").cast(pl.Int32).fill_null(0),
        pl.col("minute").fill_null("0"),
        pl.col("second").str.replace(",", ".", literal=True).fill_null("0"),
        pl.col("half").str.to_lowercase(),
        pl.col("zone").str.replace("Z", "+00:00", literal=True).fill_null("+00:00"),
    ).with_columns(_full_hour())
    written = columns.select(
        pl.format("{}-{}-{} {}:{}:{} {}", *(pl.col(part) for part in _PARTS))
    ).to_series()
    moments = written.str.to_datetime("%Y-%m-%d %H:%M:%S%.f %z", strict=False)
    moments = moments.dt.replace_time_zone(None).alias(texts.name)
    return moments if time else moments.cast(pl.Date)


def _full_year() -> pl.Expr:
    year = pl.col("year").cast(pl.Int32)
    is_full = pl.col("year").str.len_bytes() == 4
    short = pl.when(is_full).then(year).when(year < _OLD).then(year + 2000)
    return short.otherwise(year + 1900).cast(pl.String).str.zfill(4).alias("year")


def _full_hour() -> pl.Expr:
    hour, half = pl.col("hour"), pl.col("half")
    twelve = pl.when(half == "pm").then(hour % 12 + 12).when(half == "am").then(hour % 12)
    return twelve.otherwise(hour).alias("hour")

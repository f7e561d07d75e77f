"""Text that is dates: year first, day first or month first, with or without a time."""

from __future__ import annotations

from typing import Literal, TypeAlias

import polars as pl

Order: TypeAlias = Literal["year", "day", "month"]

_TIME = (
    r"(?:[T ,]+(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:[.,][0-9]+)?)?"
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
# Nothing but a month's name: Marco 1 99 is a boy.
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
_OLD = 70  # a year of two digits from here on is of the last century


def fitting(texts: pl.Series) -> dict[str, bool]:
    """Return the patterns by which every text is a date, each with whether any names a time.

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
            hours = texts.str.extract_groups(pattern).struct.field("hour")
            found[pattern] = hours.null_count() < texts.len()
    return found


def as_dates(texts: pl.Series, pattern: str, time: bool = True) -> pl.Series:
    """Read texts by a pattern, as dates with a time or without; what does not fit is missing.

    Examples
    --------
    >>> as_dates(pl.Series(["1/2/2021"]), list(PATTERNS)[2], time=False).to_list()
    [datetime.date(2021, 2, 1)]
    """
    months, numbers = list(_MONTHS), [str(k) for k in range(1, 13)]
    columns = texts.str.extract_groups(pattern).struct.unnest()
    columns = columns.with_columns(
        pl.col("year").cast(pl.Int32),
        pl.col("month").str.to_lowercase().str.slice(0, 3).replace(months, numbers),
        pl.col("hour").cast(pl.Int32).fill_null(0),
        pl.col("minute", "second").fill_null("0"),
        pl.col("half").str.to_lowercase(),
        pl.col("zone").str.replace("Z", "+00:00", literal=True).fill_null("+00:00"),
    ).with_columns(_full_year(), _full_hour())
    written = columns.select(
        pl.format("{}-{}-{} {}:{}:{} {}", *(pl.col(part) for part in _PARTS))
    ).to_series()
    moments = written.str.to_datetime("%Y-%m-%d %H:%M:%S %z", strict=False)
    moments = moments.dt.replace_time_zone(None).alias(texts.name)
    return moments if time else moments.cast(pl.Date)


def _full_year() -> pl.Expr:
    year = pl.col("year")
    short = pl.when(year < _OLD).then(year + 2000).when(year < 100).then(year + 1900)
    return short.otherwise(year).alias("year")


def _full_hour() -> pl.Expr:
    hour, half = pl.col("hour"), pl.col("half")
    twelve = pl.when(half == "pm").then(hour % 12 + 12).when(half == "am").then(hour % 12)
    return twelve.otherwise(hour).alias("hour")

"""Text that is dates: year first, day first or month first, with or without a time."""

from __future__ import annotations

from typing import Literal, TypeAlias

import polars as pl

Order: TypeAlias = Literal["year", "day", "month"]

_TIME = (
    r"(?:[T ,]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?"
    r"\s*(?P<half>[AaPp][Mm])?\s*(?P<zone>Z|[+-]\d{2}:?\d{2})?)?$"
)
_PACKED = r"(?:T?(?P<hour>\d{2})(?P<minute>\d{2})(?P<second>\d{2})?(?P<half>x)?(?P<zone>Z)?)$"
_YEAR = r"(?P<year>\d{4}|\d{2})"
PATTERNS: dict[Order, tuple[str, ...]] = {
    "year": (
        rf"^(?P<year>\d{{4}})[-/.](?P<month>\d{{1,2}})[-/.](?P<day>\d{{1,2}}){_TIME}",
        rf"^(?P<year>\d{{4}})(?P<month>\d{{2}})(?P<day>\d{{2}})T{_PACKED}",
    ),
    "day": (
        rf"^(?P<day>\d{{1,2}})[-/.](?P<month>\d{{1,2}})[-/.]{_YEAR}{_TIME}",
        rf"^(?P<day>\d{{1,2}})[-. ]+(?P<month>[A-Za-z]{{3,9}})[-., ]+{_YEAR}{_TIME}",
    ),
    "month": (
        rf"^(?P<month>\d{{1,2}})[-/.](?P<day>\d{{1,2}})[-/.]{_YEAR}{_TIME}",
        rf"^(?P<month>[A-Za-z]{{3,9}})[-. ]+(?P<day>\d{{1,2}})[-., ]+{_YEAR}{_TIME}",
    ),
}
PARTS = ("year", "month", "day", "hour", "minute", "second", "zone")
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_OLD = 70  # a year of two digits from here on is of the last century


def as_dates(texts: pl.Series) -> dict[Order, pl.Series]:
    """Read all values as dates, in every order that fits them all.

    Examples
    --------
    >>> found = as_dates(pl.Series(["31/12/2020", "1/2/2021"]))
    >>> {order: dates.to_list()[1] for order, dates in found.items()}
    {'day': datetime.date(2021, 2, 1)}
    """
    known = texts.drop_nulls()
    if known.is_empty() or not known.str.contains(r"^\w{1,9}[-/. ,]|T\d").all():
        return {}
    found: dict[Order, pl.Series] = {}
    for order, patterns in PATTERNS.items():
        for pattern in patterns:
            if known.str.contains(pattern).all() and order not in found:
                dates = _parsed(texts, pattern)
                if dates.null_count() == texts.null_count():
                    found[order] = dates
    return found


def _parsed(texts: pl.Series, pattern: str) -> pl.Series:
    parts = texts.str.extract_groups(pattern).struct.unnest()
    columns = parts.with_columns(
        pl.col("year").cast(pl.Int32),
        pl.col("month").str.to_lowercase().str.slice(0, 3).replace(_MONTHS, _numbered()),
        pl.col("hour").cast(pl.Int32).fill_null(0),
        pl.col("minute", "second").fill_null("0"),
        pl.col("half").str.to_lowercase(),
        pl.col("zone").str.replace("Z", "+00:00", literal=True).fill_null("+00:00"),
    ).with_columns(_full_year(), _full_hour())
    written = columns.select(
        pl.format("{}-{}-{} {}:{}:{} {}", *(pl.col(part) for part in PARTS))
    ).to_series()
    moments = written.str.to_datetime("%Y-%m-%d %H:%M:%S %z", strict=False)
    moments = moments.dt.replace_time_zone(None).alias(texts.name)
    return moments.cast(pl.Date) if parts["hour"].null_count() == texts.len() else moments


def _numbered() -> list[str]:
    return [str(k) for k in range(1, 13)]


def _full_year() -> pl.Expr:
    year = pl.col("year")
    short = pl.when(year < _OLD).then(year + 2000).when(year < 100).then(year + 1900)
    return short.otherwise(year).alias("year")


def _full_hour() -> pl.Expr:
    hour, half = pl.col("hour"), pl.col("half")
    twelve = pl.when(half == "pm").then(hour % 12 + 12).when(half == "am").then(hour % 12)
    return twelve.otherwise(hour).alias("hour")

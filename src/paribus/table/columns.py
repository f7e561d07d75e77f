"""Anything tabular in, a `Table` of plain arrays out. The only importer of narwhals."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from importlib.util import find_spec
from typing import Any, Literal, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np

from paribus.base import errors
from paribus.base.arrays import AnyArray, BoolArray, FloatArray, IntArray, one_by_one, side_by_side
from paribus.table import errors as table_errors

Kind: TypeAlias = Literal["number", "date", "category"]
Backend: TypeAlias = Literal["pandas", "polars", "pyarrow"]

SECONDS_A_DAY = 86_400
MISSING_LEVEL = "(missing)"
FEW_ROWS = 100  # that tell most columns of two values from others
LONGEST_WHOLE = 2**53  # beyond it not every whole number is a float
BACKENDS: tuple[Backend, ...] = ("pandas", "polars", "pyarrow")


@dataclass(frozen=True, slots=True)
class Column:
    """One column as numbers."""

    name: str
    kind: Kind
    # Numbers as they are, dates as days since 1970, categories as positions in `levels`. NaN is
    # missing.
    values: FloatArray  # (n_rows,)
    # The levels of a category, in their declared or natural order; empty otherwise.
    levels: tuple[Any, ...] = ()

    @property
    def known(self) -> FloatArray:
        """The values that are not missing."""
        known = ~np.isnan(self.values)
        return self.values if known.all() else self.values[known]

    @property
    def counts(self) -> IntArray:
        """The rows at each level of a category, shape (number of levels,)."""
        return np.bincount(self.known.astype(np.int64), minlength=len(self.levels))

    @property
    def codes(self) -> IntArray:
        """The position of each row's level, shape (n_rows,); one beyond the last if missing."""
        return np.where(np.isnan(self.values), len(self.levels), self.values).astype(np.int64)

    def take(self, rows: IntArray | BoolArray) -> Column:
        """Return these rows of the column, with only the levels that occur in them."""
        values = self.values[rows]
        if self.kind != "category":
            return Column(self.name, self.kind, values)
        present = ~np.isnan(values)
        codes = values[present].astype(np.int64)
        used = np.bincount(codes, minlength=len(self.levels)) > 0
        values[present] = (np.cumsum(used) - 1)[codes]
        levels = tuple(self.levels[k] for k in np.flatnonzero(used))
        return Column(self.name, "category", values, levels)

    def blanked(self, values: Collection[float]) -> Column:
        """Return the column with these values set to missing."""
        if not values:
            return self
        blank = np.isin(self.values, list(values))
        return Column(self.name, self.kind, np.where(blank, np.nan, self.values), self.levels)

    def shown(self, values: FloatArray) -> AnyArray:
        """Turn numbers of this column into what a user knows: dates for a date column."""
        return days_to_dates(values) if self.kind == "date" else values

    def value(self, number: float) -> Any:
        """Return one of its numbers as the user knows it: a number, a date or a level."""
        if self.kind == "category":
            return self.levels[int(number)]
        return self.shown(np.array([number]))[0].item()

    def two_as_levels(self) -> Column:
        """Return the column, as a category if it is a number with just two values."""
        if self.kind != "number" or len(np.unique(self.values[:FEW_ROWS])) > 3:
            return self
        known = self.known
        low, high = known.min(initial=np.inf), known.max(initial=-np.inf)
        two = low < high and np.all((known == low) | (known == high))
        return self.as_category() if two else self

    def by_appearance(self) -> Column:
        """Return the column with its levels numbered by first appearance, whatever their names."""
        if len(self.levels) < 3:
            return self
        codes = self.codes
        first = np.full(len(self.levels) + 1, len(codes))
        first[codes[::-1]] = np.arange(len(codes))[::-1]
        order = np.argsort(first[:-1], kind="stable")
        values = np.append(np.argsort(order), np.nan)[codes]
        return Column(self.name, self.kind, values, tuple(self.levels[k] for k in order))

    def as_category(self) -> Column:
        """Return the column with each distinct value as a level."""
        if self.kind == "category":
            return self
        distinct, codes = np.unique(self.known, return_inverse=True)
        values = np.full(len(self.values), np.nan)
        values[~np.isnan(self.values)] = codes
        return Column(self.name, "category", values, self._named(distinct))

    def with_missing_level(self) -> Column:
        """Return the column as a category with missing as an additional level."""
        category = self.as_category()
        levels = (*category.levels, MISSING_LEVEL)
        return Column(self.name, "category", category.codes.astype(np.float64), levels)

    def _named(self, distinct: FloatArray) -> tuple[Any, ...]:
        """Write values as levels: whole numbers without a point, midnights as dates."""
        if self.kind == "date":
            stamps = days_to_dates(distinct)
            whole = stamps.astype("datetime64[D]")
            return tuple((whole if np.array_equal(whole, stamps) else stamps).tolist())
        whole = np.abs(distinct).max(initial=0.0) <= LONGEST_WHOLE
        if whole and np.array_equal(distinct, np.floor(distinct)):
            return tuple(int(v) for v in distinct)
        return tuple(distinct.tolist())

    def as_number(self) -> Column:
        """Return the column as numbers, if its levels are or look like numbers."""
        if self.kind != "category":
            return self
        numbers = np.full(len(self.levels) + 1, np.nan)
        for k, level in enumerate(self.levels):
            try:
                numbers[k] = _float(level)
            except ValueError:
                raise table_errors.not_numeric_text(self.name, level) from None
        values = numbers[self.codes]
        if np.isinf(values).any():
            raise table_errors.infinite_value(self.name, int(np.argmax(np.isinf(values))))
        return Column(self.name, "number", values)


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of equal length, and the library they came from (None for arrays)."""

    columns: tuple[Column, ...]
    n_rows: int
    backend: Backend | None

    @property
    def names(self) -> list[str]:
        """Return the column names in order."""
        return [c.name for c in self.columns]

    def __getitem__(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        raise errors.unknown_column(name, self.names)

    def without(self, *names: str) -> Table:
        """Return the table without these columns."""
        kept = tuple(c for c in self.columns if c.name not in names)
        return Table(kept, self.n_rows, self.backend)

    def take(self, rows: IntArray | BoolArray, n_threads: int = 1) -> Table:
        """Return these rows of the table."""
        with ThreadPoolExecutor(n_threads) as pool:
            columns = tuple(pool.map(lambda column: column.take(rows), self.columns))
        n_rows = int(np.count_nonzero(rows)) if rows.dtype == bool else len(rows)
        return Table(columns, n_rows, self.backend)

    def matrix(self) -> FloatArray:
        """Return all columns as one array of shape (n_rows, n_columns), categories as codes."""
        columns = [column.values for column in self.columns]
        return side_by_side(columns) if columns else np.empty((self.n_rows, 0))


def as_table(data: Any, names: Sequence[str] | None = None) -> Table:
    """Read pandas, polars or pyarrow tables, dicts of columns and 2-D arrays.

    The caller's data are never changed: what is not copied is only read. Times with a time zone
    are converted to UTC.

    Examples
    --------
    >>> table = as_table({"height": [60.0, 65.5], "sex": ["M", "F"]})
    >>> [(c.name, c.kind, c.levels) for c in table.columns]
    [('height', 'number', ()), ('sex', 'category', ('F', 'M'))]
    """
    data = _as_array(data)
    if isinstance(data, np.ndarray):
        return _from_array(data, names)
    if names is not None:
        raise table_errors.names_without_array()
    if isinstance(data, Mapping):
        labels = [_writable(str(k)) for k in data]
        _check_names(labels)
        return _collect(list(map(as_column, labels, data.values())), None)
    try:
        frame = nw.from_native(data, eager_only=True)
    except TypeError:
        raise table_errors.not_a_table(data) from None
    except nw.exceptions.DuplicateError:
        _check_names([str(k) for k in getattr(data, "column_names", data.columns)])
        raise
    names = [_writable(str(k)) for k in frame.columns]
    _check_names(names)
    series = zip(names, frame.iter_columns(), strict=True)
    columns = [_series_column(name, values) for name, values in series]
    return _collect(columns, next((b for b in BACKENDS if frame.implementation.value == b), None))


def _as_array(data: Any) -> Any:
    """Return lists of rows and sparse matrices, which scikit-learn takes too, as an array."""
    if hasattr(data, "toarray"):
        return data.toarray()
    if isinstance(data, list) and data and isinstance(data[0], (list, tuple, np.ndarray)):
        rows = np.array(data)
        return rows if rows.ndim == 2 and rows.dtype.kind in "biuf" else data
    return data


def only_column(values: Any) -> Any:
    """Return the column of a table or array with only one; anything else unchanged."""
    frame = nw.from_native(values, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame) and frame.shape[1] == 1:
        return frame[frame.columns[0]].to_native()
    if isinstance(values, np.ndarray) and values.ndim == 2 and values.shape[1] == 1:
        return values[:, 0]
    return values


def same_index(data: Any, values: Any) -> bool:
    """Tell whether separate values have the same pandas index as the table."""
    both = nw.dependencies.is_pandas_dataframe(data) and nw.dependencies.is_pandas_series(values)
    return not both or len(data) != len(values) or bool(data.index.equals(values.index))


def as_column(name: str, values: Any) -> Column:
    """Read one column from a Series or anything array-like."""
    series = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        return _series_column(name, series)
    return _array_column(name, values)


def make_frame(columns: Mapping[str, Any], backend: Backend | None) -> Any:
    """Make a data frame in the caller's library (any installed one for arrays).

    Only pandas allows a column of several types, such as levels and the word for missing ones:
    elsewhere such a column becomes text.
    """
    library = backend or next((b for b in BACKENDS if find_spec(b)), None)
    if library is None:
        raise errors.missing_package("pandas, polars or pyarrow", "A data frame", "pandas")
    given = columns if library == "pandas" else {n: _of_one_type(v) for n, v in columns.items()}
    return nw.from_dict(dict(given), backend=library).to_native()


def _of_one_type(values: Any) -> Any:
    words = [isinstance(value, str) for value in values] if isinstance(values, list) else []
    return [str(value) for value in values] if any(words) and not all(words) else values


def native_table(data: Any) -> Any:
    """Return a table as a model takes it: unchanged, but a dict of columns as a data frame."""
    return make_frame(data, None) if isinstance(data, Mapping) else data


def less_column(data: Any, at: int) -> Any:
    """Return the caller's table without one column, given by its position."""
    if isinstance(data, np.ndarray):
        return np.delete(data, at, axis=1)
    frame = nw.from_native(data, eager_only=True)
    return frame.drop(frame.columns[at]).to_native()


def moved_rows(
    data: Any, names: Sequence[str], rows: IntArray, moved: Mapping[str, IntArray]
) -> Any:
    """Return rows of the caller's table, with some columns taken from other rows.

    Values are only taken from the table, never made up, so each column keeps its type.

    Examples
    --------
    >>> array = np.array([[1, 10], [2, 20], [3, 30]])
    >>> moved_rows(array, ["a", "b"], np.array([0, 1]), {"b": np.array([2, 2])}).tolist()
    [[1, 30], [2, 30]]
    """
    if isinstance(data, np.ndarray):
        picked = data[rows]
        for name, source in moved.items():
            at = list(names).index(name)
            picked[:, at] = data[source, at]
        return picked
    frame = nw.from_native(data, eager_only=True)
    # Pandas allows numbers as names.
    keys = {name: next(k for k in frame.columns if _writable(str(k)) == name) for name in moved}
    columns = [frame.get_column(keys[n])[source].alias(keys[n]) for n, source in moved.items()]
    return frame[rows].with_columns(*columns).to_native()


def days_to_dates(days: FloatArray) -> AnyArray:
    """Turn days since 1970 into dates, to the microsecond."""
    return np.round(days * SECONDS_A_DAY * 1e6).astype("datetime64[us]")


def dates_to_days(dates: AnyArray | np.datetime64) -> FloatArray:
    """Turn dates into days since 1970."""
    days: FloatArray = dates.astype("datetime64[us]").astype(np.int64) / (SECONDS_A_DAY * 1e6)
    return days


def _from_array(data: AnyArray, names: Sequence[str] | None) -> Table:
    if data.ndim != 2:
        raise table_errors.wrong_shape(data.ndim)
    labels = [f"x{k}" for k in range(data.shape[1])] if names is None else [str(n) for n in names]
    if len(labels) != data.shape[1]:
        raise table_errors.wrong_names(len(labels), data.shape[1])
    _check_names(labels)
    # Only the columns of a masked array itself keep its mask.
    values = list(data.T) if isinstance(data, np.ma.MaskedArray) else one_by_one(data)
    return _collect(list(map(_array_column, labels, values)), None)


def _check_names(names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise table_errors.repeated_column(name)
        seen.add(name)


def _collect(columns: list[Column], backend: Backend | None) -> Table:
    n_rows = len(columns[0].values) if columns else 0
    for column in columns:
        if len(column.values) != n_rows:
            raise table_errors.unequal_lengths(
                f"Column {columns[0].name!r}", n_rows, f"column {column.name!r}", len(column.values)
            )
    return Table(tuple(columns), n_rows, backend)


def _series_column(name: str, series: nw.Series[Any]) -> Column:
    dtype = series.dtype
    if isinstance(dtype, nw.Boolean):
        return _boolean_column(name, series.to_list())
    if dtype.is_integer() and _too_long(series.min(), series.max()):
        return _category_column(name, series.to_list())
    if isinstance(dtype, nw.Decimal) or dtype.is_numeric():
        return Column(name, "number", np.asarray(series.cast(nw.Float64).to_numpy(), np.float64))
    if isinstance(dtype, (nw.Date, nw.Datetime)):
        return Column(name, "date", _series_days(series, dtype))
    if isinstance(dtype, nw.Duration):
        return Column(name, "number", _lengths(series.to_numpy()))
    if isinstance(dtype, nw.Enum):
        return _category_column(name, series.to_list(), order=list(dtype.categories))
    if isinstance(dtype, (nw.String, nw.Categorical)):
        return _category_column(name, series.to_list())
    if isinstance(dtype, (nw.Object, nw.Unknown, nw.Time)):
        return _object_column(name, series.to_list())
    raise table_errors.unusable_type(name, f"values of type {dtype}")


def _series_days(series: nw.Series[Any], dtype: nw.dtypes.DType) -> FloatArray:
    if isinstance(dtype, nw.Datetime) and dtype.time_zone is not None:
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    missing = series.is_null().to_numpy()
    if isinstance(dtype, nw.Date):
        series = series.cast(nw.Datetime("us"))
    return np.where(missing, np.nan, _days(series.to_numpy().astype("datetime64[us]")))


def _days(stamps: AnyArray) -> FloatArray:
    return np.where(np.isnat(stamps), np.nan, dates_to_days(stamps))


def _lengths(times: AnyArray) -> FloatArray:
    """Return lengths of time in days."""
    return np.asarray(times / np.timedelta64(SECONDS_A_DAY, "s"), dtype=np.float64)


def _too_long(*extremes: Any) -> bool:
    """Tell whether whole numbers are too long for floats: then they are names, not amounts."""
    return any(not _is_missing(v) and abs(int(v)) > LONGEST_WHOLE for v in extremes)


def _array_column(name: str, values: Any) -> Column:
    if isinstance(values, np.ma.MaskedArray):
        values = values.tolist()
    try:
        array = np.asarray(values)
    except ValueError:
        raise table_errors.unusable_type(name, "lists of unequal length") from None
    if array.ndim != 1:
        raise table_errors.unusable_type(name, f"values of {array.ndim} dimensions")
    if array.dtype.kind == "b":
        return Column(name, "category", array.astype(np.float64), (False, True))
    if array.dtype.kind in "iu" and array.size and _too_long(array.min(), array.max()):
        return _category_column(name, array.tolist())
    if array.dtype.kind in "iuf":
        return Column(name, "number", array.astype(np.float64, copy=False))
    if array.dtype.kind == "M":
        return Column(name, "date", _days(array))
    if array.dtype.kind == "m":
        return Column(name, "number", _lengths(array))
    if array.dtype.kind in "UT" and not isinstance(values, np.ndarray):
        return _object_column(name, list(values))  # NumPy writes a NaN among texts as text
    if array.dtype.kind in "UT":
        return _category_column(name, array.tolist())
    if array.dtype.kind == "O":
        return _object_column(name, array.tolist())
    raise table_errors.unusable_type(name, f"values of type {array.dtype}")


def _object_column(name: str, values: list[Any]) -> Column:
    """Determine what a column of Python objects holds."""
    values = [None if _is_missing(v) else v for v in values]
    present = [v for v in values if v is not None]
    if any(isinstance(v, (list, dict, set, tuple, bytes, np.ndarray)) for v in present):
        raise table_errors.unusable_type(name, "lists, records or bytes")
    if present and all(isinstance(v, (bool, np.bool_)) for v in present):
        return _boolean_column(name, values)
    numbers = (int, float, Decimal, np.integer, np.floating)
    if present and all(isinstance(v, numbers) and not isinstance(v, bool) for v in present):
        if all(isinstance(v, int) for v in present) and _too_long(min(present), max(present)):
            return _category_column(name, values)
        floats = [np.nan if v is None else _float(v) for v in values]
        return Column(name, "number", np.array(floats, dtype=np.float64))
    if present and all(isinstance(v, (date, datetime, np.datetime64)) for v in present):
        stamps = [np.datetime64("NaT") if v is None else _stamp(v) for v in values]
        return Column(name, "date", _days(np.array(stamps, dtype="datetime64[us]")))
    return _category_column(name, [v if v is None else str(v) for v in values])


def _float(value: Any) -> float:
    """Turn a number into a float; Python's integers have no limit and may become infinite."""
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf


def _stamp(value: date | datetime | np.datetime64) -> np.datetime64:
    if isinstance(value, datetime) and value.tzinfo is not None:
        value = (value - value.utcoffset()).replace(tzinfo=None)  # type: ignore[operator]
    return np.datetime64(value)


def _boolean_column(name: str, values: list[Any]) -> Column:
    codes = [np.nan if _is_missing(v) else float(v) for v in values]
    return Column(name, "category", np.array(codes, dtype=np.float64), (False, True))


def _category_column(name: str, values: list[Any], order: list[Any] | None = None) -> Column:
    """Number the levels in `order`, or sorted, so that the row order does not matter."""
    every = set(values)
    distinct = {v for v in every if not _is_missing(v)}
    if not all(map(_is_writable, distinct)):
        return _category_column(name, [_writable(v) for v in values], order)
    levels = _in_order(distinct) if order is None else [v for v in order if v in distinct]
    position = dict.fromkeys(every, np.nan) | {v: float(k) for k, v in enumerate(levels)}
    codes = np.fromiter(map(position.__getitem__, values), np.float64, len(values))
    return Column(name, "category", codes, tuple(levels))


def _is_writable(level: Any) -> bool:
    """Tell whether a level can be written into a file: lone surrogates cannot."""
    return not isinstance(level, str) or level.isascii() or _writable(level) == level


def _writable(level: Any) -> Any:
    return level.encode(errors="replace").decode() if isinstance(level, str) else level


def _in_order(distinct: set[Any]) -> list[Any]:
    try:
        return sorted(distinct)
    except TypeError:  # numbers and text in one column
        return sorted(distinct, key=lambda v: (type(v).__name__, str(v)))


def _is_missing(value: Any) -> bool:
    if value is None or isinstance(value, (str, bytes)):
        return value is None
    if type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, Decimal):
        return value.is_nan()  # a signalling NaN cannot be compared
    return bool(np.ndim(value) == 0 and value != value)

"""Tables for the tests of the scale room."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq


def make_columns(n=6_000, seed=0):
    """Return numbers that depend on each other, categories, missing values, dates and a target."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    b = 0.8 * a + rng.normal(size=n)
    c = a**2 + rng.normal(size=n)
    few = rng.integers(0, 4, size=n)
    kind = rng.integers(0, 5, size=n)
    place = np.minimum(rng.geometric(0.06, size=n), 60)
    y = np.sin(a) + b + 0.2 * c + 0.3 * kind + 0.02 * place + 0.1 * few + rng.normal(size=n)
    missing, won = rng.random((2, n)) < [[0.05], [0.4]]
    day = np.datetime64("2020-01-01") + rng.integers(0, 700, size=n).astype("timedelta64[D]")
    return {
        "a": a,
        "b": np.where(missing, np.nan, b),
        "c": c,
        "few": few,
        "kind": np.array(list("pqrst"))[kind],
        "place": np.array([f"place {k}" for k in range(61)])[place],
        "won": won,
        "day": day.astype("datetime64[us]"),
        "y": y,
    }


def make_table(n=6_000, seed=0):
    """Return the same as an Arrow table, missing values as nulls."""
    return pa.table({k: pa.array(v, from_pandas=True) for k, v in make_columns(n, seed).items()})


def write_parts(folder, table, n_parts=4):
    """Write a table as Parquet files of unequal length, and return their names."""
    ends = (np.linspace(0, 1, n_parts + 1) ** 1.3 * table.num_rows).astype(int)
    paths = []
    for k, (start, stop) in enumerate(pairwise(ends)):
        paths.append(str(folder / f"part{k}.parquet"))
        pq.write_table(table.slice(start, stop - start), paths[-1])
    return paths

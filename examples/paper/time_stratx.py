"""Time the authors' package, in its own environment: a job on the input, a line a column.

It is told the columns one by one, with how often to repeat each; a first call on a few rows of
each kind is not counted, for then the package is compiled.
"""

import json
import sys
import time

import numpy as np
import pandas as pd
from stratx.partdep import cat_partial_dependence, partial_dependence

LEAF, WARM = 10, 300


def seconds(X, y, column, is_category):
    """Return the wall time of one curve."""
    call = cat_partial_dependence if is_category else partial_dependence
    begin = time.perf_counter()
    call(X, y, column, min_samples_leaf=LEAF)
    return time.perf_counter() - begin


def main():
    """Read the table, then time the columns."""
    job = json.load(sys.stdin)
    held = np.load(job["file"])
    X, y = pd.DataFrame(held["X"], columns=job["names"]), pd.Series(held["y"])
    X = X.astype({name: int for name in job["categories"]})
    for column in job["columns"]:
        is_category = column in job["categories"]
        first = seconds(X[:WARM], y[:WARM], column, is_category)
        row = {"column": column, "first": first}
        for n in job["sizes"]:
            print(json.dumps({**row, "rows": n, "seconds": seconds(X[:n], y[:n], column, is_category)}),
                  flush=True)


main()

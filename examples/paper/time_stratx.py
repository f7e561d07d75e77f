"""Time the authors' package, in its own environment: a job on the input, a line a curve.

The first call of a column is on a few rows and told apart: then the package is compiled.
"""

import json
import sys
import time

import numpy as np
import pandas as pd
from stratx.partdep import cat_partial_dependence, partial_dependence

LEAF, WARM = 10, 300


def main():
    """Read the table, then time each column at each number of rows."""
    job = json.load(sys.stdin)
    held = np.load(job["file"])
    X, y = pd.DataFrame(held["X"], columns=job["names"]), pd.Series(held["y"])
    X = X.astype(dict.fromkeys(job["categories"], int))
    for column in job["names"]:
        call = cat_partial_dependence if column in job["categories"] else partial_dependence
        for n in (WARM, *job["sizes"]):
            begin = time.perf_counter()
            call(X[:n], y[:n], column, min_samples_leaf=LEAF)
            row = {"column": column, "rows": n, "seconds": time.perf_counter() - begin}
            print(json.dumps(row), flush=True)


main()

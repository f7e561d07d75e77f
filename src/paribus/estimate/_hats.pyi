import numpy as np
from numpy.typing import NDArray

from paribus._arrays import FloatArray
from paribus.estimate.groups import Groups

def find_hats(x: FloatArray, knots: FloatArray, index: Groups, share: FloatArray) -> None: ...
def add_hats(
    index: Groups, share: FloatArray, weights: FloatArray, group: Groups, sums: FloatArray
) -> None: ...
def collect_hats(
    index: Groups, share: FloatArray, weights: FloatArray, rows: FloatArray, sums: FloatArray
) -> None: ...
def multiply_hats(
    index: Groups, share: FloatArray, weights: FloatArray, diagonal: FloatArray, beside: FloatArray
) -> None: ...
def lay_rows(
    values: FloatArray,
    rows: NDArray[np.int64],
    curves: Groups,
    knots: FloatArray,
    n_knots: Groups,
    pairs: Groups,
    out: FloatArray,
) -> None: ...

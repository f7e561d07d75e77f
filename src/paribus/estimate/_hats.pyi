import numpy as np
from numpy.typing import NDArray

from paribus.base.arrays import FloatArray, Labels

def find_hats(x: FloatArray, knots: FloatArray, index: Labels, share: FloatArray) -> None: ...
def add_hats(
    index: Labels, share: FloatArray, weights: FloatArray, group: Labels, sums: FloatArray
) -> None: ...
def collect_hats(
    index: Labels, share: FloatArray, weights: FloatArray, rows: FloatArray, sums: FloatArray
) -> None: ...
def multiply_hats(
    index: Labels, share: FloatArray, weights: FloatArray, diagonal: FloatArray, beside: FloatArray
) -> None: ...
def lay_rows(
    values: FloatArray,
    rows: NDArray[np.int64],
    curves: Labels,
    knots: FloatArray,
    n_knots: Labels,
    pairs: Labels,
    out: FloatArray,
) -> None: ...

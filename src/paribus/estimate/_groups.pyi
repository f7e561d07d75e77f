import numpy as np
from numpy.typing import NDArray

from paribus._arrays import FloatArray
from paribus.estimate.groups import Groups

def add_rows(values: FloatArray, weights: FloatArray, group: Groups, sums: FloatArray) -> None: ...
def subtract_rows(values: FloatArray, group: Groups, means: FloatArray, scale: float) -> None: ...
def spread(x: FloatArray, group: Groups, lowest: FloatArray, highest: FloatArray) -> None: ...
def order_by_group(group: Groups, bounds: NDArray[np.int64], order: NDArray[np.int64]) -> None: ...
def count_across(
    place: Groups,
    weights: FloatArray,
    order: NDArray[np.int64],
    bounds: NDArray[np.int64],
    total: FloatArray,
) -> None: ...

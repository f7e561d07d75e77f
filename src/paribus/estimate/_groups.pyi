import numpy as np
from numpy.typing import NDArray

from paribus.base.arrays import FloatArray
from paribus.estimate.groups import Labels

def add_rows(values: FloatArray, weights: FloatArray, group: Labels, sums: FloatArray) -> None: ...
def subtract_rows(values: FloatArray, group: Labels, means: FloatArray, scale: float) -> None: ...
def spread(x: FloatArray, group: Labels, lowest: FloatArray, highest: FloatArray) -> None: ...
def order_by_group(group: Labels, bounds: NDArray[np.int64], order: NDArray[np.int64]) -> None: ...
def count_across(
    place: Labels,
    weights: FloatArray,
    order: NDArray[np.int64],
    bounds: NDArray[np.int64],
    total: FloatArray,
) -> None: ...

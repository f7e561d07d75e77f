import numpy as np
from numpy.typing import NDArray

def sort_values(values: NDArray[np.float64], out: NDArray[np.float64]) -> int: ...

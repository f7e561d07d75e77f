import numpy as np
from numpy.typing import NDArray

def encode(
    values: NDArray[np.float64],
    edges: NDArray[np.float64],
    codes: NDArray[np.uint8],
    start: int,
    stop: int,
) -> None: ...

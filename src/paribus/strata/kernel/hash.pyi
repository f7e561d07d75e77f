import numpy as np
from numpy.typing import NDArray

def hash_rows(values: NDArray[np.float64], out: NDArray[np.uint64], missing: int) -> None: ...

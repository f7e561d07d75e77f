import numpy as np
from numpy.typing import NDArray

def apply(
    codes: NDArray[np.uint8],
    fields: NDArray[np.int32],
    subsets: NDArray[np.uint64],
    leaf_sets: NDArray[np.int32],
    numbers: NDArray[np.int32],
    member: NDArray[np.uint8],
    wanted: NDArray[np.int32],
    slot: NDArray[np.int32],
    root: int,
    rows: NDArray[np.int32],
    out: NDArray[np.int32],
) -> None: ...
def number_leaves(
    fields: NDArray[np.int32],
    leaf_sets: NDArray[np.int32],
    roots: NDArray[np.int32],
    numbers: NDArray[np.int32],
    n_strata: NDArray[np.int32],
) -> None: ...

from numpy import float64, int32
from numpy.typing import NDArray

def add_rows(
    rows: NDArray[float64],
    columns: NDArray[int32],
    weights: NDArray[float64],
    label: NDArray[int32],
    index: NDArray[int32],
    share: NDArray[float64],
    strata: NDArray[float64],
    crossed: NDArray[float64],
) -> None: ...

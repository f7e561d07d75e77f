import numpy as np
from numpy.typing import NDArray

class Ground:
    def __init__(
        self,
        codes: NDArray[np.uint8],
        sums: NDArray[np.int64],
        counts: NDArray[np.int32] | None,
        weights: NDArray[np.int64] | None,
        member: NDArray[np.uint8],
        *,
        min_leaf: int,
        max_depth: int,
        max_features: int,
    ) -> None: ...

class Grown:
    fields: NDArray[np.int32]
    leaf_sets: NDArray[np.int32]
    tasks: list[Task]

class Task:
    parent: int
    field: int
    def run(self) -> Grown: ...

def first_task(ground: Ground, rows: NDArray[np.int32], seed: int) -> Task: ...

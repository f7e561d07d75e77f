"""A short run of ``make fuzz``, and the seeds that once went wrong; the page's is among its own."""

import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))

from fuzz.rooms import open_room

SEEDS = {
    "files": [*range(10_000, 10_030), 1019],  # a file of one empty field
    "written": range(10_000, 10_020),
    # No column left, a gram that rounding made indefinite, nothing left to explain, and values
    # that are too small to square in the rows that are left.
    "tables": [29, 209, 311, 479, 2_008_377, *range(10_000, 10_030)],
    "types": [*range(10_000, 10_003), 5_000_390, 20_000_306],  # counts of 1e152, codes alone
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("room", SEEDS)
def test_answered_or_refused(room, tmp_path):
    with ExitStack() as ending:
        attempt = open_room(room, tmp_path, ending)
        came = {seed: attempt(seed) for seed in SEEDS[room]}
    assert all(came.values())
    wrong = {seed: why for seed, tries in came.items() for outcome, why in tries if why}
    assert not wrong

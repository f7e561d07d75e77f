"""A short run of ``make fuzz``, and the seeds that once went wrong."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))

from fuzz import try_one

# No column left, a gram that rounding made indefinite, and nothing left to explain.
WENT_WRONG = [29, 209, 311, 479]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", [*WENT_WRONG, *range(10_000, 10_060)])
def test_answered_or_refused(seed, tmp_path):
    _, outcome, why = try_one(seed, tmp_path)
    assert outcome in ("answered", "refused"), why

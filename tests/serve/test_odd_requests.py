"""A short run of ``make fuzz`` against the page, and the seeds that once went wrong."""

import sys
from functools import partial
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from fuzz.pages import Page, try_page
from fuzz.rooms import drawn

# Missing as the surest level, and values that are hardly apart.
WENT_WRONG = [721, 728]


def test_odd_requests_are_answered_or_refused(served, tmp_path):
    page = Page(served)
    attempt = drawn(partial(try_page, page=page), tmp_path)
    came = {seed: attempt(seed)[0] for seed in [*WENT_WRONG, *range(10_010, 10_030)]}
    assert not {seed: why for seed, (_, why) in came.items() if why}
    assert {outcome for outcome, _ in came.values()} == {"answered", "refused"}
    assert served.json("POST", f"{page.file}/remove", {})[0] == 200

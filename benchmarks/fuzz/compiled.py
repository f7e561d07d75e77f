"""The compiled modules beside their twins, and whole answers, on a build that checks addresses."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np

from fuzz.files import try_table
from paribus.base.compiled import load

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "debug"


def environment() -> dict[str, str]:
    """Return what a process needs to use that build."""
    if not (BUILD / ".ready").exists():
        raise SystemExit("The compiled room needs a build of its own: run `make fuzz`.")
    asan = os.environ.get("PARIBUS_ASAN", "")
    return {
        "PARIBUS_DEBUG_PATH": str(BUILD),
        "PYTHONMALLOC": "malloc",
        "ASAN_OPTIONS": "detect_leaks=0",
        **({"LD_PRELOAD": asan} if asan else {}),
    }


def try_compiled(rng: np.random.Generator, folder: Path) -> None:
    """Compare a compiled function with its twin, or explain an odd table by all of them."""
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    import conftest  # noqa: F401 - finds the modules in the debug build
    import test_compiled

    tests = [t for t in vars(test_compiled).values() if getattr(t, "is_hypothesis_test", False)]
    assert Path(load("strata.kernel.task").__file__).is_relative_to(BUILD)
    chosen = int(rng.integers(len(tests) + 3))
    if chosen < len(tests):
        tests[chosen].hypothesis.inner_test(int(rng.integers(2**31)))
    else:
        try_table(rng, folder)

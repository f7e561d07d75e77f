"""Checks of options where users pass them in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from paribus.base import errors
from paribus.base.threads import MOST_THREADS

MOST = 2**31 - 1  # the largest integer in compiled code


def is_whole(value: Any) -> bool:
    """Tell whether an option is a whole number; True and False are none."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def check_whole(option: str, value: Any, least: int, most: int = MOST) -> None:
    """Refuse what is not a whole number from `least` to `most`.

    Examples
    --------
    >>> check_whole("min_samples_leaf", 10**20, 1)
    Traceback (most recent call last):
    ...
    paribus.base.errors.InputError: The argument min_samples_leaf must be at most ...
    """
    if not is_whole(value) or value < least:
        raise errors.below_minimum(option, value, least)
    if value > most:
        raise errors.above_maximum(option, value, most)


def as_names(given: str | Sequence[str]) -> list[str]:
    """Return names of columns as a list; a single name may be given without one.

    Examples
    --------
    >>> as_names("price"), as_names(("price", "size"))
    (['price'], ['price', 'size'])
    """
    return [given] if isinstance(given, str) else [*given]


def check_jobs(n_jobs: Any) -> None:
    """Refuse what is not a number of threads; None and -1 mean one for each processor."""
    if n_jobs not in (None, -1):
        check_whole("n_jobs", n_jobs, 1, MOST_THREADS)


def check_seed(seed: Any) -> None:
    """Refuse what is not a seed; without one, no answer could be reproduced."""
    check_whole("seed", seed, 0, 2**64 - 1)

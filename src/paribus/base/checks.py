"""Checks of options at the public edge."""

from __future__ import annotations

from typing import Any

import numpy as np

from paribus.base import errors


def is_whole(value: Any) -> bool:
    """Tell whether an option is a whole number; True and False are none."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def check_whole(option: str, value: Any, least: int) -> None:
    """Refuse what is not a whole number of at least `least`."""
    if not is_whole(value) or value < least:
        raise errors.below_minimum(option, value, least)


def check_seed(seed: Any) -> None:
    """Refuse what is not a seed: without one, nothing could be repeated."""
    check_whole("seed", seed, 0)

"""Regions in which an effect differs, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from paribus.results.words import number, share_words


@dataclass(frozen=True, slots=True)
class Region:
    """Rows for which an effect was looked at by itself.

    Attributes
    ----------
    where : str
        Which rows, in words.
    value, lower, upper : float
        What one more of the column goes with there, or its second level rather than the first.
    share : float
        Of the rows.
    """

    where: str
    value: float
    lower: float
    upper: float
    share: float


@dataclass(frozen=True, slots=True)
class Regions:
    """Regions found on half of the rows and estimated on the other, the largest effect first.

    Attributes
    ----------
    feature, target, unit : str
    step : str
        What is compared, in words: ``"Each extra 1 of height"``.
    items : tuple of Region
        Two to four.
    difference, lower, upper : float
        Between the first and the last.
    conf_level : float
    """

    feature: str
    target: str
    unit: str
    step: str
    items: tuple[Region, ...]
    difference: float
    lower: float
    upper: float
    conf_level: float = 0.95

    def __iter__(self) -> Iterator[Region]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __str__(self) -> str:
        return self.summary()

    def summary(self) -> str:
        """Say what the column goes with in each region.

        Examples
        --------
        >>> flats = Region("kind is 'flat'", 3.1, 2.5, 3.7, 0.5)
        >>> houses = Region("kind is 'house'", 0.4, 0.0, 0.8, 0.5)
        >>> step = "Each extra 1 of age"
        >>> both = Regions("age", "price", "", step, (flats, houses), 2.7, 2.0, 3.4)
        >>> print(both)  # doctest: +ELLIPSIS
        Each extra 1 of age goes with 3.1 more price where kind is 'flat', 0.4 more where ...
        """
        unit = self.unit or self.target
        first, *rest = self.items
        parts = [f"{_amount(first.value)} {unit} where {first.where}"]
        parts += [f"{_amount(one.value)} where {one.where}" for one in rest]
        between = "difference" if len(self) == 2 else "first and last differ by"
        sure = f"{share_words(self.conf_level)} interval"
        return (
            f"{self.step} goes with {', '.join(parts)} ({between} {number(self.difference)}, "
            f"{sure} {number(self.lower)} to {number(self.upper)})."
        )

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Regions:
        """Read back what was stored."""
        items = tuple(Region(**one) for one in stored["items"])
        return cls(**{**stored, "items": items})


def _amount(value: float) -> str:
    return f"{number(abs(value))} {'more' if value >= 0 else 'less'}"

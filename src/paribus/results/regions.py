"""Regions in which an effect differs, in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from paribus.results.words import interval_words, number, quantity, with_unit


@dataclass(frozen=True, slots=True)
class Region:
    """Rows for which an effect was estimated separately.

    Attributes
    ----------
    where : str
        Which rows, in words.
    value, lower, upper : float
        The slope there, or the difference between the column's two levels.
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
    """Regions found on half of the rows and estimated on the other half, largest effect first.

    Attributes
    ----------
    feature, target, unit : str
    step : str
        What is compared, in words: ``"Each extra 10 of height"``, ``"With sex = M rather than F"``.
    items : tuple of Region
        Two to four.
    difference, lower, upper : float
        Between the first and the last.
    conf_level : float
    per : float, or None
        Units of a number in one step, since values are per unit; None for a category.
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
    per: float | None = 1.0

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
        Each extra 1 of age goes with 3.1 more price where kind is 'flat'; 0.4 more where ...
        """
        first, *rest = self.items
        start = f"{self.step} goes with {self._more(first, named=True)}"
        if self.per is None:
            start = f"{self.step}, {quantity(self.target, self.unit)} is {self._more(first, True)}"
        parts = [f"{start} where {first.where}"]
        parts += [f"{self._more(one)} where {one.where}" for one in rest]
        between = "difference" if len(self) == 2 else "first and last differ by"
        apart, low, high = ((self.per or 1) * x for x in (self.difference, self.lower, self.upper))
        sure = interval_words(self.conf_level, low, high)
        return f"{'; '.join(parts)} ({between} {number(apart)}, {sure})."

    def _more(self, region: Region, named: bool = False) -> str:
        """Say how much more or less it is in a region, with unit and target if `named`."""
        value = (self.per or 1) * region.value
        sides = ("higher", "lower") if self.per is None else ("more", "less")
        size = with_unit(abs(value), self.unit) if named else number(abs(value))
        target = f" {self.target}" if named and self.per is not None and not self.unit else ""
        return f"{size} {sides[int(value < 0)]}{target}"

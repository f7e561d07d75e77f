"""Results that print their summary."""

from __future__ import annotations

from abc import abstractmethod

from paribus.results import show


class Told:
    """A result that shows its `summary`, in a notebook too."""

    __slots__ = ()

    @abstractmethod
    def summary(self) -> str:
        """Say in words what was found."""

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        """Show the summary in a notebook, one paragraph per line."""
        return show.compact.said_html(self.summary().splitlines())

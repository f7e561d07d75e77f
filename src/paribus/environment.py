"""Which versions are installed, for a person to read or to paste into a bug report."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib.metadata import version

from paribus.base.compiled import load
from paribus.base.threads import count_threads


@dataclass(frozen=True, slots=True)
class Info:
    """Versions, and what grows the trees.

    Attributes
    ----------
    version : str
        Of paribus.
    engine : str
        ``"compiled"``, or ``"scikit-learn"`` where the kernel could not be built.
    threads : int
        How many are used where `n_jobs` is not given.
    python, numpy, platform : str
    """

    version: str
    engine: str
    threads: int
    python: str
    numpy: str
    platform: str

    def __str__(self) -> str:
        compiled = self.engine == "compiled"
        slow = "" if compiled else " (slower: the compiled kernel is not installed)"
        return (
            f"paribus   {self.version}\n"
            f"engine    {self.engine}{slow}\n"
            f"threads   {self.threads}\n"
            f"python    {self.python}\n"
            f"numpy     {self.numpy}\n"
            f"platform  {self.platform}"
        )


def info() -> Info:
    """Return the versions in use and whether the compiled kernel is among them.

    Examples
    --------
    >>> info().engine in ("compiled", "scikit-learn")
    True
    """
    return Info(
        version=version("paribus"),
        engine="compiled" if load("strata.kernel.task") else "scikit-learn",
        threads=count_threads(),
        python=platform.python_version(),
        numpy=version("numpy"),
        platform=platform.platform(),
    )

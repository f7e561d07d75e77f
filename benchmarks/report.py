"""Tables on the screen and small JSON files, each with the date and the machine."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Hashable, ItemsView, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any


def machine() -> dict[str, Any]:
    """Say when, where and with what a benchmark ran."""
    packages = ("paribus", "numpy", "scipy", "scikit-learn")
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{os.cpu_count()} cores, {_processor()}, {platform.system()}",
        "python": platform.python_version(),
        "packages": {name: version(name) for name in packages},
    }


def _processor() -> str:
    known = Path("/proc/cpuinfo")
    lines = known.read_text(encoding="utf-8").splitlines() if known.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def show(title: str, rows: Mapping[str, Mapping[str, float]]) -> None:
    """Print a table, a line a row."""
    columns = list(dict.fromkeys(name for row in rows.values() for name in row))
    width = max(len(name) for name in rows)
    print(f"\n{title}")
    print(" " * width, *(f"{name:>9}" for name in columns))
    for name, row in rows.items():
        cells = (f"{row[c]:9.4g}" if c in row else " " * 9 for c in columns)
        print(f"{name:<{width}}", *cells, flush=True)


def save(path: Path, content: Mapping[str, Any]) -> None:
    """Write results to a small JSON file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(_rounded(content), indent=1) + "\n", encoding="utf-8")
    print(f"\nwritten to {path}")


def write_between(page: Path, text: str) -> None:
    """Put lines where a page of the documentation has those that were measured before."""
    first, last = "<!-- measured -->", "<!-- /measured -->"
    before, rest = page.read_text(encoding="utf-8").split(first)
    page.write_text(f"{before}{first}\n{text}\n{last}{rest.split(last)[1]}", encoding="utf-8")


class Log:
    """Rows by key, each written to a file of JSON lines as soon as it is known."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._rows: dict[tuple[Hashable, ...], dict[str, Any]] = {}
        if path.exists():
            lines = path.read_text(encoding="utf-8").splitlines()
            self._rows = {tuple(key): row for key, row in map(json.loads, lines)}
            print(f"{len(self._rows)} results taken from {path}")

    def __contains__(self, key: tuple[Hashable, ...]) -> bool:
        return key in self._rows

    def __getitem__(self, key: tuple[Hashable, ...]) -> dict[str, Any]:
        return self._rows[key]

    def add(self, key: tuple[Hashable, ...], row: dict[str, Any]) -> None:
        """Keep a row, on disk as well."""
        self._rows[key] = row
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([key, row]) + "\n")

    def items(self) -> ItemsView[tuple[Hashable, ...], dict[str, Any]]:
        """Return all keys with their rows."""
        return self._rows.items()

    def forget(self, which: Callable[[tuple[Hashable, ...]], bool]) -> None:
        """Drop rows, on disk as well."""
        kept = {key: row for key, row in self._rows.items() if not which(key)}
        self._path.unlink(missing_ok=True)
        self._rows = {}
        for key, row in kept.items():
            self.add(key, row)


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, Mapping):
        return {k: _rounded(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_rounded(v) for v in value]
    return value

"""Tables on the screen and small JSON files, each with the date and the machine."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any


def machine() -> dict[str, Any]:
    """Say when, where and with what a benchmark ran."""
    packages = ("paribus", "numpy", "scipy", "scikit-learn")
    return {
        "date": date.today().isoformat(),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}",
        "python": platform.python_version(),
        "packages": {name: version(name) for name in packages},
    }


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


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, Mapping):
        return {k: _rounded(v) for k, v in value.items()}
    return value

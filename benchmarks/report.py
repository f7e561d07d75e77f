"""Tables on the screen and small JSON files, each with the date and the machine."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
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


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, Mapping):
        return {k: _rounded(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_rounded(v) for v in value]
    return value

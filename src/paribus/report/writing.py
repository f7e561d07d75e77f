"""Files that are written completely or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Any

from paribus.base import errors
from paribus.base.formulas import csv_text
from paribus.files import errors as file_errors
from paribus.report import errors as report_errors


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Give a temporary path next to the wanted one, and rename it when all went well.

    Errors of the system, such as a full disk, become one sentence.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with replacing(folder / "a.txt") as beside:
    ...     _ = beside.write_text("whole")
    >>> [p.name for p in folder.iterdir()]
    ['a.txt']
    """
    wanted = Path(path)
    check_place(wanted)
    beside = wanted.with_name(f".{token_hex(8)}{wanted.suffix}")
    try:
        beside.touch(exist_ok=False)  # with the permissions that any new file has here
        yield beside
        if wanted.exists():
            beside.chmod(wanted.stat().st_mode)
        beside.replace(wanted)
    except OSError as problem:
        raise errors.InputError(errors.of_the_system(problem)) from problem
    finally:
        beside.unlink(missing_ok=True)


def check_place(path: Path) -> None:
    """Refuse a path that cannot be written."""
    if not path.parent.is_dir():
        raise report_errors.no_such_folder(str(path), str(path.parent))
    if path.is_dir():
        raise file_errors.is_a_folder(str(path))
    if not os.access(path.parent, os.W_OK):
        raise errors.unwritable(str(path), "writing into its folder is not allowed")


def write_bytes(content: bytes, path: str | Path) -> Path:
    """Write a file, and return its path."""
    with replacing(path) as beside:
        beside.write_bytes(content)
    return Path(path)


def write_text(text: str, path: str | Path) -> Path:
    """Write a text file, replacing lone surrogates, and return its path."""
    with replacing(path) as beside:
        beside.write_text(text, encoding="utf-8", errors="replace")
    return Path(path)


def write_csv(columns: Mapping[str, Sequence[Any]], path: str | Path) -> Path:
    """Write columns as CSV that is safe to open in a spreadsheet."""
    return write_text(csv_text(columns), path)

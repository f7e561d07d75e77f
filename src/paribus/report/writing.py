"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from paribus.base import errors
from paribus.files import errors as file_errors
from paribus.report import errors as report_errors


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Give a path to write to beside the wanted one, and rename it when all went well.

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
    handle, name = tempfile.mkstemp(prefix=".", suffix=wanted.suffix, dir=wanted.parent)
    os.close(handle)
    beside = Path(name)
    try:
        yield beside
        beside.chmod(wanted.stat().st_mode if wanted.exists() else 0o666 & ~_umask())
        beside.replace(wanted)
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


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask

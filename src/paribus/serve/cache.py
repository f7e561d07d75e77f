"""The folder in which a running server keeps its files, and cleaning up after dead servers."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

LOCK = "in-use"


def cache_home() -> Path:
    """Return the folder that holds those of all servers: the system's usual place for caches."""
    if "PARIBUS_CACHE" in os.environ:
        return Path(os.environ["PARIBUS_CACHE"])
    if sys.platform == "win32":
        home = Path(os.environ.get("LOCALAPPDATA", tempfile.gettempdir()))
    elif sys.platform == "darwin":
        home = Path.home() / "Library" / "Caches"
    else:
        home = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return home / "paribus" / "serve"


@contextmanager
def own_folder(home: Path) -> Iterator[Path]:
    """Give a folder of one's own, after clearing away those whose server is gone.

    A lock tells: the system lifts it when a process ends, however it ends.

    Examples
    --------
    >>> home = Path(tempfile.mkdtemp())
    >>> left = home / "server-of-yesterday"
    >>> left.mkdir()
    >>> with own_folder(home) as folder:
    ...     folder.is_dir(), left.exists()
    (True, False)
    >>> folder.exists()
    False
    """
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    for other in home.glob("server-*"):
        _clear_if_dead(other)
    folder = Path(tempfile.mkdtemp(prefix="server-", dir=home))
    with (folder / LOCK).open("wb") as lock:
        _lock(lock)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _clear_if_dead(folder: Path) -> None:
    try:
        with (folder / LOCK).open("ab") as lock:
            _lock(lock)
    except FileNotFoundError:
        pass
    except OSError:
        return
    shutil.rmtree(folder, ignore_errors=True)


def _lock(file: IO[bytes]) -> None:
    """Lock a file for this process, or raise OSError where another one holds it."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

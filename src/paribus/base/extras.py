"""Optional packages: imported when used, and named in an error when missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from paribus.base import errors

_PACKAGE = {
    "PIL": "pillow", "docx": "python-docx", "python_calamine": "python-calamine",
    "sklearn": "scikit-learn", "vl_convert": "vl-convert-python", "xlsxwriter": "XlsxWriter",
}  # fmt: skip


def need(module: str, purpose: str, extra: str) -> Any:
    """Import a module, or say what needs it and which extra installs it.

    Examples
    --------
    >>> need("json", "A page", "report").dumps(1)
    '1'
    >>> need("no_such_package", "A page", "report")
    Traceback (most recent call last):
    ...
    ImportError: A page needs no_such_package, ...: pip install 'paribus[report]'
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        name = module.partition(".")[0]
        if (error.name or "").partition(".")[0] != name:
            raise
        raise errors.missing_package(
            _PACKAGE.get(name, name), purpose, f"'paribus[{extra}]'"
        ) from None

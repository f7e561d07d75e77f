"""Errors for files that cannot be written."""

from __future__ import annotations

from collections.abc import Sequence

from paribus.base.errors import InputError, Wording, either


def unknown_picture(name: str, endings: Sequence[str]) -> InputError:
    """Return the error for a picture file of a kind that cannot be drawn."""
    return InputError(f"A picture's name must end in {either(endings)}, got {name!r}.")


no_such_folder = Wording[str, str](
    "File {path!r} cannot be written: there is no folder {folder!r}."
)

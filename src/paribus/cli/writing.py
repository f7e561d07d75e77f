"""Where results go: pages, workbooks and pictures, checked before any work is done."""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from paribus.base import errors
from paribus.cli import errors as cli_errors
from paribus.cli.waiting import meanwhile
from paribus.report.writing import check_place

if TYPE_CHECKING:
    from paribus.results import Effect, EffectSet, JointEffect

GENERATOR, BEGINNING = b'name="generator" content="paribus', 4000  # of a page of ours
# What each extra brings, as it is imported and as it is installed.
EXTRAS = {
    "report": {"altair": "altair", "vl_convert": "vl-convert-python", "jinja2": "jinja2"},
    "excel": {"xlsxwriter": "xlsxwriter"},
}


def write_page(effects: EffectSet, path: Path) -> None:
    """Write an EffectSet as a page and say where it is."""
    from paribus.report import page

    with meanwhile(f"Writing {path.name}") as advance:
        page.write_page(effects, path, advance)
    click.echo(f"The report is in {path.resolve()}")


def write_workbook(effects: EffectSet, path: Path) -> None:
    """Write an EffectSet as a workbook and say where it is."""
    from paribus.report import workbook

    with meanwhile(f"Writing {path.name}") as advance:
        workbook.write_workbook(effects, path, advance)
    click.echo(f"The workbook is in {path.resolve()}")


def write_picture(effect: Effect | JointEffect, path: Path) -> None:
    """Draw an effect and say where the picture is."""
    from paribus.report import picture

    with meanwhile(f"Drawing {path.name}"):
        picture.save_chart(effect, path)
    click.echo(f"The picture is in {path.resolve()}")


def check_output(path: Path, endings: Sequence[str], data: str = "") -> None:
    """Refuse a path that cannot be written, or holds the data, before any work is done."""
    if path.suffix.lower() not in endings:
        raise cli_errors.wrong_ending(str(path), endings)
    check_place(path)
    if path.exists() and Path(data).is_file() and path.samefile(data):
        raise cli_errors.is_the_data(str(path))


def check_own(path: Path) -> None:
    """Refuse to replace what paribus has not made by a page that nobody has named."""
    if path.exists() and GENERATOR not in path.read_bytes()[:BEGINNING]:
        raise cli_errors.not_a_report(str(path))


def check_extra(extra: str, purpose: str) -> None:
    """Refuse work whose packages are not installed, before it begins."""
    for module, package in EXTRAS[extra].items():
        if not find_spec(module):
            raise errors.missing_package(package, purpose, f"'paribus[{extra}]'")


def open_page(path: Path, wanted: bool | None) -> None:
    """Open a page in the browser: when asked to, or where someone sits at a terminal."""
    on_linux = sys.platform.startswith("linux")
    has_screen = not on_linux or {"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys()
    if wanted or (wanted is None and sys.stdout.isatty() and has_screen):
        webbrowser.open(path.resolve().as_uri())

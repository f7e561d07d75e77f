"""Effects shown in a terminal: a ranked table, then a sentence and notes for each column."""

from __future__ import annotations

import re
import sys
from collections import Counter
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from paribus.cli import sparks
from paribus.results.words import number

if TYPE_CHECKING:
    from paribus.results import Effect, EffectSet

PIPE_WIDTH = 100
NEGLIGIBLE = 1e-6  # an impact of less than this share is rounding
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")


def show(effects: EffectSet) -> None:
    """Print effects to standard output."""
    width = None if sys.stdout.isatty() else PIPE_WIDTH
    console = Console(width=width, highlight=False)
    question = f"What goes with {effects.target}, other things equal?"
    size = f"{effects.n_rows:,} rows, {len(effects)} columns."
    console.print(Text.assemble((clean(question), "bold"), " ", size))
    often = _often(effects)
    for note in (*(str(note) for note in effects.notes), *often):
        console.print(Text(clean(note), style="yellow"))
    explained = [effect for effect in effects.effects if effect.explained]
    if explained:
        console.print(_ranking(explained))
    for rank, effect in enumerate(effects.effects, start=1):
        _tell(console, effect, rank, often)


def clean(text: str) -> str:
    r"""Take out what could steer a terminal.

    Examples
    --------
    >>> clean("a\x1b[31mb")
    'a [31mb'
    """
    return CONTROL.sub(" ", text)


def _often(effects: EffectSet) -> list[str]:
    """Return the notes that several columns have in the same words: they are said once."""
    counts = Counter(str(note) for effect in effects.effects for note in effect.notes)
    return [text for text, count in counts.items() if count > 1]


def _ranking(effects: list[Effect]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    table.add_column("", justify="right", style="dim", min_width=len(str(len(effects))))
    table.add_column("column", overflow="ellipsis", no_wrap=True, max_width=28)
    table.add_column("impact", justify="right", no_wrap=True)
    table.add_column("share", justify="right", no_wrap=True)
    table.add_column("effect", no_wrap=True, style="cyan", min_width=sparks.WIDTH)
    table.add_column("over", overflow="ellipsis", no_wrap=True, style="dim", max_width=24)
    for rank, effect in enumerate(effects, start=1):
        impact = number(effect.impact) if effect.share > NEGLIGIBLE else "0"
        cells = (str(rank), effect.feature, impact, sparks.percent(effect.share))
        drawn = (sparks.curve(effect), sparks.span(effect))
        table.add_row(*(Text(clean(cell)) for cell in (*cells, *drawn)))
    return table


def _tell(console: Console, effect: Effect, rank: int, often: list[str]) -> None:
    console.print(Text.assemble((f"{rank}. ", "dim"), (clean(effect.feature), "bold")))
    console.print(_indented(effect.summary()))
    for note in effect.notes if effect.explained else ():
        if str(note) not in often:
            console.print(_indented(f"- {note}", style="dim"))


def _indented(text: str, style: str = "") -> Padding:
    return Padding(Text(clean(text), style=style), (0, 0, 0, 3), expand=False)

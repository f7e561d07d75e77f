"""Effects shown in a terminal: a ranked table, then a sentence and notes for each column."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from functools import singledispatch
from typing import TYPE_CHECKING

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console, OverflowMethod
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from paribus.cli import sparks
from paribus.cli.advice import option_advice
from paribus.plotting.joint import lines_of
from paribus.plotting.lines import Lines
from paribus.results import EffectSet, Interactions, JointEffect
from paribus.results.influence import influence_sentence
from paribus.results.left_out import LeftOut
from paribus.results.text import groups_table
from paribus.results.words import (
    DIFFERS,
    MARKED,
    grouped_name,
    impact_words,
    marked_name,
    number,
    p_words,
    size,
)
from paribus.tidy.result import Check

if TYPE_CHECKING:
    from paribus.base.notes import Note
    from paribus.results import ByGroup, Effect

PIPE_WIDTH = 100
PLAIN = "!="  # the mark of effects that differ, in a plain terminal
MOST_SHOWN, MOST_SENTENCES, BAR = 20, 5, 12  # interactions in a terminal; the longest bar
MOST_PLACES = 15  # of a column beside another
MOST_GROUP_ROWS = 20  # of the table of a column's groups
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")


def show(found: EffectSet | Interactions | JointEffect | Check) -> None:
    """Print a result to standard output."""
    console = Console(width=None if sys.stdout.isatty() else PIPE_WIDTH, highlight=False)
    _show(found, console)


@singledispatch
def _show(found: object, console: Console) -> None:
    console.print(Text(clean(str(found))))


@_show.register
def _(effects: EffectSet, console: Console) -> None:
    """Print the ranking, then the sentence and notes of each column."""
    console.print(Text.assemble((clean(effects.question), "bold"), " ", effects.size))
    for sentence in effects.roles.sentences():
        console.print(Text(clean(sentence), style="dim"))
    effects = effects.with_common_notes()
    _print_notes(effects.notes, console)
    if any(effect.explained for effect in effects.effects):
        blocks = _can_show(console.encoding)
        console.print(_ranking(effects, blocks))
        if any(effect.differs for effect in effects.effects):
            more = "paribus interactions ranks the columns that act together."
            console.print(Text(f"{DIFFERS if blocks else PLAIN} {MARKED} {more}", style="dim"))
    for rank, effect in enumerate(effects.effects, start=1):
        _tell(console, effect, rank)


@_show.register
def _(found: Interactions, console: Console) -> None:
    """Print the columns that act together, the strongest first."""
    asked = size(found.n_rows, found.n_columns)
    console.print(Text.assemble((clean(found.question), "bold"), " ", asked))
    _print_notes(found.notes, console)
    shown = found.found[:MOST_SHOWN]
    if not shown:
        console.print(f"None of the {len(found):,} looked at is sure.")
        return
    blocks = _can_show(console.encoding)
    table = _grid()
    table.add_column("", justify="right", style="dim")
    table.add_column("columns", overflow="fold", max_width=44)
    table.add_column("strength", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True, style="cyan", min_width=BAR)
    table.add_column("interval", no_wrap=True, style="dim")
    table.add_column("", no_wrap=True, style="dim")
    most = max(one.strength for one in shown) or 1.0
    for rank, one in enumerate(shown, start=1):
        bar = ("█" if blocks else "#") * max(1, round(BAR * one.strength / most))
        interval = f"{number(one.lower)} to {number(one.upper)}"
        cells = (str(rank), one.name, number(one.strength), bar, interval, p_words(one.p_value))
        table.add_row(*(Text(clean(cell)) for cell in cells))
    console.print(table)
    for rank, one in enumerate(shown[:MOST_SENTENCES], start=1):
        console.print(Text.assemble((f"{rank}. ", "dim"), clean(one.summary())))
    left = len(found.found) - len(shown)
    if left > 0:
        console.print(Text(f"And {left:,} more: --csv has them all.", style="dim"))


@_show.register
def _(both: JointEffect, console: Console) -> None:
    """Print two columns at once: a line for each value of one, the other's side by side."""
    console.print(Text(clean(both.summary())))
    look = lines_of(both)
    table = _grid()
    table.add_column(Text(clean(look.x_title)))
    for line in look.lines:
        table.add_column(Text(clean(f"{look.legend} = {line.label}")), justify="right")
    for k in _some(look):
        cells = [
            _with_interval(line.effect[k], line.lower[k], line.upper[k]) for line in look.lines
        ]
        table.add_row(Text(clean(look.places[k])), *cells)
    console.print(table)
    for slopes in both.slopes():
        console.print(Text(clean(slopes.summary())))
    _print_notes(both.notes, console)


def _print_notes(notes: Sequence[Note], console: Console) -> None:
    for note in notes:
        console.print(Text(clean(note.with_advice(option_advice)), style="yellow"))


def _some(look: Lines) -> list[int]:
    """Return which points to print: all levels, or up to `MOST_PLACES` values that have rows."""
    blank = np.all([np.isnan(line.effect) for line in look.lines], axis=0)
    known = np.flatnonzero(~blank).tolist()
    step = 1 if look.at is None else max(1, -(-(len(known) - 1) // (MOST_PLACES - 1)))
    return sorted({*known[::step], known[-1]})


def _with_interval(effect: float, lower: float, upper: float) -> str:
    if effect != effect:  # no rows there
        return ""
    return f"{number(effect)} ± {number((upper - lower) / 2)}"


@_show.register
def _(check: Check, console: Console) -> None:
    """Print a look at a table: a line for each column, the ones with a proposal first."""
    head, *_ = check.summary().splitlines()
    console.print(Text(clean(head), style="bold"))
    _print_notes(check.notes, console)
    changed = {p.column for p in check if p.role != "explain"}
    lines = check.lines(option_advice).items()
    for column, text in sorted(lines, key=lambda line: line[0] not in changed):
        style = "" if column in changed else "dim"
        line = Text.assemble((clean(column), f"bold {style}"), (f": {clean(text)}", style))
        console.print(line)
    console.print(Text("Undo a proposal with --keep COLUMN.", style="dim"))


def clean(text: str) -> str:
    r"""Remove characters that could control a terminal.

    Examples
    --------
    >>> clean("a\x1b[31mb")
    'a [31mb'
    """
    return CONTROL.sub(" ", text)


def _can_show(encoding: str) -> bool:
    """Tell whether a terminal can show the characters for curves."""
    try:
        return bool(sparks.BLOCKS.encode(encoding))
    except (LookupError, UnicodeEncodeError):
        return False


def _ranking(effects: EffectSet, blocks: bool) -> Table:
    """Lay out the ranking, and what was left out; without `blocks`, in ASCII only."""
    drawing = sparks.BLOCKS if blocks else sparks.ASCII
    cut: OverflowMethod = "ellipsis" if blocks else "crop"
    table = _grid()
    table.add_column("", justify="right", style="dim", no_wrap=True)
    table.add_column("column", max_width=28)  # in a narrow terminal it gives way, as the last does
    table.add_column("impact", justify="right", no_wrap=True)
    table.add_column("share", justify="right", no_wrap=True)
    table.add_column("effect", no_wrap=True, style="cyan", min_width=sparks.WIDTH)
    table.add_column("over", style="dim", max_width=24)
    for rank, one in effects.places:
        if isinstance(one, LeftOut):
            cells: tuple[str, ...] = ("", one.column, "", "", one.words, "")
        elif one.explained:
            name, share = marked_name(one), sparks.percent(one.share)
            name = name if blocks else name.replace(DIFFERS, PLAIN)
            drawn = (sparks.curve(one, drawing), sparks.span(one))
            cells = (str(rank), name, impact_words(one), share, *drawn)
        else:
            continue
        shown = (Text(clean(cell), no_wrap=True, overflow=cut) for cell in cells)
        table.add_row(*shown, style="" if rank else "dim")
    return table


def _tell(console: Console, effect: Effect, rank: int) -> None:
    console.print(Text.assemble((f"{rank}. ", "dim"), (clean(grouped_name(effect)), "bold")))
    console.print(_indented(effect.summary()))
    if effect.by is not None:
        console.print(_indented(f"By {effect.by.column}: {effect.by.summary()}", style="cyan"))
        if effect.by.in_numbers:
            console.print(Padding(_groups(effect.by), (0, 0, 0, 3), expand=False))
    for text in filter(None, [*effect.remarks(option_advice), influence_sentence(effect)]):
        console.print(_indented(f"- {text}", style="dim"))


def _groups(by: ByGroup) -> Table:
    """Lay out the estimate for each group, and its difference from the reference."""
    head, *rows = groups_table(by)
    table = _grid()
    for k, name in enumerate(head):
        words = k == 0 or not name  # which give way in a narrow terminal; numbers are never cut
        table.add_column(Text(clean(name)), justify="left" if words else "right", no_wrap=not words)
    for row in rows[:MOST_GROUP_ROWS]:
        table.add_row(*(Text(clean(cell)) for cell in row))
    return table


def _grid() -> Table:
    return Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")


def _indented(text: str, style: str = "") -> Padding:
    return Padding(Text(clean(text), style=style), (0, 0, 0, 3), expand=False)

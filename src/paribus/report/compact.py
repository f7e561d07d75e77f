"""The ranking as a small piece of HTML for notebooks; needs no extra."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from paribus.report.sparkline import sparkline
from paribus.results.words import impact_words, question, size

if TYPE_CHECKING:
    from paribus.results import Effect, EffectSet

CELL = "padding:0.3em 0.7em;text-align:left;vertical-align:top"
MOST = 50


def ranking_html(effects: EffectSet) -> str:
    """Return the question, the ranking and a sentence a column.

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.body_weight(500, seed=0)
    >>> ranking_html(pb.effects(d.table, target="weight")).count("<svg")
    4
    """
    effects = effects.said_once()
    notes = "".join(f"<p>{escape(note.text)}</p>" for note in effects.notes)
    rows = "".join(_row(k, e) for k, e in enumerate(effects.effects[:MOST], start=1))
    left = len(effects) - MOST
    more = f"<p>{left:,} more columns: see report().</p>" if left > 0 else ""
    names = ("", "column", "impact", "", "other columns held still")
    head = "".join(f'<th style="{CELL}">{name}</th>' for name in names)
    return (
        f"<div><p><strong>{escape(question(effects.target))}</strong> "
        f"{size(effects.n_rows, len(effects))}</p>{notes}"
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{more}</div>"
    )


def _row(rank: int, effect: Effect) -> str:
    from paribus.report.summary import light

    cells = (
        str(rank),
        f"<bdi>{escape(effect.feature)}</bdi>",
        impact_words(effect) if effect.explained else "",
        sparkline(light(effect)),
        escape(effect.summary()),
    )
    return "<tr>" + "".join(f'<td style="{CELL}">{cell}</td>' for cell in cells) + "</tr>"

"""Results as small pieces of HTML for notebooks; needs no extra."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from paribus.plotting import theme
from paribus.report.sparkline import sparkline
from paribus.results.left_out import LeftOut
from paribus.results.text import groups_table, table_of
from paribus.results.words import DIFFERS, MARKED, impact_words, marked_name, number, size

if TYPE_CHECKING:
    from paribus.results import ByGroup, Effect, EffectSet, Interaction, Interactions
    from paribus.results.evidence import Examples

CELL = "padding:0.3em 0.7em;text-align:left;vertical-align:top"
MOST = 50


def ranking_html(effects: EffectSet) -> str:
    """Return the question, the ranking and a sentence for each column.

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.body_weight(500, seed=0)
    >>> ranking_html(pb.effects(d.table, target="weight")).count("<svg")
    4
    """
    effects = effects.with_common_notes()
    rows = (_row(k, e) for k, e in effects.places if k <= MOST)
    left = len(effects) - MOST
    more = [f"{left:,} more columns: see report()."] if left > 0 else []
    more += [f"{DIFFERS} {MARKED}"] if any(e.differs for e in effects.effects) else []
    more += [one.summary() for one in effects.acting]
    head = ("", "column", "impact", "", "other columns held still")
    return (
        f"<div><p><strong>{escape(effects.question)}</strong> "
        f"{effects.size}</p>{_paragraphs(effects.notes)}{_table(head, rows)}"
        f"{_paragraphs(more)}</div>"
    )


def effect_html(effect: Effect) -> str:
    """Return the sentence, a small picture, the main numbers and the notes of one column.

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.body_weight(500, seed=0)
    >>> effect_html(pb.effect(d.table, "weight", "height")).count("<tr>")
    6
    """
    notes = _paragraphs(effect.remarks())
    said = f"<p><strong>{escape(effect.feature)}</strong> {escape(effect.summary())}</p>"
    if not effect.explained:
        return f"<div>{said}{notes}</div>"
    by = "" if effect.by is None else groups_html(effect.by)
    return f"<div>{said}{sparkline(effect)}{_text_table(table_of(effect))}{notes}{by}</div>"


def groups_html(by: ByGroup) -> str:
    """Return the sentence and the table of an effect's groups.

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.body_weight(2000, seed=0)
    >>> groups_html(pb.effect(d.table, "weight", "height", by="sex").by).count("<tr>")
    3
    """
    table = _text_table(groups_table(by)) if by.in_numbers else ""
    said = f"<p><strong>By {escape(by.column)}</strong> {escape(by.summary())}</p>"
    return f"<div>{said}{table}{_paragraphs(by.notes)}</div>"


def interactions_html(interactions: Interactions) -> str:
    """Return the strongest interactions, with a bar and a sentence for each.

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.diamonds().table
    >>> d = {name: d[name][:2000] for name in ("carat", "clarity", "price")}
    >>> interactions_html(pb.interactions(d, target="price")).count("<tr>")
    2
    """
    notes = _paragraphs(interactions.notes)
    said = f"<strong>{escape(interactions.question)}</strong>"
    shown = interactions.found[:MOST]
    asked = size(interactions.n_rows, interactions.n_columns)
    if not shown:
        return f"<div><p>{said} {asked}</p>{notes}<p>None is sure.</p></div>"
    most = max(one.strength for one in shown) or 1.0
    rows = (_bar_row(one, one.strength / most) for one in shown)
    table = _table(("columns", "strength", "", "interval", ""), rows)
    left = len(interactions.found) - len(shown)
    more = f"<p>{left:,} more: see to_frame().</p>" if left > 0 else ""
    return f"<div><p>{said} {asked}</p>{notes}{table}{more}</div>"


def _bar_row(one: Interaction, share: float) -> str:
    look = f"width:{6 * share:.2f}em;height:0.8em;background:{theme.BLUE};opacity:.75"
    bar = f'<div style="{look}"></div>'
    cells = (
        f"<bdi>{escape(one.name)}</bdi>",
        number(one.strength),
        bar,
        f"{number(one.lower)} to {number(one.upper)}",
        escape(one.summary()),
    )
    return _cells("td", cells)


def said_html(lines: Iterable[str]) -> str:
    """Return sentences for a notebook, one paragraph each.

    Examples
    --------
    >>> said_html(["a < b"])
    '<div><p>a &lt; b</p></div>'
    """
    return f"<div>{_paragraphs(lines)}</div>"


def examples_html(found: Examples) -> str:
    """Return pairs of rows side by side for a notebook."""
    tables = []
    for pair in found.pairs:
        head = ["", *(f"row {row + 1:,}" for row in pair.rows)]
        tables.append(_text_table([head, *found.lines(pair)]) + _paragraphs([found.says(pair)]))
    return f"<div>{_paragraphs([found.summary()])}{''.join(tables)}</div>"


def _paragraphs(texts: Iterable[object]) -> str:
    return "".join(f"<p>{escape(str(text))}</p>" for text in texts)


def _text_table(lines: Iterable[Iterable[str]]) -> str:
    """Return lines of text as a table, with the first as its head."""
    head, *rows = lines
    return _table(head, (_cells("td", map(escape, row)) for row in rows))


def _table(head: Iterable[str], rows: Iterable[str]) -> str:
    names = _cells("th", map(escape, head))
    return f"<table><thead>{names}</thead><tbody>{''.join(rows)}</tbody></table>"


def _cells(kind: str, cells: Iterable[str]) -> str:
    inside = "".join(f'<{kind} style="{CELL}">{cell}</{kind}>' for cell in cells)
    return f"<tr>{inside}</tr>"


def _row(rank: int, one: Effect | LeftOut) -> str:
    if isinstance(one, LeftOut):
        cells = ("", f"<bdi>{escape(one.column)}</bdi>", "", "", one.words)
    else:
        cells = (
            str(rank),
            f"<bdi>{escape(marked_name(one))}</bdi>",
            impact_words(one) if one.explained else "",
            sparkline(one),
            escape(" ".join([one.summary(), *([] if one.explained else one.remarks())])),
        )
    return _cells("td", cells)

"""A look at the table before it is explained: cards, each with a switch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from paribus.serve.prepare import chosen_rows, options_of, prepared
from paribus.serve.request import RunSettings
from paribus.serve.source import Source
from paribus.tidy.find import OF_THE_KIND, OF_THE_USE, check
from paribus.tidy.words import listed

if TYPE_CHECKING:
    import polars as pl

    from paribus.table.proposal import Proposal
    from paribus.tidy.result import Check

ORDER = ("leave out", "id", "group", "category", "cycle", "missing values", "question", "rows")


def look_at(table: pl.DataFrame, settings: RunSettings) -> Check:
    """Look at a table as a run will, with what the user decided undone."""
    options = options_of(settings)
    decided = {"kind": OF_THE_KIND, "together": OF_THE_USE}
    undone = [
        f"{name}:{role}" for by in decided for name in options.get(by, ()) for role in decided[by]
    ]
    asked = [f"{settings.target}:question"] if settings.scale else []
    look = check(table, settings.target, **settings.roles)
    known = {proposal.undo for proposal in look}
    return look.keep(*options.get("keep", ()), *undone, *(undo for undo in asked if undo in known))


def look(tell: Callable[..., None], *, source: Source, settings: RunSettings) -> dict[str, Any]:
    """Return the cards that the page shows for a look, as plain values."""
    tell(stage="Looking at the columns")
    whole = source.table(settings.numeric)
    found = look_at(prepared(whole, settings), settings)
    numbers = chosen_rows(whole, settings)
    shown = sorted((p for p in found if p.is_shown), key=lambda p: ORDER.index(p.role))
    cards = [_card(p, numbers[list(p.rows)].tolist()) for p in shown]
    mentioned = {p.column for p in shown} | {m for p in shown for m in p.members}
    plain = {p.column: p.reason for p in found if p.column not in mentioned and p.role == "explain"}
    return {
        "done": [card for card in cards if card["undo"] and not card["small"]],
        "small": [card for card in cards if card["small"]],
        "asked": [card for card in cards if not card["undo"]],
        "plain": plain,
    }


def _card(proposal: Proposal, rows: Sequence[int]) -> dict[str, Any]:
    others = [member for member in proposal.members if member != proposal.column]
    is_group = proposal.role == "group"
    members = proposal.members if is_group else (proposal.column,)
    return {
        "column": proposal.column,
        "others": listed(others) if is_group and others else "",
        "done": proposal.done,
        "reason": proposal.reason,
        "out": proposal.role in OF_THE_USE,
        "undo": [f"{m}:{proposal.role}" for m in members] if proposal.is_applied else [],
        "small": proposal.role == "category" and len(proposal.values) == 2,
        "ask": proposal.ask or "",
        "rows": rows,
    }

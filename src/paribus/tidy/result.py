"""What a look at a table found: proposals, how to carry them out, how to undo them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from html import escape
from typing import Any, overload

import numpy as np

from paribus.base import errors
from paribus.base.notes import Note, Remedy, python_advice
from paribus.table.columns import Backend, Column, Table, make_frame
from paribus.table.proposal import DONE, Proposal

FEW_IN_A_ROUND = 12  # a cycle of so many values is shown as a category

LEFT = "style='text-align:left'"


@dataclass(frozen=True, slots=True)
class Plan:
    """The proposals in the form in which they are carried out.

    Attributes
    ----------
    left_out : tuple of str
    groups : tuple of tuple of str
        Columns explained as one, the one that stands for all first.
    apart : tuple of str
        Members of a group that can also be explained separately: parts of a sum.
    along : mapping of str to tuple of str
        For a column, those that are not held still while it is explained.
    kinds : mapping of str to {"categorical"}
    cycles : mapping of str to int
        The period.
    sentinels : mapping of str to tuple of float
        Values to treat as missing.
    flags : mapping of str to str
        Columns to add, such as ``"yr_renovated is 0"``, and the columns whose common stand-ins
        they mark: treated as missing, these would otherwise be forgotten.
    told : tuple of Proposal
        Those that deserve a note.
    """

    left_out: tuple[str, ...] = ()
    groups: tuple[tuple[str, ...], ...] = ()
    apart: tuple[str, ...] = ()
    along: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    cycles: Mapping[str, int] = field(default_factory=dict)
    sentinels: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    flags: Mapping[str, str] = field(default_factory=dict)
    told: tuple[Proposal, ...] = ()

    @property
    def hidden(self) -> frozenset[str]:
        """Return the columns that only move along with the one that represents their group."""
        return frozenset(m for group in self.groups for m in group[1:] if m not in self.apart)


@dataclass(frozen=True, slots=True)
class Tidied:
    """A table after a plan: columns left out, recoded and blanked, and the plan itself."""

    table: Table
    plan: Plan


@dataclass(frozen=True, slots=True, repr=False)
class Check(Sequence[Proposal]):
    """A look at a table: for each column what it is, what will be done with it, and why.

    A sequence of `Proposal`; `check["zipcode"]` gives those of one column.

    Attributes
    ----------
    target : str
    proposals : tuple of Proposal
        In the order of the table; a column can have several.
    n_rows : int
        Rows that have a target.
    along : mapping of str to tuple of str
        Columns that move along when one of a nested pair, a sum or a choice is explained.
    backend : str or None
        The library of the table.
    notes : tuple of Note
        How a file was read.
    """

    target: str
    proposals: tuple[Proposal, ...]
    n_rows: int
    along: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    backend: Backend | None = None
    notes: tuple[Note, ...] = ()

    def __len__(self) -> int:
        return len(self.proposals)

    def __iter__(self) -> Iterator[Proposal]:
        return iter(self.proposals)

    @overload
    def __getitem__(self, at: int) -> Proposal: ...
    @overload
    def __getitem__(self, at: str | slice) -> tuple[Proposal, ...]: ...
    def __getitem__(self, at: int | str | slice) -> Proposal | tuple[Proposal, ...]:
        """Return a proposal by its position, or a column's proposals by its name."""
        if not isinstance(at, str):
            return self.proposals[at]
        found = tuple(p for p in self.proposals if p.column == at)
        if not found:
            raise errors.unknown_column(at, list(dict.fromkeys(p.column for p in self)))
        return found

    def __repr__(self) -> str:
        changed = sum(p.is_applied for p in self)
        proposals = f"{changed} proposal{errors.plural(changed)}"
        return f"<Check: {self.target}, {self.n_rows:,} rows, {proposals}>"

    def __str__(self) -> str:
        return self.summary()

    def keep(self, *columns: str) -> Check:
        """Undo proposals: all for a column, or one by its `undo`, such as ``"zipcode:category"``.

        Naming a column without a proposal is not an error.

        Examples
        --------
        >>> import paribus as pb
        >>> check = pb.check({"id": range(50), "y": [k % 7 for k in range(50)]}, "y")
        >>> check.plan().left_out, check.keep("id").plan().left_out
        (('id',), ())
        """
        known, columns = {p.column for p in self}, tuple(map(str, columns))
        for column in columns:
            if column not in known and _column_of(column) not in known:
                undone = {p.undo for p in self if p.is_applied} if ":" in column else set()
                raise errors.unknown_column(column, sorted(known | undone))
        changed = [_kept(p) if {p.column, p.undo} & set(columns) else p for p in self]
        kept = {p.column for p, q in zip(self, changed, strict=True) if p is not q}
        along = {
            c: tuple(m for m in moved if m not in kept)
            for c, moved in self.along.items()
            if c not in kept
        }
        proposals = dict.fromkeys(_less(p, kept) for p in changed)
        return replace(self, proposals=tuple(proposals), along=along)

    def plan(self) -> Plan:
        """Return the proposals in the form in which they are carried out."""
        out = {p.column for p in self if p.role in ("leave out", "id")}
        groups = _groups(self.proposals, out)
        apart = {p.column for p in self if p.apart}
        copies = {g[0]: tuple(m for m in g[1:] if m not in apart) for g in groups}
        flags = {p.flag: p.column for p in self if p.flag and p.column not in out}
        moved = {**self.along, **{flag: (column,) for flag, column in flags.items()}}
        along = _along(moved, copies, out)
        few = {p.column for p in self if p.role == "cycle" and p.period <= FEW_IN_A_ROUND}
        kinds = {p.column for p in self if p.role == "category"} | few
        return Plan(
            left_out=tuple(dict.fromkeys(p.column for p in self if p.column in out)),
            groups=groups,
            apart=tuple(m for group in groups for m in group[1:] if m in apart),
            along=along,
            kinds=dict.fromkeys((p.column for p in self if p.column in kinds), "categorical"),
            cycles={p.column: p.period for p in self if p.role == "cycle"},
            sentinels={p.column: p.values for p in self if p.role == "missing values"},
            flags=flags,
            told=tuple(p for p in self if p.is_told),
        )

    def apply(self, table: Table) -> Tidied:
        """Carry out the proposals on a table: leave out, recode, blank, and add flags.

        Columns that are not in the table, such as weights removed earlier, are skipped.
        """
        plan = self.plan()
        kept = [c for c in table.columns if c.name not in plan.left_out]
        flags = [
            _flag(c, flag, plan) for c in kept for flag, of in plan.flags.items() if of == c.name
        ]
        columns = (*(_recoded(c, plan) for c in kept), *flags)
        return Tidied(Table(columns, table.n_rows, table.backend), plan)

    def summary(self) -> str:
        """Say what each column is and what will be done with it, one line per column.

        Examples
        --------
        >>> import paribus as pb
        >>> table = {"id": range(50), "y": [k % 7 for k in range(50)], "sex": [0, 1] * 25}
        >>> print(pb.check(table, "y").summary())
        A look at the table before y is explained: 50 rows.
        id: Left out as an id. It counts the rows.
        sex: Taken as a category. It has two values, 0 and 1.
        """
        head = f"A look at the table before {self.target} is explained: {self.n_rows:,} rows."
        lines = (f"{column}: {text}" for column, text in self.lines().items())
        return "\n".join([head, *map(str, self.notes), *lines])

    def lines(self, advice: Callable[[Remedy], str] = python_advice) -> dict[str, str]:
        """Return one line for each column: what is done with it, and why.

        `advice` words what would answer a question.
        """
        lines: dict[str, dict[str, None]] = {}
        for p in self:
            said = [f"{p.done}.", p.reason, *([advice(p.remedy)] if p.remedy else ())]
            lines.setdefault(p.column, {}).update(dict.fromkeys(said))
        return {column: " ".join(parts) for column, parts in lines.items()}

    def to_frame(self) -> Any:
        """Return the proposals as a data frame, in the library of the data.

        Examples
        --------
        >>> import paribus as pb
        >>> check = pb.check({"id": range(50), "y": [k % 7 for k in range(50)]}, "y")
        >>> list(check.to_frame().columns)
        ['column', 'role', 'reason', 'strength', 'members', 'undo']
        """
        plain = ("column", "role", "reason", "strength")
        columns: dict[str, Any] = {name: [getattr(p, name) for p in self] for name in plain}
        columns["members"] = [", ".join(p.members) for p in self]
        columns["undo"] = [p.undo if p.is_applied else "" for p in self]
        return make_frame(columns, self.backend)

    def to_dict(self) -> dict[str, Any]:
        """Return the look as plain Python values, ready for JSON."""
        names = ("column", "role", "reason", "strength", "period", "flag")
        lists = ("members", "values", "rows")
        stored = [
            {n: getattr(p, n) for n in names} | {n: list(getattr(p, n)) for n in lists}
            | {"undo": p.undo, "applied": p.is_applied}
            for p in self
        ]  # fmt: skip
        notes = list(map(asdict, self.notes))
        return {
            "target": self.target, "n_rows": self.n_rows, "proposals": stored, "notes": notes,
        }  # fmt: skip

    def _repr_html_(self) -> str:
        """Show the proposals in a notebook."""
        cells = (
            f"<tr><td {LEFT}>{escape(column)}</td><td {LEFT}>{escape(text)}</td></tr>"
            for column, text in self.lines().items()
        )
        head = f"<tr><th {LEFT}>column</th><th {LEFT}>what is done, and why</th></tr>"
        above = "".join(f"<p>{escape(str(note))}</p>" for note in self.notes)
        return f"{above}<table><thead>{head}</thead><tbody>{''.join(cells)}</tbody></table>"


def _groups(proposals: Sequence[Proposal], out: set[str]) -> tuple[tuple[str, ...], ...]:
    """Return the groups, merging those that are represented by the same column."""
    joined: dict[str, dict[str, None]] = {}
    for p in proposals:
        if p.role == "group" and p.members[0] == p.column:
            joined.setdefault(p.column, {}).update(dict.fromkeys(p.members))
    groups = (tuple(m for m in group if m not in out) for group in joined.values())
    return tuple(group for group in groups if len(group) > 1)


def _along(
    moved: Mapping[str, tuple[str, ...]], copies: Mapping[str, tuple[str, ...]], out: set[str]
) -> dict[str, tuple[str, ...]]:
    """Return what moves along with each column; copies of a moving column move too."""
    found: dict[str, tuple[str, ...]] = {}
    for column in dict.fromkeys([*copies, *moved]):
        first = (*copies.get(column, ()), *moved.get(column, ()))
        every = dict.fromkeys(m for name in first for m in (name, *copies.get(name, ())))
        rest = tuple(m for m in every if m != column and m not in out)
        if column not in out and rest:
            found[column] = rest
    return found


def _column_of(undo: str) -> str:
    """Return the column in a proposal's `undo`: ``"zipcode"`` for ``"zipcode:category"``."""
    column, _, role = undo.rpartition(":")
    return column if role in DONE else ""


def _kept(proposal: Proposal) -> Proposal:
    return Proposal(proposal.column, "explain", "Kept as it is, as asked for.")


def _less(proposal: Proposal, kept: set[str]) -> Proposal:
    """Remove columns that are kept as they are from the groups of others."""
    if proposal.role != "group" or not kept & set(proposal.members):
        return proposal
    members = tuple(m for m in proposal.members if m not in kept)
    if len(members) < 2 or proposal.apart:
        return replace(proposal, role="explain", members=(), reason="Its group was undone.")
    return replace(proposal, members=members)


def _flag(column: Column, name: str, plan: Plan) -> Column:
    """Mark the rows whose value stands for something else."""
    marked = np.isin(column.values, plan.sentinels[column.name]).astype(np.float64)
    marked[np.isnan(column.values)] = np.nan
    return Column(name, "category", marked, (False, True))


def _recoded(column: Column, plan: Plan) -> Column:
    if column.kind != "category":
        column = column.blanked(plan.sentinels.get(column.name, ()))
    return column.as_category() if column.name in plan.kinds else column

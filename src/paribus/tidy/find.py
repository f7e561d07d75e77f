"""The look at a table: what each column is, by its name, its values and its relation to others."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from typing import Any

import numpy as np

from paribus.base.checks import as_names
from paribus.files import Reading, read_file
from paribus.strata.columns import Own
from paribus.table import errors as table_errors
from paribus.table.columns import Column, Table, as_table
from paribus.table.problem import Tidying, check_finite, split_off
from paribus.table.proposal import Proposal, Role, Strength, Why
from paribus.tidy import names as vocabulary
from paribus.tidy import values, words
from paribus.tidy.groups import group_columns
from paribus.tidy.joint import find_joint
from paribus.tidy.leaks import (
    Leak,
    leaks_by_clock,
    leaks_by_existence,
    leaks_by_link,
    leaks_by_strength,
    leaks_by_sum,
    shares_known,
)
from paribus.tidy.pairs import Link, find_links
from paribus.tidy.profile import Look, Profile, look_at
from paribus.tidy.result import Check
from paribus.tidy.sums import Relation, find_products, find_sums, find_switched

ROUNDS = 3  # of looking for sums that give the target: what a leak hides may be one as well
REPEATS = 1.05  # rows of an id, on average, from which they may belong together
COMMON = 0.05  # share of rows from which stand-ins for missing values are explained themselves
# What a caller decides who chooses a column's kind, or names the column.
OF_THE_KIND, OF_THE_USE = ("category", "cycle", "missing values"), ("leave out", "id")
SKEWED = 1.0  # skewness from which a positive target is better compared in per cent


def check(
    data: Any,
    target: Any,
    *,
    names: Sequence[str] | None = None,
    weights: Any = None,
    counts: Any = None,
    cluster: Any = None,
    within: Any = None,
    exposure: Any = None,
    keep: Sequence[str] = (),
) -> Check:
    """Look at a table before explaining it: what is each column, and what should be done with it?

    It finds columns made from the target, ids, columns that say the same thing, codes and cycles
    written as numbers, stand-ins for missing values, and rows that lie far from all others. What is
    called exact holds in every row; the rest was seen in a sample.

    Parameters
    ----------
    data : table
        A pandas, polars or pyarrow table, a dict of columns, a 2-D NumPy array, or the name of a
        file.
    target : str, array or Series
        The name of the target's column, or the target as a separate array.
    names : sequence of str, optional
        Column names, for a NumPy array.
    weights, counts, cluster, within, exposure : str, array or Series, optional
        As in `effects`: columns that are not explained because they say something about the rows.
    keep : sequence of str
        Proposals to undo: columns, or one proposal for a column such as ``"zipcode:category"``.

    Returns
    -------
    Check
        At least one proposal for each column, with reasons.

    Examples
    --------
    >>> import numpy as np
    >>> import paribus as pb
    >>> rng = np.random.default_rng(0)
    >>> wage = rng.lognormal(3, 0.5, 500)
    >>> exper = rng.integers(0, 40, 500)
    >>> data = {"wage": wage, "lwage": np.log(wage), "exper": exper, "expersq": exper**2}
    >>> look = pb.check(data, "wage")
    >>> look.plan().left_out, look.plan().groups
    (('lwage',), (('exper', 'expersq'),))
    >>> look["lwage"][0].reason
    'Column lwage is the logarithm of wage: lwage would give wage away.'
    """
    reading = read_file(data) if isinstance(data, (str, os.PathLike)) else Reading(data)
    whole = as_table(reading.table, names)
    table, column = split_off(whole, target, "target")
    roles = (weights, counts, cluster, within, exposure)
    named = [whole[str(role)].name for role in roles if isinstance(role, (str, int))]
    table = table.without(*named)
    for each in (*table.columns, column):
        check_finite(each.name, each.values)
    found, _ = check_table(table, column)
    return replace(found.keep(*as_names(keep)), notes=reading.notes)


def check_table(table: Table, target: Column, n_threads: int = 1) -> tuple[Check, Own]:
    """Look at a table without its target, both as plain arrays; return the rows' hashes as well."""
    unanswered = values.no_answers(target)
    coded = [_no_answers(target, unanswered)] if unanswered else []
    target = target.blanked(unanswered)
    n_rows = int(np.count_nonzero(~np.isnan(target.values)))
    if n_rows < 2:
        raise table_errors.too_few_rows(n_rows)
    if not table.columns:
        raise table_errors.no_columns()
    finder = _Finder(look_at(table, target, n_threads), coded)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        finder.run()
    order = {name: k for k, name in enumerate([*table.names, target.name])}
    later = ("rows", "question")
    proposals = sorted(finder.proposals(), key=lambda p: (order[p.column], p.role in later))
    found = Check(target.name, tuple(proposals), n_rows, finder.along, table.backend)
    return found, finder.look.own


def tidy_up(
    table: Table,
    target: Column,
    *,
    look: Check | None = None,
    keep: Sequence[str] = (),
    kinds: Sequence[str] = (),
    named: Sequence[str] = (),
    scaled: bool = False,
    sampled: bool = False,
    n_threads: int = 1,
) -> tuple[Table, Tidying, Own | None]:
    """Look at a table and carry out what is proposed, except for what the caller decided.

    If the look is taken now, the rows' hashes are returned as well.

    `look` is one taken earlier; the proposals `keep` are undone. The caller chose the kind of the
    columns `kinds` and, if `scaled`, the scale of the target; columns `named` were asked for and
    are not left out. Columns are not recoded if the table is `sampled` from one that is read in
    batches.
    """
    look, own = check_table(table, target, n_threads) if look is None else (look, None)
    decided = {f"{name}:{role}" for name in kinds for role in OF_THE_KIND}
    decided |= {f"{name}:{role}" for name in named for role in OF_THE_USE}
    decided |= {f"{target.name}:question"} if scaled else set()
    decided |= {p.undo for p in look if sampled and p.role in (*OF_THE_KIND, "rows")}
    undone = decided & {proposal.undo for proposal in look}
    tidied = look.keep(*keep, *undone).apply(table)
    plan = tidied.plan
    unanswered = plan.sentinels.get(target.name, ())
    arranged = (plan.along, plan.groups, plan.hidden, plan.told, plan.cycles, unanswered)
    return tidied.table, Tidying(*arranged), own


@dataclass(eq=False)
class _Finder:
    """Findings so far; columns are known by their position among the profiles, the target last."""

    look: Look
    found: list[Proposal] = field(default_factory=list)
    along: dict[str, tuple[str, ...]] = field(default_factory=dict)
    out: set[int] = field(default_factory=set)
    coded: set[int] = field(default_factory=set)
    clocks: list[int] = field(default_factory=list)

    def run(self) -> None:
        """Look for everything, the most certain first: what is left out is not looked at again."""
        self.find_idle()
        self.find_codes()
        self.find_interactions()
        names = frozenset(k for k in self.coded if k not in self.clocks and self._is_named(k))
        links = find_links(self.look, [*self.usable(), self.place_of_target], names)
        self.find_leaks(links)
        kept = set(self.usable())
        links = [link for link in links if {link.fine, link.coarse} <= kept]
        relations = self.find_relations(links)
        tied = {frozenset(pair) for r in relations for pair in permutations(r.members, 2)}
        self.find_groups([k for k in links if frozenset((k.fine, k.coarse)) not in tied])
        known = {frozenset((k.fine, k.coarse)) for k in links}
        self.find_joint(known | {frozenset(r.members) for r in relations})
        self.find_units()
        self.find_odd_values()
        self.find_offers()

    @property
    def place_of_target(self) -> int:
        return len(self.look.profiles) - 1

    def usable(self) -> list[int]:
        """Return the positions of the columns that are not left out."""
        return [k for k in range(self.place_of_target) if k not in self.out]

    def singles(self, links: Sequence[Link]) -> list[int]:
        """Return the usable columns without copies of others."""
        usable = set(self.usable())
        exact = [k for k in links if k.how != "near" and {k.fine, k.coarse} <= usable]
        groups, _ = group_columns(self.look.profiles, exact)
        copies = {name for group in groups for name in group.members[1:]}
        return [k for k in sorted(usable) if self.name(k) not in copies]

    def copies(self, *strengths: Strength) -> set[str]:
        """Return the names of columns that are represented by another one."""
        grouped = (p for p in self.found if p.role == "group" and p.strength in strengths)
        return {p.column for p in grouped if p.column != p.members[0] and not p.apart}

    def name(self, k: int) -> str:
        return self.look.profiles[k].name

    def leave_out(
        self, k: int, text: str, why: Why, strength: Strength = "exact", role: Role = "leave out"
    ) -> None:
        self.out.add(k)
        self.found.append(Proposal(self.name(k), role, text, strength, why=why))

    def find_idle(self) -> None:
        """Find columns that say nothing: constants and ids."""
        for k, profile in enumerate(self.look.features):
            if not len(profile.values) and np.isnan(profile.low):
                self.leave_out(k, "It has no value in any row.", "idle")
            elif profile.low == profile.high and not np.isnan(profile.column.values).any():
                self.leave_out(k, "It is the same in every row.", "idle")
            elif (found := values.as_id(profile, self.look.n_all)) is not None:
                self.leave_out(k, f"{words.sentence(found.reason)}.", "id", role="id")
                if found.rows_each >= REPEATS:
                    self.found.append(_cluster(profile.name, found.rows_each))

    def find_units(self) -> None:
        """Find names of units that are all seen equally often: their rows may belong together."""
        for k in self.usable():
            rows_each = values.unit_rows(self.look.profiles[k])
            if rows_each > 1 and self.name(k) not in self.copies("exact", "near"):
                self.found.append(_cluster(self.name(k), rows_each))

    def find_codes(self) -> None:
        """Find numbers that are names, or cyclic."""
        for k in self.usable():
            profile = self.look.profiles[k]
            if profile.is_category or profile.column.kind == "date":
                continue
            period = values.as_cycle(profile)
            if len(profile.values) == 2 and not profile.column.levels:
                low, high = (words.value_words(profile.column, v) for v in profile.values)
                reason, two = f"It has two values, {low} and {high}.", tuple(profile.values)
                self._code(k, Proposal(profile.name, "category", reason, values=two))
            elif period is not None:
                reason = f"It runs in a circle of {period}."
                self._code(k, Proposal(profile.name, "cycle", reason, period=period))
            elif values.is_clock(profile):
                self.clocks.append(k)
                reason = "It is a time of day written as hhmm: 2359 is followed by 0."
                self._code(k, Proposal(profile.name, "cycle", reason, period=2400))
            elif values.is_code(profile):
                reason = f"Its {len(profile.values)} whole numbers are names, not amounts."
                self._code(k, Proposal(profile.name, "category", reason, "hint"))

    def _is_named(self, k: int) -> bool:
        roles = {p.role for p in self.found if p.column == self.name(k)}
        return "category" in roles and len(self.look.profiles[k].values) > 2

    def _code(self, k: int, proposal: Proposal) -> None:
        self.coded.add(k)
        self.found.append(proposal)

    def find_leaks(self, links: Sequence[Link]) -> None:
        """Find columns made from the target, and columns that say the same as one of them."""
        look = self.look
        self._leak(leaks_by_link(look, links), links)
        self._leak(leaks_by_existence(look, self.usable()), links)
        for _ in range(ROUNDS):
            amounts = [k for k in self.singles(links) if k not in self.coded]
            amounts.append(self.place_of_target)
            sums = leaks_by_sum(look, find_sums(look, amounts))
            sums += leaks_by_sum(look, find_products(look, amounts))
            if not sums:
                break
            self._leak(sums, links)
        clocks = [k for k in self.clocks if k not in self.out]
        made = [k for k in self.out if look.profiles[k].column.kind == "number"]
        self._leak(leaks_by_clock(look, clocks, [*made, self.place_of_target]), links)
        known = shares_known(look, self.usable())
        together = [frozenset((self.name(k.fine), self.name(k.coarse))) for k in links]
        self._leak(leaks_by_strength(look, known, together), links)

    def _leak(self, leaks: Sequence[Leak], links: Sequence[Link]) -> None:
        """Leave out what clearly gives the target away, and ask about the rest."""
        place = {self.name(k): k for k in self.usable()}
        target = self.look.target.name
        for leak in {leak.name: leak for leak in leaks}.values():
            before = vocabulary.words(leak.name) & vocabulary.BEFORE
            kin = leak.strength == "near" and vocabulary.kin(leak.name, target) and not before
            if leak.strength != "exact" and not kin:
                why = words.sentence(leak.reason)
                text = f"{why}. Was it made from {target}, or known only after it?"
                self.found.append(Proposal(leak.name, "question", text, leak.strength, ask="drop"))
            elif place[leak.name] not in self.out:
                text = f"{words.sentence(leak.reason)}: {leak.name} would give {target} away."
                self._give_away(place[leak.name], text, leak)
                self._leak_copies(place[leak.name], leak, links)

    def _leak_copies(self, k: int, leak: Leak, links: Sequence[Link]) -> None:
        """Leave out what says the same as a leak."""
        for link in links:
            other = {link.fine: link.coarse, link.coarse: link.fine}.get(k)
            if link.how in ("same", "steps") and other in self.usable():
                why = words.sentence(words.linked(link, self.look.profiles, other))
                text = f"{why}, which would give {self.look.target.name} away."
                self._give_away(other, text, leak)

    def _give_away(self, k: int, text: str, leak: Leak) -> None:
        """Leave a column out, unless it is the last."""
        if len(self.usable()) > 1:
            self.leave_out(k, text, "leak", leak.strength)

    def find_groups(self, links: Sequence[Link]) -> None:
        """Find columns that say the same, and columns nested in others."""
        groups, nested = group_columns(self.look.profiles, links)
        for group in groups:
            first, rest = group.members[0], group.members[1:]
            why = "; ".join(dict.fromkeys(group.reasons))
            strength: Strength = "exact" if group.exact else "near"
            reason = f"It stands for {words.listed(rest)} too: {why}."
            self.found.append(Proposal(first, "group", reason, strength, group.members))
            for name, text in zip(rest, group.reasons, strict=True):
                reason = f"{words.sentence(text)}: it is explained with {first}."
                self.found.append(Proposal(name, "group", reason, strength, group.members))
        finer_of: dict[str, list[str]] = {}
        for coarse, fine in nested:
            self._moves(coarse, fine)
            self._moves(fine, coarse)
            finer_of.setdefault(coarse, []).append(fine)
        for coarse, finer in finer_of.items():
            shown = words.listed(finer)
            reason = f"It follows from {shown} in every row: each moves along with the other."
            self.found.append(Proposal(coarse, "explain", reason, members=(coarse, *finer)))

    def find_joint(self, known: Collection[frozenset[int]]) -> None:
        """Find columns that two others fix together."""
        shown = [k for k in self.usable() if self.name(k) not in self.copies("exact", "near")]
        for fixed, pair in find_joint(self.look, shown, known).items():
            name, one, other = (self.name(k) for k in (fixed, *pair))
            self._moves(name, one, other)
            reason = f"It follows from {one} and {other} together: explained while they move along."
            self.found.append(Proposal(name, "explain", reason, members=(name, one, other)))

    def _moves(self, column: str, *others: str) -> None:
        self.along[column] = tuple(dict.fromkeys([*self.along.get(column, ()), *others]))

    def find_interactions(self) -> None:
        """Find columns that are another times a 0/1 column."""
        for relation in find_switched(self.look, self.usable()):
            made, *factors = (self.name(k) for k in relation.members)
            text = f"Column {made} is {' times '.join(factors)}: its effect belongs to theirs."
            self.leave_out(relation.members[0], text, "product")

    def find_relations(self, links: Sequence[Link]) -> list[Relation]:
        """Find sums, choices and products among columns of which none is another's copy."""
        single = self.singles(links)
        relations = [*find_sums(self.look, single), *find_products(self.look, single)]
        for relation in relations:
            self._relate(relation)
        self._move_choices(relations)
        return relations

    def _move_choices(self, relations: Sequence[Relation]) -> None:
        """Let a sum move with every choice that its parts belong to, which would determine it."""
        choices = [set(r.parts) for r in relations if r.whole is None]
        for relation in (r for r in relations if r.whole is not None):
            for choice in (c for c in choices if c & set(relation.parts)):
                self._moves(self.name(relation.members[0]), *map(self.name, sorted(choice)))

    def _relate(self, relation: Relation) -> None:
        members = tuple(self.name(k) for k in relation.members)
        if relation.whole is None:
            self._choose(relation, members)
            return
        whole, *parts = members
        product = relation.kind == "product"
        made = words.sum_words(whole, parts, relation.signs, relation.offset, product)
        text = words.sentence(f"{made} in every row")
        self._moves(whole, *(parts[:1] if product else parts))
        for part in parts:
            self._moves(part, whole)
        if product or -1 in relation.signs:
            reason = f"{text}: each is explained while another moves along."
            self.found += [Proposal(m, "explain", reason, members=members) for m in members]
            return
        reason = f"{text}: explained as a whole, the parts moving along."
        self.found.append(Proposal(whole, "group", reason, members=members, apart=True))
        alone = f"{text}: explained with {whole}, and on its own."
        self.found += [Proposal(p, "group", alone, members=members, apart=True) for p in parts]

    def _choose(self, relation: Relation, members: tuple[str, ...]) -> None:
        shown = words.listed(members)
        made = f"Columns {shown} always add up to the same"
        if all(self.look.profiles[k].is_binary for k in relation.members):
            made = f"Exactly one of {shown} is 1 in every row"
        reason = f"{made}: explained while the others move along."
        for member in members:
            self._moves(member, *(m for m in members if m != member))
            self.found.append(Proposal(member, "explain", reason, members=members))

    def find_odd_values(self) -> None:
        """Find stand-ins for missing values, and rows that lie far from all others."""
        copies = self.copies("exact")
        for k in [*self.usable(), self.place_of_target]:
            profile = self.look.profiles[k]
            if profile.is_category or k in self.coded:
                continue
            copied = k == self.place_of_target or profile.name in copies
            blank = [] if copied else values.stand_ins(profile)
            if blank:
                self.found.append(_stand_ins(profile, blank))
            odd = values.odd_rows(profile, self.look, blank)
            if odd is not None:
                rows, lie = self.look.row_numbers(odd[0]), odd[1]
                reason = f"{lie}: {words.rows_words(rows)}."
                self.found.append(Proposal(profile.name, "rows", reason, "near", rows=rows))

    def find_offers(self) -> None:
        """Find better ways to put the question: in per cent, as a rate, with weights."""
        target = self.look.target
        amount = target.column.kind == "number" and len(target.values) > values.MANY
        if amount and target.low > 0 and _skewness(target.column.values) > SKEWED:
            text = "It is positive and skewed: would you compare its values in per cent?"
            self.found.append(Proposal(target.name, "question", text, "hint", ask="per cent"))
        counts = target.is_whole and 0 <= target.low <= 1 and len(target.values) > 2
        for k in self.usable():
            profile = self.look.profiles[k]
            if counts and vocabulary.words(profile.name) & vocabulary.EXPOSURE and profile.low > 0:
                text = f"Is it what {target.name} is counted over? Their ratio would be a rate."
                self.found.append(Proposal(profile.name, "question", text, "hint", ask="rate"))
            if vocabulary.says(profile.name, vocabulary.WEIGHT) and profile.low >= 0:
                text = "Does it say how many people each row stands for?"
                self.found.append(Proposal(profile.name, "question", text, "hint", ask="weights"))

    def proposals(self) -> Iterator[Proposal]:
        """Return all findings, and for columns without any what they are."""
        out = {self.name(k) for k in self.out}
        done = ("leave out", "id", "question")
        yield from (p for p in self.found if p.column not in out or p.role in done)
        mentioned = {p.column for p in self.found if p.role not in ("question", "rows")}
        for profile in self.look.features:
            if profile.name not in mentioned:
                yield Proposal(profile.name, "explain", words.plainly(profile))


def _cluster(name: str, rows_each: float) -> Proposal:
    reason = f"It repeats ({rows_each:.3g} rows each): do these rows belong together?"
    return Proposal(name, "question", reason, ask="cluster")


def _stand_ins(profile: Profile, blank: list[float]) -> Proposal:
    """Propose to treat values as missing, and to mark them if they are common."""
    reason = f"{values.stand_in_words(profile.column, blank)}: taken as missing"
    flag = ""
    if np.mean(np.isin(profile.column.values, blank)) >= COMMON:
        shown = " or ".join(words.value_words(profile.column, v) for v in blank)
        flag = f"{profile.name} is {shown}"
        reason += f", and explained as a column of its own, {flag!r}"
    return Proposal(
        profile.name, "missing values", f"{reason}.", "near", values=tuple(blank), flag=flag
    )


def _no_answers(target: Column, codes: list[float]) -> Proposal:
    """Propose to leave out the rows whose target is a code for no answer."""
    said = values.stand_in_words(target, codes)
    reason = f"{said}: taken as a code for no answer, and these rows are left out."
    return Proposal(target.name, "missing values", reason, "near", values=tuple(codes))


def _skewness(y: Any) -> float:
    return float((((y - y.mean()) / max(float(y.std()), 1e-300)) ** 3).mean())

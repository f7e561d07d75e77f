"""Columns made from the target, or known only once the target is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from paribus.base.arrays import BoolArray, FloatArray
from paribus.table.columns import Column
from paribus.tidy import names, words
from paribus.tidy.pairs import EVIDENCE, Link
from paribus.tidy.profile import Look, Profile
from paribus.tidy.sums import Relation

CERTAIN, OTHERS = 0.95, 0.85  # share of the target that a leak gives, and that no other does
STRONG = 0.3  # share from which a name that speaks of afterwards is worth a hint
FEWEST_EXISTING = 50
BELOW = 0.5  # share of rows without the column that have a lower, or higher, target than all with
GROUPS, FEWEST_ALIKE = 64, 8  # groups of like values, and rows of each, at least
FEW_LEVELS = 10
SEPARATED = 200  # rows, less what chance gives, that a threshold must separate without a mistake
NEIGHBOURS, ROOM = 30, 6.0  # values on either side of a cut, and their steps that set them apart
CLOCKS = 0.95  # share of rows in which two times of day give the target
DAY, CLOSELY = 1440, 60  # minutes


@dataclass(frozen=True, slots=True)
class Leak:
    """A column made from the target: exactly, nearly, or as far as its name hints at."""

    name: str
    reason: str
    strength: Literal["exact", "near", "hint"]


def leaks_by_link(look: Look, links: Sequence[Link]) -> list[Leak]:
    """Find functions of the target, and columns of which the target is one."""
    t, target = len(look.profiles) - 1, look.target.name
    found = []
    for link in links:
        if t not in (link.fine, link.coarse) or link.how == "near":
            continue
        place = link.coarse if link.fine == t else link.fine
        other, gives = look.profiles[place], link.coarse == t
        few = len(other.values) <= max(FEW_LEVELS, 2 * len(look.target.values))
        related = few and (len(look.target.values) <= FEW_LEVELS or names.kin(other.name, target))
        if gives and link.how == "fixed" and not related:
            continue
        rows = look.n_rows * (1 - look.target.by_chance)
        sure = not (gives and link.how == "steps") or rows >= SEPARATED
        fine, coarse = look.profiles[link.fine], look.profiles[link.coarse]
        sure &= not (link.how == "steps" and len(coarse.values) == 2 and _lie_apart(fine, coarse))
        reason = words.linked(link, look.profiles, place)
        found.append(Leak(other.name, reason, "exact" if sure else "near"))
    return found


def _lie_apart(fine: Profile, coarse: Profile) -> bool:
    """Tell whether values lie apart where two groups of rows are separated.

    A column cut from another at some value has groups that touch there, as passed and failed do.
    Groups with room between them may be two sorts of things, as species are.
    """
    present = ~np.isnan(fine.column.values) & ~np.isnan(coarse.column.values)
    x, group = fine.column.values[present], coarse.column.values[present]
    low, high = np.sort(x[group == group.min()]), np.sort(x[group == group.max()])
    if low[0] > high[0]:
        low, high = high, low
    room = float(high[0] - low[-1])
    around = np.unique(np.concatenate([low[-NEIGHBOURS:], high[:NEIGHBOURS]]))
    steps = np.diff(around)
    usual = float(np.mean(steps[steps < room])) if np.any(steps < room) else room
    return room > ROOM * usual


def leaks_by_sum(look: Look, relations: Sequence[Relation]) -> list[Leak]:
    """Find columns whose sum, difference, product or ratio is the target.

    What is added or multiplied is left out; what is subtracted may have been known before. Of a
    share and its base only the share was made from the target.
    """
    t = len(look.profiles) - 1
    found = []
    for relation in relations:
        if relation.whole is None or t not in relation.members:
            continue
        signs_of = dict(zip(relation.members, (-1, *relation.signs), strict=True))
        own = signs_of.pop(t)
        solved = {k: -own * sign for k, sign in signs_of.items()}
        named = [look.profiles[k].name for k in solved]
        product = relation.kind == "product"
        offset = relation.offset**-own if product else -own * relation.offset
        signs = list(solved.values())
        reason = words.sum_words(look.target.name, named, signs, offset, product)
        added = [look.profiles[k].name for k, sign in solved.items() if sign > 0]
        shares = [name for name in added if product and _is_share(name)]
        found += [Leak(name, f"{reason} in every row", "exact") for name in shares or added]
    return found


def _is_share(name: str) -> bool:
    first = name.lower()
    return bool(names.words(name) & names.SHARE) or first.startswith(("perc", "pct", "prc"))


def leaks_by_existence(look: Look, usable: Sequence[int]) -> list[Leak]:
    """Find amounts that exist only where the target is high, or low: claims paid, reasons given."""
    target = look.target.column
    found = []
    for k in usable:
        profile = look.profiles[k]
        for exists, what in _existing(profile):
            side = _one_class(target, exists) if target.levels else _pure(target.values, exists)
            if side:
                known = f"column {profile.name} {what} only where {look.target.name} is {side}"
                found.append(Leak(profile.name, known, "exact"))
                break
    return found


def _existing(profile: Profile) -> list[tuple[BoolArray, str]]:
    out = []
    values = profile.column.values
    if 0 < profile.n_missing < len(profile.codes):
        out.append((~np.isnan(values), "has a value"))
    zeros = profile.counts[profile.values == 0].sum() if not profile.is_category else 0
    if profile.low >= 0 and 0.2 * profile.n_present < zeros < profile.n_present:
        out.append((values > 0, "is above 0"))
    return out


def _pure(y: FloatArray, exists: BoolArray) -> str:
    """Say where the target must lie for a column to have a value; empty if it need not.

    Either a threshold separates these rows from all others, or they avoid the one value, the lowest
    or the highest, that most rows have: no claim, no amount.
    """
    if exists.all() or not exists.any():
        return ""
    low, high = float(y[exists].min()), float(y[exists].max())
    others = y[~exists]
    below, above = others < low, others > high
    if _is_sure(exists, float(np.mean(y < low))) and (below.all() or y.min() == _atom(y[y < low])):
        return f"at least {low:.6g}"
    if _is_sure(exists, float(np.mean(y > high))) and (
        above.all() or y.max() == _atom(y[y > high])
    ):
        return f"at most {high:.6g}"
    return ""


def _atom(y: FloatArray) -> float | None:
    """Return the value that all have, if it is one."""
    return float(y[0]) if len(y) and bool(np.all(y == y[0])) else None


def _one_class(target: Column, exists: BoolArray) -> str:
    """Name the class that all of some rows have; nothing if they have several."""
    classes = np.unique(target.values[exists])
    if exists.all() or len(classes) != 1:
        return ""
    others = float(np.mean(target.values != classes[0]))
    return str(target.levels[int(classes[0])]) if _is_sure(exists, others) else ""


def _is_sure(exists: BoolArray, others: float) -> bool:
    """Tell whether rows avoid a share of the target's values more surely than by chance."""
    count = int(exists.sum())
    surprise = -count * np.log1p(-min(others, 1 - 1e-12))
    return count >= FEWEST_EXISTING and others >= BELOW and surprise >= EVIDENCE


def leaks_by_clock(look: Look, clocks: Sequence[int], made: Sequence[int]) -> list[Leak]:
    """Find times of day whose difference is the target, or something made from it.

    `made` are the positions of these amounts, in minutes. Of the two times the planned one was
    known before; times that closely follow the other are left out with it.
    """
    written = {k: look.profiles[k].sampled for k in clocks}
    minutes = {k: 60 * (hhmm // 100) + hhmm % 100 for k, hhmm in written.items()}
    found: dict[int, Leak] = {}
    for y in made:
        late = look.profiles[y].sampled
        for a, b in combinations(clocks, 2):
            if _agree(minutes[a] - minutes[b], late) or _agree(minutes[b] - minutes[a], late):
                planned = names.says(look.profiles[a].name, names.PLANNED)
                came, due = (b, a) if planned else (a, b)
                reason = (
                    f"column {look.profiles[y].name} is the time from {look.profiles[due].name} to "
                    f"{look.profiles[came].name}"
                )
                found[came] = Leak(look.profiles[came].name, reason, "exact")
    for k in [k for k in clocks if not names.says(look.profiles[k].name, names.PLANNED)]:
        for came in [came for came in found if came != k and k not in found]:
            apart = np.abs((minutes[k] - minutes[came] + DAY / 2) % DAY - DAY / 2)
            if np.mean(apart[~np.isnan(apart)] <= CLOSELY) >= CLOCKS:
                one, other = look.profiles[k].name, look.profiles[came].name
                found[k] = Leak(one, f"column {one} follows closely on {other}", "exact")
    return list(found.values())


def _agree(apart: FloatArray, late: FloatArray) -> bool:
    """Tell whether a difference of times is what an amount says, midnight passed or not."""
    off = (apart - late) % DAY
    off = off[~np.isnan(off)]
    return len(off) >= EVIDENCE and bool(np.mean((off < 1) | (off > DAY - 1)) >= CLOCKS)


def shares_known(look: Look, usable: Sequence[int]) -> dict[int, float]:
    """Return the share of the target's variance that each column explains by itself.

    Rows are grouped by similar values; what groups of that size explain by chance is subtracted.
    """
    n = len(look.codes)
    y = look.target.sampled[:n]
    if look.target.is_category and len(look.target.values) > 2:
        y = (y == look.target.values[look.target.counts.argmax()]).astype(np.float64)
    y = y - y.mean()
    total = max(float(y @ y), 1e-300)
    width = max(n // GROUPS, FEWEST_ALIKE)
    known = {}
    for k in usable:
        profile, codes = look.profiles[k], look.codes[:, k]
        if not profile.is_category and len(profile.values) > n // width:
            starts = np.append(0, np.cumsum(profile.counts))
            codes = (starts * n // max(len(profile.codes), 1) // width)[codes]
        counts = np.bincount(codes)
        means = np.bincount(codes, y) / np.maximum(counts, 1)
        chance = (np.count_nonzero(counts) - 1) / max(n - 1, 1)
        share = float(counts @ means**2) / total
        known[k] = max(0.0, (share - chance) / max(1 - chance, 0.5))
    return known


def leaks_by_strength(
    look: Look, known: dict[int, float], together: Sequence[frozenset[str]]
) -> list[Leak]:
    """Find columns that nearly determine the target while no other comes close."""
    found = []
    strong = {look.profiles[k].name: share for k, share in known.items() if share >= STRONG}
    for name, share in strong.items():
        relatives = {name}.union(*(group for group in together if name in group))
        others = max((s for other, s in strong.items() if other not in relatives), default=0.0)
        if share >= CERTAIN and others < OTHERS:
            reason = f"column {name} alone gives {100 * share:.0f} % of {look.target.name}"
            found.append(Leak(name, f"{reason}, and no other column comes near", "near"))
        elif names.says(name, names.AFTERWARDS):
            reason = (
                f"its name sounds like something known only afterwards, and it alone gives "
                f"{100 * share:.0f} % of {look.target.name}"
            )
            found.append(Leak(name, reason, "hint"))
    return found

"""Groups of columns that say the same thing, and columns that are nested in others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from paribus.tidy import words
from paribus.tidy.names import TIME, says
from paribus.tidy.pairs import MANY, Link
from paribus.tidy.profile import Profile

Home: TypeAlias = dict[int, frozenset[int]]  # the columns that each one is put together with

FEWEST_LEVELS = 10
CLOSE = 0.5  # levels of a coarser category, as a share of the finer's, that leave little between
DENSE = 3  # a code's values fill at least a third of their range


@dataclass(frozen=True, slots=True)
class Group:
    """Columns that move together, the one a reader would choose first, and why for each other."""

    members: tuple[str, ...]
    reasons: tuple[str, ...]
    exact: bool


def group_columns(
    profiles: Sequence[Profile], links: Sequence[Link]
) -> tuple[list[Group], list[tuple[str, str]]]:
    """Group columns that cannot be told apart; a chain of twins is a group only if all are twins.

    Also returned are columns that follow from a finer one, each with that one: either can be
    explained while the other moves along.
    """
    nested = [link for link in links if _is_nested(link, profiles)]
    exact = [link for link in links if link not in nested and link.how != "near"]
    home = {k: frozenset([k]) for link in links for k in (link.fine, link.coarse)}
    _join(home, [link for link in exact if link.how == "same"])
    alike = dict(home)
    began = [link for link in exact if _began(link, home[link.fine], profiles)]
    once = {link.coarse for link in began}
    cut = [link for link in exact if link.how != "same" and link.coarse not in once]
    _join(home, _nearest(cut, profiles))
    _join_twins(home, profiles, links)
    cells = [cell for cell in dict.fromkeys(home[k] for k in sorted(home)) if len(cell) > 1]
    groups = [_group(cell, profiles, links) for cell in cells]
    return groups, _nested_pairs(nested + began, profiles, groups, home, alike)


def _join(home: Home, links: Sequence[Link]) -> None:
    """Put the columns of each link into one home."""
    for link in links:
        joined = home[link.fine] | home[link.coarse]
        home.update(dict.fromkeys(joined, joined))


def _join_twins(home: Home, profiles: Sequence[Profile], links: Sequence[Link]) -> None:
    """Put near twins into one home, the closest first, if all that are compared are twins."""
    core = {cell: _cores(cell, profiles, links) for cell in set(home.values())}
    near = sorted((k for k in links if k.how == "near"), key=lambda link: -link.correlation)
    twins = {frozenset((link.fine, link.coarse)) for link in near}
    for link in near:
        one, other = home[link.fine], home[link.coarse]
        pairs = {frozenset((i, j)) for i in core[one] for j in core[other]}
        if one != other and pairs <= twins:
            core[one | other] = core[one] | core[other]
            _join(home, [link])


def _nested_pairs(
    links: Sequence[Link],
    profiles: Sequence[Profile],
    groups: Sequence[Group],
    home: Home,
    alike: Home,
) -> list[tuple[str, str]]:
    """Return columns that follow from finer ones; where others stand for them, these are named.

    What follows from a copy follows from the column itself, but what a column's steps follow from
    does not fix the column.
    """
    head = {name: group.members[0] for group in groups for name in group.members}
    name = {k: head.get(profiles[k].name, profiles[k].name) for k in home}
    within = [
        (name[link.coarse], name[link.fine])
        for link in links
        if home[link.fine] != home[link.coarse]
        and name[link.coarse] in {profiles[k].name for k in alike[link.coarse]}
    ]
    return list(dict.fromkeys(within))


def _is_nested(link: Link, profiles: Sequence[Profile]) -> bool:
    """Tell a coarser column from a mere copy: the continent of a country from its code."""
    fine, coarse = profiles[link.fine], profiles[link.coarse]
    if link.how == "same":
        number = next((p for p in (fine, coarse) if not p.is_category), None)
        one_is_text = fine.is_category != coarse.is_category
        written = fine.is_digits or coarse.is_digits
        return one_is_text and number is not None and not (written or _is_code(number))
    if link.how != "fixed":
        return False
    names = all(p.is_category or p.is_whole for p in (fine, coarse))
    names &= fine.is_category or coarse.is_category
    close = FEWEST_LEVELS <= len(fine.values) < len(coarse.values) / CLOSE
    return not (names and close)


def _is_code(number: Profile) -> bool:
    width = number.high - number.low + 1
    return number.is_whole and width <= DENSE * len(number.values)


def _began(link: Link, fine: frozenset[int], profiles: Sequence[Profile]) -> bool:
    """Tell what merely began at some time, such as a law, from another way to write the time."""
    coarse = profiles[link.coarse]
    timed = any(profiles[k].column.kind == "date" or says(profiles[k].name, TIME) for k in fine)
    once = link.how == "steps" and link.form != "marker" and len(coarse.values) == 2
    return timed and once and not says(coarse.name, TIME) and len(profiles[link.fine].values) > MANY


def _nearest(cut: Sequence[Link], profiles: Sequence[Profile]) -> list[Link]:
    """Of the columns that one is cut from keep the coarsest."""
    best: dict[int, Link] = {}
    for link in cut:
        known = best.get(link.coarse)
        if known is None or len(profiles[link.fine].values) < len(profiles[known.fine].values):
            best[link.coarse] = link
    return list(best.values())


def _cores(cell: frozenset[int], profiles: Sequence[Profile], links: Sequence[Link]) -> set[int]:
    """Return the members by which a group is compared with twins: those that are no steps."""
    steps = {link.coarse for link in links if link.how in ("steps", "fixed")}
    finest = max(len(profiles[k].values) for k in cell)
    return {k for k in cell if k not in steps or len(profiles[k].values) == finest}


def _group(cell: frozenset[int], profiles: Sequence[Profile], links: Sequence[Link]) -> Group:
    inside = [link for link in links if link.fine in cell and link.coarse in cell]
    made = {link.coarse for link in inside if link.form not in ("", "another unit")}
    cut = {link.coarse for link in inside if link.how in ("steps", "fixed")}

    def preference(k: int) -> tuple[bool, bool, float, bool, int]:
        plain = profiles[k]
        return (k in cut, k in made, -_label_length(plain), plain.is_digits, k)

    first = min(cell, key=preference)
    rest = [k for k in sorted(cell) if k != first]
    reasons = [_reason(first, k, profiles, inside) for k in rest]
    members = tuple(profiles[k].name for k in (first, *rest))
    exact = all(link.how != "near" for link in inside)
    return Group(members, tuple(reasons), exact)


def _label_length(profile: Profile) -> float:
    """Return how long a column's names are: a name is preferred to its code."""
    if not profile.is_category or profile.is_digits:
        return 0.0
    return float(np.mean([len(str(level)) for level in profile.column.levels[:200]]))


def _reason(first: int, k: int, profiles: Sequence[Profile], inside: Sequence[Link]) -> str:
    """Say why one column belongs to the group: by its link to the first, or to another member."""
    own = [link for link in inside if k in (link.fine, link.coarse)]
    own.sort(key=lambda link: (link.how == "near", first not in (link.fine, link.coarse)))
    return words.linked(own[0], profiles, k)

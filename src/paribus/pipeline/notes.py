"""Notes on what was estimated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paribus.base.notes import Note, Remedy
from paribus.base.wording import listed, quoted, rows, together, were, written


def incomplete_rows(columns: Sequence[str], n_rows: int) -> Note:
    """Tell of rows left out because a column that is held still is missing there."""
    text = (
        f"{rows(n_rows)} without a value of {listed(columns, 5, last=' or ')} {were(n_rows)} left "
        f"out wherever {'that column is' if len(columns) == 1 else 'these columns are'} held still."
    )
    return Note("incomplete_rows", text, {"columns": list(columns), "rows": n_rows})


def filled_in(columns: Sequence[str], n_rows: int) -> Note:
    """Tell of missing values of held columns that were predicted from the other columns."""
    text = (
        f"Missing values of {listed(columns, 5)} ({rows(n_rows)}) were filled in from the other "
        "columns, without looking at the target."
    )
    return Note("filled_in", text, {"columns": list(columns), "rows": n_rows})


def may_be_confounded(feature: str, columns: Sequence[str]) -> Note:
    """Say that columns act together on a column and on the target, finer than can be held still."""
    text = (
        f"{together(columns)} strongly with both {feature!r} and the target. There are too few "
        "rows to hold them still more finely, and the answer still changes with how finely that is "
        "done: part of the effect shown may be theirs."
    )
    return Note("may_be_confounded", text, {"columns": list(columns)})


def within_units(
    feature: str, share: float, n_silent: int, n_units: int, slopes: tuple[float, float] | None
) -> Note:
    """Tell how much a column changes within units, and what it does between and within them."""
    text = f"{100 * share:.0f} % of the variance of {feature!r} lies within units"
    if n_silent:
        text += f"; in {n_silent:,} of {n_units:,} it never changes, and these add nothing"
    if slopes is not None:
        between, inside = slopes
        text += (
            f". Each extra 1 goes with {written(between, 3)} between units and "
            f"{written(inside, 3)} within them"
        )
    facts = {"share": share, "silent": n_silent, "units": n_units, "slopes": slopes}
    return Note("within_units", f"{text}.", facts)


def missing_not_comparable(feature: str, n_missing: int) -> Note:
    """Say that missing values have no point of their own."""
    text = (
        f"{rows(n_missing)} without a value of {feature!r} cannot be compared with the others: "
        "another column marks them, or is missing there too."
    )
    return Note("missing_not_comparable", text, {"rows": n_missing})


def twins(feature: str, names: Sequence[str]) -> Note:
    """Return the note on columns that fix the explained one."""
    text = (
        f"Column {feature!r} cannot be separated from {quoted(names)}: with "
        f"{'that' if len(names) == 1 else 'those'} held still, next to nothing of it is left to "
        "vary."
    )
    return Note("twins", text, {"columns": list(names)}, Remedy("together", tuple(names)))


def moved_together(feature: str, others: Sequence[str], tied: bool) -> Note:
    """Say that other columns moved along: as a group, or `tied` to it as parts and choices are."""
    why = "The effect is that of the whole group."
    if tied:
        why = f"{'It' if len(others) == 1 else 'They'} cannot be held still while it varies."
    text = f"Moved along with {feature!r}: {quoted(others)}. {why}"
    return Note("moved_together", text, {"columns": list(others), "tied": tied})


def nearly_fixed(feature: str, left: float) -> Note:
    """Return the note on a column that the others together all but fix."""
    share = f"only {100 * left:.2g} %" if left > 1e-5 else "less than 0.001 %"
    text = (
        f"With the other columns held still, {share} of the variance of {feature!r} is left: "
        "together they nearly determine it."
    )
    return Note("nearly_fixed", text, {"share": left})


def islands(feature: str, groups: Sequence[Sequence[Any]], counts: Sequence[int]) -> Note:
    """Return the note on levels that cannot be compared with each other."""
    shown = "; ".join(
        f"{', '.join(str(v) for v in group[:4])}{', ...' if len(group) > 4 else ''} ({rows(count)})"
        for group, count in list(zip(groups, counts, strict=True))[:4]
    )
    more = f"; and {len(groups) - 4:,} more" if len(groups) > 4 else ""
    text = (
        f"The levels of {feature!r} fall into {len(groups):,} groups that never meet among similar "
        f"rows, so levels of different groups cannot be compared: {shown}{more}."
    )
    return Note("islands", text, {"groups": [list(g) for g in groups], "rows": list(counts)})


def leak(feature: str, target: str, known: float) -> Note:
    """Return the note on a column that all but gives the target away."""
    text = (
        f"Column {feature!r} alone accounts for {100 * known:.1f} % of the variance of {target}: "
        "it may be made from it, or be known only afterwards."
    )
    return Note("leak", text, {"share": known}, Remedy("drop", (feature,)))


def low_share(feature: str, n_used: int, n_rows: int) -> Note:
    """Say that most rows say nothing."""
    text = (
        f"Only {n_used:,} of {rows(n_rows)} could be compared: among the others, rows alike in the "
        f"other columns do not differ in {feature!r}."
    )
    return Note("low_share", text, {"rows": n_used, "share": n_used / n_rows})


def few_rows(feature: str, n_used: int) -> Note:
    """Say that there is little to go by."""
    text = f"Only {rows(n_used)} could be compared: take {feature!r} as a hint, not a finding."
    return Note("few_rows", text, {"rows": n_used})


def imbalance(feature: str, other: str, share: float) -> Note:
    """Say that another column still moves along inside the strata."""
    text = (
        f"Among rows that are compared, {other!r} still moves with {feature!r} (it accounts for "
        f"{100 * share:.0f} % of its variance): that is adjusted for, which is less reliable than "
        "holding it still."
    )
    return Note("imbalance", text, {"column": other, "share": share})


def exact(target: str) -> Note:
    """Say that the target may be made from the columns."""
    text = (
        f"The other columns determine {target} exactly. If it was computed from some of them, as a "
        "sum is, consider leaving those out."
    )
    return Note("exact", text)


def heavy_tails(target: str) -> Note:
    """Say that few rows decide."""
    text = (
        f"One in a hundred rows accounts for a large part of the variance of {target}: a few "
        "extreme rows weigh heavily on the result."
    )
    return Note("heavy_tails", text)


def too_many_levels_to_differ(feature: str, most: int) -> Note:
    """Tell that an effect may differ from row to row, and that nobody looked."""
    text = (
        f"Whether the effect of {feature!r} differs from row to row was not tested, because it has "
        f"more than {most} levels. Rows count more, the more it varies among similar rows."
    )
    return Note("too_many_levels_to_differ", text, {"most": most})


def round_curve(name: str, period: float) -> Note:
    """Return the note on a number whose curve meets itself."""
    text = f"Column {name!r} runs in a circle of {period:g}, so its curve ends where it began."
    return Note("round", text, {"column": name, "period": period}, Remedy("keep", (name,)))


def round_side(name: str, period: float) -> Note:
    """Return the note on a column of two that runs in a circle."""
    text = f"Column {name!r} runs in a circle of {period:g}, so it has no slope."
    return Note("round_side", text, {"column": name}, Remedy("keep", (name,)))


def side_unknown(name: str, other: str) -> Note:
    """Return the note on a column of two whose own effect cannot be known."""
    text = (
        f"The other columns determine {name!r}: what it goes with by itself is not known. "
        f"At each of its values, {other!r} is shown relative to the mean there."
    )
    return Note("side_unknown", text, {"column": name})


def blank_cells(n_empty: int, n_cells: int) -> Note:
    """Return the note on places that no row comes near."""
    text = f"At {n_empty:,} of {n_cells:,} points of the two columns there are no rows: left blank."
    return Note("blank_cells", text, {"empty": n_empty, "of": n_cells})


def small_groups(by: str, n_rows: int, fewest: int) -> Note:
    """Return the note on groups that are too small to be explained by themselves."""
    text = (
        f"Groups of {by!r} with fewer than {fewest} rows, or with one value of the target only, "
        f"are left out of the comparison by group: {rows(n_rows)}."
    )
    return Note("small_groups", text, {"column": by, "rows": n_rows})


def clusters_across(by: str) -> Note:
    """Return the note on clusters with rows in several groups."""
    text = (
        f"Some clusters have rows in several groups of {by!r}. Their errors are treated as "
        "independent between groups, which usually makes differences look less certain than they "
        "are."
    )
    return Note("clusters_across", text, {"column": by})


def levels_of_one_cluster(name: str, n_levels: int) -> Note:
    """Tell of levels that cannot be told from the one cluster that they lie in."""
    lie = (
        "1 level lies in a single cluster"
        if n_levels == 1
        else (f"{n_levels:,} levels lie in a single cluster each")
    )
    text = (
        f"Of {name!r} {lie}: such an effect cannot be separated from what the rows of the cluster "
        "share, which its interval leaves out."
    )
    return Note("levels_of_one_cluster", text, {"column": name, "levels": n_levels})


def missing_of_pair(first: str, second: str, n_missing: int) -> Note:
    """Return the note on rows left out because one of two columns is missing."""
    text = (
        f"{rows(n_missing)} without a value of {first!r} or {second!r} {were(n_missing)} not "
        "compared."
    )
    return Note("missing_of_pair", text, {"rows": n_missing})


def pair_on_sample(n_sample: int, n_rows: int) -> Note:
    """Say which rows two columns at once were told from."""
    text = f"Two columns at once: estimated from {rows(n_sample)} of {n_rows:,}, drawn at random."
    return Note("pair_on_sample", text, {"rows": n_sample, "of": n_rows})


def sampled(n_sample: int, n_rows: int) -> Note:
    """Say that a part of the rows stands for all."""
    text = f"Based on a random sample of {n_sample:,} of {rows(n_rows)}."
    return Note("sampled", text, {"rows": n_sample, "of": n_rows})


def dropped(names: Sequence[str], why: str = "as asked") -> Note:
    """Return the note on columns left out on purpose."""
    return Note("dropped", f"Left out: {quoted(names)} ({why}).", {"columns": list(names)})

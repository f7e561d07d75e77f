"""Effects as plain values for a page."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from paribus.base.progress import Progress, silent
from paribus.plotting.by_group import groups_chart
from paribus.plotting.joint import lines_of, map_chart, slope_lines
from paribus.plotting.lines import lines_chart
from paribus.plotting.picture import MOST_LEVELS
from paribus.plotting.vega import spec_of
from paribus.report.behind import doubt_part, examples_part, support_part
from paribus.report.profiles import profiles_part
from paribus.report.sparkline import sparkline
from paribus.results import influence
from paribus.results.impact import impact_interval
from paribus.results.text import groups_table
from paribus.results.words import explained_with, impact_words, number, quantity, share_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from paribus.base.notes import Remedy
    from paribus.results import ByGroup, Effect, EffectSet, Interaction, JointEffect

MOST_BEHIND = 20  # columns with the rows behind them
MOST_ROWS = 5  # influential rows that are shown
MAP = "The whole surface; blank where no rows are."
ROOM = 75  # height that title, legend and axis take beside the picture


def summarise(
    effects: EffectSet,
    progress: Progress = silent,
    advice: Callable[[Remedy], str] = str,
    most: float = math.inf,
) -> dict[str, Any]:
    """Return what the page shows, as plain values; remedies are worded by `advice`.

    At most `most` columns have a chart; the others have only a line in the ranking.

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.body_weight(500, seed=0)
    >>> page = summarise(pb.effects(d.table, target="weight"))
    >>> page["question"], page["columns"][0]["name"]
    ('What goes with weight, other things equal?', 'height')
    """
    largest = max((e.impact for e in effects.effects if math.isfinite(e.impact)), default=0.0)
    effects = effects.with_common_notes()
    columns = []
    for k, effect in enumerate(effects.effects, start=1):
        part = column_part if k <= most else ranked_part
        shown = part(k, effect, largest, advice)
        if shown["charted"]:
            both = enumerate(effects.pairs_with(effect.feature))
            shown["pairs"] = [pair_part(f"c{k}-{i}", pair) for i, pair in both]
        columns.append(shown)
        progress(k, len(effects))
    levels = [e.conf_level for e in effects.effects if math.isfinite(e.conf_level)]
    return {
        "question": effects.question,
        "target": quantity(effects.target, effects.unit),
        "size": effects.size,
        "roles": effects.roles.sentences(),
        "average": effects.average,
        "sure": number(100 * levels[0]) if levels else "95",
        "notes": [note.with_advice(advice) for note in effects.notes],
        "columns": columns,
        "explained": [c for c in columns if c["explained"]],
        "acting": acting_part(effects.acting, {c["name"]: c["id"] for c in columns}),
        "profiles": profiles_part(effects),
        "left_out": effects.left_out,
        "left": [c for c in columns if not c["explained"]],
    }


def ranked_part(
    rank: int, effect: Effect, most: float, advice: Callable[[Remedy], str] = str
) -> dict[str, Any]:
    """Return what the ranking shows of one column; `most` is the largest impact."""
    part = {
        "id": f"c{rank}",
        "rank": rank,
        "name": effect.feature,
        "others": explained_with(effect),
        "explained": effect.explained,
        "sentence": effect.summary(),
        "notes": effect.remarks(advice),
        "charted": False,
        "pairs": [],
    }
    if not effect.explained:
        return part
    differs = [*effect.differs.columns[:2]] if effect.differs else []
    return {**part, **impact_part(effect, most), "spark": sparkline(effect), "differs": differs}


def column_part(
    rank: int, effect: Effect, most: float, advice: Callable[[Remedy], str] = str
) -> dict[str, Any]:
    """Return what the page shows of one column; `most` is the largest impact."""
    part = ranked_part(rank, effect, most, advice)
    if not effect.explained:
        return part
    behind = {"support": support_part, "examples": examples_part, "doubt": doubt_part}
    return {
        **chart_part(part["id"], effect.feature, part["sentence"], spec_of(effect)),
        **part,
        "charted": True,
        "influential": _influential_part(effect),
        **{name: make(effect) if rank <= MOST_BEHIND else None for name, make in behind.items()},
        "by": None if effect.by is None else groups_part(f"c{rank}-by", effect.by),
        "search": len(effect.effect) > MOST_LEVELS and not effect.is_curve,
    }


def acting_part(found: Sequence[Interaction], places: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return what the front page shows of interactions; `places` are the columns' sections."""
    most = max((one.upper for one in found), default=0.0)
    return [
        {
            "columns": [{"name": name, "id": places.get(name)} for name in one.features],
            "strength": number(one.strength),
            "interval": f"{number(one.lower)} to {number(one.upper)}",
            **_lengths(one.strength, one.lower, one.upper, most),
        }
        for one in found
    ]


def groups_part(name: str, by: ByGroup) -> dict[str, Any]:
    """Return what the page shows of an effect by group."""
    head, *rows = groups_table(by) if by.in_numbers else [[]]
    feature = by.effects[0].feature
    return {
        **chart_part(name, feature, by.summary(), groups_chart(by).to_dict()),
        "name": f"{feature} by {by.column}",
        "title": by.title,
        "notes": [note.with_advice() for note in by.notes],
        "head": head,
        "rows": rows,
        "reference": by.reference if by.differences else "",
    }


def pair_part(name: str, both: JointEffect) -> dict[str, Any]:
    """Return what the page shows of two columns at once: lines, slopes, a map of two numbers."""
    one, other = both.features
    spec = lines_chart(lines_of(both)).to_dict()
    charts = [chart_part(f"{name}-lines", f"{one} and {other}", both.summary(), spec)]
    for k, slopes in enumerate(both.slopes()):
        title = f"{slopes.feature} along {slopes.moderator}"
        spec = lines_chart(slope_lines(slopes)).to_dict()
        charts.append(chart_part(f"{name}-slopes{k}", title, slopes.summary(), spec))
    if all(both.is_number):
        spec = map_chart(both).to_dict()
        charts.append(chart_part(f"{name}-map", f"Map of {one} and {other}", MAP, spec))
    return {
        "id": name,
        "title": f"At once with {other}",
        "with": other,
        "notes": [note.with_advice() for note in both.notes],
        "charts": charts,
    }


def chart_part(name: str, title: str, sentence: str, spec: dict[str, Any]) -> dict[str, Any]:
    """Return what the page shows of a chart."""
    return {
        "id": name,
        "name": title,
        "sentence": sentence,
        "search": False,
        "height": spec["height"] + ROOM,
        "data": {"name": title, "spec": compact(spec)},
    }


def _influential_part(effect: Effect) -> dict[str, Any] | None:
    """Return the influential rows, if any: a few in words, and the numbers of all."""
    found = effect.influential
    if not found:
        return None
    return {
        "title": influence.TITLE,
        "meaning": influence.MEANING,
        "heads": influence.influence_heads(effect),
        "rows": [influence.influence_cells(effect, row) for row in found[:MOST_ROWS]],
        "more": max(len(found) - MOST_ROWS, 0),
        "numbers": [row.row for row in found],
    }


def impact_part(effect: Effect, most: float) -> dict[str, Any]:
    """Return the impact in words and as the length of a bar, in per cent of the largest."""
    impact, interval = impact_words(effect), impact_interval(effect)
    shown = {"impact": impact, "share": share_words(effect.share), "is_clear": not effect.unclear}
    low = high = effect.impact
    if interval is not None and impact != "0":
        low, high = interval
        shown["interval"] = f"{number(low)} to {number(high)}"
    return {**shown, **_lengths(effect.impact, low, high, most)}


def _lengths(value: float, low: float, high: float, most: float) -> dict[str, float]:
    """Return a value and the ends of its interval as lengths, in per cent of the largest."""
    scale = 100 / most if most else 0.0
    ends = {"bar": value, "low": low, "high": high}
    return {name: round(min(end * scale, 115.0), 2) for name, end in ends.items()}


def compact(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Write each table of a chart with its field names once."""
    tables = {
        name: {"keys": list(rows[0]), "rows": [list(row.values()) for row in rows]}
        for name, rows in spec["datasets"].items()
    }
    return {**spec, "datasets": tables}

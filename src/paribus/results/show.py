"""The one door from results to what draws and writes them; all imports are inside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from paribus.results.base import Effect
    from paribus.results.by_group import ByGroup
    from paribus.results.effect_set import EffectSet
    from paribus.results.evidence import Examples
    from paribus.results.interactions import Interactions
    from paribus.results.joint import JointEffect
    from paribus.results.pair import PairEffect
    from paribus.results.robustness import Robustness
    from paribus.results.slopes import SlopeBy
    from paribus.results.tables import EffectTable


def plot(effect: Effect, ax: Axes | None) -> Axes:
    """Draw an effect with matplotlib."""
    from paribus.plotting.mpl import plot_effect

    return plot_effect(effect, ax)


def chart(effect: Effect) -> alt.LayerChart:
    """Draw an effect with Altair."""
    from paribus.plotting.offline import offline
    from paribus.plotting.vega import chart_of

    return offline(chart_of(effect))


def effect_html(effect: Effect) -> str:
    """Show an effect in a notebook."""
    from paribus.report.compact import effect_html

    return effect_html(effect)


def plot_groups(by: ByGroup, ax: Axes | None) -> Axes:
    """Draw the effects of groups with matplotlib."""
    from paribus.plotting.by_group import plot_groups

    return plot_groups(by, ax)


def plot_each_group(by: ByGroup) -> Figure:
    """Draw the effects of groups side by side."""
    from paribus.plotting.by_group import plot_small

    return plot_small(by)


def groups_chart(by: ByGroup) -> alt.LayerChart:
    """Draw the effects of groups with Altair."""
    from paribus.plotting.by_group import groups_chart
    from paribus.plotting.offline import offline

    return offline(groups_chart(by))


def groups_html(by: ByGroup) -> str:
    """Show the effects of groups in a notebook."""
    from paribus.report.compact import groups_html

    return groups_html(by)


def plot_joint(both: JointEffect, ax: Axes | None) -> Axes:
    """Draw two columns at once with matplotlib."""
    from paribus.plotting.joint import lines_of
    from paribus.plotting.lines import plot_lines

    return plot_lines(lines_of(both), ax)


def plot_map(both: JointEffect, ax: Axes | None) -> Axes:
    """Draw two numbers at once as a map of colours."""
    from paribus.plotting.joint import plot_map

    return plot_map(both, ax)


def joint_chart(both: JointEffect) -> alt.LayerChart:
    """Draw two columns at once with Altair."""
    from paribus.plotting.joint import lines_of
    from paribus.plotting.lines import lines_chart
    from paribus.plotting.offline import offline

    return offline(lines_chart(lines_of(both)))


def map_chart(both: JointEffect) -> alt.LayerChart:
    """Draw two numbers at once as a map of colours with Altair."""
    from paribus.plotting.joint import map_chart
    from paribus.plotting.offline import offline

    return offline(map_chart(both))


def plot_slopes(slopes: SlopeBy, ax: Axes | None) -> Axes:
    """Draw a slope against a moderator with matplotlib."""
    from paribus.plotting.joint import slope_lines
    from paribus.plotting.lines import plot_lines

    return plot_lines(slope_lines(slopes), ax)


def slopes_chart(slopes: SlopeBy) -> alt.LayerChart:
    """Draw a slope against a moderator with Altair."""
    from paribus.plotting.joint import slope_lines
    from paribus.plotting.lines import lines_chart
    from paribus.plotting.offline import offline

    return offline(lines_chart(slope_lines(slopes)))


def plot_pair(pair: PairEffect, ax: Axes | None) -> Axes:
    """Draw the surface of two columns with matplotlib."""
    from paribus.plotting.pairs import plot_pair

    return plot_pair(pair, ax)


def pair_chart(pair: PairEffect) -> alt.Chart:
    """Draw the surface of two columns with Altair."""
    from paribus.plotting.offline import offline
    from paribus.plotting.pairs import pair_chart

    return offline(pair_chart(pair))


def plot_all(effects: EffectSet, most: int) -> Figure:
    """Draw a panel a column with matplotlib."""
    from paribus.plotting.mpl import plot_overview

    return plot_overview(effects.effects, most)


def page(effects: EffectSet, path: str | Path) -> Path:
    """Write the report."""
    from paribus.report.page import write_page

    return write_page(effects, path)


def workbook(effects: EffectSet, path: str | Path) -> Path:
    """Write the workbook."""
    from paribus.report.workbook import write_workbook

    return write_workbook(effects, path)


def table_html(table: EffectTable) -> str:
    """Return a table as HTML."""
    from paribus.report.tables import table_html

    return table_html(table)


def table_latex(table: EffectTable) -> str:
    """Return a table in LaTeX."""
    from paribus.report.tables import table_latex

    return table_latex(table)


def table_docx(table: EffectTable, path: str | Path) -> Path:
    """Write a table into a document for Word."""
    from paribus.report.tables import table_docx

    return table_docx(table, path)


def csv_file(columns: Mapping[str, Sequence[Any]], path: str | Path) -> Path:
    """Write columns as CSV in which a spreadsheet finds no formula."""
    from paribus.base.formulas import csv_text
    from paribus.report.writing import replacing

    with replacing(path) as beside:
        beside.write_text(csv_text(columns), encoding="utf-8")
    return Path(path)


def plain_table_html(table: EffectTable) -> str:
    """Show a table in a notebook."""
    from paribus.report.tables import plain_table_html

    return plain_table_html(table)


def plot_robustness(found: Robustness, ax: Axes | None) -> Axes:
    """Draw how strong a missing column would have to be."""
    from paribus.plotting.robustness import plot_robustness

    return plot_robustness(found, ax)


def said_html(*lines: str) -> str:
    """Show sentences in a notebook."""
    from paribus.report.compact import said_html

    return said_html(lines)


def examples_html(found: Examples) -> str:
    """Show pairs of rows in a notebook."""
    from paribus.report.compact import examples_html

    return examples_html(found)


def ranking_html(effects: EffectSet) -> str:
    """Show the ranking in a notebook."""
    from paribus.report.compact import ranking_html

    return ranking_html(effects)


def plot_interactions(interactions: Interactions, most: int, ax: Axes | None) -> Axes:
    """Draw the strongest interactions with matplotlib."""
    from paribus.plotting.bars import plot_bars

    return plot_bars(interactions, most, ax)


def interactions_chart(interactions: Interactions, most: int) -> alt.LayerChart:
    """Draw the strongest interactions with Altair."""
    from paribus.plotting.bars import bars_chart
    from paribus.plotting.offline import offline

    return offline(bars_chart(interactions, most))


def interactions_html(interactions: Interactions) -> str:
    """Show interactions in a notebook."""
    from paribus.report.compact import interactions_html

    return interactions_html(interactions)

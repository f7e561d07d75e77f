"""The one door from results to what draws and writes them: modules that are loaded when needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paribus.plotting import bars as bars
    from paribus.plotting import by_group as by_group
    from paribus.plotting import joint as joint
    from paribus.plotting import lines as lines
    from paribus.plotting import marks as marks
    from paribus.plotting import mpl as mpl
    from paribus.plotting import pairs as pairs
    from paribus.plotting import robustness as robustness
    from paribus.plotting import vega as vega
    from paribus.report import compact as compact
    from paribus.report import page as page
    from paribus.report import tables as tables
    from paribus.report import workbook as workbook
    from paribus.report import writing as writing
else:

    def __getattr__(name):
        """Return a module that draws or writes, by its name."""
        from paribus.plotting import (
            bars,
            by_group,
            joint,
            lines,
            marks,
            mpl,
            pairs,
            robustness,
            vega,
        )
        from paribus.report import compact, page, tables, workbook, writing

        drawing = (bars, by_group, joint, lines, marks, mpl, pairs, robustness, vega)
        for module in (*drawing, compact, page, tables, workbook, writing):
            if module.__name__.endswith(f".{name}"):
                return module
        raise AttributeError(name)

"""The only way from results to what draws and writes them: modules that are loaded when needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paribus.plotting import bars, by_group, joint, lines, marks, mpl, pairs, robustness, vega
    from paribus.report import compact, page, tables, workbook, writing

    __all__ = [
        "bars", "by_group", "compact", "joint", "lines", "marks", "mpl", "page", "pairs",
        "robustness", "tables", "vega", "workbook", "writing",
    ]  # fmt: skip
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

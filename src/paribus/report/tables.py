"""Tables for papers: HTML by great_tables, LaTeX for booktabs, Word by python-docx."""

from __future__ import annotations

import re
from html import escape
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paribus.base.extras import need
from paribus.report.writing import write_bytes

if TYPE_CHECKING:
    from paribus.results.tables import EffectTable, Line

NAME = "what"  # of the first column; GT asks for one
WIDTHS = 7.0, 8.5  # of labels and of all numbers, in a document, in centimetres
LATEX = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"}, "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", "\n": " ",
}  # fmt: skip


def table_html(table: EffectTable) -> str:
    """Return a table as HTML with its own style."""
    gt = need("great_tables", "A table for a paper", "tables")
    frames = need("polars", "A table for a paper", "tables")
    names = [f"run{k}" for k in range(len(table.heads))]
    columns = {NAME: [line.label for line in table.lines]}
    columns |= {n: [line.cells[k] for line in table.lines] for k, n in enumerate(names)}
    made = (
        gt.GT(frames.DataFrame(columns))
        .tab_header(title=table.title)
        .cols_label({NAME: "", **dict(zip(names, table.heads, strict=True))})
        .cols_align("right", columns=names)
        .cols_align("left", columns=[NAME])
        .tab_source_note(" ".join(table.notes))
        .tab_options(table_body_hlines_style="none", data_row_padding="2px", table_font_size="14px")
    )
    looks = {"head": gt.style.text(style="italic"), "level": gt.style.css("padding-left: 1.5em")}
    for kind, look in looks.items():
        rows = [k for k, line in enumerate(table.lines) if line.kind == kind]
        if rows:
            made = made.tab_style(look, gt.loc.body(columns=[NAME], rows=rows))
    about = _first_about(table)
    if about < len(table.lines):
        rule = gt.style.borders(sides="top", color="#808080", weight="1px")
        made = made.tab_style(rule, gt.loc.body(rows=[about]))
    html: str = made.as_raw_html()
    return html


def table_latex(table: EffectTable) -> str:
    """Return a table in LaTeX: caption, rules of booktabs, the footnote below."""
    about = _first_about(table)
    lines = [_latex_line(line) for line in table.lines]
    body = [*lines[:about], *([r"\midrule"] if about < len(lines) else []), *lines[about:]]
    heads = " & ".join(["", *map(_latex, table.heads)])
    return "\n".join([
        r"\begin{table}[!t]", r"\centering", rf"\caption{{{_latex(table.title)}}}\medskip",
        rf"\begin{{tabular}}{{l{'r' * len(table.heads)}}}", r"\toprule",
        rf"{heads} \\", r"\midrule", *body, r"\bottomrule", r"\end{tabular}",
        r"\par\medskip\begin{minipage}{0.9\linewidth}\footnotesize",
        _latex(" ".join(table.notes)), r"\end{minipage}", r"\end{table}", "",
    ])  # fmt: skip


def _latex_line(line: Line) -> str:
    looks = {"head": r"\textit{%s}", "level": r"\quad %s"}
    label = looks.get(line.kind, "%s") % _latex(line.label)
    cells = [re.sub(r"^-(?=\d)", "$-$", _latex(cell)) for cell in line.cells]
    return rf"{' & '.join([label, *cells])} \\"


def _latex(text: str) -> str:
    """Escape text for LaTeX."""
    return "".join(LATEX.get(sign, sign) for sign in text)


def _first_about(table: EffectTable) -> int:
    """Return the position of the first line about the runs."""
    kinds = [line.kind for line in table.lines]
    return kinds.index("about") if "about" in kinds else len(kinds)


def table_docx(table: EffectTable, path: str | Path) -> Path:
    """Write a table into a document, with rules above, below and under the head, as in papers."""
    document = need("docx", "A table for Word", "tables").Document()
    from docx.enum.text import WD_ALIGN_PARAGRAPH
    from docx.shared import Cm, Pt

    document.add_paragraph().add_run(table.title).bold = True
    n_lines, n_columns = len(table.lines) + 1, len(table.heads) + 1
    grid = document.add_table(n_lines, n_columns)
    rows = [["", *table.heads], *([line.label, *line.cells] for line in table.lines)]
    about = _first_about(table)
    for k, (row, line) in enumerate(zip(rows, [None, *table.lines], strict=True)):
        for column, text in enumerate(row):
            cell = grid.cell(k, column)
            cell.width = Cm(WIDTHS[0] if column == 0 else WIDTHS[1] / len(table.heads))
            paragraph = cell.paragraphs[0]
            paragraph.paragraph_format.space_after = Pt(0)
            run = paragraph.add_run(text)
            run.font.size = Pt(9)
            run.italic = line is not None and line.kind == "head"
            if line is not None and line.kind == "level" and column == 0:
                paragraph.paragraph_format.left_indent = Pt(12)
            if column:
                paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
            sides = [side for side, there in (
                ("top", k in (0, about + 1)), ("bottom", k in (0, n_lines - 1))
            ) if there]  # fmt: skip
            _rule(cell, sides)
    note = document.add_paragraph().add_run(" ".join(table.notes))
    note.font.size = Pt(8)
    packed = BytesIO()
    document.save(packed)
    return write_bytes(packed.getvalue(), path)


def plain_table_html(table: EffectTable) -> str:
    """Return a table for a notebook; needs no extra."""
    head = "".join(f"<th>{escape(name)}</th>" for name in ("", *table.heads))
    body = "".join(_html_line(line) for line in table.lines)
    notes = escape(" ".join(table.notes))
    return (
        f"<div><p><strong>{escape(table.title)}</strong></p><table><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table><p>{notes}</p></div>"
    )


def _html_line(line: Line) -> str:
    label = escape(line.label)
    label = f"<em>{label}</em>" if line.kind == "head" else label
    label = f"&emsp;{label}" if line.kind == "level" else label
    cells = "".join(f'<td style="text-align:right">{escape(cell)}</td>' for cell in line.cells)
    return f'<tr><td style="text-align:left">{label}</td>{cells}</tr>'


def _rule(cell: Any, sides: list[str]) -> None:
    """Draw lines along some sides of a cell, which python-docx has no function for."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    borders = OxmlElement("w:tcBorders")
    for side in sides:
        line = OxmlElement(f"w:{side}")
        for name, value in (("val", "single"), ("sz", "8"), ("color", "000000")):
            line.set(qn(f"w:{name}"), value)
        borders.append(line)
    cell._tc.get_or_add_tcPr().append(borders)

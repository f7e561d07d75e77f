"""The commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from paribus.base.formulas import csv_text
from paribus.cli import errors as cli_errors
from paribus.cli.options import Request, Settings, debug_option, file_command, time_limit
from paribus.cli.writing import (
    check_extra,
    check_output,
    check_own,
    open_page,
    write_page,
    write_picture,
    write_workbook,
)

PICTURES = (".png", ".svg", ".pdf")
SIZES = ("x", "y", "z")
json_option = click.option("--json", "as_json", is_flag=True, help="Everything, as JSON.")
beside_option = click.option(
    "--beside", metavar="COL", help="A second column: what it and the feature go with at once."
)


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="paribus", prog_name="paribus", message="%(prog)s %(version)s")
@debug_option
@click.pass_context
def paribus(context: click.Context) -> None:
    """Say what each column of a table goes with, the other columns held still.

    Files are CSV, TSV, Excel, Parquet, JSON lines, Stata, SPSS or SAS; - is CSV from standard
    input. How a file is written (delimiter, encoding, decimal comma, dates) is detected.

    Example: paribus report houses.xlsx --target price
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@paribus.command()
@click.option(
    "-o", "--output", metavar="PAGE", default="diamonds.html", show_default=True,
    type=click.Path(path_type=Path), help="The page to write.",
)  # fmt: skip
@click.option("--open/--no-open", "opened", default=None, help="Open it in the browser.")
@debug_option
def demo(output: Path, opened: bool | None) -> None:
    """Explain 53,940 diamonds that come with paribus, as a page.

    Example: paribus demo
    """
    from paribus.cli.answers import explain, with_notes
    from paribus.datasets import diamonds
    from paribus.pipeline.notes import dropped

    _check_page(output)
    data = diamonds()
    table = {name: values for name, values in data.table.items() if name not in SIZES}
    remarks = dropped(SIZES, "they fix a diamond's weight: held still, carat could hardly move")
    write_page(with_notes(explain(table, data.target), [remarks]), output)
    open_page(output, opened)


@paribus.command()
@file_command
@click.option(
    "-o", "--output", metavar="PAGE", type=click.Path(path_type=Path),
    help="The page to write; by default FILE with the ending .html, in this folder.",
)  # fmt: skip
@click.option(
    "--excel", metavar="BOOK", type=click.Path(path_type=Path), help="A workbook to write as well."
)
@click.option(
    "--beside", metavar="COL", help="Show the first columns at once with this one, two by two."
)
@click.option("--open/--no-open", "opened", default=False, help="Open the page in the browser.")
def report(
    request: Request, output: Path | None, excel: Path | None, beside: str | None, opened: bool
) -> None:
    """Explain every column of FILE, as a page.

    The page opens in any browser, without a network. A Parquet or CSV file that would not fit into
    memory is read in batches (PARIBUS_MEMORY, such as 8GB, sets how much memory may be used).

    Example: paribus report houses.xlsx -t price --drop id --excel book.xlsx
    """
    from paribus.cli.answers import answer

    page = output or _page_name(request.file)
    _check_page(page)
    if output is None:
        check_own(page)
    if excel is not None:
        check_extra("excel", "A workbook")
        check_output(excel, (".xlsx",), request.file)
    found = answer(request)
    found = found.who_differs(0) if request.by else found.who_differs()
    found = found if beside is None else found.beside(beside)
    write_page(found, page)
    if excel is not None:
        write_workbook(found, excel)
    open_page(page, opened)


@paribus.command()
@file_command
@json_option
def check(request: Request, as_json: bool) -> None:
    """Say what each column of FILE is and what should be done with it.

    It finds columns made from the target, ids, columns that say the same thing, codes written as
    numbers, stand-ins for missing values and rows that lie far from all others.

    Example: paribus check houses.csv --target price
    """
    from paribus.cli.answers import look

    _tell(look(request), as_json)


@paribus.command()
@file_command
@click.option("-f", "--feature", metavar="COL", multiple=True, help="A column. Repeatable.")
@beside_option
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="All numbers, or one column's curve, as CSV.")
def effects(
    request: Request, feature: tuple[str, ...], beside: str | None, as_json: bool, as_csv: bool
) -> None:
    """Explain the columns of FILE in the terminal, or as data.

    Example: paribus effects houses.csv --target price --feature bedrooms --csv
    """
    _check_one(as_json, as_csv)
    from paribus.cli.answers import answer, at_once

    if beside is not None:
        _tell(at_once(request, feature, beside), as_json, as_csv)
        return
    found = answer(request, feature or None)
    _tell(found.effects[0] if as_csv and len(set(feature)) == 1 else found, as_json, as_csv)


@paribus.command()
@file_command
@click.option(
    "-f", "--feature", metavar="COL", multiple=True,
    help="Only interactions with this column. Repeatable.",
)  # fmt: skip
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="All pairs, ranked, as CSV.")
def interactions(request: Request, feature: tuple[str, ...], as_json: bool, as_csv: bool) -> None:
    """Find the columns of FILE that act together: the effect of one differs with the other.

    Every pair of columns is tested, and triples where pairs show nothing.

    Example: paribus interactions houses.csv --target price
    """
    _check_one(as_json, as_csv)
    from paribus.cli.answers import interplay

    _tell(interplay(request, feature or None), as_json, as_csv)


@paribus.command()
@file_command
@click.option(
    "-f", "--feature", metavar="COL", required=True, multiple=True, help="The column to draw."
)
@beside_option
@click.option(
    "-o", "--output", metavar="PICTURE", required=True, type=click.Path(path_type=Path),
    help="The picture to write, .png, .svg or .pdf.",
)  # fmt: skip
def plot(request: Request, feature: tuple[str, ...], beside: str | None, output: Path) -> None:
    """Draw what one column of FILE goes with, or two at once.

    Example: paribus plot houses.csv -t price -f bedrooms -o bedrooms.png
    """
    check_extra("report", "A picture")
    check_output(output, PICTURES)
    if len(feature) > 1:
        raise cli_errors.one_picture(len(feature))
    from paribus.cli.answers import answer, at_once

    if beside is not None:
        write_picture(at_once(request, feature, beside), output)
    else:
        write_picture(answer(request, feature).effects[0], output)


@paribus.command()
@debug_option
def info() -> None:
    """Show the versions, the engine and the number of threads in use.

    Example: paribus info
    """
    from paribus.environment import info as installed

    click.echo(str(installed()))


@paribus.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option(
    "--port", metavar="N", type=click.IntRange(0, 65535), default=0,
    help="The port to listen on; a free one by default.",
)  # fmt: skip
@click.option(
    "--host", metavar="ADDRESS", default="127.0.0.1", show_default=True,
    help="The address to listen on. Any other lets other machines in and needs --token.",
)  # fmt: skip
@click.option(
    "--token", metavar="KEY", help="The key that opens the page; by default a random one."
)
@click.option(
    "--limit", metavar="GB", type=click.FloatRange(0, min_open=True), default=2.0,
    show_default=True, help="How large files sent to the page may be.",
)  # fmt: skip
@click.option(
    "--browser/--no-browser", default=True, show_default=True, help="Open the page in the browser."
)
@time_limit(
    "How long a preview, a run or anything else on the page may take; by default five minutes, "
    "without a limit for runs and comparisons."
)
@debug_option
def serve(
    file: Path | None,
    port: int,
    host: str,
    token: str | None,
    limit: float,
    browser: bool,
    time_limit: float | None,
) -> None:
    """Open a page in the browser: choose a file, pick the target, look.

    Only this machine can reach the page. It runs until you press Ctrl-C, and then cleans up.

    Example: paribus serve houses.xlsx
    """
    from paribus.serve.start import Serving
    from paribus.serve.start import serve as start

    debug = click.get_current_context().ensure_object(Settings).debug
    wanted = Serving(file, host, port, token, int(limit * 1e9), debug, time_limit)
    start(wanted, click.echo, browser=browser)


def _page_name(file: str) -> Path:
    """Name a page after its file: houses.html for houses.csv.gz."""
    return Path("report.html" if file == "-" else f"{Path(file).name.split('.')[0]}.html")


def _tell(found: Any, as_json: bool, as_csv: bool = False) -> None:
    """Print a result as JSON, as CSV, or in words and tables."""
    if as_json:
        click.echo(json.dumps(found.to_dict(), ensure_ascii=False))
    elif as_csv:
        click.echo(csv_text(found.to_frame().to_dict(as_series=False)), nl=False)
    else:
        from paribus.cli.terminal import show

        show(found)


def _check_one(as_json: bool, as_csv: bool) -> None:
    if as_json and as_csv:
        raise click.UsageError("Choose one of --json and --csv.")


def _check_page(page: Path) -> None:
    check_extra("report", "A report")
    check_output(page, (".html", ".htm"))

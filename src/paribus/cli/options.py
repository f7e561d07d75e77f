"""The options shared by all commands that read a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from typing import Any, TypeAlias

import click

from paribus.cli.waiting import at_most

Option: TypeAlias = Callable[[Callable[..., None]], Callable[..., None]]

ROLES = ("weights", "counts", "cluster", "within", "exposure")


@dataclass(slots=True)
class Settings:
    """Settings of a whole run."""

    debug: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """A request about a file: the shared options by name."""

    file: str
    target: str | None
    sheet: str | None
    drop: tuple[str, ...]
    together: tuple[str, ...]
    categorical: tuple[str, ...]
    numeric: tuple[str, ...]
    weights: str | None
    counts: str | None
    cluster: str | None
    within: str | None
    exposure: str | None
    target_scale: str | None
    per: tuple[str, ...]
    relative_to: tuple[str, ...]
    class_: str | None
    sample: int | None
    seed: int
    n_jobs: int | None
    conf_level: float
    average: str
    effort: str
    by: str | None
    keep: tuple[str, ...]
    as_is: bool

    @property
    def roles(self) -> dict[str, str]:
        """The columns that say something about the rows, by the option that names them."""
        return {role: name for role in ROLES if (name := getattr(self, role)) is not None}


def _set_debug(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        context.ensure_object(Settings).debug = True


debug_option = click.option(
    "--debug",
    is_flag=True,
    expose_value=False,
    callback=_set_debug,
    help="Show the traceback of an error.",
)


def _column(name: str, text: str) -> Option:
    return click.option(name, metavar="COL", help=text)


def _columns(name: str, text: str) -> Option:
    return click.option(name, metavar="COL", multiple=True, help=f"{text} Repeatable.")


def _whole(text: str, least: int, *names: str, **more: Any) -> Option:
    return click.option(*names, metavar="N", type=click.IntRange(min=least), help=text, **more)


def time_limit(text: str) -> Option:
    """Make the option that limits the time."""
    seconds = click.FloatRange(min=0, min_open=True)
    return click.option(
        "--time-limit", metavar="SECONDS", type=seconds, envvar="PARIBUS_SECONDS",
        show_envvar=True, help=text,
    )  # fmt: skip


SHARED = (
    click.argument("file"),
    click.option("-t", "--target", metavar="COL", help="The column to explain."),
    click.option("--sheet", metavar="NAME", help="Sheet of a workbook, by name or number."),
    _columns("--drop", "Leave a column out."),
    _columns("--together", "Columns that move together: none of them is held still for another."),
    _columns("--categorical", "Numbers that act as names."),
    _columns("--numeric", "A column of numbers: text in it counts as missing."),
    _column(
        "--weights",
        "How many of the population each row stands for, as in a survey. Any scale will do.",
    ),
    _column("--counts", "How many equal rows each row stands for, in a table of counts."),
    _column(
        "--cluster",
        "Which rows belong together, such as those of a shop: intervals allow for it.",
    ),
    _column(
        "--within",
        "Compare rows only with rows of the same person, shop or the like: each with itself.",
    ),
    _column("--exposure", "What to divide a count by, such as years: rates are explained."),
    click.option(
        "--target-scale",
        type=click.Choice(["log", "ratio", "odds"]),
        help="Effects in per cent: of the target by its logarithm, of its mean, or of the odds.",
    ),
    click.option(
        "--per",
        metavar="[COL:]STEP",
        multiple=True,
        help="Give slopes per another step than 1: a number, or doubling. For one column add its "
        "name: income:doubling. Repeatable.",
    ),
    click.option(
        "--relative-to",
        metavar="[COL:]LEVEL",
        multiple=True,
        help="Compare the levels of a category with this one: sector:Private. Repeatable.",
    ),
    click.option(
        "--class", "class_", metavar="VALUE", help="The class to explain, of a target with classes."
    ),
    _whole("Use N random rows, to save time.", 2, "--sample"),
    _whole("Same seed, same answer.", 0, "--seed", default=0, show_default=True),
    _whole("Threads to use; one for each processor by default.", 1, "--threads", "n_jobs"),
    click.option(
        "--level",
        "conf_level",
        metavar="SHARE",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.95,
        show_default=True,
        help="Confidence level of intervals.",
    ),
    click.option(
        "--average",
        type=click.Choice(["rows", "overlap"]),
        default="rows",
        show_default=True,
        help="How an effect that differs is averaged: over rows, or by how much the column varies.",
    ),
    click.option(
        "--effort",
        type=click.Choice(["quick", "usual", "thorough"]),
        default="usual",
        show_default=True,
        help="How much time an answer is worth.",
    ),
    click.option(
        "--by",
        metavar="COL",
        help="Explain the groups of a column one by one and compare them: its levels, or thirds "
        "of a number; age:30,50 sets cut points.",
    ),
    _columns(
        "--keep",
        "Undo what the look at the table proposes for a column, or one proposal: zipcode:category.",
    ),
    click.option(
        "--as-is", is_flag=True, help="Take the table as it is: do nothing that 'check' proposes."
    ),
    time_limit("Stop with a message when it takes longer; by default there is no limit."),
    debug_option,
)


def file_command(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the shared options, collected in a `Request`."""

    @wraps(command)
    def gathered(*, time_limit: float | None, **given: Any) -> None:
        request = Request(**{field.name: given.pop(field.name) for field in fields(Request)})
        with at_most(time_limit):
            command(request, **given)

    decorated: Callable[..., None] = gathered
    for option in reversed(SHARED):
        decorated = option(decorated)
    return decorated

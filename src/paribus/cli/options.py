"""The options that all commands on a file share, written once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from typing import Any

import click

ROLES = ("weights", "counts", "cluster", "within")


@dataclass(slots=True)
class Settings:
    """What holds for a whole run."""

    debug: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked of which file: the shared options by name."""

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
    class_: str | None
    sample: int | None
    seed: int
    threads: int | None
    level: float
    average: str
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
    help="Show where a mistake comes from.",
)

SHARED = (
    click.argument("file"),
    click.option("-t", "--target", metavar="COL", help="The column to explain."),
    click.option("--sheet", metavar="NAME", help="Sheet of a workbook, by name or number."),
    click.option("--drop", metavar="COL", multiple=True, help="Leave a column out. Repeatable."),
    click.option(
        "--together",
        metavar="COL",
        multiple=True,
        help="Columns that move together: none of them is held still for another. Repeatable.",
    ),
    click.option(
        "--categorical", metavar="COL", multiple=True, help="Numbers that are names. Repeatable."
    ),
    click.option(
        "--numeric",
        metavar="COL",
        multiple=True,
        help="A column of numbers: text in it counts as missing. Repeatable.",
    ),
    click.option(
        "--weights",
        metavar="COL",
        help="How many of the population each row stands for, as in a survey. Any scale will do.",
    ),
    click.option(
        "--counts",
        metavar="COL",
        help="How many equal rows each row stands for, in a table of counts.",
    ),
    click.option(
        "--cluster",
        metavar="COL",
        help="Which rows belong together, such as those of a shop: intervals allow for it.",
    ),
    click.option(
        "--within",
        metavar="COL",
        help="Compare rows only with rows of the same person, shop or the like: each with itself.",
    ),
    click.option(
        "--class", "class_", metavar="VALUE", help="The value to explain, of a target with classes."
    ),
    click.option(
        "--sample",
        metavar="N",
        type=click.IntRange(min=2),
        help="Take N rows at random, to be quicker.",
    ),
    click.option(
        "--seed",
        metavar="N",
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        help="Same seed, same answer.",
    ),
    click.option(
        "--threads",
        metavar="N",
        type=click.IntRange(min=1),
        help="Threads to use; one for each processor by default.",
    ),
    click.option(
        "--level",
        metavar="SHARE",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.95,
        show_default=True,
        help="How sure intervals are.",
    ),
    click.option(
        "--average",
        type=click.Choice(["rows", "overlap"]),
        default="rows",
        show_default=True,
        help="Of an effect that differs: over the rows, or weighted by how much the column varies.",
    ),
    click.option(
        "--by",
        metavar="COL",
        help="Explain the groups of a column one by one and compare them: its levels, or the "
        "thirds of a number; age:30,50 gives cut points.",
    ),
    click.option(
        "--keep",
        metavar="COL",
        multiple=True,
        help="Undo what the look at the table proposes for a column, or one proposal: "
        "zipcode:category. Repeatable.",
    ),
    click.option(
        "--as-is", is_flag=True, help="Take the table as it is: do nothing that 'check' proposes."
    ),
    debug_option,
)


def file_command(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the shared options, gathered into a `Request`."""

    @wraps(command)
    def gathered(**given: Any) -> None:
        request = Request(**{field.name: given.pop(field.name) for field in fields(Request)})
        command(request, **given)

    decorated: Callable[..., None] = gathered
    for option in reversed(SHARED):
        decorated = option(decorated)
    return decorated

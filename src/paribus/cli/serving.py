"""The command that opens the page."""

from __future__ import annotations

from pathlib import Path

import click

from paribus.cli.options import Settings, debug_option, time_limit


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option(
    "--port", metavar="N", type=click.IntRange(0, 65535), default=0,
    help="The port to listen on; a free one by default.",
)  # fmt: skip
@click.option(
    "--host", metavar="ADDRESS", default="127.0.0.1", show_default=True,
    help="The address to listen on. Any other lets other machines in, and needs --token.",
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
    "How long a preview, a run or anything else on the page may take; by default five minutes, and "
    "runs and comparisons as long as you let them."
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

    The page answers this machine only. It stays until you press Ctrl-C; what it kept is removed.

    Example: paribus serve houses.xlsx
    """
    from paribus.serve.start import Serving
    from paribus.serve.start import serve as start

    debug = click.get_current_context().ensure_object(Settings).debug
    wanted = Serving(file, host, port, token, int(limit * 1e9), debug, time_limit)
    start(wanted, click.echo, browser=browser)

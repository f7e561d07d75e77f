"""Write the help of every command into docs/reference/command-line.md."""

from __future__ import annotations

from pathlib import Path

import click

from paribus.cli.commands import paribus

PAGE = Path(__file__).parent / "reference" / "command-line.md"
HEAD = """# Command line

Made by `make docs` from `paribus --help`. Install the commands with `pip install 'paribus[cli]'`,
the page and its pictures with `'paribus[report]'`, workbooks with `'paribus[excel]'`.

Exit codes: 0 when all went well, 2 with one sentence for input that cannot be used, 1 for a mistake
of ours, 130 after Ctrl-C. A file is written whole or not at all.
"""


def page() -> str:
    """Return the page: the help of the group, then of each command."""
    settings = paribus.context_settings
    group = click.Context(paribus, info_name="paribus", terminal_width=80, **settings)
    parts = [HEAD, _section("paribus", group)]
    for name in paribus.list_commands(group):
        command = paribus.commands[name]
        context = click.Context(command, info_name=name, parent=group, terminal_width=80)
        parts.append(_section(f"paribus {name}", context))
    return "\n".join(parts)


def _section(title: str, context: click.Context) -> str:
    return f"## {title}\n\n```\n{context.get_help()}\n```\n"


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")

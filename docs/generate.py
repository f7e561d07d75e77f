"""Write docs/reference from the program itself: the help of every command, and the docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from click.testing import CliRunner

import paribus as pb
from paribus.cli.commands import paribus

REFERENCE = Path(__file__).parent / "reference"
COMMANDS = """# Command line

Made by `make docs` from `paribus --help`. Install the commands with `pip install 'paribus[cli]'`,
the page and its pictures with `'paribus[report]'`, workbooks with `'paribus[excel]'`.

Exit codes: 0 for success, 2 with a message for input that cannot be used, 1 for an internal error,
130 after Ctrl-C, 124 when the --time-limit is exceeded. A file is written completely or not at all.
"""
PYTHON = """# Python

Made by `make docs` from the docstrings; `help(pb.effects)` shows the same.
"""
EFFECTS = (
    "check", "effects", "effect", "effects_by_class", "compare", "stratpd", "catstratpd", "info",
)  # fmt: skip
RESULTS = (
    "EffectSet", "NumericEffect", "CategoricalEffect", "Contrast", "PairEffect", "Check", "Note",
    "InputError",
)  # fmt: skip


def command_line() -> str:
    """Return the page of commands: the help of the group, then of each command, as printed."""
    parts = [COMMANDS, _help([])]
    parts += [_help([name]) for name in sorted(paribus.commands)]
    return "\n".join(parts)


def _help(command: list[str]) -> str:
    asked = [*command, "--help"]
    printed = CliRunner().invoke(paribus, asked, prog_name="paribus", terminal_width=80).output
    return f"## {' '.join(['paribus', *command])}\n\n```\n{printed.rstrip()}\n```\n"


def python() -> str:
    """Return the page of functions and results."""
    parts = [PYTHON, "## Explain\n"]
    parts += [_entry(f"pb.{name}", getattr(pb, name)) for name in EFFECTS]
    for title, module in (("What models say", pb.models), ("Data to try", pb.datasets)):
        parts.append(f"## {title}\n\n{_text(module)}")
        name = module.__name__.removeprefix("paribus.")
        parts += [_entry(f"pb.{name}.{n}", getattr(module, n)) for n in _listed(module)]
    parts.append("## Results\n")
    for name in RESULTS:
        kind = getattr(pb, name)
        parts.append(f"### pb.{name}\n\n{_text(kind)}")
        parts += [_entry(f"{name}.{n}", member, "####") for n, member in _members(kind)]
    return "\n".join(parts)


def _listed(module: Any) -> list[str]:
    names = getattr(module, "__all__", None) or vars(module)
    functions = [n for n in names if inspect.isfunction(getattr(module, n)) and n[0] != "_"]
    return [n for n in functions if getattr(module, n).__module__.startswith(module.__name__)]


def _members(kind: type) -> Iterator[tuple[str, Any]]:
    for name, member in inspect.getmembers(kind):
        ours = (getattr(member, "__module__", None) or "").startswith("paribus")
        if not name.startswith("_") and ours and callable(member):
            yield name, member


def _entry(title: str, function: Callable[..., Any], level: str = "###") -> str:
    found = inspect.signature(function)
    plain = [p.replace(annotation=p.empty) for p in found.parameters.values() if p.name != "self"]
    shown = str(found.replace(parameters=plain, return_annotation=found.empty))
    shown = re.sub(r"<function (\w+) at 0x[0-9a-f]+>", r"\1", shown)  # a default
    return f"{level} {title}\n\n`{title}{shown}`\n\n{_text(function)}"


def _text(documented: Any) -> str:
    """Return a docstring as Markdown: sections in bold, parameters as a list, examples as code."""
    text = inspect.getdoc(documented) or ""
    text = re.sub(r"``([^`]*)``", r"`\1`", text)
    parts = re.split(r"^(\w[\w ]*)\n-+\n", text, flags=re.MULTILINE)
    out = [_with_code(parts[0])]
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        out.append(f"**{title}**\n")
        out.append(_with_code(body) if title == "Examples" else _definitions(body))
    return "\n".join(out)


def _with_code(text: str) -> str:
    """Put examples between fences."""
    blocks = re.split(r"\n\s*\n", text.strip())
    fenced = [f"```python\n{b.strip()}\n```" if ">>>" in b else b for b in blocks]
    return "\n\n".join(fenced) + "\n"


def _definitions(body: str) -> str:
    """Turn "name : type" and what is indented below into a list."""
    lines = []
    for line in body.strip().splitlines():
        if line and not line.startswith(" "):
            name, _, kind = line.partition(" : ")
            lines.append(f"- `{name}`{f' ({kind})' if kind else ''}:")
        elif line.strip():
            lines.append(f"  {line.strip()}")
    return "\n".join(lines) + "\n"


PAGES = {"command-line.md": command_line, "python.md": python}

if __name__ == "__main__":
    REFERENCE.mkdir(exist_ok=True)
    for name, page in PAGES.items():
        (REFERENCE / name).write_text(page(), encoding="utf-8")

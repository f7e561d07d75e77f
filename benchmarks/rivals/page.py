"""Write docs/explanation/rivals.md and its pictures from the stored results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rivals.charts import PANELS, draw_errors, draw_growth, package, with_fit
from rivals.launch import ROOT
from rivals.odd import NEAR
from rivals.tools import TOOLS
from rivals.words import HEAD, NOT_OURS, ODD, READING, SPEED
from write_accuracy import bold, number, table

PAGE = ROOT / "docs" / "explanation" / "rivals.md"
IMAGES = ROOT / "docs" / "images"
Known = Mapping[str, Any]


def write(known: Known) -> None:
    """Put the page together from the parts that were measured."""
    parts = [HEAD, when(known)]
    if "accuracy" in known:
        draw_errors(known["accuracy"], IMAGES / "rivals-error.svg")
        parts += accuracy(known["accuracy"]["tools"])
    if "speed" in known:
        draw_growth(
            known["speed"], "seconds", "seconds, fitting counted", IMAGES / "rivals-time.svg"
        )
        draw_growth(known["speed"], "peak_mb", "peak memory, MB", IMAGES / "rivals-memory.svg")
        parts += speed(known["speed"]["tools"])
    if "odd" in known:
        parts += [ODD, odd(known["odd"]["tools"])]
    parts.append(NOT_OURS)
    PAGE.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(f"written to {PAGE}")


def when(known: Known) -> str:
    """Say when, where and with which versions each part was measured."""
    names = {"accuracy": "Errors", "speed": "Times and memory", "odd": "Odd tables"}
    lines = [
        f"{what}: {known[part]['date']}, {known[part]['machine']}."
        for part, what in names.items()
        if part in known
    ]
    places = [", ".join(f"{n} {v}" for n, v in some.items()) for some in known["versions"].values()]
    return " ".join(lines) + f" Versions: {'; '.join(places)}."


# ---- accuracy ---------------------------------------------------------------------------------
def accuracy(tools: Known) -> list[str]:
    """Show errors in two tables, one a model, and say where rivals are better."""
    halves = {
        "boosting": [t for t in tools if "forest" not in t],
        "forest": ["paribus", *(t for t in tools if "forest" in t)],
    }
    fewer = {t: row["seeds"] for t, row in tools.items()}
    usual = max(fewer.values())
    seeds = f"Mean over {usual} seeds"
    for tool, n in fewer.items():
        seeds += f"; {tool} over {n}" if n < usual else ""
    parts = [
        "## Error on data with a known answer, 2,000 rows",
        "![Error of each tool against ours](../images/rivals-error.svg)",
        "A dot is a data set (where ours is exact there is none), the bar the middle one. "
        f"{seeds}; the lowest of a row, both tables together, is bold. {READING}",
        better(tools),
    ]
    for model, columns in halves.items():
        parts.append(f"### With {'boosting' if model == 'boosting' else 'a forest'}")
        parts.append(error_table(tools, columns))
    return parts


def better(tools: Known) -> str:
    """Name the data sets on which a rival's error is lower, and by how much."""
    ours, found = tools["paribus"]["rmse"], []
    for name, (mine, spread) in ours.items():
        rivals = {t: row["rmse"][name] for t, row in tools.items() if name in row["rmse"]}
        best = min(rivals, key=lambda t: rivals[t][0])
        if best != "paribus":
            theirs, their_spread = rivals[best]
            sure = mine - theirs > 2 * (spread**2 + their_spread**2) ** 0.5
            found.append((name, best, mine, theirs, sure))
    if not found:
        return f"Ours is the lowest on all {len(ours)}."
    surely = sum(row[-1] for row in found)
    lines = [
        f"- {name}: {best} {number(theirs)}, ours {number(mine)}" + ("" if sure else " (a tie)")
        for name, best, mine, theirs, sure in found
    ]
    return (
        f"Ours is the lowest on {len(ours) - len(found)} of {len(ours)}. **Where the best rival is "
        f"better** ({surely} by more than twice the standard error of the difference):\n\n"
        + "\n".join(lines)
    )


def error_table(tools: Known, columns: list[str]) -> str:
    """Write errors, a data set a line."""
    lines = []
    for name in tools["paribus"]["rmse"]:
        errors = {t: row["rmse"][name][0] for t, row in tools.items() if name in row["rmse"]}
        best = min(errors.values())
        cells = [bold(errors[t], errors[t] <= best) if t in errors else "none" for t in columns]
        lines.append([name, *cells])
    return table(["", *(package(t) for t in columns)], lines)


# ---- time and memory --------------------------------------------------------------------------
def speed(tools: Known) -> list[str]:
    """Show time and memory as the rows grow."""
    parts = [
        "## Time and memory as the rows grow",
        SPEED,
        "![Time against rows, fitting counted](../images/rivals-time.svg)",
        "![Peak memory against rows](../images/rivals-memory.svg)",
        faster(tools),
        "### Fitting the models, seconds",
        growth_table(tools, "fit", lambda row: seconds(row["seconds"])),
    ]
    for problem, title in PANELS.items():
        parts += [
            f"### {title}, seconds after the fit",
            growth_table(tools, problem, lambda row: seconds(row["seconds"])),
            f"### {title}, peak memory in MB",
            growth_table(tools, problem, lambda row: f"{row['peak_mb']:.0f}"),
        ]
    return parts


def faster(tools: Known) -> str:
    """Say at each size who is quicker than ours, the fit counted, and who needs less memory."""
    lines = [
        [title, f"{int(n):,}", *beaten(tools, problem, n)]
        for problem, title in PANELS.items()
        for n in tools["paribus"][problem]
    ]
    titles = ["", "rows", "ours, s", "quicker than ours", "ours, MB", "less memory than ours"]
    return "### Who is better, fitting counted\n\n" + table(titles, lines)


def beaten(tools: Known, problem: str, n: str) -> list[str]:
    """Return our time and those below it, our memory and those below it."""
    ours = with_fit(tools, "paribus", problem, n)
    if ours is None:
        return ["stopped", "", "stopped", ""]
    cells = []
    for what, write_number in (("seconds", seconds), ("peak_mb", "{:.0f}".format)):
        found = {
            tool: measured[what]
            for tool in TOOLS
            if tool in tools and (measured := with_fit(tools, tool, problem, n))
        }
        below = sorted((v, t) for t, v in found.items() if v < ours[what])
        cells.append(write_number(ours[what]))
        cells.append("; ".join(f"{t} {write_number(v)}" for v, t in below) or "none")
    return cells


def growth_table(tools: Known, problem: str, cell: Any) -> str:
    """Write one number of each tool at each size."""
    shown = {tool: row[problem] for tool, row in tools.items() if problem in row}
    sizes = sorted({int(n) for rows in shown.values() for n in rows})
    lines = [
        [tool, *(stopped_or(rows.get(str(n)), cell) for n in sizes)] for tool, rows in shown.items()
    ]
    return table(["", *(f"{n:,}" for n in sizes)], lines)


def stopped_or(row: Known | None, cell: Any) -> str:
    """Write a measurement, or why there is none."""
    if row is None:
        return ""
    if "stopped" not in row:
        return cell(row)
    words = {"time": "> 120 s", "memory": "> 16 GB", "no model": "no model", "failure": "failed"}
    return words[row["stopped"]] + ("*" if row.get("foreseen") else "")


def seconds(value: float) -> str:
    """Write seconds to two digits."""
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"


# ---- odd tables -------------------------------------------------------------------------------
def odd(tools: Known) -> str:
    """Show what each tool makes of each odd table."""
    names = [tool for tool in TOOLS if tool in tools]
    cases = next(iter(tools.values()))
    lines = [[case, *(answer(tools[tool][case]) for tool in names)] for case in cases]
    return table(["", *(package(tool) for tool in names)], lines)


def answer(outcome: Known) -> str:
    """Say in a word or two what a tool answered."""
    return next(_answers(outcome))


def _answers(outcome: Known) -> Iterator[str]:
    if "error" in outcome:
        named = any(f"{quote}{c}{quote}" in outcome["error"] for c in "abc" for quote in "'\"")
        yield (
            "error in the fit"
            if outcome["from"] == "fit"
            else ("error that names the column" if named else "error")
        )
    said = ", and says why" if outcome.get("said") else ", no word"
    if outcome.get("nothing"):
        yield f"no curve{said}"
    if "rise" in outcome:
        yield f"{'flat' if outcome['rise'] == 0 else 'a curve'}{said}"
    share = outcome["share"]
    yield "right" if abs(share - 1) < NEAR else f"**wrong: {100 * share:.0f} % of the effect**"

"""The part "Rows as they are" of docs/explanation/accuracy.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

RIVALS = ("least squares", "partialling out")
LIMITS = {"no": "columns do not suffice", "nobody can": "no table could tell"}
Row = Mapping[str, Any]


def real_rows(content: Mapping[str, Any]) -> str:
    """Say what was measured, sum it up and show it design by design."""
    rows = list(content["designs"].values())
    known = [row for row in rows if not row["held_out"]]
    aside = [row for row in rows if row["held_out"]]
    slow = [row[RIVALS[1]]["seeds"] for row in rows if RIVALS[1] in row and row["n"] <= 2000]
    later = {name for when in content.get("again", ()) for name in when["designs"]}
    most = max((row["seeds"] for row in rows if row["design"] not in later), default=0)
    fewest = min(slow, default=content["seeds"])
    return "\n\n".join(
        [
            "## Rows as they are",
            "Holes, text, weights, typos, persons, and confounders that act only together: "
            "`benchmarks/real_rows.py`, run by `make accuracy` on "
            f"{content['date']} ({content['machine']}); {content['seeds']} tables a design, "
            f"up to {most} for ours, at least {fewest} for partialling out, which is slow, and "
            "half as many beyond 4,000 rows. Error "
            "is the RMSE over tables of the difference between the effects at "
            "the 10 % and 90 % quantiles of x, or at two levels; held is the "
            "share of 95 % intervals of five such differences that hold the truth; ends the share "
            "of those between the median and the 0.5 and 99.5 % quantiles. Beside ours: "
            "least squares with splines, dummies and robust errors (HC3, or by cluster), on "
            "complete rows; and partialling out with cross-fitted HistGradientBoosting. Both are "
            "given weights, clusters and persons where we are. A rival's error is shown as ours "
            "divided by the ratio of the two on the tables that both were run on. Designs of the "
            "second table were written before any result on them was seen.",
            *again(content),
            *[f"The rivals were measured on {day}." for day in [content.get("rivals of")] if day],
            verdict(rows),
            "How to read the shares: the differences of a table go together, so that 16 tables "
            "hold them all by luck in one design of three even where each holds in 95 %, and 100 "
            "tables hardly ever. A design counts as outside by its share; it is surely so where "
            "the share lies two standard errors over tables beyond the bound. Differences between "
            "places that are close hold more often than 95 % and those far apart about as often: "
            "what the penalty may smooth away is counted alike everywhere, and is less between "
            "neighbours.",
            "Tables are taken as they are (`tidy=False`). After these designs had been measured "
            "once, causes found in five of the second table (limits that differ by region, 60 "
            "columns, extreme weights, classes in schools, mostly zero) led to changes: those five "
            "are no longer held out. The same goes for the product of three numbers, eight "
            "clusters and, once more, mostly zero; then for 14 towns, 18 uneven clusters, the "
            "ratio of two columns and the volume of three sides; then for rings, the sign of a "
            "product of three, the limit that bends and the slope that turns round. What was found "
            "in these was tried on designs written afterwards (decisions 13 and 14).",
            "### Designs known when the estimator was made\n\n" + designs(known),
            "### Designs held out\n\n" + designs(aside),
        ]
    )


def again(content: Mapping[str, Any]) -> list[str]:
    """Say which designs were measured once more, after a change that concerned them."""
    return [
        f"Ours was measured again on {when['date']} on {when['tables']} tables of each of: "
        f"{'; '.join(when['designs'])}."
        for when in content.get("again", ())
    ]


def verdict(rows: Sequence[Row]) -> str:
    """Count what holds."""
    curable = [row for row in rows if row["curable"] == "yes" and "ours" in row]
    held = sum(row["held as it says"] for row in curable)
    above = sum(row["ours"]["covers"] > 0.99 for row in curable)
    sure = sum(row.get("surely not", False) for row in curable)
    ends = [row["ends"] for row in curable if row.get("ends") is not None]
    nulls = [row for row in curable if row["null"]]
    tables = sum(row["seeds"] for row in nulls)
    rejected = sum(row["rejected"] * row["seeds"] for row in nulls) / max(tables, 1)
    owed = [row["warned"] for row in rows if row["curable"] == "no"]
    return (
        f"Where the columns suffice, {held} of {len(curable)} designs hold the truth in 90 to 99 % "
        f"of intervals, {above} more often and {len(curable) - held - above} less often; {sure} of "
        "these surely so. At the ends of curves "
        f"{sum(share >= 0.88 for share in ends)} of {len(ends)} hold it in 88 % or more. Our error "
        "is at most a tenth larger than that of either rival on the same tables in "
        f"{sum(row['error not larger'] for row in curable)}. No effect is rejected at 5 % in "
        f"{100 * rejected:.1f} % of {tables:,} tables without one. Where the columns do not "
        "suffice, a note says that the answer may be wrong in at least nine of ten tables in "
        f"{sum(share >= 0.9 for share in owed)} of {len(owed)} designs."
    )


def designs(rows: Sequence[Row]) -> str:
    """Show a line a design."""
    titles = ["", "rows", "error", "least squares", "partialling out", "not larger", "bias"]
    titles += ["held, %", "90 to 99", "ends, %", "least squares", "partialling out"]
    titles += ["null rejected, %"]
    titles += ["notes"]
    head = f"| {' | '.join(titles)} |\n|{' --- |' * len(titles)}\n"
    return head + "\n".join(f"| {' | '.join(cells(row))} |" for row in rows)


def cells(row: Row) -> list[str]:
    """Write one design."""
    who = ("ours", *RIVALS)
    errors = {name: row[name]["rmse"] for name in who if name in row}
    if "ours" in errors:  # beside a rival of fewer tables, on its tables
        errors |= {name: errors["ours"] / row[name]["ours to it"] for name in errors}
    shown = [f"{errors[name]:.3g}" if name in errors else "" for name in who]
    held = [f"{100 * row[name]['covers']:.0f}" if name in row else "" for name in who]
    bias = f"{row['ours']['bias']:+.2g}" if "ours" in row else ""
    rejected = "" if row["rejected"] is None else f"{100 * row['rejected']:.0f}"
    first = [row["design"], f"{row['n']:,}", *shown, yes(row.get("error not larger")), bias]
    ends = "" if row.get("ends") is None else f"{100 * row['ends']:.0f}"
    within = yes(row.get("held as it says"))
    return [*first, held[0], within, ends, *held[1:], rejected, remarks(row)]


def yes(holds: bool | None) -> str:
    """Write a verdict."""
    return "" if holds is None else "yes" if holds else "no"


def remarks(row: Row) -> str:
    """Say whether what was expected came, what the table can tell at all, and which notes came."""
    parts = []
    if row["as expected"] is not None:
        parts.append(f"as it should be in {100 * row['as expected']:.0f} %")
    if row["curable"] != "yes":
        parts.append(LIMITS[row["curable"]])
    if row["answered"] < 1:
        parts.append(f"{100 * (1 - row['answered']):.0f} % of contrasts refused")
    parts += [
        f"`{kind}` {100 * count / row['seeds']:.0f} %" for kind, count in row["notes"].items()
    ]
    return ", ".join(parts)

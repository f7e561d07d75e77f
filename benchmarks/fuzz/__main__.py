"""Fuzz every room for its part of the time; count, and keep the seeds of what went wrong."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
import warnings
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import fuzz
from fuzz import compiled
from fuzz.rooms import ROOMS, open_room

from report import write_between

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "fuzzing.md"
RESULT = Path(__file__).parents[1] / "results" / "fuzz.json"


def try_room(room: str, seed: int, seconds: float) -> dict[str, Any]:
    """Try a room for so many seconds, in as many processes as it takes."""
    counts = dict.fromkeys(("tried", "refused", "answered", "wrong"), 0)
    wrong: list[dict[str, Any]] = []
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        seed, said = _one_process(room, seed, left, counts, wrong)
        if said is None:
            break
        counts["tried"] += 1
        counts["wrong"] += 1
        wrong.append({"seed": seed, "why": said})
        seed += 1
    return {"counts": counts, "next_seed": seed, "wrong": wrong}


def _one_process(
    room: str, seed: int, seconds: float, counts: dict[str, int], wrong: list[dict[str, Any]]
) -> tuple[int, str | None]:
    """Run a process to its end, and add up; return the next seed, and why it died if it did."""
    environment = compiled.environment() if room == "compiled" else {}
    command = [sys.executable, "-m", "fuzz.child", room, str(seed), str(seconds)]
    with tempfile.TemporaryFile("w+", errors="replace") as errors:
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, env=os.environ | environment
        ) as child:
            for line in child.stdout:
                if not line.startswith('{"seed"'):
                    continue
                told = json.loads(line)
                seed = told["seed"] + ("came" in told)
                for outcome, why in told.get("came", ()):
                    counts["tried"] += 1
                    counts[outcome] += 1
                    if why:
                        wrong.append({"seed": told["seed"], "why": why})
        errors.seek(0)
        said = errors.read()
    if not child.returncode:
        return seed, None
    reason = next((line for line in said.splitlines() if "AddressSanitizer" in line), said[-300:])
    return seed, f"the process ended with {child.returncode}: {reason}"


def main() -> None:
    """Fuzz, print the counts and write them."""
    parser = argparse.ArgumentParser(description=fuzz.__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rooms", nargs="+", choices=ROOMS, default=ROOMS)
    parser.add_argument("--only", nargs=2, metavar=("ROOM", "SEED"))
    parser.add_argument("--out", type=Path, default=RESULT)
    given = parser.parse_args()
    if given.only is not None:
        try_again(given.only[0], int(given.only[1]))
        return
    if "compiled" in given.rooms:
        compiled.environment()  # or it would be missed an hour later
    # Rooms that are not asked for keep what they came to last.
    rooms = json.loads(given.out.read_text())["rooms"] if given.out.exists() else {}
    for room in given.rooms:
        start = time.monotonic()
        rooms[room] = {
            "date": datetime.now(UTC).date().isoformat(),
            "machine": platform.platform(),
            "command": " ".join(["python -m fuzz", *sys.argv[1:]]),
            "first_seed": given.seed,
            "address_sanitizer": room == "compiled" and "LD_PRELOAD" in compiled.environment(),
            **try_room(room, given.seed, 60 * given.minutes / len(given.rooms)),
            "minutes": round((time.monotonic() - start) / 60, 1),
        }
        given.out.write_text(json.dumps({"rooms": rooms}, indent=1) + "\n")
        print(room, rooms[room]["counts"], flush=True)
        for found in rooms[room]["wrong"]:
            print(" ", found, flush=True)
    if given.out == RESULT:
        write_page(rooms)
    sys.exit(any(rooms[room]["wrong"] for room in given.rooms))


def write_page(rooms: dict[str, Any]) -> None:
    """Write the counts into the documentation."""
    lines = ["| room | minutes | on | tried | refused | answered | wrong |", "| --- " * 7 + "|"]
    for name, found in rooms.items():
        if found["address_sanitizer"]:
            name += ", under the address sanitizer"
        counts = " | ".join(f"{count:,}" for count in found["counts"].values())
        lines.append(f"| {name} | {found['minutes']:g} | {found['date']} | {counts} |")
    write_between(PAGE, "\n".join(lines))


def try_again(room: str, seed: int) -> None:
    """Try one seed once more, and let what is wrong be seen; hypothesis makes it small."""
    warnings.simplefilter("ignore")
    if room == "types":
        from fuzz.types import smallest

        smallest(seed)
        return
    with tempfile.TemporaryDirectory() as folder, ExitStack() as ending:
        print(open_room(room, Path(folder), ending)(seed))


if __name__ == "__main__":
    main()

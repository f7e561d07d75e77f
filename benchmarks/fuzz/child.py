"""One room in a process of its own: it may crash, and the counting goes on."""

from __future__ import annotations

import argparse
import faulthandler
import json
import tempfile
import time
import warnings
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from fuzz.rooms import PATIENCE, ROOMS, open_room


def tell(**what: Any) -> None:
    """Write a line for the parent."""
    print(json.dumps(what), flush=True)


def main() -> None:
    """Try seeds until the time is over, telling of each before and after."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("room", choices=ROOMS)
    parser.add_argument("seed", type=int)
    parser.add_argument("seconds", type=float)
    given = parser.parse_args()
    end, seed = time.monotonic() + given.seconds, given.seed
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder, ExitStack() as ending:
        attempt = open_room(given.room, Path(folder), ending)
        while time.monotonic() < end:
            # What hangs in compiled code hears no alarm: the process ends itself.
            faulthandler.dump_traceback_later(30 * PATIENCE, exit=True)
            tell(seed=seed)
            tell(seed=seed, came=attempt(seed))
            seed += 1
        faulthandler.cancel_dump_traceback_later()


if __name__ == "__main__":
    main()

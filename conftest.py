"""Fixtures shared by the suite, and what `make test-debug` and `make test-browser` change."""

import os
import sys
from importlib.util import spec_from_file_location
from pathlib import Path

import pytest

if "PYTEST_XDIST_WORKER" in os.environ:  # one of several processes: threads would wait in line
    for library in ("OMP", "OPENBLAS", "MKL"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    os.process_cpu_count = lambda: 1

import paribus as pb

os.environ["MPLBACKEND"] = "agg"
DEBUG_BUILD = os.environ.get("PARIBUS_DEBUG_PATH")
INSIST = bool(os.environ.get("PARIBUS_INSIST"))


class DebugBuild:
    """Finds compiled modules in a build with every check on, before those beside the sources."""

    def find_spec(self, name, _path=None, _target=None):
        """Return where a module lies in the debug build, if it is there."""
        place = Path(DEBUG_BUILD).resolve().joinpath(*name.split("."))
        built = next(place.parent.glob(f"{place.name}.*.so"), None)
        return built and spec_from_file_location(name, built)


if DEBUG_BUILD:
    sys.meta_path.insert(0, DebugBuild())


@pytest.fixture(scope="session")
def people():
    """Make a small body-weight table, shared because nobody changes it."""
    return pb.datasets.body_weight(600, seed=1)


@pytest.fixture(autouse=True)
def _no_open_figures():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def pytest_terminal_summary(terminalreporter):
    """Name in one loud line what was not tested for want of a browser or an office suite."""
    skipped = [r.nodeid for r in terminalreporter.stats.get("skipped", []) if wants_program(r)]
    if skipped:
        files = ", ".join(sorted({name.partition("::")[0] for name in skipped}))
        terminalreporter.write_line(
            f"NOT TESTED HERE: {len(skipped)} tests in {files}. They need chromium or LibreOffice, "
            "which make browser and make office install (Debian, as root). make test-browser "
            "fails without chromium.",
            red=True,
            bold=True,
        )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    """Let tests fail that are skipped for want of a browser, when it is insisted on."""
    report = yield
    if INSIST and report.skipped and "make browser" in str(report.longrepr):
        report.outcome = "failed"
    return report


def wants_program(report):
    """Tell whether a test was skipped for want of a program that make installs."""
    return any(f"make {what}" in str(report.longrepr) for what in ("browser", "office"))

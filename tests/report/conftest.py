"""Effects to show, and a browser to show them in."""

import shutil

import pytest

import paribus as pb

from odd_tables import nasty_table, odd_table

QUIET = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)


@pytest.fixture(scope="session")
def odd():
    return pb.effects(odd_table(), target="y", n_jobs=1)


@pytest.fixture(scope="session")
def nasty():
    table, target = nasty_table()
    return pb.effects(table, target=target, n_jobs=1)


@pytest.fixture(scope="session")
def browser():
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    if found is None:
        pytest.skip("no chromium is installed: make browser installs it")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=found, args=QUIET.split())
        yield browser
        browser.close()

"""The documentation builds without a warning: links, headings, references."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("furo", reason="the site's packages are not installed: make site")
DOCS = Path(__file__).parent.parent / "docs"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    to = tmp_path_factory.mktemp("site")
    run = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", DOCS, to],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return to


def test_every_page_is_reached_from_the_front_page(site):
    pages = {p.relative_to(DOCS).with_suffix(".html") for p in DOCS.rglob("*.md")}
    assert pages <= {p.relative_to(site) for p in site.rglob("*.html")}


def test_nothing_is_loaded_from_the_network(site):
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert 'src="http' not in text
        assert 'rel="stylesheet" href="http' not in text


def test_formulas_are_drawn_by_the_browser(site):
    assert "<math" in (site / "explanation" / "stratpd.html").read_text(encoding="utf-8")


def test_a_reader_of_the_paper_finds_its_name(site):
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    assert '"stratpd"' in index or "stratpd:" in index

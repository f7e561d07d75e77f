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


@pytest.mark.parametrize(
    ("page", "look"),
    [
        ("index.html", {"color_scheme": "dark"}),
        ("explanation/accuracy.html", {"viewport": {"width": 390, "height": 844}}),
        ("search.html", {}),
    ],
)
def test_axe_finds_nothing(site, browser, page, look):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    context = browser.new_context(**look)
    tab = context.new_page()
    tab.goto((site / page).as_uri())
    assert [found["id"] for found in axe.Axe().run(tab).response["violations"]] == []
    assert not tab.evaluate("document.documentElement.scrollWidth > innerWidth + 1")
    context.close()


def test_the_front_page_says_in_one_screen_what_it_does_and_how_right_it_is(site, browser):
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    tab = context.new_page()
    tab.goto((site / "index.html").as_uri())
    for seen in ("text=without training a model", "text=Lowest error", ".front-picture"):
        box = tab.locator(seen).first.bounding_box()
        assert box["y"] + min(box["height"], 300) < 720
    context.close()


def test_formulas_are_drawn_by_the_browser(site):
    assert "<math" in (site / "explanation" / "stratpd.html").read_text(encoding="utf-8")


def test_a_reader_of_the_paper_finds_its_name(site):
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    assert '"stratpd"' in index or "stratpd:" in index

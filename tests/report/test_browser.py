"""The page as a reader meets it, in a real browser."""

import json
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

import paribus as pb
from paribus.cli.run import run

from odd_tables import NASTY, made_set

PICTURE = Path(__file__).parents[2] / "build" / "pictures" / "report.png"


class Visit:
    """A page opened in the browser, with all that it asked for and complained about."""

    def __init__(self, browser, path, **look):
        self.context = browser.new_context(accept_downloads=True, **look)
        self.page = self.context.new_page()
        self.page.set_default_timeout(120_000)
        self.asked, self.said = [], []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        clock = self.context.new_cdp_session(self.page)
        clock.send("Performance.enable", {"timeDomain": "threadTicks"})
        self.page.goto(path.as_uri())
        self.page.wait_for_selector(".chart svg")
        spent = clock.send("Performance.getMetrics")["metrics"]
        self.seconds = next(each["value"] for each in spent if each["name"] == "TaskDuration")

    def see_all(self):
        """Scroll through the page until every chart is drawn."""
        for box in self.page.locator(".chart").all():
            box.scroll_into_view_if_needed()
            box.locator("svg").wait_for()

    def drawn(self):
        """Count the charts that are drawn."""
        return self.page.locator(".chart[data-drawn]").count()


@pytest.fixture
def visit(browser, tmp_path):
    visits = []

    def open_page(effects, **look):
        visits.append(Visit(browser, effects.report(tmp_path / "page.html"), **look))
        return visits[-1]

    yield open_page
    for made in visits:
        made.context.close()


def test_nothing_leaves_and_nothing_is_complained_of(visit, odd, tmp_path):
    seen = visit(odd)
    seen.see_all()
    assert seen.asked == [(tmp_path / "page.html").as_uri()]
    assert seen.said == []
    assert seen.drawn() == sum(effect.explained for effect in odd.effects)


def test_the_first_chart_is_there_at_once(visit):
    """The processor's time is looked at, which other work on the machine does not stretch."""
    assert visit(made_set(20, 500)).seconds < 1.5  # about .6 on a quiet machine


def test_nasty_names_are_text(visit, nasty):
    seen = visit(nasty)
    seen.see_all()
    for box in seen.page.locator(".chart").all():
        box.hover()
    assert seen.page.evaluate("window.ran") is None
    assert seen.said == []
    assert len(seen.asked) == 1
    headings = seen.page.locator("h2 bdi").all_inner_texts()
    assert set(NASTY.values()) <= set(headings)
    assert seen.page.locator("main img").count() == 0


def test_charts_are_drawn_when_scrolled_to(visit):
    seen = visit(made_set(200, 20))
    assert 0 < seen.drawn() < 10
    last = seen.page.locator(".chart").last
    last.scroll_into_view_if_needed()
    last.locator("svg").wait_for()
    assert seen.drawn() < 200  # it did not wait for its turn


def test_of_very_many_columns_the_strongest_are_shown_and_others_when_asked_for(visit):
    seen = visit(made_set(600, 4))
    page = seen.page
    assert page.locator("section.column").count() == 50
    assert page.locator(".ranking tbody tr:visible").count() == 100
    page.locator("#all").click()
    assert page.locator(".ranking tbody tr:visible").count() == 600
    assert page.locator(".ranking a").count() == 500  # the rest have no chart
    page.locator(".ranking a").nth(299).click()
    chosen = page.locator("section.column").last
    chosen.locator("svg").wait_for()
    name = page.locator(".ranking tbody tr").nth(299).locator(".name").inner_text()
    assert name in chosen.locator("h2").inner_text()
    page.locator("#find").fill(name)
    assert name in page.locator(".ranking tbody tr:visible .name").all_inner_texts()
    assert page.locator(".ranking tbody tr:visible").count() < 20
    assert seen.said == []


@pytest.mark.parametrize("look", ["light", "dark"])
def test_light_and_dark(visit, odd, look):
    seen = visit(odd, color_scheme=look)
    seen.see_all()
    assert seen.page.locator(f".chart[data-drawn={look}]").count() == seen.drawn() > 0


def test_curves_of_dates_and_numbers_run_across_the_picture(visit, odd):
    seen = visit(odd)
    seen.see_all()
    for name in ("day", "x"):
        section = seen.page.locator("section", has=seen.page.get_by_role("heading", name=name))
        chart = section.locator(".chart").last
        line = chart.locator(".mark-line path").first.bounding_box()
        assert line["width"] > 0.5 * chart.bounding_box()["width"]


def test_a_phone_needs_no_sideways_scrolling(visit, odd):
    seen = visit(odd, viewport={"width": 360, "height": 640})
    seen.see_all()
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_charts_say_what_they_show(visit, odd):
    seen = visit(odd)
    told = seen.page.locator(".chart").evaluate_all("all => all.map(c => c.ariaLabel)")
    assert told == [effect.summary() for effect in odd.effects if effect.explained]


@pytest.mark.parametrize(("kind", "start"), [("PNG", b"\x89PNG"), ("SVG", b"<svg")])
def test_pictures_are_saved(visit, odd, kind, start):
    seen = visit(odd)
    with seen.page.expect_download() as download:
        seen.page.locator(f"[data-save={kind}]").first.click()
    assert Path(download.value.path()).read_bytes().startswith(start)
    assert seen.said == []


def test_numbers_are_saved_and_no_formula_among_them(visit, nasty):
    seen = visit(nasty)
    part = seen.page.locator("section.column", has=seen.page.locator("h2 bdi", has_text="@levels"))
    with seen.page.expect_download() as download:
        part.locator("[data-save=CSV]").click()
    text = Path(download.value.path()).read_text(encoding="utf-8-sig")
    assert text.startswith('"\'@levels","rows","effect","lower"')
    assert '"\'=HYPERLINK(""http' in text
    assert '"\'+1"' in text


def test_levels_are_found(visit, odd):
    seen = visit(odd)
    box = seen.page.locator("[data-search]")
    box.fill("town 5")
    rows = seen.page.locator("details[open] td:first-child").all_inner_texts()
    assert sorted(rows) == [f"town 5{k}" for k in range(10)]


def test_buttons_are_reached_by_keyboard(visit, odd):
    seen = visit(odd)
    names = set()
    for _ in range(20):
        seen.page.keyboard.press("Tab")
        names.add(seen.page.evaluate("document.activeElement.innerText"))
    assert {"Skip to the ranking", "Print or save as PDF", "PNG", "SVG", "CSV"} <= names


def test_dates_stay_the_same_day_everywhere(visit, odd):
    seen = visit(odd, timezone_id="America/Los_Angeles")
    part = seen.page.locator("section.column", has=seen.page.locator("h2", has_text="day"))
    part.locator("[data-table] summary").click()
    first = part.locator("details[open] td").first
    first.wait_for(state="visible")
    assert first.inner_text() == str(odd["day"].x[0])[:10]
    assert json.loads(part.locator("script").inner_text())["name"] == "day"


def test_printing_draws_every_chart_in_light(visit, odd):
    seen = visit(odd, color_scheme="dark")
    count = "document.querySelectorAll('.chart[data-drawn=light] svg').length"
    seen.page.evaluate(f"window.print = () => {{ window.printed = {count} }}")
    seen.page.get_by_role("button", name="Print or save as PDF").click()
    seen.page.wait_for_function("window.printed !== undefined")
    assert seen.page.evaluate("window.printed") == sum(e.explained for e in odd.effects)


def test_printing_without_the_button_is_readable(visit, odd):
    """The browser's own menu prints charts as they are: dark ones are turned, others named."""
    seen = visit(odd, color_scheme="dark")
    seen.page.emulate_media(media="print", color_scheme="dark")
    look = "getComputedStyle(document.querySelector('.chart[data-drawn=dark] svg')).filter"
    assert "invert" in seen.page.evaluate(look)
    expect(seen.page.locator(".chart:not([data-drawn])")).to_have_count(0)
    seen.page.evaluate("document.querySelector('.chart').removeAttribute('data-drawn')")
    early = "getComputedStyle(document.querySelector('.chart'), '::after').content"
    assert "Not drawn yet" in seen.page.evaluate(early)


def test_the_demo_as_a_stranger_meets_it(browser, tmp_path, capsys):
    """Its picture is the README's: `make pictures` copies it there."""
    assert run(["demo", "-o", str(tmp_path / "diamonds.html"), "--no-open"]) == 0
    assert capsys.readouterr().out == f"The report is in {tmp_path / 'diamonds.html'}\n"
    look = {"viewport": {"width": 900, "height": 1080}, "color_scheme": "light"}
    seen = Visit(browser, tmp_path / "diamonds.html", **look)
    assert "What goes with price, other things equal?" in seen.page.inner_text("h1")
    assert seen.page.locator(".ranking tbody tr").count() == 6
    seen.page.wait_for_selector(".chart[data-drawn]")
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    assert seen.page.screenshot(path=PICTURE).startswith(b"\x89PNG")
    seen.context.close()


def test_a_tap_shows_the_values_and_paper_does_not(visit, odd):
    seen = visit(odd, has_touch=True, is_mobile=True, viewport={"width": 390, "height": 800})
    chart = seen.page.locator(".chart").first
    chart.scroll_into_view_if_needed()
    chart.locator("svg").wait_for()
    box = chart.bounding_box()
    tip = seen.page.locator("#vg-tooltip-element")
    seen.page.touchscreen.tap(box["x"] + 0.6 * box["width"], box["y"] + 0.5 * box["height"])
    expect(tip).to_be_visible()
    name = odd.effects[0].feature
    assert tip.locator("h2").inner_text().startswith(f"{name} = ")
    assert "effect" in tip.inner_text()
    assert seen.said == []
    seen.page.emulate_media(media="print")
    expect(tip).to_be_hidden()


def test_numbers_below_each_other_have_as_many_decimals(visit, odd):
    seen = visit(odd)
    part = seen.page.locator("section.column", has=seen.page.locator("h2", has_text="town"))
    cells = part.locator("[data-table] td:nth-child(3)").all_inner_texts()
    heads = part.locator("[data-table] th").all_inner_texts()
    assert heads[:3] == ["town", "rows", "effect"]  # how many rows there are is never off screen
    assert len(cells) == 60
    assert len({len(cell.partition(".")[2]) for cell in cells}) == 1


def test_rows_that_carry_a_result_are_named(visit, typos):
    seen = visit(typos, viewport={"width": 360, "height": 700})
    page = seen.page
    part = page.locator("section.column:has(h2:has-text('x')) details.influential")
    n = len(typos["x"].influential)
    assert part.locator("summary").inner_text() == f"Rows that carry this result ({n})"
    part.locator("summary").click()
    assert part.locator("tbody tr").count() == 5
    assert part.locator("tbody tr >> nth=0").inner_text().split()[0] == "8"
    assert f"and {n - 5} more" in part.inner_text()
    assert part.locator("button").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert "400 rows in 50 clusters, 2 columns." in page.inner_text("header")
    assert "shared by rows of the same <b>shop." in page.inner_text("#method")
    assert seen.said == []


def test_nothing_is_said_of_rows_that_carry_nothing(visit):
    rng = np.random.default_rng(0)
    x = rng.uniform(size=3000)
    calm = pb.effects({"x": x, "z": rng.uniform(size=3000)}, x + rng.uniform(size=3000))
    assert not any(e.influential for e in calm.effects)
    assert visit(calm).page.locator(".influential").count() == 0


@pytest.fixture(scope="module")
def trips():
    """Return effects of a table in which long trips are by train alone."""
    rng = np.random.default_rng(0)
    way = rng.choice(["bus", "train"], 900)
    km = np.where(way == "train", rng.uniform(0, 100, 900), rng.uniform(0, 40, 900)).round()
    fare = 2 * km + 30 * (way == "train") + rng.normal(size=900)
    return pb.effects({"km": km, "way": way, "fare": fare}, "fare", n_jobs=1, tidy=False)


def test_two_profiles_are_compared_by_keyboard(visit, trips):
    seen = visit(trips, viewport={"width": 360, "height": 700})
    page = seen.page
    told = page.locator("#profiles [role=status]")
    first, second = (page.get_by_label(f"km, {side} profile") for side in ("first", "second"))
    for slider, key in ((first, "Home"), (second, "End"), (second, "ArrowLeft")):
        slider.focus()
        page.keyboard.press(key)
    low, high = (float(s.get_attribute("aria-valuetext")) for s in (first, second))
    assert low == trips["km"].x[0]
    apart = trips["km"].between(low, high)
    expect(told).to_have_text(
        f"With km = {high:g} instead of {low:g}, fare is about {apart.value:.3g} higher "
        f"(95 % interval {apart.lower:.3g} to {apart.upper:.3g}), other columns held still."
    )
    way = page.get_by_label("way, second profile")
    way.select_option("bus")
    page.get_by_label("way, first profile").select_option("train")
    expect(told).to_have_text(
        "No row of the table is like the second profile in km and way, so no difference is told."
    )
    page.get_by_label("way, first profile").select_option("bus")
    expect(told).to_contain_text("No row of the table is like the second profile")
    way.select_option("train")
    page.get_by_label("way, first profile").select_option("train")
    second.focus()
    page.keyboard.press("Home")
    expect(told).to_contain_text("Both profiles are the same")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert seen.said == []

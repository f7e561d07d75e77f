"""The page as an analyst meets it, in a real browser."""

import os
import signal
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from playwright.sync_api import expect

from odd_tables import NASTY, nasty_table, odd_table
from served import people, slow_table


@pytest.fixture(scope="module")
def slow(tmp_path_factory):
    return slow_table(tmp_path_factory.mktemp("slow") / "slow.parquet", n=60_000)


def test_the_whole_flow(visit):
    seen = visit()
    seen.open("people.csv", people(600))
    page = seen.page
    assert "600 rows, 5 columns" in page.inner_text("form")
    assert page.input_value("#target") == "weight"
    assert page.locator(".columns svg path").count() == 5
    assert seen.violations() == []
    seen.run("weight")
    assert seen.names() == ["height", "pregnant", "education", "sex"]
    assert "goes with about 10 more weight" in page.inner_text("section.column >> nth=0")
    page.get_by_label("pregnant, second profile").select_option("true")
    assert "pregnant = true instead of false, weight is" in page.inner_text("#profiles .reading")
    assert seen.violations() == []
    for kind, start in (("html", b"<!doctype"), ("xlsx", b"PK"), ("csv", b"\xef\xbb\xbfcolumn")):
        with page.expect_download() as download:
            page.click(f"a[href$='/{kind}']")
        taken = Path(download.value.path()).read_bytes()
        assert taken.startswith(start)
        assert (b'id="profiles"' in taken) == (kind == "html")
        assert download.value.suggested_filename == f"people.{kind}"
    with page.expect_download() as download:
        page.locator("[data-save=PNG]").first.click()
    assert Path(download.value.path()).read_bytes().startswith(b"\x89PNG")
    assert seen.clean(), (seen.said, seen.asked)


def test_two_runs_are_laid_over_each_other(visit):
    seen = visit()
    seen.open("people.csv", people(600))
    seen.run("weight")
    page = seen.page
    page.click("#open-again")
    page.uncheck("[name=use][value=height]")
    page.select_option("[data-column=education]", "categorical")
    page.select_option("[name=level]", "0.9", force=True)
    page.select_option("[name=reference]", "sex", force=True)
    page.select_option("[name=reference_level]", "M", force=True)
    page.click("dialog button[type=submit]")
    page.wait_for_selector(".runs li:nth-child(2)")
    seen.finished()
    said = "without height; education as a category; sex compared with M; 90 % sure"
    assert said in page.inner_text("p.lead")
    page.click("a:has-text('Lay over')")
    seen.laid_over()
    assert "not there" in page.inner_text(".impacts tbody tr:has-text('height')")
    assert page.locator("section.column").count() == 4
    assert seen.violations() == []
    assert seen.clean(), seen.said


def test_some_rows_against_the_whole(visit):
    seen = visit()
    seen.open("people.csv", people(600))
    page = seen.page
    page.click("details.more summary")
    page.select_option("[name=only]", "sex")
    page.select_option("[name=values]", "F")
    seen.run("weight")
    assert "only sex = F" in page.inner_text("p.lead")
    assert seen.names() == ["height", "pregnant", "education"]
    page.click("#whole")
    seen.laid_over()
    assert page.locator(".impacts thead th").all_inner_texts()[1:] == [
        "1: only sex = F",
        "2: all rows and columns",
    ]
    assert seen.clean(), seen.said


def test_nothing_can_be_chosen_before_it_would_be_heard(visit):
    """A choice made, or a run begun, before the form's script is there would be lost."""
    seen = visit()
    seen.open("people.csv", people(600))
    page, held = seen.page, []
    page.route("**/static/form.js", lambda route: held.append(route))
    page.goto(page.url, wait_until="commit")
    page.wait_for_selector("form.settings", state="attached")
    assert not page.is_visible("form.settings")
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
    page.wait_for_selector("form.settings")
    page.click("details.more summary")
    page.select_option("[name=only]", "sex")
    page.select_option("[name=values]", "F")
    assert seen.clean(), seen.said


@pytest.fixture(scope="module")
def sales():
    """Return rows of 40 shops as CSV, two of them wild, one column there in two units."""
    rng = np.random.default_rng(0)
    n = 600
    shop = rng.integers(0, 40, n)
    x = rng.normal(size=n) + rng.normal(size=40)[shop]
    sold = 10 * x + 20 * rng.normal(size=40)[shop] + 5 * rng.normal(size=n)
    x[5], sold[5], x[77], sold[77] = 4, 900, -3, -500
    table = {"cents": (100 * x).round(), "euros": x.round(2), "staff": rng.integers(1, 9, n)}
    table |= {"shop": [f"s{k}" for k in shop], "people": rng.integers(50, 400, n), "sold": sold}
    return pl.DataFrame(table).write_csv().encode()


def test_rows_that_belong_together_weights_and_groups(visit, sales, tmp_path, monkeypatch):
    seen = visit()
    seen.open("sales.csv", sales)
    page = seen.page
    page.select_option("#target", "sold")
    page.click("summary:has-text('More about the rows')")
    assert page.locator("[name=itself]").is_hidden()
    page.get_by_label("belong to the same person, shop or day?").select_option("shop")
    page.get_by_label("how many people each row stands for?").select_option("people")
    page.click("summary:has-text('Columns that move together')")
    assert page.locator("[name=together]:disabled").count() == 3  # target, shop, people
    page.get_by_role("checkbox", name="cents", exact=True).check()
    assert "groups rows" in page.inner_text("[data-row=shop]")
    assert seen.violations() == []
    page.click("button[type=submit]")
    page.wait_for_selector("[data-problem]:has-text(\"'cents' alone is ticked\")")
    seen.said.clear()  # the browser complains of what the server refused
    page.get_by_role("checkbox", name="euros", exact=True).check()
    page.click("button[type=submit]")
    seen.finished()
    told = "weighted by people; rows of the same shop belong together; cents, euros together"
    assert told in page.inner_text("p.lead")
    assert page.inner_text("p.size") == "600 rows in 40 clusters, 2 columns."
    assert sorted(seen.names()) == ["cents", "staff"]
    assert "shared by rows of the same shop." in page.inner_text("#method")
    (tmp_path / "sales.csv").write_bytes(sales)
    monkeypatch.chdir(tmp_path)
    found = {}
    exec(page.text_content("#python"), found)  # noqa: S102
    said = [effect.summary() for effect in found["effects"].effects]
    assert page.locator("p.sentence").all_inner_texts() == said
    page.click("#open-again")
    assert page.input_value("[name=group]") == "shop"
    assert page.locator("[name=together]:checked").count() == 2
    page.check("[name=itself]")
    page.click("dialog button[type=submit]")
    page.wait_for_selector(".runs li:nth-child(2)")
    seen.finished()
    assert "each shop compared with itself" in page.inner_text("p.lead")
    assert "Each shop is compared with itself" in page.inner_text("#method")
    page.click("a:has-text('Lay over')")
    seen.laid_over()
    heads = page.locator(".impacts thead th").all_inner_texts()
    assert "each shop compared" in heads[1]
    assert "rows of the same shop" in heads[2]
    assert seen.clean(), seen.said


def test_a_run_without_the_rows_that_carry_a_result(visit, sales):
    seen = visit(viewport={"width": 360, "height": 700})
    seen.open("sales.csv", sales)
    page = seen.page
    page.uncheck("[name=use][value=euros]")
    page.uncheck("[name=use][value=shop]")
    seen.run("sold")
    part = page.locator("section.column:has(h2 bdi:text-is('cents')) details.influential")
    part.locator("summary").click()
    assert part.locator("tbody tr >> nth=0").inner_text().split()[0] == "6"
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert seen.violations() == []
    part.locator("button").click()
    page.wait_for_selector(".runs li:nth-child(2)")
    seen.finished()
    rows = page.inner_text("#whole-part")
    assert "without " in rows
    n = 600 - int(page.inner_text("p.size").split()[0])
    page.click("#open-again")
    assert page.get_by_label(f"Leave out {n} rows that carried a result").is_checked()
    assert seen.violations() == []
    page.click("#close-again")
    page.click("#whole")
    seen.laid_over()
    assert "without " in page.locator(".impacts thead th").all_inner_texts()[1]
    assert seen.clean(), seen.said


def test_twins_are_offered_as_a_group(visit, sales):
    seen = visit()
    seen.open("sales.csv", sales)
    seen.switch("cents", "sold")
    seen.run("sold")
    assert "under Columns that move together" in seen.page.inner_text("#columns")


def test_one_of_several_classes(visit):
    seen = visit()
    table = {"a": [k % 7 for k in range(300)], "b": [k % 5 for k in range(300)]}
    table["light"] = [
        ("red", "green", "<i>amber</i>")[(a + k) % 3] for k, a in enumerate(table["a"])
    ]
    seen.open("lights.csv", pl.DataFrame(table).write_csv().encode())
    seen.page.select_option("#target", "light")
    seen.page.select_option("[name=class]", "<i>amber</i>")
    seen.page.click("button[type=submit]")
    seen.finished()
    assert "light is <i>amber</i>" in seen.page.inner_text("h1")
    assert seen.page.locator("main i").count() == 0


def test_models_are_drawn_beside(visit):
    pytest.importorskip("paribus.models")
    seen = visit()
    seen.open("people.csv", people(300))
    seen.run("weight")
    seen.page.click("#compare")
    part = seen.page.locator("section.beside-models").first
    part.locator(".chart").scroll_into_view_if_needed()
    part.locator("svg").wait_for()
    assert "the models predict: random forest" in part.inner_text()
    part.locator("summary").click()
    part.locator("td").first.wait_for()
    assert {"random forest", "boosting", "paribus"} <= set(part.locator("td").all_inner_texts())
    seen.page.reload()
    part.wait_for()
    assert seen.violations() == []
    assert seen.clean(), seen.said


def test_the_python_lines_give_the_same(visit, tmp_path, monkeypatch):
    seen = visit()
    content = people(400)
    seen.open("people.csv", content)
    seen.page.wait_for_selector("[data-look]:not([aria-busy])")  # its cards move the list down
    seen.page.uncheck("[name=use][value=sex]")
    seen.run("weight")
    lines = seen.page.text_content("#python")
    (tmp_path / "people.csv").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    found = {}
    exec(lines, found)  # noqa: S102
    said = [effect.summary() for effect in found["effects"].effects]
    assert seen.page.locator("p.sentence").all_inner_texts() == said


def test_a_sample_by_keyboard_alone(visit):
    seen = visit()
    page = seen.page

    def press_until(wanted, key="Tab", most=60):
        for _ in range(most):
            page.keyboard.press(key)
            now = page.evaluate("document.activeElement.innerText + document.activeElement.name")
            if wanted in now:
                return
        raise AssertionError(f"{wanted} is not reached")

    press_until("Body weight")
    page.keyboard.press("Enter")
    page.wait_for_selector("form.settings")
    press_until("target")
    press_until("Run")
    page.keyboard.press("Enter")
    seen.finished()
    press_until("Change and run again")
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog[open]")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog:not([open])", state="attached")
    press_until("Report (HTML)")
    assert seen.clean(), seen.said


@pytest.mark.parametrize("look", ["light", "dark"])
def test_a_narrow_screen(visit, look):
    seen = visit(viewport={"width": 360, "height": 700}, color_scheme=look)
    page = seen.page
    wide = "document.documentElement.scrollWidth"
    assert page.evaluate(wide) <= 360
    assert seen.violations() == []
    seen.open("odd.csv", pl.DataFrame(odd_table(600)).write_csv().encode())
    assert page.evaluate(wide) <= 360
    seen.run("y")
    page.locator(f".chart[data-drawn={look}] svg").first.wait_for()
    assert page.evaluate(wide) <= 360
    assert seen.violations() == []


def test_names_full_of_markup_are_text(visit):
    seen = visit()
    table, target = nasty_table()
    seen.open('<img src=x onerror="window.ran=1">.csv', pl.DataFrame(table).write_csv().encode())
    page = seen.page
    assert set(NASTY.values()) <= set(page.locator("th.name bdi").all_inner_texts())
    seen.run(target)
    for box in page.locator(".chart").all():
        box.scroll_into_view_if_needed()
        box.locator("svg").wait_for()
        box.hover()
    assert set(NASTY.values()) <= set(seen.names())
    page.goto(seen.served.origin)
    assert page.evaluate("window.ran") is None
    assert page.locator("main img").count() == 0
    assert seen.clean(), seen.said


@pytest.mark.parametrize(
    ("name", "content", "word"),
    [
        ("book.xlsx", b"no workbook", "is not an Excel workbook"),
        ("table.parquet", b"a,b\n1,2\n", "is not a Parquet file"),
        ("table.csv", b"PAR1" * 10, "looks like a Parquet file"),
        ("empty.csv", b"", "is empty"),
    ],
)
def test_a_file_that_is_not_what_it_says(visit, name, content, word):
    seen = visit()
    seen.page.set_input_files("#file", {"name": name, "mimeType": "", "buffer": content})
    seen.page.wait_for_selector("#problem:visible")
    said = seen.page.inner_text("#problem")
    assert word in said
    assert said.startswith(f"File '{name}'")
    seen.page.click("text=Open another file")
    seen.page.wait_for_selector("#drop")


def test_a_file_of_another_kind_is_refused_at_once(visit):
    seen = visit()
    seen.page.set_input_files("#file", {"name": "a.pdf", "mimeType": "", "buffer": b"%PDF"})
    seen.page.wait_for_selector("#problem:visible")
    assert "names end in .csv" in seen.page.inner_text("#problem")
    assert seen.page.locator("#sending").is_hidden()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_cancelling_reloading_and_two_tabs(visit, slow):
    seen = visit()
    seen.open("slow.parquet", slow)
    page = seen.page
    page.select_option("#target", "y")
    page.click("button[type=submit]")
    page.wait_for_selector("#columns section.column")
    seen.served.signal_workers(signal.SIGSTOP)  # the run stays in its middle, however fast it is
    assert page.get_attribute("#run", "data-state") == "running"
    assert seen.names()[0] == "x0"  # the likely most important comes first
    page.reload()
    page.wait_for_selector("#columns section.column")
    other = seen.tab()
    other.goto(page.url)
    other.wait_for_selector("#columns section.column")
    queued = seen.tab()
    queued.goto(page.url)
    queued.click("#open-again")
    queued.click("dialog button[type=submit]")
    queued.wait_for_selector("#stage:has-text('Next in the queue')")
    queued.click("#cancel")
    queued.wait_for_selector("#problem:has-text('Cancelled')")
    page.click("#cancel")
    page.wait_for_selector("#problem:has-text('Cancelled')")
    other.wait_for_selector("#problem:has-text('Cancelled')")
    seen.served.signal_workers(signal.SIGCONT)
    assert seen.names()[0] == "x0"
    seen.open("people.csv", people(300))  # the page lives on
    seen.run("weight")
    assert seen.clean(), seen.said


def test_a_comparison_is_cancelled_and_a_file_removed(visit, slow):
    seen = visit()
    seen.open("slow.parquet", slow)
    page = seen.page
    page.fill("[data-find]", "x1")
    shown = page.locator("[data-row]:visible").all_inner_texts()
    assert len(shown) == 11  # x1 and x10 to x19
    page.fill("[data-find]", "")
    assert seen.violations() == []
    for box in page.locator("[name=use]").all()[3:24]:
        box.uncheck()
    seen.run("y")
    page.click("#compare")
    page.click("#cancel-compare")
    page.wait_for_selector("#compare-stage:has-text('Cancelled.')")
    assert page.locator("#cancel-compare").is_hidden()
    assert page.locator("#compare").is_enabled()
    page.goto(seen.served.origin)
    assert seen.violations() == []
    before = page.locator("[data-remove]").count()
    page.locator("li:has-text('slow.parquet') > [data-remove]").first.click()
    expect(page.locator("[data-remove]")).to_have_count(before - 1)
    assert seen.clean(), seen.said


def test_hints_are_shown_until_they_are_read(visit):
    seen = visit()
    seen.open("people.csv", people(100))
    hint = seen.page.locator("[data-hint=form]")
    hint.get_by_role("button", name="Got it").click()
    assert hint.is_hidden()
    seen.page.reload()
    seen.page.wait_for_selector("form.settings")
    assert hint.is_hidden()
    seen.page.click("[popovertarget=help-target]")
    assert seen.page.locator("#help-target").is_visible()


def test_a_picture_for_the_readme(visit, tmp_path):
    seen = visit(viewport={"width": 1120, "height": 1040}, color_scheme="light")
    seen.page.click("[data-sample=diamonds]")
    seen.page.wait_for_selector("form.settings")
    assert seen.page.input_value("#target") == "price"
    seen.page.click("button[type=submit]")
    seen.finished()
    seen.page.locator("[data-hint=results] [data-seen]").click()
    seen.page.locator(".chart[data-drawn]").first.wait_for()
    folder = Path(os.environ.get("PARIBUS_PICTURES", tmp_path))
    seen.page.screenshot(path=folder / "serve.png")
    assert seen.names()[:3] == ["carat", "clarity", "color"]
    assert (folder / "serve.png").stat().st_size > 20_000

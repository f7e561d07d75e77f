"""Groups of rows compared on the page."""

import numpy as np
import polars as pl


def test_groups_asked_for_in_the_form_are_compared(visit):
    rng = np.random.default_rng(0)
    n = 600
    region, size, age = rng.choice(["north", "south"], n), rng.normal(9, 2, n), rng.normal(40, 9, n)
    rent = 50 * size * (1 + (region == "south")) + age + rng.normal(0, 20, n)
    table = pl.DataFrame({"region": region, "size": size, "age": age, "rent": rent})
    seen = visit(viewport={"width": 375, "height": 800})
    seen.open("rents.csv", table.write_csv().encode())
    page = seen.page
    page.click("summary:has-text('More about the rows')")
    page.get_by_label("Compare groups of the rows").select_option("region")
    seen.run("rent")
    part = page.locator("section.column:has(h2 bdi:text-is('size')) section.groups")
    assert "; difference " in part.locator("p.sentence").inner_text()
    assert part.locator("tbody td:first-child").all_inner_texts()[:2] == ["north", "south"]
    assert "region" in page.inner_text("p.lead")
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    assert seen.violations() == []
    page.click("#open-again")
    assert page.input_value("[name=by]") == "region"
    assert seen.clean(), seen.said


def test_a_second_column_is_chosen_on_the_page(visit):
    rng = np.random.default_rng(0)
    n = 600
    size, age, garden = rng.normal(9, 2, n), rng.normal(40, 9, n), rng.choice(["yes", "no"], n)
    rent = 50 * size + age + 90 * (garden == "yes") + rng.normal(0, 20, n)
    table = pl.DataFrame({"size": size, "age": age, "garden": garden, "rent": rent})
    seen = visit(viewport={"width": 375, "height": 800})
    seen.open("rents.csv", table.write_csv().encode())
    seen.run("rent")
    page = seen.page
    column = page.locator("section.column:has(h2 bdi:text-is('size'))")
    column.get_by_label("At once with a second column").select_option("garden")
    column.get_by_role("button", name="Show both").click()
    part = column.locator("section.groups")
    part.locator(".chart svg").first.wait_for()
    assert "garden" in part.locator("h3").inner_text()
    assert part.locator("section.part").count() == 2
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    assert seen.violations() == []
    assert seen.clean(), seen.said

"""The look at the columns on the page: cards, switches, and what a run makes of them."""

import numpy as np
import polars as pl
import pytest


@pytest.fixture(scope="module")
def wages():
    """Return wages as CSV with their logarithm, a square, a row's number, and one typing error."""
    rng = np.random.default_rng(1)
    n = 500
    exper, female = rng.integers(0, 40, n), rng.integers(0, 2, n)
    wage = 10 + 0.3 * exper - 2 * female + rng.normal(0, 2, n)
    hours = rng.normal(40, 3, n).round(1)
    hours[7] = 400
    table = {"nr": range(n), "lwage": np.log(wage), "exper": exper, "expersq": exper**2}
    table |= {"female": female, "hours": hours, "firm_id": np.arange(n) % 125, "wage": wage}
    return pl.DataFrame(table).write_csv().encode()


def test_a_card_for_each_proposal_with_a_switch(visit, wages, tmp_path, monkeypatch):
    seen = visit(viewport={"width": 375, "height": 800})
    seen.open("wages.csv", wages)
    page = seen.page
    page.select_option("#target", "wage")
    page.wait_for_selector("[data-look]:not([aria-busy]) .found:has-text('logarithm of wage')")
    cards = page.locator(".found:has([name=look])").all_inner_texts()
    assert any("nr Left out as an id" in card for card in cards), cards
    assert any("exper with expersq Grouped" in card for card in cards), cards
    assert "1 column of two values is shown as two values" in page.inner_text("[data-look]")
    assert "left out" in page.inner_text("[data-row=lwage]")
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    assert seen.violations() == []
    seen.switch("lwage", "wage")
    page.get_by_label("Leave this row out").check()
    page.get_by_role("button", name="they belong together").click()
    assert page.input_value("[name=group]") == "firm_id"
    page.click("button[type=submit]")
    seen.finished()
    assert set(seen.names()) == {"lwage", "exper", "female", "hours"}
    lead = page.inner_text("p.lead")
    for part in ("without row 8", "lwage as in the file", "rows of the same firm_id"):
        assert part in lead
    (tmp_path / "wages.csv").write_bytes(wages)
    monkeypatch.chdir(tmp_path)
    found = {}
    exec(page.text_content("#python"), found)  # noqa: S102
    assert seen.names() == found["effects"].ranking
    page.click("#open-again")
    page.wait_for_selector("[data-look] [name=look]:not(:checked)")
    assert page.get_by_label("Leave this row out").is_checked()
    assert page.locator("[name=look]:not(:checked)").count() == 1
    assert seen.clean(), seen.said

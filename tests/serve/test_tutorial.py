"""The tutorial on the page, walked as it is written: what is bold there is clicked here."""

import re
from pathlib import Path

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorials" / "on-the-page.md"


def test_the_tutorial_is_walked(visit):
    text = TUTORIAL.read_text(encoding="utf-8")
    sample, run, change, again, over, report, workbook = re.findall(r"\*\*(.+?)\*\*", text)
    seen = visit()
    page = seen.page
    for words in re.findall(r"\*(\w[^*]+)\*", text)[:2]:
        assert re.sub(r"\s+", " ", words) in page.inner_text("body")
    page.get_by_role("button", name=re.compile(f"^{sample}")).click()  # not "Remove ..."
    page.wait_for_selector("form.settings")
    assert page.input_value("#target") == "weight"
    page.get_by_role("button", name=run, exact=True).click()
    seen.finished()
    assert seen.names() == ["height", "pregnant", "education", "sex"]
    assert "10 more weight" in page.inner_text("section.column >> nth=0")
    page.get_by_role("button", name=change).click()
    page.uncheck("[name=use][value=pregnant]")
    page.get_by_role("button", name=again, exact=True).click()
    page.wait_for_selector(".runs li:nth-child(2)")
    seen.finished()
    assert seen.names()[1] == "sex"
    for words in (report, workbook):
        assert page.get_by_role("link", name=words).count() == 1
    page.get_by_role("link", name=over).first.click()
    seen.laid_over()
    assert seen.clean(), seen.said

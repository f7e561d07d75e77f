"""A tab in a real browser."""

from pathlib import Path

import pytest

SERIOUS = ("serious", "critical")


class Visit:
    """A tab, with all that it asked for and complained about."""

    def __init__(self, browser, served, **look):
        self.served = served
        self.context = browser.new_context(accept_downloads=True, **look)
        self.asked, self.said = [], []
        self.page = self.tab()
        self.page.goto(served.address)
        self.page.wait_for_selector("#drop")
        self.page.wait_for_load_state("load")  # of the page that the address led to

    def tab(self):
        """Open one more tab."""
        page = self.context.new_page()
        page.set_default_timeout(120_000)
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        return page

    def open(self, name, content):
        """Choose a file and wait for its preview."""
        self.page.goto(self.served.origin)
        made = {"name": name, "mimeType": "", "buffer": content}
        self.page.set_input_files("#file", content if isinstance(content, Path) else made)
        self.page.wait_for_selector("form.settings")

    def run(self, target):
        """Pick the target, run and wait for the end."""
        self.page.select_option("#target", target)
        self.page.click("button[type=submit]")
        self.finished()

    def finished(self):
        """Wait for the end of a run."""
        self.page.wait_for_url("**/runs/*", wait_until="commit")
        self.page.wait_for_selector("#run[data-state=done]", timeout=600_000)
        self.page.wait_for_selector(".chart svg")

    def laid_over(self):
        """Wait for the page of two runs: the one before it has charts, too."""
        self.page.wait_for_selector(".impacts thead th:nth-child(3)")
        self.page.wait_for_selector(".chart svg")

    def switch(self, column, target):
        """Turn the switch of a column's card, once the columns were looked at for a target."""
        self.page.select_option("#target", target)
        self.page.wait_for_selector("[data-look]:not([aria-busy])")
        self.page.locator(".found", has=self.page.get_by_text(column, exact=True)).first.locator(
            "[name=look]"
        ).click()

    def names(self):
        """Return the columns in the order shown."""
        return self.page.locator("section.column h2 bdi").all_inner_texts()

    def violations(self):
        """Return what axe finds serious, with the element that it is about."""
        axe = pytest.importorskip("axe_playwright_python.sync_playwright")
        found = axe.Axe().run(self.page).response["violations"]
        return [(v["id"], v["nodes"][0]["html"]) for v in found if v["impact"] in SERIOUS]

    def clean(self):
        """Tell that nothing was complained of and nothing asked of anybody else."""
        foreign = [url for url in self.asked if not url.startswith((self.served.origin, "data:"))]
        return not self.said and not [url for url in foreign if not url.startswith("blob:")]

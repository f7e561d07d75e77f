"""A question to the page, step by step: send the table, look at it, run, fetch the workbook."""

from pathlib import Path
from threading import Event

from paribus_addin import words
from paribus_addin.words import Refused

EVERY = 0.25  # seconds between two looks at how far it is
NO_HTML = "?after=99999999"  # the progress alone, without the page's own parts


class Question:
    """A table on a page, and how far its answer is.

    Parameters
    ----------
    page : Page
    table : Table
    folder : Path
        For the files that go there and back.
    tell : callable
        Gets a line about how far it is, and the share that is done.
    stop : Event
        Set when the user gives up.
    """

    def __init__(self, page, table, folder, tell=lambda *_: None, stop=None):
        self.page, self.table, self.folder = page, table, Path(folder)
        self.tell, self.stop = tell, stop or Event()
        self.file = ""

    def look(self):
        """Send the table, and return what the page says of it."""
        self.tell("Sending the table", 0.0)
        path = self.folder / "table.csv"
        self.table.write(path)
        self.file = self.page.upload(path, "table.csv")
        return self._finished(self.file + "/columns")

    def proposals(self, target):
        """Return what will be done with each column: a line, and what to keep to undo it."""
        found = self.page.tell(self.file + "/look", {"target": target})["found"]
        cards = [*found["done"], *found["small"], *found["asked"]]
        pairs = [(words.card(card), card["undo"]) for card in cards]
        return pairs + [(f"{name}: {reason}", []) for name, reason in found["plain"].items()]

    def answer(self, settings):
        """Run, and return the path of the workbook."""
        if settings["target"] not in self.table.names:
            raise words.no_column(settings["target"], self.table.names)
        run = self.page.tell(self.file + "/runs", settings)["address"]
        try:
            self._finished(run + "/progress" + NO_HTML)
        except Refused:
            if self.stop.is_set():
                self.page.tell(run + "/cancel")
            raise
        self.tell("Writing the sheets", 1.0)
        self.page.fetch(run + "/take/xlsx", self.folder / "answer.xlsx")
        return self.folder / "answer.xlsx"

    def _finished(self, path):
        """Wait for something to be finished."""
        while True:
            now = self.page.ask(path)
            if now["state"] == "done":
                return now
            if now["finished"]:
                raise Refused(now["sentence"] or words.STOPPED)
            share = now["done"] / now["total"] if now["total"] else 0.0
            line = now["stage"] or "Waiting"
            if now["total"]:
                line += f": {now['done']} of {now['total']} columns"
            self.tell(line, share)
            if self.stop.wait(EVERY):
                raise Refused(words.STOPPED)

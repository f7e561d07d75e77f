"""Drives a real LibreOffice; run by the office's own Python.

``office.py OXT COMMAND FOLDER`` installs the extension into a fresh profile, runs the cases and
prints what it found as JSON.
"""

import contextlib
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import uno
import unohelper
from com.sun.star.beans import NamedValue, PropertyValue
from com.sun.star.task import XInteractionHandler
from com.sun.star.ucb import XCommandEnvironment

SERVICE = "org.paribus.calc.Explain"
JOB = f"vnd.sun.star.job:service={SERVICE}"
PAIRS = "[]com.sun.star.beans.NamedValue"


def main(oxt, command, pictures):
    """Run every case and print the results."""
    with tempfile.TemporaryDirectory() as folder:
        profile = f"-env:UserInstallation={Path(folder).as_uri()}/profile"
        pipe = f"paribus{Path(folder).name}"
        accept = f"--accept=pipe,name={pipe};urp;"
        office = subprocess.Popen(
            [shutil.which("soffice"), "--headless", "--norestore", profile, accept]
        )
        page = subprocess.Popen(
            [command, "serve", "--no-browser"], stdout=subprocess.PIPE, text=True
        )
        try:
            context = connect(pipe)
            install(context, oxt)
            address = "http" + page.stdout.readline().strip().partition("http")[2]
            cases = Cases(context, command, address, Path(pictures))
            sys.stdout.write(json.dumps(cases.all()))
        finally:
            page.terminate()
            close(context)
            office.wait(20)


def close(context):
    """Ask the office to end; it does so in the middle of its answer."""
    with contextlib.suppress(Exception):
        context.ServiceManager.createInstanceWithContext(
            "com.sun.star.frame.Desktop", context
        ).terminate()


def connect(pipe):
    """Return the office's context once it answers."""
    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext(
        "com.sun.star.bridge.UnoUrlResolver", local
    )
    for _ in range(120):
        try:
            return resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
        except Exception:
            time.sleep(0.5)
    raise SystemExit("LibreOffice did not answer.")


def install(context, oxt):
    """Add the extension for this user, as the extension manager does."""
    manager = context.getByName("/singletons/com.sun.star.deployment.ExtensionManager")
    url = Path(oxt).resolve().as_uri()
    manager.addExtension(url, (), "user", manager.createAbortChannel(), Quiet())


class Quiet(unohelper.Base, XCommandEnvironment, XInteractionHandler):
    """Says yes to everything and shows nothing while something is installed."""

    def getInteractionHandler(self):
        """Answer questions here."""
        return self

    def handle(self, request):
        """Say yes."""
        approval = uno.getTypeByName("com.sun.star.task.XInteractionApprove")
        for answer in request.Continuations:
            if answer.queryInterface(approval):
                answer.select()

    def getProgressHandler(self):
        """Nothing is shown."""


def named(kind, **values):
    """Return named values, as the office's interfaces take them."""
    found = []
    for name, value in values.items():
        pair = kind()
        pair.Name, pair.Value = name, value
        found.append(pair)
    return tuple(found)


class Cases:
    """What is tried: a table that is fine, and tables that are not."""

    def __init__(self, context, command, address, pictures):
        self.make = lambda name: context.ServiceManager.createInstanceWithContext(name, context)
        self.desktop = self.make("com.sun.star.frame.Desktop")
        self.command, self.address, self.pictures = command, address, pictures

    def all(self):
        """Return what each case gave."""
        return {
            "fine": self.fine(),
            "taken": self.fine(taken="Summary", page=self.address),
            "empty": self.refused(lambda _: None, "C3"),
            "no header": self.refused(lambda sheet: fill(sheet, header=False), "A1"),
            "merged": self.refused(merge, "A1"),
            "two blocks": self.refused(fill, "A1:B5,D1:E5"),
            "unknown": self.refused(fill, "A1", target="prise"),
            "no page": self.refused(fill, "A1", page="http://127.0.0.1:9/?token=x"),
            "errors": self.refused(wrong, "A1", sheets=True),
            "many rows": self.many(),
        }

    def fine(self, taken="", page=""):
        """Explain a table and read the answer back."""
        document = self.document()
        sheet = document.Sheets.getByIndex(0)
        sheet.Name = taken or "Houses"
        fill(sheet)
        before = sheet.getCellRangeByName("A1:D301").getDataArray()
        sentence = self.explain(document, "B7", "price", page or self.command, by_dispatch=not page)
        found = {"sentence": sentence, "sheets": list(document.Sheets.ElementNames)}
        found["unchanged"] = before == sheet.getCellRangeByName("A1:D301").getDataArray()
        found["charts"] = [
            document.Sheets.getByIndex(k).Charts.Count for k in range(document.Sheets.Count)
        ]
        found["overlap"] = [overlap(document.Sheets.getByName(n)) for n in ("rooms", "garden")]
        found["title"] = document.Sheets.getByIndex(1).getCellByPosition(0, 0).String
        found["first"] = column(document.Sheets.getByIndex(1), 1, 12)
        found["effect"] = [list(row) for row in table(document.Sheets.getByName("rooms"))]
        found["links"] = links(document.Sheets.getByIndex(1))
        if not taken:
            pdf = (self.pictures / "addin.pdf").as_uri()
            document.storeToURL(pdf, named(PropertyValue, FilterName="calc_pdf_Export"))
        document.close(True)
        return found

    def many(self, n_rows=20_000):
        """Explain a long table: what is said, which sheets there are, whether it is as it was."""
        document = self.document()
        sheet = document.Sheets.getByIndex(0)
        fill(sheet, n_rows=n_rows)
        before = sheet.getCellRangeByName(f"A1:D{n_rows + 1}").getDataArray()
        sentence = self.explain(document, "B7", "price", self.address)
        same = before == sheet.getCellRangeByName(f"A1:D{n_rows + 1}").getDataArray()
        found = {"sentence": sentence, "unchanged": same, "sheets": document.Sheets.ElementNames}
        document.close(True)
        return found

    def refused(self, prepare, cells, target="price", page="", sheets=False):
        """Explain a table that is not fine, and return the sentence."""
        document = self.document()
        prepare(document.Sheets.getByIndex(0))
        sentence = self.explain(document, cells, target, page or self.address)
        count = document.Sheets.Count
        document.close(True)
        return sentence if sheets or count == 1 else f"{count} sheets: {sentence}"

    def document(self):
        """Return a new document that nobody sees."""
        url = "private:factory/scalc"
        return self.desktop.loadComponentFromURL(
            url, "_blank", 0, named(PropertyValue, Hidden=True)
        )

    def explain(self, document, cells, target, page, by_dispatch=False):
        """Select cells, and call the menu's command, or the job behind it for its sentence."""
        controller, sheet = document.CurrentController, document.Sheets.getByIndex(0)
        ranges = document.createInstance("com.sun.star.sheet.SheetCellRanges")
        for part in cells.split(","):
            ranges.addRangeAddress(sheet.getCellRangeByName(part).RangeAddress, False)
        controller.select(ranges if ranges.Count > 1 else ranges.getByIndex(0))
        wanted = {"target": target, "page": page}
        if by_dispatch:
            url = uno.createUnoStruct("com.sun.star.util.URL")
            url.Complete = JOB
            _, url = self.make("com.sun.star.util.URLTransformer").parseStrict(url)
            command = controller.Frame.queryDispatch(url, "", 0)
            command.dispatch(url, named(PropertyValue, **wanted))
            return ""
        given = named(
            NamedValue,
            Environment=uno.Any(PAIRS, named(NamedValue, Frame=controller.Frame)),
            DynamicData=uno.Any(PAIRS, named(NamedValue, **wanted)),
        )
        return self.make(SERVICE).execute(given)


def fill(sheet, header=True, n_rows=300):
    """Write houses: rooms and garden are worth something, the day is not."""
    rows = [("rooms", "garden", "sold", "price")] if header else []
    for k in range(n_rows):
        rooms, garden = 1 + (k * 7) % 6, "yes" if (k // 7) % 2 else "no"
        noise = ((k * 7919) % 101 - 50) / 10
        price = 100 + 20 * rooms + (30 if garden == "yes" else 0) + noise
        rows.append((float(rooms), garden, 45_000.0 + (k * 37) % 365, price))
    sheet.getCellRangeByPosition(0, 0, 3, len(rows) - 1).setDataArray(tuple(rows))


def merge(sheet):
    """Write the table, and merge two of its cells."""
    fill(sheet)
    sheet.getCellRangeByName("B5:C5").merge(True)


def wrong(sheet):
    """Write the table, with two formulas that fail."""
    fill(sheet)
    for cell in ("A9", "A12"):
        sheet.getCellRangeByName(cell).Formula = "=1/0"


def column(sheet, at, n_rows):
    """Return the texts of a column."""
    return [sheet.getCellByPosition(at, k).String for k in range(n_rows)]


def table(sheet):
    """Return the numbers of an effect's sheet: the column's values and the effect."""
    return sheet.getCellRangeByName("A4:C9").getDataArray()


def overlap(sheet):
    """Tell whether a sheet's chart covers its table."""
    last = 0
    while sheet.getCellByPosition(last, 3).String:
        last += 1
    return sheet.DrawPage.getByIndex(0).Position.X < sheet.getCellByPosition(last, 3).Position.X


def links(sheet):
    """Return where the links in a summary lead."""
    found = []
    for k in range(30):
        fields = sheet.getCellByPosition(1, k).TextFields
        found += [fields.getByIndex(i).URL for i in range(fields.Count)]
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])

"""The dialogs: which column is asked about, how far it is, what went wrong."""

import uno
import unohelper
from com.sun.star.awt import XActionListener, XItemListener, XTopWindowListener

from paribus_addin import words

WIDTH, MARGIN, LINE = 340, 8, 10  # in the dialogs' own units, a quarter of a letter's width
BUTTON = {"Width": 60, "Height": 15}


def say(window, sentence):
    """Show a sentence."""
    kind = uno.Enum("com.sun.star.awt.MessageBoxType", "INFOBOX")
    window.Toolkit.createMessageBox(window, kind, 1, words.TITLE, sentence).execute()


class Box:
    """A dialog that is built line by line, downwards."""

    def __init__(self, context, title):
        self.context = context
        make = context.ServiceManager.createInstanceWithContext
        self.model = make("com.sun.star.awt.UnoControlDialogModel", context)
        self.model.Title, self.model.Width = title, WIDTH
        self.control = make("com.sun.star.awt.UnoControlDialog", context)
        self.control.setModel(self.model)
        self.bottom = MARGIN

    def add(self, kind, name, height, **properties):
        """Put something below the rest, as wide as the dialog."""
        self._insert(
            kind, name, PositionX=MARGIN, PositionY=self.bottom, Width=WIDTH - 2 * MARGIN,
            Height=height, **properties,
        )  # fmt: skip
        self.bottom += height + 4

    def text(self, name, text, lines=1):
        """Put a text below the rest."""
        self.add("FixedText", name, lines * LINE, Label=text, MultiLine=lines > 1)

    def buttons(self, *named):
        """Put buttons into the last line, from the right: pairs of a name and properties."""
        for k, (name, properties) in enumerate(named):
            x = WIDTH - MARGIN - (k + 1) * BUTTON["Width"] - k * MARGIN
            self._insert("Button", name, PositionX=x, PositionY=self.bottom, **BUTTON, **properties)
        self.bottom += BUTTON["Height"] + MARGIN

    def part(self, name):
        """Return a control by its name."""
        return self.control.getControl(name)

    def open(self):
        """Show the dialog in the middle of the screen."""
        self.model.Height = self.bottom
        toolkit = self.context.ServiceManager.createInstanceWithContext(
            "com.sun.star.awt.Toolkit", self.context
        )
        self.control.createPeer(toolkit, None)
        area, own = toolkit.WorkArea, self.control.PosSize
        x, y = (area.Width - own.Width) // 2, (area.Height - own.Height) // 3
        self.control.setPosSize(max(0, x), max(0, y), 0, 0, 3)

    def _insert(self, kind, name, **properties):
        part = self.model.createInstance(f"com.sun.star.awt.UnoControl{kind}Model")
        for key, value in properties.items():
            setattr(part, key, value)
        self.model.insertByName(name, part)


def ask_text(context, question, given):
    """Ask for a line of text; empty where the user gives up."""
    box = Box(context, words.TITLE)
    box.text("question", question, lines=4)
    box.add("Edit", "line", 14, Text=given)
    box.buttons(("cancel", {"Label": "Cancel", "PushButtonType": 2}),
                ("ok", {"Label": "OK", "PushButtonType": 1, "DefaultButton": True}))  # fmt: skip
    box.open()
    try:
        return box.part("line").Text.strip() if box.control.execute() else ""
    finally:
        box.control.dispose()


def choose(context, question, seen):
    """Ask for the target, and show what will be done with the other columns; None: given up."""
    table = question.table
    box = Box(context, "Explain a column")
    remarks = [f"{table.n_rows:,} rows, {len(table.names)} columns.", *table.remarks]
    box.text("size", " ".join(remarks), lines=1 + len(table.remarks))
    box.text("which", "Which column is to be explained?")
    start = table.names.index(seen["target"]) if seen.get("target") in table.names else 0
    box.add("ListBox", "target", 14, Dropdown=True, StringItemList=tuple(table.names),
            SelectedItems=(start,), LineCount=20, HelpText="The target")  # fmt: skip
    box.text("what", "What will be done with the columns. Select a line to leave it undone:")
    box.add("ListBox", "lines", 120, StringItemList=(), MultiSelection=True)
    box.buttons(("ok", {"Label": "Explain", "PushButtonType": 1, "DefaultButton": True}),
                ("cancel", {"Label": "Cancel", "PushButtonType": 2}))  # fmt: skip
    box.open()

    pairs = []

    def show(*_):
        pairs[:] = question.proposals(box.part("target").SelectedItem)
        box.part("lines").Model.StringItemList = tuple(line for line, _ in pairs)

    box.part("target").addItemListener(Chosen(show))
    show()
    try:
        if not box.control.execute():
            return None
        undone = [one for k in box.part("lines").SelectedItemsPos for one in pairs[k][1]]
        return {"target": box.part("target").SelectedItem, "keep": undone}
    finally:
        box.control.dispose()


class Waiting:
    """A small window with how far it is and a button that stops; the office stays usable."""

    def __init__(self, context, line, stop):
        self.box = Box(context, words.TITLE)
        self.box.text("line", line + " …")
        self.box.add("ProgressBar", "bar", 10, ProgressValueMin=0, ProgressValueMax=100)
        self.box.buttons(("cancel", {"Label": "Cancel"}))
        self.box.open()
        self.open = True
        self.box.part("cancel").addActionListener(Pressed(stop))
        self.box.control.addTopWindowListener(Closed(stop))
        self.box.control.setVisible(True)

    def tell(self, line, share):
        """Show how far it is."""
        if self.open:
            self.box.part("line").Text = line
            self.box.part("bar").Value = round(100 * share)

    def close(self):
        """Take the window away."""
        if self.open:
            self.open = False
            self.box.control.dispose()


class Pressed(unohelper.Base, XActionListener):
    """Calls a function when a button is pressed."""

    def __init__(self, call):
        self.call = call

    def actionPerformed(self, _event):
        """Do it."""
        self.call()

    def disposing(self, _event):
        """Nothing is kept."""


class Chosen(unohelper.Base, XItemListener):
    """Calls a function when something is chosen."""

    def __init__(self, call):
        self.call = call

    def itemStateChanged(self, _event):
        """Do it."""
        self.call()

    def disposing(self, _event):
        """Nothing is kept."""


class Closed(unohelper.Base, XTopWindowListener):
    """Calls a function when a window is closed by its corner."""

    def __init__(self, call):
        self.call = call

    def windowClosing(self, _event):
        """Do it."""
        self.call()

    def windowOpened(self, _event):
        """Nothing to do."""

    windowClosed = windowMinimized = windowNormalized = windowOpened
    windowActivated = windowDeactivated = disposing = windowOpened

"""From a click in the menu to the sheets with the answer."""

import json
import os
import tempfile
from pathlib import Path
from threading import Event, Thread

import uno
import unohelper
from com.sun.star.awt import XCallback

from paribus_addin import answer, dialogs, server, words
from paribus_addin.asking import Question
from paribus_addin.table import Table
from paribus_addin.words import Refused


def at_once(context, document, wanted):
    """Explain without asking anything, and return a sentence.

    Parameters
    ----------
    wanted : dict
        ``target``; if need be ``page``, the place of the command or the address of a page.
    """
    table = Table(document, document.CurrentSelection)
    at = wanted.get("page") or server.find_command()
    if not at:
        raise Refused(words.NO_COMMAND)
    with tempfile.TemporaryDirectory() as folder:
        page = server.Page(at)
        try:
            question = Question(page, table, folder)
            question.look()
            path = question.answer({"target": wanted["target"]})
            names = answer.insert(context, document, path)
        finally:
            page.close()
    return " ".join([words.written(names), *table.remarks])


def in_dialogs(context, document):
    """Ask for the target, show how far it is, add the sheets; work goes on beside the office."""
    talk = Conversation(context, document)
    try:
        talk.begin()
    except Refused as refused:
        talk.end(str(refused))


class Conversation:
    """One question asked in dialogs; what takes time is done in a thread of its own."""

    def __init__(self, context, document):
        self.context, self.document = context, document
        self.window = document.CurrentController.Frame.ContainerWindow
        self.stop = Event()
        self.folder = tempfile.TemporaryDirectory()
        self.page = self.waiting = self.question = None

    def begin(self):
        """Read the table, find the command, and look at the table there."""
        table = Table(self.document, self.document.CurrentSelection)
        at = self._page_place()
        if at:
            self._wait("Starting paribus")
            self._in_background(lambda: self._look(table, at), self._choose)
        else:
            self.end()

    def end(self, sentence=""):
        """Close everything, with a word if there is one."""
        if self.waiting is not None:
            self.waiting.close()
        if self.page is not None:
            self.page.close()
        self.folder.cleanup()
        if sentence and not self.stop.is_set():
            dialogs.say(self.window, sentence)

    def _look(self, table, at):
        self.page = server.Page(at)
        self.question = Question(self.page, table, self.folder.name, self.waiting.tell, self.stop)
        return self.question.look()

    def _choose(self, seen):
        self.waiting.close()
        choice = dialogs.choose(self.context, self.question, seen)
        if choice is None:
            self.end()
            return
        self._wait("Grouping rows that are alike")
        self.question.tell = self.waiting.tell
        self._in_background(lambda: self.question.answer(choice), self._write)

    def _write(self, path):
        names = answer.insert(self.context, self.document, path)
        answer.show(self.document, names[0])
        self.end(" ".join(self.question.table.remarks))

    def _wait(self, line):
        self.waiting = dialogs.Waiting(self.context, line, self.stop.set)

    def _in_background(self, work, then):
        """Do something in a thread, and go on with what it returns in the office's own."""

        def whole():
            try:
                found = work()
                step = lambda: then(found)  # noqa: E731
            except Refused as refused:
                sentence = str(refused)
                step = lambda: self.end(sentence)  # noqa: E731
            except Exception as error:
                sentence = words.unexpected(error)
                step = lambda: self.end(sentence)  # noqa: E731
            caller = self.context.ServiceManager.createInstanceWithContext(
                "com.sun.star.awt.AsyncCallback", self.context
            )
            caller.addCallback(Step(step, self), None)

        Thread(target=whole, daemon=True).start()

    def _page_place(self):
        """Return the command or the address of a page; ask where neither is known."""
        kept = Settings(self.context)
        at = kept.page if kept.page.startswith("http") else server.find_command(kept.page)
        while not at:
            given = dialogs.ask_text(self.context, words.NO_COMMAND, kept.page)
            if not given:
                return ""
            at = given if given.startswith("http") else server.find_command(given)
            kept.page = given
        return at


class Step(unohelper.Base, XCallback):
    """What the office's own thread does next."""

    def __init__(self, step, talk):
        self.step, self.talk = step, talk

    def notify(self, _data):
        """Do it; a mistake is shown, not lost."""
        try:
            self.step()
        except Refused as refused:
            self.talk.end(str(refused))
        except Exception as error:
            self.talk.end(words.unexpected(error))


class Settings:
    """What the user said once, kept in the office's own folder."""

    def __init__(self, context):
        paths = context.ServiceManager.createInstanceWithContext(
            "com.sun.star.util.PathSubstitution", context
        )
        folder = uno.fileUrlToSystemPath(paths.substituteVariables("$(user)", True))
        self._path = Path(folder) / "paribus.json"

    @property
    def page(self):
        """The command, or the address of a page."""
        try:
            return str(json.loads(self._path.read_text(encoding="utf-8"))["page"])
        except (OSError, ValueError, KeyError, TypeError):
            return os.environ.get("PARIBUS_PAGE", "")

    @page.setter
    def page(self, value):
        self._path.write_text(json.dumps({"page": value}), encoding="utf-8")

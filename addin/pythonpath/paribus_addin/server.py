"""The paribus command, started for one question, and what is asked of its page."""

import json
import os
import shutil
import subprocess
import threading
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import quote, urlsplit

from paribus_addin import words
from paribus_addin.words import Refused

PLACES = ("~/.local/bin", "/usr/local/bin", "/opt/homebrew/bin", "~/miniconda3/bin",
          "~/anaconda3/bin")  # fmt: skip
OFFICE_ONLY = ("PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "URE_BOOTSTRAP")
STARTS_WITHIN, ANSWERS_WITHIN = 120.0, 60.0  # seconds


def find_command(chosen=""):
    """Return the place of the paribus command, or an empty text."""
    if chosen:
        return shutil.which(str(Path(chosen).expanduser())) or ""
    path = os.pathsep.join(
        [os.environ.get("PATH", ""), *(str(Path(place).expanduser()) for place in PLACES)]
    )
    return shutil.which("paribus", path=path) or ""


class Page:
    """A running page; one that was started here ends with it.

    Parameters
    ----------
    at : str
        The command, or the address of a page that runs already.
    """

    def __init__(self, at):
        self.process = None
        address = at if at.startswith("http") else self._start(at)
        parts = urlsplit(address)
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self._opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(CookieJar())
        )
        try:
            self._open(address[len(self.origin) :] or "/")
        except BaseException:
            self.close()
            raise

    def close(self):
        """End the page, if it was started here."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()

    def ask(self, path):
        """Ask for something that is written as JSON."""
        return json.loads(self._open(path))

    def tell(self, path, settings=None):
        """Send settings, and return the answer."""
        return json.loads(self._open(path, json.dumps(settings or {}).encode()))

    def upload(self, path, name):
        """Send a file, and return its address on the page."""
        with Path(path).open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            headers = {"x-file-name": quote(name), "content-length": str(size)}
            return json.loads(self._open("/files", file, headers))["address"]

    def fetch(self, path, to):
        """Fetch a file."""
        Path(to).write_bytes(self._open(path))

    def _open(self, path, body=None, headers=None):
        request = urllib.request.Request(  # noqa: S310
            self.origin + path, body, {"origin": self.origin, **(headers or {})}
        )
        try:
            with self._opener.open(request, timeout=ANSWERS_WITHIN) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            raise Refused(_sentence(error)) from None
        except OSError as error:
            raise words.no_answer(self.origin, getattr(error, "reason", error)) from None

    def _start(self, command):
        """Start the page and return the address that it prints."""
        own = {name: value for name, value in os.environ.items() if name not in OFFICE_ONLY}
        hidden = {"creationflags": 0x08000000} if os.name == "nt" else {}  # no console window
        self.process = subprocess.Popen(  # noqa: S603
            [command, "serve", "--no-browser"], env=own, text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **hidden,
        )  # fmt: skip
        watch = threading.Timer(STARTS_WITHIN, self.process.kill)
        watch.start()
        said = []
        for line in self.process.stdout:
            said.append(line.strip())
            place = line.find("http://")
            if place >= 0:
                watch.cancel()
                return line[place:].strip()
        watch.cancel()
        raise Refused(" ".join(said) or f"{command} ended without a word.")


def _sentence(error):
    """Return what a page says when it refuses."""
    text = error.read().decode("utf-8", "replace")
    try:
        return json.loads(text)["sentence"]
    except (ValueError, KeyError, TypeError):
        return text or f"The page answers {error.code}."

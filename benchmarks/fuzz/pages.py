"""Requests, settings and uploads drawn at random, against a running page."""

from __future__ import annotations

import json
import socket
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from fuzz.files import file_of, mutated
from paribus.base.errors import InputError
from paribus.serve.app import ROUTES

sys.path.append(str(Path(__file__).parents[2] / "tests" / "serve"))

from served import Served, people

SECONDS = 20  # in which the page must have answered
OURS = ("Something went wrong inside", "for want of memory")
METHODS = ("GET", "GET", "POST", "POST", "PUT", "HEAD", "DELETE", "OPTIONS", "TRACE", "ODD")
TEXTS = ["", "a", "weight", "height", "sex", "é🙂", "\ud800", "../x", "x" * 5000, "\x00", "=1+1"]
ODD_HEADERS = {
    "Host": ["example.com", "127.0.0.1", "", "localhost:1"],
    "Origin": ["http://example.com", "null", "", "http://127.0.0.1"],
    "Cookie": ["", "a=b", "paribus=wrong", ";;;=;"],
    "Accept": ["text/html", "*/*", ""],
    "X-File-Name": ["a.csv", "../../a.csv", "%00.csv", "a.exe", "x" * 9000 + ".csv", "a.csv.gz.gz"],
    "Content-Type": ["multipart/form-data", "text/plain;charset=utf-9"],
    "Range": ["bytes=0-1", "bytes=-1", "bytes=9-1,a"],
    "Expect": ["100-continue"],
    "Transfer-Encoding": ["gzip", "identity"],
    "Content-Length": ["-1", "+1", "abc", "0"],
}
SHUT_OUT = {"Host": (400, 403), "Origin": (403,), "Cookie": (401,)}
SETTINGS = ("target", "left_out", "kinds", "class", "level", "only", "together", "roles")
SETTINGS += ("without_rows", "keep", "scale", "doubling", "by")


class Page:
    """A running page with a file and a finished run."""

    def __init__(self, server: Served) -> None:
        self.server = server
        self.file = self.run = ""
        self.open()

    def open(self) -> None:
        """Make sure that the file and its run are there."""
        if self.file and all(self.server.ask("GET", at)[0] == 200 for at in (self.file, self.run)):
            return
        self.file = self.server.upload("people.csv", people(60))
        self.server.glance(self.file)
        self.run = self.server.start(self.file, target="weight")
        self.server.wait(f"{self.run}/progress")


def try_page(rng: np.random.Generator, folder: Path, page: Page) -> None:
    """Send something odd; the page must refuse or answer it, and go on."""
    page.open()
    kind = (send_request, send_settings, send_file, send_bytes)[rng.integers(4)]
    try:
        kind(rng, folder, page)
    finally:
        # A machine that is busy elsewhere is slow once; a page that hangs is slow again.
        if not (answers(page.server) or answers(page.server)):
            raise AssertionError("afterwards the page does not answer")


def answers(server: Served) -> bool:
    """Tell whether the page answers in time."""
    start = time.monotonic()
    return server.ask("GET", "/")[0] == 200 and time.monotonic() - start <= SECONDS


def judged(status: int, content: bytes) -> None:
    """Take an answer for refused or answered."""
    said = content[:2000].decode(errors="replace")
    if status >= 500 or any(words in said for words in OURS):
        raise AssertionError(f"{status}: {said[:200]}")
    if status >= 400:
        raise InputError(said)


def anything(rng: np.random.Generator, deep: int = 2) -> Any:
    """Draw a value that JSON can hold."""
    plain = [None, True, 0, -1, 0.5, 10**30, float("nan"), TEXTS[rng.integers(len(TEXTS))]]
    if not deep or rng.random() < 0.6:
        return plain[rng.integers(len(plain))]
    inner = [anything(rng, deep - 1) for _ in range(int(rng.integers(4)))]
    return inner if rng.random() < 0.5 else {TEXTS[k % len(TEXTS)]: v for k, v in enumerate(inner)}


def send_request(rng: np.random.Generator, _folder: Path, page: Page) -> None:
    """Ask for any address in any way."""
    server, method = page.server, str(rng.choice(METHODS))
    path = ROUTES[rng.integers(len(ROUTES))].path
    if path.endswith("/remove") and rng.random() < 0.9:
        path = "/"
    ids = {"{file}": page.file.rpartition("/")[2], "{run}": page.run.rpartition("/")[2]}
    ids |= {"{kind}": str(rng.choice(["csv", "xlsx", "html", "py", "exe"])), "{sample}": "diamond"}
    for name, value in ids.items():
        odd = rng.choice(["..%2f..%2fetc", "%00", "first", "x" * 300, "%ff", ""])
        path = path.replace(name, value if rng.random() < 0.8 else str(odd))
    if rng.random() < 0.3:
        path += f"?a={ids['{run}']}&b={rng.choice([ids['{run}'], '', '%00', 'x'])}&after=-1"
    headers, shut = {}, ()
    for name in rng.choice(list(ODD_HEADERS), size=int(rng.integers(3)), replace=False):
        headers[str(name)] = str(rng.choice(ODD_HEADERS[name]))
        shut = shut or SHUT_OUT.get(name, ())
    body = [None, b"{}", rng.bytes(50), b"[" * 100_000, json.dumps(anything(rng)).encode()]
    status, _, content = server.ask(method, path, body[rng.integers(len(body))], **headers)
    if shut and 200 <= status < 300:
        raise AssertionError(f"{method} {path} with {headers} was let in: {status}")
    judged(status, content)


def send_settings(rng: np.random.Generator, _folder: Path, page: Page) -> None:
    """Ask a question of the file with odd settings, and look at the answer in every form."""
    asked: dict[str, Any] = {"target": "weight"}
    for name in rng.choice(SETTINGS, size=int(rng.integers(1, 4)), replace=False):
        asked[str(name)] = anything(rng) if rng.random() < 0.5 else fitting(str(name), rng)
    way = "runs" if rng.random() < 0.7 else "look"
    status, _, content = page.server.ask("POST", f"{page.file}/{way}", json.dumps(asked).encode())
    judged(status, content)
    if way == "runs":
        finish(page, json.loads(content)["address"])


def fitting(name: str, rng: np.random.Generator) -> Any:
    """Draw a setting that the page itself could send."""
    column = str(rng.choice(["weight", "height", "sex", "pregnant", "education"]))
    return {
        "target": column, "left_out": [column], "kinds": {column: "categorical"}, "class": "M",
        "level": 0.8, "together": [column, "height"], "by": column, "scale": "log",
        "roles": {str(rng.choice(["weights", "cluster", "within", "exposure"])): column},
        "only": {"column": column, "low": "1", "high": "99", "values": ["M"]},
        "without_rows": [0, 59, 60], "keep": [column], "doubling": True,
    }[name]  # fmt: skip


def finish(page: Page, run: str) -> None:
    """Wait for a run, and take it in every form."""
    said = page.server.wait(f"{run}/progress")
    if said["state"] != "done":
        judged(400, said["sentence"].encode())
    for way in ("", "/take/csv", "/take/xlsx", "/take/html", "/take/py"):
        judged(*page.server.ask("GET", run + way, Accept="text/html")[::2])
    judged(*page.server.ask("POST", f"{run}/cancel", b"{}")[::2])


def send_file(rng: np.random.Generator, folder: Path, page: Page) -> None:
    """Upload a mutated file, explain it if it can be read, and remove it."""
    path = file_of(rng, folder)
    name = path.name if rng.random() < 0.8 else f"fuzzed{rng.choice(['.csv', '.xlsx', '.gz', ''])}"
    status, _, content = page.server.ask("POST", "/files", path.read_bytes(), X_File_Name=name)
    judged(status, content)
    file = json.loads(content)["address"]
    try:
        seen = page.server.glance(file)
        judged(200 if seen["state"] == "done" else 400, seen["sentence"].encode())
        judged(*page.server.ask("GET", file, Accept="text/html")[::2])
        status, _, content = page.server.ask(
            "POST", f"{file}/runs", json.dumps({"target": seen["target"]}).encode()
        )
        judged(status, content)
        finish(page, json.loads(content)["address"])
    finally:
        status = page.server.ask("POST", f"{file}/remove", b"{}")[0]
        if status != 200 or page.server.ask("GET", file)[0] != 400:
            raise AssertionError(f"removing {file} answers {status}")


def send_bytes(rng: np.random.Generator, _folder: Path, page: Page) -> None:
    """Send bytes that are hardly a request, and read what comes back."""
    server = page.server
    body = json.dumps({"target": "weight"})
    request = (
        f"POST {page.file}/look HTTP/1.1\r\nHost: {server.host}\r\nOrigin: {server.origin}\r\n"
        f"Cookie: {server.cookie}\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    ).encode()
    host, port = server.host.replace("localhost", "127.0.0.1").split(":")
    with socket.create_connection((host, int(port)), timeout=SECONDS) as connection:
        connection.sendall(mutated(request, rng, int(rng.integers(1, 9))))
        connection.shutdown(socket.SHUT_WR)
        try:
            answer = connection.recv(100_000)
        except ConnectionError:
            answer = b""
    status = int(answer.split(b" ")[1]) if answer.startswith(b"HTTP/") else 400
    judged(status, answer)

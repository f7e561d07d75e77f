"""Starting and stopping, and what the scripts and templates may do."""

import re
import signal
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import paribus
from paribus.cli.run import run

from served import Served

ROOM = Path(paribus.__file__).parent
SHARED = [ROOM / "report" / "templates" / name for name in ("charts.js", "profiles.js")]
SCRIPTS = [*(ROOM / "serve" / "static").glob("*.js"), *SHARED]
PAGES = [*(ROOM / "serve" / "templates").glob("*.html"), *(ROOM / "report").rglob("*.html")]

# What goes into a page unescaped: JSON made for it, and pictures and parts that we draw ourselves.
SAFE = {"column.bars", "column.doubt.picture", "column.support.picture", "column.spark", "form"}


@pytest.mark.parametrize("package", ["starlette", "uvicorn", "altair"])
def test_what_is_missing_is_named(package, monkeypatch, capsys):
    import importlib.util as util

    found = util.find_spec
    monkeypatch.setattr(
        "paribus.serve.start.find_spec", lambda name: None if name == package else found(name)
    )
    assert run(["serve", "--no-browser"]) == 2
    assert f"needs {package}, which is not installed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "word"),
    [("none.csv", "There is no file"), (".", "is a folder"), ("a.pdf", "not a kind of file")],
)
def test_a_file_that_cannot_be_opened(name, word, tmp_path, monkeypatch, capsys):
    (tmp_path / "a.pdf").write_bytes(b"%PDF")
    monkeypatch.chdir(tmp_path)
    assert run(["serve", "--no-browser", name]) == 2
    assert word in capsys.readouterr().err


def test_a_port_that_is_taken(capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert run(["serve", "--no-browser", "--port", port]) == 2
    assert "Leave --port out to get a free one" in capsys.readouterr().err


def test_the_address_is_said_once_connections_are_accepted():
    import uvicorn

    from paribus.serve.timeouts import AnnouncedServer

    def announce():
        accepting.append(bool(server.started and server.servers[0].is_serving()))
        server.should_exit = True

    accepting = []
    config = uvicorn.Config(lambda *_: None, port=0, lifespan="off", log_level="critical")
    server = AnnouncedServer(config, announce)
    with ThreadPoolExecutor(1) as pool:  # the browser's loop may be running in this thread
        pool.submit(server.run).result(60)
    assert accepting == [True]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of another kind")
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_it_leaves_nothing_behind(sign, tmp_path):
    server = Served(tmp_path)
    assert len(list(tmp_path.iterdir())) == 1
    server.process.send_signal(sign)
    assert server.process.wait(10) == 0
    assert "The page is closed." in server.process.stdout.read()
    server.process.stdout.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_keep_to_the_rules(path):
    text = path.read_text(encoding="utf-8")
    assert text.startswith("// @ts-check\n")
    assert not re.search(r"https?:|\beval\b|document\.write|outerHTML|insertAdjacentHTML", text)
    assert text.count("innerHTML") == (1 if path.name == "server.js" else 0)
    for names, source in re.findall(r"import \{(.*?)\} from \"\./(.*?)\"", text, re.DOTALL):
        given = next(p for p in SCRIPTS if p.name == source).read_text(encoding="utf-8")
        for name in re.findall(r"\w+", names):
            assert re.search(rf"export (async )?(function|const) {name}\b", given)
            assert len(re.findall(rf"\b{name}\b", text)) > 1
    for head in re.findall(r"(.*)\nexport (?:async )?(?:function|const)", text):
        assert head.endswith("*/"), "what is exported says what it is for"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_templates_escape_what_a_user_has_named(path):
    text = path.read_text(encoding="utf-8")
    unescaped = re.findall(r"\{\{ *([^{}]*?)\|safe *\}\}", text)
    ours = {"style", "script", "runtime", "allowed"} if path.name == "page.html" else set()
    for what in unescaped:
        assert what in SAFE | ours or what.endswith("|json")
    assert not re.search(r"\son\w+=|javascript:|https?:", text)

"""Who is let in, and what an answer may do."""

import json
import re

import pytest

from paribus.cli.run import run
from paribus.serve.security import Access

from served import people

PLACES = ["/", "/files/none", "/static/serve.css", "/nothing"]


@pytest.mark.parametrize("path", PLACES)
def test_strangers_are_told_where_the_key_is(served, path):
    status, _, content = served.ask("GET", path, Cookie=None)
    assert status == 401
    assert b"the address that paribus printed" in content


@pytest.mark.parametrize("cookie", ["wrong", "", "=;=", "x" * 5000])
def test_a_wrong_cookie_opens_nothing(served, cookie):
    name = served.cookie.partition("=")[0]
    assert served.ask("GET", "/", Cookie=f"{name}={cookie}")[0] == 401


def test_the_key_is_exchanged_for_a_cookie(served):
    key = served.address.partition("token=")[2]
    status, headers, content = served.ask("GET", f"/?token={key}", Cookie=None)
    assert status == 200
    assert "HttpOnly" in headers["set-cookie"]
    assert "samesite=strict" in headers["set-cookie"].lower()
    assert key not in headers["set-cookie"]
    assert key.encode() not in content
    assert served.ask("GET", "/?token=wrong", Cookie=None)[0] == 401


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1", "[::1", ""])
def test_a_foreign_host_is_refused(served, host):
    port = served.host.partition(":")[2]
    assert served.ask("GET", "/", Host=host.format(port=port), Origin=None)[0] == 403


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://{host}", "http://{host}0"]
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_foreign_origin_is_refused(served, origin, method):
    path = "/" if method == "GET" else "/samples/diamonds"
    assert served.ask(method, path, Origin=origin.format(host=served.host))[0] == 403


def test_what_changes_something_must_name_its_origin(served):
    assert served.ask("POST", "/samples/body-weight", Origin=None)[0] == 403
    assert served.ask("GET", "/", Origin=None)[0] == 200


@pytest.mark.parametrize("path", [*PLACES, "/static/charts.js"])
@pytest.mark.parametrize("known", [True, False])
def test_every_answer_carries_the_policy(served, path, known):
    _, headers, _ = served.ask("GET", path, **({} if known else {"Cookie": None}))
    policy = headers["content-security-policy"]
    assert "default-src 'none'; script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert not re.search(r"script-src[^;]*unsafe|https?:|\*", policy)
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/%2e%2e%2fapp.py", "/static/..%5capp.py", "/static/"]
)
def test_only_our_own_files_are_given(served, path):
    status, _, content = served.ask("GET", path)
    assert status == 404
    assert b"import" not in content


@pytest.mark.parametrize(
    "name", ["../../evil.csv", "/etc/passwd.csv", "C:\\evil.csv", "%2e%2e%2fx.csv"]
)
def test_a_file_name_is_never_a_path(served, name, tmp_path):
    before = {path for path in served.home.parent.rglob("*") if path.is_file()}
    file = served.upload(name, people(50))
    made = {path for path in served.home.parent.rglob("*") if path.is_file()} - before
    assert served.glance(file)["state"] == "done"
    assert {path.name for path in made} <= {"data.csv", "table.parquet", "table.part"}
    assert all(served.home in path.parents for path in made)


def test_reports_are_downloads_never_pages(served):
    file = served.upload("people.csv", people(100))
    served.glance(file)
    run_ = served.start(file, target="weight")
    assert served.wait(f"{run_}/progress")["state"] == "done"
    for kind in ("html", "xlsx", "csv", "py"):
        status, headers, _ = served.ask("GET", f"{run_}/take/{kind}")
        assert (status, headers["content-disposition"][:10]) == (200, "attachment")


@pytest.mark.parametrize(
    "body", ["", "[]", "{", '{"target": 5}', '{"target": "x"}', '{"target": "weight", "kinds": 1}',
             '{"target": "weight", "left_out": "sex"}', '{"target": "weight", "level": 2.0}',
             '{"target": "weight", "only": {"column": "height", "low": "tall"}}',
             "[" * 100_000, '{"target":' * 100_000, '{"target": "\\ud800"}',
             '{"target": "weight", "class": "\\udfff"}']
)  # fmt: skip
def test_bad_settings_get_a_sentence(served, body):
    file = served.upload("people.csv", people(50))
    served.glance(file)
    status, _, content = served.ask("POST", f"{file}/runs", body)
    assert status == 400
    assert json.loads(content)["sentence"].endswith((".", "?"))


@pytest.mark.parametrize(
    "path", ["/files/none", "/runs/none", "/beside?a=1&b=2", "/beside?a=&b=", "/beside"]
)
def test_what_is_gone_is_said_to_be(served, path):
    status, _, content = served.ask("GET", path, Accept="text/html")
    assert status == 400
    assert b"is not here any more" in content


@pytest.mark.parametrize("path", ["sheet", "runs"])
@pytest.mark.parametrize("body", ["[]", "5", '"text"', "null", "[" * 100_000])
def test_what_is_no_set_of_settings_gets_a_sentence(served, path, body):
    file = served.upload("people.csv", people(50))
    served.glance(file)
    status, _, content = served.ask("POST", f"{file}/{path}", body)
    assert status == 400
    assert b"not understood" in content


@pytest.mark.parametrize("token", [[], ["--token", "short"]])
def test_other_machines_need_a_key(token, capsys):
    assert run(["serve", "--host", "0.0.0.0", "--no-browser", *token]) == 2  # noqa: S104
    said = capsys.readouterr().err
    assert "other machines can reach the page" in said
    assert "nothing is encrypted" in said


def test_numbers_and_the_machines_own_name_are_known_on_the_network():
    access = Access("0.0.0.0", 80, "key")  # noqa: S104
    assert access.allows_host("192.168.1.7")
    assert access.allows_host("[fe80::1]:80")
    assert not access.allows_host("evil.example")

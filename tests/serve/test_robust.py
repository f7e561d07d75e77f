"""Work that crashes, servers that are killed, files made to do harm."""

import asyncio
import gzip
import io
import json
import signal
import socket
import struct
import threading
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from paribus.base.errors import InputError
from paribus.files import read_table
from paribus.serve.cache import own_folder

from served import Served, people, slow_table


@pytest.fixture
def own(tmp_path):
    """A server of the test's own."""
    made = []

    def start(*options):
        made.append(Served(tmp_path / "cache", *options))
        return made[-1]

    yield start
    for server in made:
        if server.process.poll() is None:
            server.close()
        server.process.stdout.close()


def is_alive(pid):
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def until(condition, seconds=120):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_a_crash_a_kill_and_a_new_start(own, tmp_path):
    server = own(slow_table(tmp_path / "slow.parquet"))
    file = "/files/first"
    assert server.glance(file)["state"] == "done"
    run = server.start(file, target="y")
    until(lambda: server.json("GET", f"{run}/progress")[1]["stage"].startswith("Grouping"))
    server.signal_workers(signal.SIGKILL)
    said = server.wait(f"{run}/progress")
    assert said["state"] == "failed"
    assert "most likely for want of memory" in said["sentence"]

    again = server.start(file, target="y")  # the page lives on
    until(lambda: server.json("GET", f"{again}/progress")[1]["state"] == "running")
    server.ask("POST", f"{again}/cancel")
    assert server.wait(f"{again}/progress")["state"] == "cancelled"

    last = server.start(file, target="y")
    until(lambda: server.json("GET", f"{last}/progress")[1]["state"] == "running")
    workers = server.workers()
    server.close(signal.SIGKILL)
    until(lambda: not any(map(is_alive, workers)))
    (left,) = (tmp_path / "cache").iterdir()
    second = own()
    assert not left.exists()
    third = own()  # does not touch the folder of one that runs
    assert len(list((tmp_path / "cache").iterdir())) == 2
    second.close()
    third.close()
    assert list((tmp_path / "cache").iterdir()) == []


def test_large_files_are_refused_and_leave_nothing(own, tmp_path):
    server = own("--limit", "0.001")
    known = bytes(2_000_000)
    unknown = (bytes(100_000) for _ in range(20))  # in pieces, without a length
    for body in (known, unknown):
        status, _, content = server.ask("POST", "/files", body, X_File_Name="big.csv")
        assert status == 413
        assert "larger than 0.001 GB" in json.loads(content)["sentence"]
    kept = [path for path in (tmp_path / "cache").rglob("*") if path.name.startswith("data")]
    assert kept == []
    assert server.glance(server.upload("small.csv", people(50)))["state"] == "done"


def bomb_zip(lying):
    """Make a workbook's zip that holds zeros, and may lie about how many."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", bytes(150_000_000))
    content = bytearray(packed.getvalue())
    if lying:
        for sign, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
            at = content.index(sign) + place
            content[at : at + 4] = struct.pack("<I", 1000)
    return bytes(content)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("zeros.csv.gz", lambda: gzip.compress(bytes(150_000_000), 1)),
        ("honest.xlsx", lambda: bomb_zip(lying=False)),
        ("lying.xlsx", lambda: bomb_zip(lying=True)),
    ],
)
def test_what_unpacks_to_much_more_is_refused(served, name, content):
    said = served.glance(served.upload(name, content()))
    assert said["state"] == "failed"
    assert "unpacks to more than 100 times its size" in said["sentence"]


def test_what_packs_well_is_welcome(tmp_path):
    path = tmp_path / "same.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 5_000_000))
    assert read_table(path).height == 5_000_000
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(InputError, match="is damaged"):
        read_table(path)


def test_a_zip_is_counted_over_all_its_parts(tmp_path):
    path = tmp_path / "many.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for k in range(5):
            archive.writestr(f"{k}.xml", bytes(30_000_000))
    with pytest.raises(InputError, match="unpacks"):
        read_table(path)


def test_a_workbook_has_sheets_to_choose_from(served, tmp_path):
    xlsxwriter = pytest.importorskip("xlsxwriter")
    book = xlsxwriter.Workbook(tmp_path / "book.xlsx")
    for name in ("first", "second & last"):
        sheet = book.add_worksheet(name)
        for k, row in enumerate([["a", "b"], [1, 2], [3, 5], [4, 4]]):
            sheet.write_row(k, 0, row)
    book.close()
    file = served.upload("book.xlsx", (tmp_path / "book.xlsx").read_bytes())
    assert "second &amp; last" in served.glance(file)["html"]
    _, said = served.json("POST", f"{file}/sheet", {"sheet": "second & last"})
    assert served.glance(said["address"])["state"] == "done"
    assert served.json("POST", f"{file}/sheet", {"sheet": "none"})[0] == 400


def test_the_sheet_that_was_read_is_shown(served, tmp_path):
    xlsxwriter = pytest.importorskip("xlsxwriter")
    with xlsxwriter.Workbook(tmp_path / "book.xlsx") as book:
        book.add_worksheet("Cover").write(0, 0, "Welcome")
        listings = book.add_worksheet("Listings")
        for k in range(9):
            listings.write_row(k, 0, ["rooms", "price"] if k == 0 else [k, k % 4])
    file = served.upload("book.xlsx", (tmp_path / "book.xlsx").read_bytes())
    assert "<option selected>Listings</option>" in served.glance(file)["html"]


def test_damaged_and_wide_files_get_a_sentence(served, tmp_path):
    import polars as pl

    packed = io.BytesIO()
    pl.DataFrame({"a": [f"text {k}" for k in range(5_000)]}).write_parquet(packed)
    content = bytearray(packed.getvalue())
    content[200:5_000] = bytes(4_800)
    said = served.glance(served.upload("x.parquet", bytes(content)))
    assert "is not a Parquet file, or it is damaged" in said["sentence"]
    pl.DataFrame({"a": [k / 7 for k in range(60)]}).write_parquet(path := tmp_path / "less.parquet")
    content = path.read_bytes()
    assert b"\x2c\x15\x78" in content  # a page of 60 values, which is said to have less than none
    content = content.replace(b"\x2c\x15\x78", b"\x2c\x15\x77", 1)
    said = served.glance(served.upload("less.parquet", content))
    assert "is not a Parquet file, or it is damaged" in said["sentence"]
    wide = ",".join(f"c{k}" for k in range(20_000)) + "\n" + ",".join("1" * 20_000) + "\n"
    said = served.glance(served.upload("wide.csv", wide.encode()))
    assert "has 20,000 columns; at most 10,000 are read" in said["sentence"]


def test_a_stata_file_is_opened(served, tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat")
    import pandas as pd

    frame = pd.DataFrame({"sex": [1.0, 2.0] * 20, "y": range(40)})
    labels = {"sex": {1: "male", 2: "female"}}
    pyreadstat.write_dta(frame, tmp_path / "x.dta", variable_value_labels=labels)
    file = served.upload("x.dta", (tmp_path / "x.dta").read_bytes())
    assert "male, female" in served.glance(file)["html"]
    assert served.wait(f"{served.start(file, target='y')}/progress")["state"] == "done"


def test_a_folder_is_cleaned_unless_in_use(tmp_path):
    with own_folder(tmp_path) as first, own_folder(tmp_path) as second:
        assert first.is_dir()
        assert first.stat().st_mode & 0o777 == 0o700
    assert not first.exists()
    assert not second.exists()


def test_who_gives_up_waiting_does_not_end_a_job():
    from paribus.serve.jobs import Job

    job = Job("preview", {})
    assert not job.result.cancel()
    job.end("done", result=1)
    assert job.result.result() == 1


def test_a_comparison_can_be_cancelled(own, tmp_path):
    server = own(slow_table(tmp_path / "slow.parquet", n=3_000, n_columns=6))
    assert server.glance("/files/first")["state"] == "done"
    run = server.start("/files/first", target="y")
    assert server.wait(f"{run}/progress")["state"] == "done"
    server.ask("POST", f"{run}/compare")
    until(lambda: server.json("GET", f"{run}/compare")[1]["state"] == "running")
    assert server.ask("POST", f"{run}/cancel")[0] == 200
    assert server.wait(f"{run}/compare")["state"] == "cancelled"
    assert server.json("GET", f"{run}/progress")[1]["state"] == "done"  # what was found stays


def test_a_preview_can_be_cancelled(own):
    server = own()
    wide = ",".join(f"c{k}" for k in range(4_000))
    file = server.upload("wide.csv", "\n".join([wide, *[wide.replace("c", "")] * 60]).encode())
    assert server.ask("POST", f"{file}/cancel")[0] == 200
    assert server.wait(f"{file}/columns")["state"] == "cancelled"
    assert server.glance(server.upload("small.csv", people(50)))["state"] == "done"


def test_a_file_can_be_removed_with_all_that_was_made_of_it(own, tmp_path):
    server = own()
    keep, gone = (server.upload(f"{k}.csv", people(100)) for k in range(2))
    for file in (keep, gone):
        assert server.glance(file)["state"] == "done"
    runs = [server.start(gone, target="weight") for _ in range(2)]
    for run in runs:
        assert server.wait(f"{run}/progress")["state"] == "done"
    a, b = (run.rpartition("/")[2] for run in runs)
    assert server.wait(f"/beside/laid?a={a}&b={b}")["html"]
    (folder,) = (tmp_path / "cache").iterdir()
    assert server.json("POST", f"{gone}/remove") == (200, {"address": "/"})
    assert server.ask("GET", gone)[0] == server.ask("GET", runs[0])[0] == 400
    left = {path.name for path in folder.iterdir()}
    assert left <= {keep.rpartition("/")[2], "in-use", "runtime.js"}
    assert server.glance(keep)["state"] == "done"


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_file_that_is_replaced_is_not_taken_for_the_one_that_was_opened(tmp_path, ending):
    import polars as pl

    from paribus.scale.sources import stamp_of
    from paribus.serve.source import Source

    path = tmp_path / f"data.{ending}"
    write = {"parquet": pl.DataFrame.write_parquet, "csv": pl.DataFrame.write_csv}[ending]
    write(pl.DataFrame({"a": range(9), "y": range(9)}), path)
    source = Source(path, "data", tmp_path, None, stamp_of(str(path)))
    assert source.read().table.height == 9
    write(pl.DataFrame({"a": range(8), "b": range(8)}), path)
    for ask in (source.read, source.table if ending == "parquet" else source.read):
        with pytest.raises(InputError, match="'data' was changed, replaced or removed"):
            ask()


def test_removing_the_file_named_in_the_terminal_leaves_it_where_it_is(own, tmp_path):
    path = tmp_path / "people.csv"
    path.write_bytes(people(50))
    server = own(path)
    assert server.glance("/files/first")["state"] == "done"
    assert server.ask("POST", "/files/first/remove")[0] == 200
    assert path.exists()


def test_half_open_connections_are_closed(monkeypatch):
    """A client that sends half a request, or nothing, does not hold its connection for ever."""
    import uvicorn

    from paribus.serve import timeouts

    monkeypatch.setattr(timeouts, "HEADER_SECONDS", 0.2)
    monkeypatch.setattr(timeouts, "BODY_SECONDS", 0.2)

    async def app(scope, receive, send):
        message = await timeouts.timely(receive)()
        ended = message["type"] == "http.disconnect" or message.get("more_body")
        body = b"gave up" if ended else b"all there"
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": body})

    async def talk(port, *pieces):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
        heard = await asyncio.wait_for(reader.read(), 10)
        writer.close()
        return heard

    async def all_of_it():
        config = uvicorn.Config(
            app, port=0, http=timeouts.TimedProtocol, lifespan="off", log_level="critical"
        )
        server = uvicorn.Server(config)
        task = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        heard = [
            await talk(port),
            await talk(port, b"GET / HTTP/1.1\r\nHost: x\r\n"),
            await talk(port, b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n"),
            await talk(port, b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
        ]
        server.should_exit = True
        await task
        return heard

    with ThreadPoolExecutor(1) as pool:  # the browser's loop may be running in this thread
        nothing, half, body, whole = pool.submit(lambda: asyncio.run(all_of_it())).result()
    assert nothing == half == b""
    assert b"gave up" in body
    assert b"all there" in whole


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ("Content-Length: +1", b"400"),  # no request at all
        ("Content-Length: 300000\r\nConnection: close", b"401"),
        ("Transfer-Encoding: chunked\r\nConnection: close", b"401"),
        ("Content-Length: 300000\r\nConnection: Upgrade\r\nUpgrade: websocket", b"401"),
    ],
)
def test_a_refusal_is_heard_by_who_is_still_sending(served, headers, status):
    """Closed with bytes unread, a connection is reset, and the answer is lost on the way."""
    host, port = served.host.replace("localhost", "127.0.0.1").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        opening = f"POST /files HTTP/1.1\r\nHost: {served.host}\r\nOrigin: {served.origin}\r\n"
        connection.sendall(f"{opening}{headers}\r\n\r\n".encode())
        time.sleep(0.2)  # in which it is refused
        for _ in range(3):
            connection.sendall(b"x" * 50_000)
            time.sleep(0.02)
        assert connection.recv(100).split(b" ")[1] == status


@pytest.fixture
def slow_to_start(monkeypatch):
    """A pool of which the thread takes a job, and then a moment to begin with it."""
    from paribus.serve import jobs

    taken, begin, do = threading.Event(), threading.Event(), jobs.Worker._do

    def late(self, job):
        taken.set()
        begin.wait()
        do(self, job)

    monkeypatch.setattr(jobs.Worker, "_do", late)
    monkeypatch.setattr(jobs.Worker, "_start", refuse_work(jobs.Worker._start))
    pool = jobs.WorkerPool()
    job = pool.submit("warm_up_preview")
    taken.wait()
    return pool, job, begin


def refuse_work(start):
    """Check whether work is begun, without a process."""

    def started(self, job):
        with pytest.raises(EOFError):
            start(self, job)
        raise EOFError

    return started


def test_a_job_is_cancelled_before_it_has_a_process(slow_to_start):
    pool, job, begin = slow_to_start
    pool.cancel(job)
    begin.set()
    job.result.result(10)
    assert job.state == "cancelled"
    pool.close()


def test_a_pool_closes_before_its_job_has_a_process(slow_to_start):
    pool, job, begin = slow_to_start
    threading.Timer(0.1, begin.set).start()
    pool.close()
    assert job.state == "cancelled"


def test_work_that_takes_too_long_is_stopped(monkeypatch):
    from paribus.serve import jobs

    monkeypatch.setattr(jobs, "SECONDS", 0.01)
    hurried, patient = jobs.WorkerPool(), jobs.WorkerPool(seconds=60)
    stopped, watched = hurried.submit("warm_up_preview"), hurried.submit("explain")
    done = patient.submit("warm_up_preview")
    for job in (stopped, watched, done):
        job.result.result(60)
    assert stopped.state == "failed"
    assert "took more than 0.01 seconds and was stopped" in stopped.sentence
    assert "serve --time-limit" in stopped.sentence
    assert "seconds" not in watched.sentence  # it failed, for nothing was given to explain
    assert done.state == "done"
    for pool in (hurried, patient):
        pool.close()


def test_work_has_the_time_that_the_page_was_started_with(own):
    server = own("--time-limit", "0.1")
    said = server.glance(server.upload("people.csv", people(50)))
    assert said["state"] == "failed"
    assert said["sentence"].startswith("This took more than 0.1 seconds and was stopped.")


def test_a_full_disk_is_a_sentence():
    from paribus.serve.worker import _done

    class Pipe:
        def send(self, _):
            raise OSError(28, "No space left on device")

    assert _done(Pipe(), "warm_up_preview", {}) == (
        "failed",
        "The disk is full. Make some room on it, and try again.",
    )


def test_a_disk_that_fills_up_under_a_request_is_a_sentence(tmp_path):
    from starlette.requests import Request

    from paribus.serve.app import make_app

    answer = make_app(tmp_path, access=None, limit=1).app.exception_handlers[OSError]
    request = Request({"type": "http", "path": "/files", "headers": [], "query_string": b""})
    full = OSError(28, "No space left on device")
    with ThreadPoolExecutor(1) as beside:  # a browser's own loop may run in this thread
        said = beside.submit(lambda: asyncio.run(answer(request, full))).result()
    told = {"sentence": "The disk is full. Make some room on it, and try again."}
    assert (said.status_code, json.loads(said.body)) == (507, told)


def test_a_closed_lid_is_no_end(served):
    file = served.upload("lid.csv", people(400, seed=77))
    served.glance(file)
    run = served.start(file, target="weight")
    served.signal_workers(signal.SIGSTOP)
    served.process.send_signal(signal.SIGSTOP)
    time.sleep(1)
    served.process.send_signal(signal.SIGCONT)
    served.signal_workers(signal.SIGCONT)
    assert served.wait(f"{run}/progress")["state"] == "done"

"""Work that crashes, servers that are killed, files made to do harm."""

import gzip
import io
import json
import signal
import struct
import time
import zipfile
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


def until(condition, seconds=20):
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
        try:
            status, _, content = server.ask("POST", "/files", body, X_File_Name="big.csv")
        except (BrokenPipeError, ConnectionResetError):
            continue  # refused before all of it was sent
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


def test_damaged_and_wide_files_get_a_sentence(served):
    import polars as pl

    packed = io.BytesIO()
    pl.DataFrame({"a": [f"text {k}" for k in range(5_000)]}).write_parquet(packed)
    content = bytearray(packed.getvalue())
    content[200:5_000] = bytes(4_800)
    said = served.glance(served.upload("x.parquet", bytes(content)))
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

"""The command line: terminals, pipes and interruptions."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import paribus as pb
from paribus.cli import sparks
from paribus.cli.run import run

from people_table import ASK, names


def test_plain_terminals_get_plain_letters(people):
    asked = [sys.executable, "-m", "paribus", "effects", *ASK]
    plain = {**os.environ, "PYTHONIOENCODING": "ascii"}
    shown = subprocess.run(asked, capture_output=True, check=True, env=plain).stdout.decode("ascii")
    assert "?" not in shown.split("equal?")[1]
    line = next(line for line in shown.splitlines() if " height " in line)
    assert ".." in line
    assert "@" in line


def test_names_cannot_steer_the_terminal(people, capsys):
    table = pl.read_csv("people.csv").rename({"height": "[red]\x1b[31mheight[/]"})
    table.write_csv("people.csv")
    assert run(["effects", *ASK]) == 0
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "[red] [31mheight[/]" in shown


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_standard_output_is_a_sentence(people):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "paribus", "effects", *ASK, "--csv"],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == "The disk is full. Make some room on it, and try again.\n"


def test_sparks_break_in_gaps_and_are_silent_without_an_effect(people):
    x = np.concatenate([np.linspace(0, 10, 200), np.linspace(30, 40, 200)])
    y = x + np.random.default_rng(0).normal(size=400)
    broken = pb.effect({"x": x, "far": x > 20, "y": y}, "y", "x", tidy=False)
    assert len(sparks.curve(broken).split()) == 2
    noise = pb.effect({"x": x, "y": np.random.default_rng(0).normal(size=400)}, "y", "x")
    assert sparks.curve(noise) == "no clear effect"
    found = pb.effects(pl.read_csv("people.csv").drop("heavy"), target="weight")
    assert sparks.curve(found["height"])[0] == "▁"
    assert sparks.curve(found["height"])[-1] == "█"
    assert sparks.curve(found["pregnant"]) == "▁█"


def test_standard_input_and_python_dash_m(people):
    asked = [sys.executable, "-m", "paribus", "effects", "-", "-t", "weight", "--csv"]
    text = Path("people.csv").read_bytes()
    done = subprocess.run(asked, input=text, capture_output=True, check=True)
    assert done.stdout.startswith(b"column,kind,contrast,estimate")
    assert done.stderr == b""


SLOW = """
import sys, time
from concurrent.futures import ThreadPoolExecutor
import paribus.cli.writing as writing
from paribus.cli import main
from paribus.report import page
from paribus.report.writing import replacing

def write(effects, path, progress):
    with replacing(path) as beside:
        beside.write_text("half")
        print("writing", flush=True)
        time.sleep(60)

def effects(*args, **options):
    with ThreadPoolExecutor(1) as pool:
        print("working", flush=True)
        pool.submit(time.sleep, 60).result()

writing.find_spec = lambda name: True
if sys.argv.pop(1) == "writing":
    page.write_page = write
else:
    import paribus.api
    paribus.api.effects = effects
main()
"""


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to send")
@pytest.mark.parametrize("busy", ["working", "writing"])
def test_ctrl_c_is_heard_at_once_and_leaves_no_half_file(people, busy):
    asked = [sys.executable, "-c", SLOW, busy, "report", *ASK]
    pipe = subprocess.PIPE
    with subprocess.Popen(asked, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout.readline() == f"{busy}\n"
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=20)  # the work itself would go on for much longer
    assert process.returncode == 130
    assert told.strip() == ""
    assert names(people) == ["people.csv"]


@pytest.mark.parametrize("busy", ["working", "writing"])
def test_a_limit_of_time_is_kept_and_leaves_no_half_file(people, busy):
    asked = [sys.executable, "-c", SLOW, busy, "report", *ASK, "--time-limit", "1.5"]
    done = subprocess.run(asked, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 124
    assert done.stderr.startswith("This took more than 1.5 seconds and was stopped. Give --time-li")
    assert names(people) == ["people.csv"]


WAITING = """
import time
from paribus.cli.waiting import meanwhile, patiently

def work(advance):
    for k in range(1, 16):
        time.sleep(0.1)
        advance(k, 30)

patiently("Reading", work)
with meanwhile("Writing") as advance:
    work(advance)
patiently("Quick", lambda advance: advance(1, 2))
"""


@pytest.mark.skipif(os.name == "nt", reason="no pseudo-terminal")
def test_a_bar_with_the_time_left_on_a_terminal_only():
    import pty

    ours, theirs = pty.openpty()
    asked = [sys.executable, "-c", WAITING]
    with subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        while part := _read(ours):
            shown += part
        assert process.stdout.read() == b""
    os.close(ours)
    assert re.search(rb"Reading .* \d s left", shown)
    assert re.search(rb"Writing .* \d s left", shown)
    assert b"Quick" not in shown
    silent = subprocess.run(asked, capture_output=True, check=True)
    assert silent.stderr == b""


def _read(terminal):
    try:
        return os.read(terminal, 4096)
    except OSError:  # the other side is closed
        return b""

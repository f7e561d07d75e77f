"""Ctrl-C ends a run at once, and leaves no thread behind."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from paribus.base.threads import crew

RUN = """
import os, signal, sys, threading, time
import numpy as np
import paribus as pb

n, when = int(sys.argv[1]), sys.argv[2]
rng = np.random.default_rng(0)
X = rng.normal(size=(n, 30))
y = X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=n)
heard = []

def hear(*_):
    heard.append(time.process_time())
    raise KeyboardInterrupt

signal.signal(signal.SIGINT, hear)

def told(done, total):
    if when == "explaining" and done == 2:
        print("now", flush=True)

if when == "starting":
    threading.Timer(0.3, lambda: print("now", flush=True)).start()
try:
    pb.effects(X, y, n_jobs=2, tidy=False, progress=told)
except KeyboardInterrupt:
    left = [t for t in threading.enumerate() if t is not threading.main_thread()]
    print(time.process_time() - heard[0], len(left), flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to send")
@pytest.mark.parametrize("when", ["starting", "explaining"])
def test_ctrl_c_ends_a_run_at_once(when):
    """The processor's time is looked at, which other work on the machine does not stretch."""
    run = [sys.executable, "-c", RUN, "60000", when]
    with subprocess.Popen(
        run, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline().strip() == "now"
        process.send_signal(signal.SIGINT)
        told, complaints = process.communicate(timeout=60)
    seconds, left = told.split()
    assert float(seconds) < 0.5
    assert left == "0"
    assert complaints == ""


def test_threads_that_are_called_off_do_not_begin_what_waits():
    begun, ended, held = [], [], threading.Event()

    def work(k):
        begun.append(k)
        for _ in range(100):
            held.wait(0.01)
        ended.append(k)

    def break_off():
        with crew(1) as workers:
            for k in range(5):
                workers.submit(work, k)
            while not begun:
                held.wait(0.01)
            raise ZeroDivisionError

    before = threading.active_count()
    with pytest.raises(ZeroDivisionError):
        break_off()
    assert (begun, ended) == ([0], [])
    assert threading.active_count() == before

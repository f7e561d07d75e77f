"""Ctrl-C ends a run at once, and leaves no thread behind."""

import os
import subprocess
import sys
import threading

import pytest

from paribus.base.threads import crew

RUN = """
import os, signal, sys, threading, time
import numpy as np
import paribus as pb

when = sys.argv[1]
rng = np.random.default_rng(0)
X = rng.normal(size=(100_000, 30))
y = X[:, 0] + X[:, 2] + rng.normal(size=len(X))
heard = []

def hear(*_):
    heard.append(time.process_time())
    raise KeyboardInterrupt

def press(after):
    threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT)).start()

def told(done, total):
    if when == "explaining" and done == 2:
        press(0.05)

pb.effects(X[:300], y[:300], n_jobs=2, tidy=False)  # what is loaded on first use is loaded now
signal.signal(signal.SIGINT, hear)
if when == "starting":
    press(0.1)
try:
    pb.effects(X, y, n_jobs=2, tidy=False, progress=told)
except KeyboardInterrupt:
    others = set(threading.enumerate()) - {threading.main_thread()}
    left = [t for t in others if not isinstance(t, threading.Timer)]
    print(time.process_time() - heard[0], len(left))
"""


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to send")
@pytest.mark.parametrize("when", ["starting", "explaining"])
def test_ctrl_c_ends_a_run_at_once(when):
    """The processor's time is looked at, which other work on the machine does not stretch."""
    run = [sys.executable, "-c", RUN, when]
    done = subprocess.run(run, capture_output=True, text=True, check=True, timeout=600)
    seconds, left = done.stdout.split()
    assert float(seconds) < 0.5
    assert left == "0"
    assert done.stderr == ""


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

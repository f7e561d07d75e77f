"""A server of one's own, asked over real connections."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

PATIENCE = 300


class Served:
    """`paribus serve` in a process of its own, and the key to it."""

    def __init__(self, home, *options):
        self.home = Path(home)
        env = {**os.environ, "PARIBUS_CACHE": str(home), "PYTHONUNBUFFERED": "1"}
        command = [sys.executable, "-m", "paribus", "serve", "--no-browser", *map(str, options)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env)
        self.address = re.search(r"http://\S+", self.process.stdout.readline())[0]
        self.host = re.search(r"//(.*?)/", self.address)[1]
        self.origin = f"http://{self.host}"
        self.cookie = ""
        # The address is printed once it answers: nothing is tried twice.
        _, headers, _ = self.ask("GET", self.address.removeprefix(self.origin))
        self.cookie = headers["set-cookie"].partition(";")[0]

    def ask(self, method, path, body=None, **headers):
        """Send a request as the page does, and return status, headers and body."""
        connection = http.client.HTTPConnection(self.host.replace("localhost", "127.0.0.1"))
        given = {"Origin": self.origin, "Cookie": self.cookie, "Accept": "application/json"}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        given = {name: value for name, value in given.items() if value is not None}
        connection.request(method, path, body, given, encode_chunked=hasattr(body, "__next__"))
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, dict(answer.getheaders()), content

    def json(self, method, path, value=None, **headers):
        """Send and receive JSON."""
        body = None if value is None else json.dumps(value)
        status, _, content = self.ask(method, path, body, **headers)
        return status, json.loads(content)

    def upload(self, name, content):
        """Send a file and return its address."""
        status, _, answer = self.ask("POST", "/files", content, X_File_Name=name)
        assert status == 200, answer
        return json.loads(answer)["address"]

    def glance(self, file):
        """Wait until a file has been looked at."""
        return self.wait(f"{file}/columns")

    def start(self, file, **asked):
        """RunSettings a problem of a file and return the run's address."""
        status, said = self.json("POST", f"{file}/runs", asked)
        assert status == 200, said
        return said["address"]

    def wait(self, path):
        """RunSettings again and again until something is finished."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            status, said = self.json("GET", path)
            assert status == 200, said
            if said["finished"]:
                return said
            time.sleep(0.1)
        raise TimeoutError(path)

    def workers(self):
        """Return the processes that the server has started."""
        threads = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        return [int(pid) for children in threads for pid in children.read_text().split()]

    def signal_workers(self, sign):
        """Stop all work, or let it go on."""
        for pid in self.workers():
            os.kill(pid, sign)

    def memory(self):
        """Return the server's own memory at its largest, in bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) * 1024

    def close(self, sign=signal.SIGINT):
        """End the server and wait for it."""
        self.process.send_signal(sign)
        self.process.wait(PATIENCE)
        self.process.stdout.close()


def people(n=400, seed=0):
    """Return the made people as CSV."""
    import paribus as pb

    return pb.datasets.body_weight(n, seed=seed).to_frame("polars").write_csv().encode()


def slow_table(path, n=120_000, n_columns=24):
    """Write a table that keeps a worker busy for a while."""
    import numpy as np
    import polars as pl

    rng = np.random.default_rng(0)
    columns = {f"x{k}": rng.normal(size=n) for k in range(n_columns)}
    noise = rng.normal(size=n)
    pl.DataFrame({**columns, "y": columns["x0"] + noise}).write_parquet(path)
    return path

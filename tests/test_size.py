"""Time and memory at 300,000 rows with every x different."""

import json
import subprocess
import sys

CALL = """
import json, os, resource, time
import numpy as np
import paribus as pb
from paribus import paper
from paribus.strata import paper_tree

spent = {}
def timed(function):
    def run(*args, **kwargs):
        begin = time.process_time()
        out = function(*args, **kwargs)
        spent["tree"] = spent.get("tree", 0) + time.process_time() - begin
        return out
    return run

rng = np.random.default_rng(0)
X = rng.normal(size=(300_000, 5))
y = X[:, 0] + np.sin(X[:, 1]) + X[:, 2] * X[:, 3] + rng.normal(size=300_000)
pb.stratpd(X[:100], y[:100], "x0", names=[f"x{k}" for k in range(5)])
spent.clear()
paper.paper_strata = timed(paper_tree.paper_strata)
begin = time.process_time()
curve = pb.stratpd(X, y, "x0", names=[f"x{k}" for k in range(5)])
spent["all"] = time.process_time() - begin
spent["points"] = len(curve.x)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
if os.path.exists("/proc/self/status"):  # what rusage says counts the parent in, before exec
    with open("/proc/self/status") as lines:
        peak = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
spent["peak_mb"] = peak / 1024
print(json.dumps(spent))
"""


def test_the_part_after_the_tree_is_the_smaller_one():
    run = subprocess.run([sys.executable, "-c", CALL], capture_output=True, text=True, check=True)
    spent = json.loads(run.stdout)
    assert spent["points"] > 290_000
    assert spent["all"] - spent["tree"] < spent["tree"]
    assert spent["peak_mb"] < 1000

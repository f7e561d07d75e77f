"""The wheel in empty environments: how long it takes, how large it is, and whether it works.

The core first, then each extra alone. Every environment runs the README's Python, line by line,
where what is not installed must be named with the extra that brings it; and what the extra is there
for. Results go to ``benchmarks/results/install.json``.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import venv
from pathlib import Path

from report import machine, save

ROOT = Path(__file__).parent.parent
DEVELOPERS = ("site", "first", "dev")  # extras that no user needs
CLEAN = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
ROWS = 2_000  # of the diamonds, so that it takes seconds
BEGIN = """
import paribus as pb
people = pb.datasets.body_weight(300, seed=0).table
"""
USES = {
    "": "print(pb.effects(people, 'weight').ranking)",
    "plot": "pb.effects(people, 'weight').plot()",
    "models": "pb.compare(people, 'weight', 'height').summary()",
    "files": "import pathlib\n"
    "pathlib.Path('x.csv').write_text('a,b\\n' + '1,2\\n2,3\\n' * 30); pb.effects('x.csv', 'b')",
    "stats": "import pyreadstat; from paribus.files import read_file",
    "report": "pb.effects(people, 'weight').report('x.html')",
    "excel": "pb.effects(people, 'weight').to_excel('x.xlsx')",
    "tables": "pb.effects(people, 'weight').table().to_docx('x.docx')",
    "cli": "from paribus.cli import main",
    "serve": "import paribus.serve.app",
    "scale": "import pyarrow as pa\n"
    "pb.effects(pa.table(people).to_reader(), 'weight', sample_rows=200)",
    "dask": "import dask.dataframe, paribus.scale.distributed",
    "spark": "import pyspark.sql, paribus.scale.distributed",
    "shap": "pb.models.shapley",
}  # fmt: skip
README = """
import ast, pathlib, re, sys
import paribus as pb

ran, named = 0, []
for line in ast.parse(pathlib.Path(sys.argv[1]).read_text()).body:
    try:
        exec(compile(ast.Module([line], []), "README", "exec"))
        ran += 1
    except (pb.InputError, ImportError) as problem:
        brought = re.search(r"pip install '?(?:paribus\\[)?(\\w+)", str(problem))
        if brought is None:
            raise
        named.append(brought[1])
    if "data" in globals():
        data = {name: values[:int(sys.argv[2])] for name, values in data.items()}
print(ran, *named)
"""


def extras() -> list[str]:
    """Return the extras that users may want, the core as the empty one."""
    known = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return ["", *(e for e in known["project"]["optional-dependencies"] if e not in DEVELOPERS)]


def main() -> None:
    """Try the core and the extras asked for, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("extras", nargs="*", default=extras(), help="'' is the core")
    wanted = parser.parse_args().extras
    print(f"{'':8} {'seconds':>8} {'MB':>6} {'import s':>9} {'README lines':>13}  named")
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        wheel = build(Path(folder))
        for extra in wanted:
            row = found[extra or "core"] = measure(wheel, extra, Path(folder))
            cells = row["seconds"], row["megabytes"], row["import_seconds"], row["ran"]
            said = " ".join(row["named"])
            print("{:8} {:8.1f} {:6.0f} {:9.2f} {:13}  {}".format(extra or "core", *cells, said))
    save(ROOT / "benchmarks" / "results" / "install.json", {**machine(), "environments": found})


def build(folder: Path) -> Path:
    """Build the source distribution, and the wheel from that: with a C compiler and pip alone."""
    source = f"from setuptools import build_meta; build_meta.build_sdist({str(folder)!r})"
    subprocess.check_output([sys.executable, "-c", source], cwd=ROOT, env=CLEAN)
    (packed,) = folder.glob("*.tar.gz")
    pip("wheel", "--no-deps", "--wheel-dir", str(folder), str(packed))
    (wheel,) = folder.glob("*.whl")
    return wheel


def measure(wheel: Path, extra: str, folder: Path) -> dict[str, float | list[str]]:
    """Install the wheel with an extra into an empty environment, and use it there."""
    home = folder / f"with-{extra or 'nothing'}"
    venv.create(home, with_pip=False)
    python = str(home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python"))
    begin = time.perf_counter()
    pip("--python", python, "install", f"{wheel}[{extra}]" if extra else str(wheel))
    seconds = time.perf_counter() - begin
    quick = "import time; t = time.perf_counter(); import paribus; print(time.perf_counter() - t)"
    spent = [float(said(python, "-c", quick, home=home)) for _ in range(3)]
    size = sum(f.stat().st_size for f in home.rglob("*") if f.is_file() and not f.is_symlink())
    said(python, "-W", "error", "-c", BEGIN + USES[extra], home=home)
    (home / "readme.py").write_text(readme_block(), encoding="utf-8")
    shown = said(python, "-c", README, "readme.py", str(ROWS), home=home)
    ran, *named = shown.splitlines()[-1].split()
    shutil.rmtree(home)
    return {
        "seconds": seconds, "megabytes": size / 1e6, "import_seconds": min(spent),
        "ran": int(ran), "named": sorted(set(named)),
    }  # fmt: skip


def readme_block() -> str:
    """Return the README's first block of Python."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return text.split("```python\n")[1].partition("```")[0]


def said(*command: str, home: Path) -> str:
    """Run a command and return what it prints."""
    return subprocess.check_output(command, cwd=home, env=CLEAN, text=True)


def pip(*words: str) -> None:
    """Call pip, quietly."""
    quiet = ("--disable-pip-version-check", "--quiet")
    subprocess.run([sys.executable, "-m", "pip", *quiet, *words], check=True, env=CLEAN)


if __name__ == "__main__":
    main()

"""The wheel in empty environments: how long it takes, how large it is, and whether it works.

The core first, then each extra alone; every environment runs what it is there for. Results go to
``benchmarks/results/install.json``.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

from report import save

ROOT = Path(__file__).parent.parent
BEGIN = "import paribus as pb; d = pb.datasets.body_weight(300, seed=0).table\n"
EFFECTS = "e = pb.effects(d, 'weight')\n"
USES = {
    "": "print(e.ranking)",
    "plot": "e.plot(); e['height'].plot()",
    "models": "pb.compare(d, 'weight', 'height').summary(); pb.stratpd(d, 'weight', 'height')",
    "files": "open('x.csv', 'w').write('a,b\\n' + '1,2\\n2,3\\n' * 30); pb.effects('x.csv', 'b')",
    "report": "e.report('x.html'); e['height'].chart()",
    "excel": "e.to_excel('x.xlsx')",
    "cli": "from paribus.cli import main",
    "serve": "import paribus.serve.app",
    "scale": "import paribus.scale",
}  # fmt: skip


def main() -> None:
    """Try the core and the extras asked for, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("extras", nargs="*", default=list(USES), help="'' is the core")
    wanted = parser.parse_args().extras
    with tempfile.TemporaryDirectory() as folder:
        wheel = build(Path(folder))
        found = {extra or "core": measure(wheel, extra, Path(folder)) for extra in wanted}
    print(f"{'':8} {'seconds':>8} {'MB':>6} {'import s':>9}")
    for name, row in found.items():
        cells = row["seconds"], row["megabytes"], row["import_seconds"]
        print("{:8} {:8.1f} {:6.0f} {:9.2f}".format(name, *cells))
    save(ROOT / "benchmarks" / "results" / "install.json", {"environments": found})


def build(folder: Path) -> Path:
    """Build the wheel."""
    pip("wheel", "--no-deps", "--wheel-dir", str(folder), str(ROOT))
    (wheel,) = folder.glob("*.whl")
    return wheel


def measure(wheel: Path, extra: str, folder: Path) -> dict[str, float]:
    """Install the wheel with an extra into an empty environment, and use it there."""
    home = folder / f"with-{extra or 'nothing'}"
    venv.create(home, with_pip=False)
    python = str(home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python"))
    begin = time.perf_counter()
    pip("--python", python, "install", f"{wheel}[{extra}]" if extra else str(wheel))
    seconds = time.perf_counter() - begin
    used = BEGIN + ("" if extra in ("models", "files", "cli", "serve", "scale") else EFFECTS)
    subprocess.run([python, "-W", "error", "-c", used + USES[extra]], check=True, cwd=home)
    quick = "import time; t = time.perf_counter(); import paribus; print(time.perf_counter() - t)"
    spent = [float(subprocess.check_output([python, "-c", quick])) for _ in range(3)]
    size = sum(f.stat().st_size for f in home.rglob("*") if f.is_file() and not f.is_symlink())
    shutil.rmtree(home)
    return {"seconds": seconds, "megabytes": size / 1e6, "import_seconds": min(spent)}


def pip(*words: str) -> None:
    """Call pip, quietly."""
    quiet = ("--disable-pip-version-check", "--quiet")
    subprocess.run([sys.executable, "-m", "pip", *quiet, *words], check=True)


if __name__ == "__main__":
    main()

"""What a user gets: the kernel in the wheel, and a working package without a compiler."""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ("src", "setup.py", "pyproject.toml", "README.md", "LICENSE")
SHOW = """
import warnings
import numpy as np
import paribus
from paribus import info
from paribus.strata import grow
warnings.simplefilter("always")
with warnings.catch_warnings(record=True) as seen:
    X = np.random.default_rng(0).normal(size=(300, 3))
    strata = grow(X, X.sum(axis=1)).strata(0)
said = [str(w.message)[:30] for w in seen]
print(paribus.__file__, info().engine, strata.max() > 3, said, sep="|")
"""


def run(*command, **environment):
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


def install(tmp_path: Path, **environment) -> tuple[str, list[str]]:
    """Build a wheel from a clean copy, install it in an empty environment and look at it there."""
    source, home = tmp_path / "source", tmp_path / "home"
    source.mkdir()
    for name in SOURCES:
        if (ROOT / name).is_dir():
            ignore = shutil.ignore_patterns("*.so", "*.pyd", "*.egg-info", "__pycache__")
            shutil.copytree(ROOT / name, source / name, ignore=ignore)
        else:
            shutil.copy(ROOT / name, source / name)
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
    flags = ("--no-deps", "--no-build-isolation", "--wheel-dir", str(tmp_path))
    run(*pip, "wheel", *flags, str(source), **environment)
    (wheel,) = tmp_path.glob("*.whl")
    venv.create(home, with_pip=False)
    python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    run(*pip, "--python", str(python), "install", "--no-deps", str(wheel))
    # Dependencies are borrowed from the environment of the tests; paribus is not.
    shown = run(
        str(python), "-c", SHOW, PYTHONPATH=sysconfig.get_path("purelib"), PYTHONWARNINGS="default"
    )
    where, *rest = shown.split("|")
    assert Path(where).is_relative_to(home)
    return wheel.name, rest


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler to build it with")
def test_the_wheel_has_the_compiled_kernel(tmp_path):
    name, seen = install(tmp_path, PARIBUS_REQUIRE_KERNEL="1")
    assert "-cp311-abi3-" in name
    assert seen == ["compiled", "True", "[]"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the compiler is not chosen by CC there")
def test_without_a_compiler_it_installs_and_warns(tmp_path):
    _, seen = install(tmp_path, CC="false", CXX="false", LDSHARED="false")
    assert seen == ["scikit-learn", "True", "['paribus was installed without ']"]

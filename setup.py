"""Build the compiled kernel, if this machine can; everything else is in pyproject.toml."""

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

SOURCES = sorted(Path("src").rglob("*.pyx"))
SHARED = Path("src/paribus/base/_cyutility.c")  # what all modules need is compiled once
DEBUG = bool(os.environ.get("PARIBUS_DEBUG_BUILD"))
STABLE_ABI = "0x030B0000"  # Python 3.11: the first whose limited API has the buffer protocol


def compile_args() -> list[str]:
    """Return the compiler's flags: portable ones, for speed or for finding mistakes."""
    if sys.platform == "win32":
        return ["/Od", "/Zi"] if DEBUG else ["/O2"]
    if DEBUG:
        return ["-O1", "-g", "-fno-omit-frame-pointer", *sanitizers()]
    # Fused multiply-adds would round differently from one machine to the next.
    return ["-O3", "-g0", "-ffp-contract=off"]


def sanitizers() -> list[str]:
    """Return flags such as ``-fsanitize=address``, asked for in the environment."""
    return os.environ.get("PARIBUS_SANITIZE", "").split()


def extensions() -> list[Extension]:
    """Return the kernel's modules, translated to C."""
    found = [
        Extension(
            ".".join(path.with_suffix("").parts[1:]),
            [str(path)],
            define_macros=[("Py_LIMITED_API", STABLE_ABI)],
            py_limited_api=True,
            extra_compile_args=compile_args(),
            extra_link_args=sanitizers() if DEBUG else [],
        )
        for path in [*SOURCES, SHARED]
    ]
    built = cythonize(
        found,
        shared_utility_qualified_name=".".join(SHARED.with_suffix("").parts[1:]),
        build_dir="build/cython-debug" if DEBUG else "build/cython",
        include_path=["src"],
        compiler_directives={
            "language_level": 3,
            "boundscheck": DEBUG,
            "initializedcheck": DEBUG,
            "wraparound": False,
            "cdivision": True,
            "embedsignature": True,
            "show_performance_hints": False,
        },
    )
    for extension in built:
        # cythonize drops the mark that lets an installation go on without a compiler.
        extension.optional = not os.environ.get("PARIBUS_REQUIRE_KERNEL")
    return built


setup(
    ext_modules=extensions(),
    options={
        "bdist_wheel": {"py_limited_api": "cp311"},
        "build_ext": {"parallel": os.cpu_count() or 1},
    },
    package_data={"paribus.strata.kernel": ["*.pyi", "*.pxd"]},
)

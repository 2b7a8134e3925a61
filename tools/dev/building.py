"""Configures and builds with CMake into build/dev, and puts the native parts into their places in the source tree."""

from __future__ import annotations

import os
from pathlib import Path

from dev.environment import tool
from dev.paths import CMAKE_BUILD, DEBUG_BUILD, LOGS, ONCE_BUILD, PYTHON, ROOT
from dev.steps import say, step

CHARTS = ROOT / "python" / "leadline" / "report" / "page" / "from_npm" / "uPlot.js"


def build(targets: tuple[str, ...] = ("all",)) -> None:
    """Incremental: with nothing changed it takes about a second. LEADLINE_WERROR=1: warnings are errors."""
    _compile(CMAKE_BUILD, "Release", targets)
    _place(CMAKE_BUILD)


def build_once() -> None:
    """For a first look: sources are compiled together, in half the time. An edit then costs more, so whoever has built
    for development goes on with that."""
    if (CMAKE_BUILD / "build.ninja").exists():
        build()
        return
    _compile(ONCE_BUILD, "Release", ("all",), "-DLEADLINE_ONCE=ON")
    _place(ONCE_BUILD)


def _place(built: Path) -> None:
    place: list[str | Path] = [
        tool("cmake"),
        "--install",
        built,
        "--component",
        "native",
        "--prefix",
        ROOT / "python",
    ]
    step("placing the native parts", place)
    if not CHARTS.exists():
        say(f"uPlot could not be had from npm, so HTML pages have fewer charts; why: {LOGS / 'building.log'}")


def build_debug() -> None:
    """The C++ tests once more, not optimised and with the standard library's assertions; nothing is placed."""
    _compile(DEBUG_BUILD, "Debug", ("leadline_tests",), "-DLEADLINE_BINDINGS=OFF")


def _compile(folder: Path, build_type: str, targets: tuple[str, ...], *settings: str) -> None:
    strict = f"LEADLINE_WERROR:BOOL={'ON' if os.environ.get('LEADLINE_WERROR') else 'OFF'}"
    cache = folder / "CMakeCache.txt"
    if not ((folder / "build.ninja").exists() and cache.exists() and strict in cache.read_text()):
        configure: list[str | Path] = [
            tool("cmake"),
            "-S",
            ROOT,
            "-B",
            folder,
            "-G",
            "Ninja",
            f"-DPython_EXECUTABLE={PYTHON}",
            f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}",
            f"-DCMAKE_BUILD_TYPE={build_type}",
        ]
        step("configuring", [*configure, f"-D{strict}", *settings])
    jobs = str(os.cpu_count() or 2)
    step("building", [tool("cmake"), "--build", folder, "-j", jobs, "--target", *targets])

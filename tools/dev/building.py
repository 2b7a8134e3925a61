"""Configures and builds with CMake into build/dev, and puts the native parts where the source tree expects them."""

from __future__ import annotations

import os
from pathlib import Path

from dev.environment import tool
from dev.paths import CMAKE_BUILD, LOGS, PYTHON, ROOT
from dev.steps import say, step

CHARTS = ROOT / "python" / "leadline" / "report" / "page" / "from_npm" / "uPlot.js"


def build(targets: tuple[str, ...] = ("all",)) -> None:
    """Incremental: with nothing changed it takes about a second."""
    if not all((CMAKE_BUILD / name).exists() for name in ("CMakeCache.txt", "build.ninja")):
        configure: list[str | Path] = [
            tool("cmake"),
            "-S",
            ROOT,
            "-B",
            CMAKE_BUILD,
            "-G",
            "Ninja",
            f"-DPython_EXECUTABLE={PYTHON}",
        ]
        step("configuring", [*configure, f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}", "-DCMAKE_BUILD_TYPE=Release"])
    jobs = str(os.cpu_count() or 2)
    step("building", [tool("cmake"), "--build", CMAKE_BUILD, "-j", jobs, "--target", *targets])
    place: list[str | Path] = [
        tool("cmake"),
        "--install",
        CMAKE_BUILD,
        "--component",
        "native",
        "--prefix",
        ROOT / "python",
    ]
    step("placing the native parts", place)
    if not CHARTS.exists():
        say(f"uPlot could not be had from npm, so HTML pages have fewer charts; why: {LOGS / 'building.log'}")

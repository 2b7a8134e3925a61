"""The time of opatm's input, as its own summary tells it."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from leadline.mpi import Library
from leadline.statistics.median import median
from leadline.workloads import build, find

WAYS = ("serial", "gathered", "parallel")
MIB = 1 << 20


def options(description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--mpi", default="debian-openmpi", help="the MPI library (debian-openmpi)")
    parser.add_argument("--ranks", default="2,4,8,16,32", help="numbers of ranks (2,4,8,16,32)")
    parser.add_argument("--ways", default=",".join(WAYS), help="ways of --io (serial,gathered,parallel)")
    parser.add_argument("--hints", default="", help="for the parallel way")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("input", type=Path, help="a folder that opatm --make-input has made")
    return parser


def words(library: Library, folder: Path | str, way: str, hints: str) -> list[str]:
    """The program and its options: it reads the input in that way, then goes the shortest way to its end."""
    program = build(find("opatm"), library)
    heeded = ["--hints", hints] if hints else []
    common = ["--steps", "1", "--cost", "light", "--segments", "1"]
    return [str(program), "--input", str(folder), "--io", way, *heeded, *common]


def input_seconds(out: str) -> float:
    """Of the rank that took longest. Raises ValueError where the program did not come to its summary."""
    found = re.search(r"input (\d+\.\d+) s", out)
    if found is None:
        raise ValueError(out)
    return float(found[1])


def show(ranks: int, what: str, seconds: dict[str, list[float]]) -> None:
    """A line: the median of each way with the range, and what each saves of the serial one."""
    cells = []
    serial = median(seconds["serial"]) if seconds.get("serial") else None
    for way, times in seconds.items():
        middle = median(times)
        saved = f" {100 * (middle / serial - 1):+.0f} %" if serial and way != "serial" else ""
        cells.append(f"{way} {middle:.2f} ({min(times):.2f} to {max(times):.2f}){saved}")
    print(f"{ranks:3} ranks, {what}: {'; '.join(cells)}", flush=True)

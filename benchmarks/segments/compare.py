"""python benchmarks/segments/compare.py [--mpi NAME]... [--rounds N] [--fields N,...] [--faces BYTES[/PIECE],...]
                                      [--cases FIELDS:BYTES[/PIECE],...] [--every]

Packed exchanges between two ranks against those written by hand: a message for each field, packing into one message,
and one datatype for all. All are measured in turn in the same run; docs/build-in/segments.md has the result.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from leadline.compiled_in import sources
from leadline.mpi import Library, available, find
from leadline.runs.execute import execute
from leadline.runs.launch import Launch

PROGRAM = Path(__file__).resolve().parent / "exchanges.c"
HAND = "hand: "
FIXED = "segments "
TIMEOUT_S = 600


def build(library: Library, folder: Path, *options: str) -> Path:
    target = folder / f"exchanges-{library.name}"
    words = [
        str(library.mpicc),
        "-O3",
        "-w",
        *options,
        f"-I{sources('segments')}",
        str(PROGRAM),
        *map(str, sorted(sources("segments").glob("[a-z]*.c"))),
    ]
    subprocess.run([*words, "-o", str(target)], check=True, env=library.env())
    return target


@dataclass(frozen=True)
class Way:
    """Microseconds an exchange: over all rounds, and the tenth percentile of every other one and of the rest."""

    median: float
    low: float
    one_half: float
    other_half: float


@dataclass(frozen=True)
class Measured:
    ways: dict[str, Way]
    parts: list[float]  # of packing by hand: packing, transfer, unpacking
    line: list[float]  # nanoseconds in which a cache line goes to the other rank, before and after; 0: not on one host
    auto: str  # what it says


def measure(library: Library, program: Path, rounds: int, fields: int, face: int, piece: int, *every: str) -> Measured:
    words = (*library.launch(2, oversubscribe=True), str(program), *map(str, (rounds, fields, face, piece)), *every)
    environment = {**library.env(), **library.kind.unbound}
    return measured(execute(Launch(library.name, words, environment, limit_s=TIMEOUT_S)).required().output)


def measured(output: str) -> Measured:
    ways: dict[str, Way] = {}
    parts: list[float] = []
    cache_line: list[float] = []
    said = ""
    for line in output.splitlines():
        name, *values = line.split("\t")
        if name == "auto":
            said = values[0]
        elif name == "parts":
            parts = [float(value) for value in values]
        elif name == "line":
            cache_line = [float(value) for value in values]
        elif len(values) == 4:
            ways[name] = Way(*map(float, values))
    return Measured(ways, parts, cache_line, said)


def _fastest(ways: dict[str, Way], prefix: str) -> str:
    return min((name for name in ways if name.startswith(prefix)), key=lambda name: ways[name].one_half)


def show(library: Library, fields: int, face: int, piece: int, result: Measured) -> None:
    ways = result.ways
    swept = {name: way for name, way in ways.items() if name.startswith(FIXED)}
    del swept["segments auto"]
    hand, best = _fastest(ways, HAND), _fastest(swept, FIXED)
    size, auto = ways["segments by size"], ways["segments auto"]
    pieces = f" in {piece} B" if piece != face else ""
    far = "-".join(f"{ns:.0f}" for ns in result.line)
    hands = "  ".join(f"{name.removeprefix(HAND)} {way.low:.1f}" for name, way in ways.items() if name.startswith(HAND))
    one = "  ".join(f"one / {way} {size.low / ways[HAND + way].low:.2f}" for way in ("in turn", "by field"))
    print(
        f"{library.name:8} {fields:2} x {face} B{pieces} ({far} ns): {hands} | "
        f"one segment {size.low:.1f}  auto {auto.low:.1f}  "
        f"best {best.removeprefix(FIXED)} {ways[best].low:.1f} | {one}  "
        f"one / {hand} {size.other_half / ways[hand].other_half:.2f}  "
        f"auto / {hand} {auto.other_half / ways[hand].other_half:.2f}  "
        f"auto / best {auto.other_half / ways[best].other_half:.2f}"
    )
    copied = ", ".join(f"{part:.1f}" for part in result.parts)
    print(f"{'':8} auto: {result.auto}; packed by hand, warm: packing, transfer, unpacking {copied}", flush=True)


def cases(arguments: argparse.Namespace) -> Iterator[tuple[int, int, int]]:
    """Fields, bytes of a face, and of a piece of it."""
    texts = [f"{fields}:{face}" for face in arguments.faces.split(",") for fields in arguments.fields.split(",")]
    for text in arguments.cases.split(",") if arguments.cases else texts:
        fields, _, face = text.partition(":")
        size, _, piece = face.partition("/")
        yield int(fields), int(size), int(piece or size)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[3])
    parser.add_argument("--mpi", action="append", default=[], help="an MPI library; all by default")
    parser.add_argument("--rounds", type=int, default=101)
    parser.add_argument("--fields", default="1,8,51")
    parser.add_argument("--faces", default="64,1024,8192,73728,1048576,1024/8,8192/8,73728/8")
    parser.add_argument("--cases", default="", help="FIELDS:BYTES[/PIECE],... in place of --fields and --faces")
    parser.add_argument("--every", action="store_true", help="sweep every number of segments")
    arguments = parser.parse_args()
    every = ["every"] if arguments.every else []
    libraries = [find(name) for name in arguments.mpi] or list(available())
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; microseconds an exchange")
    with tempfile.TemporaryDirectory() as folder:
        programs = {library.name: build(library, Path(folder)) for library in libraries}
        for fields, face, piece in cases(arguments):
            for library in libraries:
                case = (fields, face, piece)
                show(library, *case, measure(library, programs[library.name], arguments.rounds, *case, *every))
    print(f"load {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()

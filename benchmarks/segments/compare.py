"""python benchmarks/segments/compare.py [--mpi NAME]... [--rounds N] [--fields N,...] [--faces BYTES[/PIECE],...]

Packed exchanges between two ranks against those written by hand: a message for each field, packing into one message,
and one datatype for all. All are measured in turn in the same run; docs/segments.md has the result.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from pathlib import Path

from leadline.mpi import Library, available, find
from leadline.segments.sources import sources

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
        f"-I{sources()}",
        str(PROGRAM),
        *map(str, sorted(sources().glob("[a-z]*.c"))),
    ]
    subprocess.run([*words, "-o", str(target)], check=True, env=library.env())
    return target


def measure(
    library: Library, program: Path, rounds: int, fields: int, face: int, piece: int
) -> tuple[dict[str, tuple[float, float]], str]:
    """Times in microseconds by the way's name, each the tenth percentile and the median; what `auto` says."""
    words = [*library.launch(2, oversubscribe=True), str(program), *map(str, (rounds, fields, face, piece))]
    environment = {**library.env(), **library.kind.unbound}
    done = subprocess.run(words, check=True, capture_output=True, text=True, timeout=TIMEOUT_S, env=environment)
    return times_of(done.stdout)


def times_of(output: str) -> tuple[dict[str, tuple[float, float]], str]:
    times: dict[str, tuple[float, float]] = {}
    said = ""
    for line in output.splitlines():
        name, *values = line.split("\t")
        if name == "auto":
            said = values[0]
        elif len(values) == 2:
            times[name] = (float(values[1]), float(values[0]))
    return times, said


def best(times: dict[str, tuple[float, float]], prefix: str, which: int) -> str:
    return min((name for name in times if name.startswith(prefix)), key=lambda name: times[name][which])


def show(
    library: Library, fields: int, face: int, piece: int, times: dict[str, tuple[float, float]], said: str
) -> None:
    for which, label in enumerate(("10th percentile", "median")):
        hand = best(times, HAND, which)
        swept = best({name: times[name] for name in times if "auto" not in name}, FIXED, which)
        at = {name: times[name][which] for name in times}
        one = at[best(times, "segments 1 ", which)]
        many = at[best(times, f"segments {fields} ", which)]
        auto = at["segments auto"]
        print(
            f"{library.name:14} {fields:3} x {face:7} B in {piece:7}  {label:15}  "
            f"{'by field':8} {at['hand: by field']:9.1f}  packed {at['hand: packed']:9.1f}  "
            f"struct {at['hand: struct']:9.1f} | one {one:9.1f}  {fields} {many:9.1f}  auto {auto:9.1f} | "
            f"auto / {hand.removeprefix(HAND)} {auto / at[hand]:.2f}  auto / swept ({swept.removeprefix(FIXED)}) "
            f"{auto / at[swept]:.2f}  one / by field {one / at['hand: by field']:.2f}"
        )
    print(f"{'':14} auto: {said}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[2])
    parser.add_argument("--mpi", action="append", default=[], help="an MPI library; all by default")
    parser.add_argument("--rounds", type=int, default=101)
    parser.add_argument("--fields", default="1,8,51")
    parser.add_argument("--faces", default="64,1024,8192,73728,1048576,1024/8,8192/8,73728/8")
    arguments = parser.parse_args()
    libraries = [find(name) for name in arguments.mpi] or list(available())
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; microseconds an exchange")
    with tempfile.TemporaryDirectory() as folder:
        programs = {library.name: build(library, Path(folder)) for library in libraries}
        for text in arguments.faces.split(","):
            face, _, piece = text.partition("/")
            for fields in map(int, arguments.fields.split(",")):
                for library in libraries:
                    case = (fields, int(face), int(piece or face))
                    show(library, *case, *measure(library, programs[library.name], arguments.rounds, *case))
    print(f"load {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()

"""python benchmarks/fieldio/cache.py [--mpi NAME] [--ranks N,...] [--rounds N] [--ways WAY,...] [--hints TEXT] INPUT

The input of opatm on one machine, with its files in the page cache and not: before each cold run they are dropped from
it (posix_fadvise). Before all that, what a byte costs one process: read from the disk, copied from the cache, and
copied and turned round, as NetCDF's files have their bytes in the other order.
docs/reference/workloads/opatm.md has the result.
"""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from opatm_input import MIB, input_seconds, options, show, words

from leadline.mpi import Library, find
from leadline.runs.launch import Launch
from leadline.runs.order import Turn, turns
from leadline.runs.runner import Done, Runner

TIMEOUT_S = 200
PIECE = 4 * MIB


def drop(files: list[Path]) -> None:
    for path in files:
        descriptor = os.open(path, os.O_RDONLY)
        os.fsync(descriptor)  # what is not on the disk yet stays
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


def warm(files: list[Path]) -> None:
    for path in files:
        path.read_bytes()


def gb_per_s(files: list[Path], *, turn_round: bool) -> float:
    piece = np.empty(PIECE // 8)
    total, begin = 0, time.perf_counter()
    for path in files:
        with path.open("rb", buffering=0) as file:
            while count := file.readinto(piece.data.cast("B")):
                total += count
                if turn_round:
                    piece.byteswap(inplace=True)
    return total / (time.perf_counter() - begin) / 1e9


def by_turns(
    library: Library, ranks: int, programs: dict[str, list[str]], rounds: int, prepare: Callable[[], None]
) -> dict[str, list[float]]:
    """Seconds of the input by way, of each round. prepare: called before each launch."""
    seconds: dict[str, list[float]] = {way: [] for way in programs}

    def launch_of(turn: Turn[str]) -> Launch:
        prepare()
        argv = (*library.launch(ranks, oversubscribe=True), *programs[turn.candidate])
        return Launch(f"{turn.candidate}, {ranks} ranks", argv, library.env(), limit_s=TIMEOUT_S)

    def take(done: Done[str]) -> None:
        seconds[done.turn.candidate].append(input_seconds(done.outcome.required().output))

    Runner().run(turns(list(programs), rounds), launch_of, take).interruption.end_if_any()
    return seconds


def main() -> None:
    arguments = options((__doc__ or "").splitlines()[2]).parse_args()
    files = sorted(arguments.input.glob("*.nc"))
    size = sum(path.stat().st_size for path in files)
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; {size / 1e6:.0f} MB", flush=True)
    for name, turn_round in (("from the disk", False), ("from the cache", False), ("and turned round", True)):
        rates = []
        for _ in range(arguments.rounds):
            (drop if name == "from the disk" else warm)(files)
            rates.append(gb_per_s(files, turn_round=turn_round))
        print(f"{name}: {', '.join(f'{rate:.2f}' for rate in rates)} GB/s", flush=True)
    library = find(arguments.mpi)
    for ranks in map(int, arguments.ranks.split(",")):
        for name, prepare in (("warm", warm), ("cold", drop)):
            programs = {way: words(library, arguments.input, way, arguments.hints) for way in arguments.ways.split(",")}
            prepared = functools.partial(prepare, files)
            show(ranks, name, by_turns(library, ranks, programs, arguments.rounds, prepared))
    print(f"load {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()

"""Which collectives a recorded run makes, so that only these are tuned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from leadline import _core, mpi, run_directory
from leadline.bench.grid import Dims
from leadline.errors import DamagedTrace, MissingPrerequisite, UsageError
from leadline.operations import Operation, operations

COMMUNICATOR = 0xFFFFFF  # docs/reference/format.md: the rest of the number is flags


@dataclass(frozen=True)
class Calls:
    """n_bytes: count x size of the datatype.   times: on the rank that makes most of them."""

    operation: str
    n_bytes: int
    processes: int
    times: int


def of_run(
    directory: Path, grids: Mapping[int, Dims] | None = None, say: Callable[[str], None] | None = None
) -> list[Calls]:
    """The calls in communicators of two or more processes, most bytes first.

    grids: by number of ranks, those in which neighbours exchange data. A run does not say who is whose neighbour, so
    calls among neighbours on other numbers of ranks are left out, which is said.
    Raises DamagedTrace, UsageError.
    """
    run_directory.require(directory)
    try:
        files = _core.trace_files(str(directory))
        found: Counter[tuple[str, int, int]] = Counter()
        for file in files:
            for what, times in _of_process(_core.open_process(file), grids or {}).items():
                found[what] = max(found[what], times)
    except _core.TraceError as error:
        raise DamagedTrace(
            f"{directory}: {error}", hint="give a run's directory, written by leadline record"
        ) from error
    if not files:
        raise UsageError(f"no run in {directory}", hint="leadline record -o DIR -- COMMAND")
    without = [what for what in found if what[1] < 0]
    for name, _, ranks in sorted(without, key=lambda what: (what[0], what[2])):
        del found[name, -1, ranks]
        if say is not None:
            say(f"skipped: {name} on {ranks} ranks, whose grid is unknown (--dims)")
    calls = [Calls(*what, times) for what, times in found.items()]
    return sorted(calls, key=lambda call: (-call.n_bytes * call.times, call.operation, call.processes))


def library_of_run(directory: Path) -> str | None:
    """The name or path of the library that the run was launched with, as for --mpi; None if it is unknown."""
    try:
        mpiexec = Path(run_directory.read_description(directory)["launcher"]["path"]).resolve()
    except (OSError, ValueError, KeyError, TypeError):
        return None
    name = next((library.name for library in mpi.available() if library.mpiexec.resolve() == mpiexec), None)
    if name is not None:
        return name
    try:
        return str(mpiexec) if mpi.find(str(mpiexec)) else None
    except MissingPrerequisite:
        return None


def _of_process(process: _core.Process, grids: Mapping[int, Dims]) -> Counter[tuple[str, int, int]]:
    """Bytes of -1: calls among neighbours whose grid is not known."""
    names = {f"MPI_{operation.function}": name for name, operation in operations().items()}
    found: Counter[tuple[str, int, int]] = Counter()
    for thread in range(process.threads):
        sites = process.sites(thread)
        for tally in process.tallies(thread):
            operation = names.get(process.functions[sites[tally.key.site].function].name)
            communicator = tally.key.comm & COMMUNICATOR
            if operation is None or communicator >= len(process.communicators):
                continue
            size = process.communicators[communicator].size
            n_bytes = tally.key.count * process.datatypes[tally.key.datatype].size
            if operations()[operation].for_neighbours and size not in grids:
                found[operation, -1, size] += tally.times * (size >= 2)
                continue
            if operations()[operation].has_counts_by_rank:
                neighbours = 2 * len(grids[size]) if operations()[operation].for_neighbours else 0
                n_bytes = _mean_block(operations()[operation], tally.words, neighbours or size)
            if not operations()[operation].has_data:
                n_bytes = 0
            if size >= 2 and n_bytes >= 0:
                found[operation, n_bytes, size] += tally.times
    return found


def _mean_block(operation: Operation, words: Sequence[int], size: int) -> int:
    """Its bytes, as src/shim/arguments.cpp has them. -1: the call is another rank's to count.

    size: how many blocks there are.   words: the bytes that a rank contributed and received. Sizes that not all ranks
    know differ from rank to rank and from call to call: of these the next power of two.
    """
    by_root = "root" in (operation.contributed.by, operation.received.by)
    of_all = words[0 if operation.reduces or operation.contributed.by == "root" else 1] if words else 0
    if by_root and not of_all:
        return -1
    n_bytes = -(-of_all // size // 8) * 8
    if not operation.sizes_are_known and n_bytes:
        n_bytes = 1 << (n_bytes - 1).bit_length()
    return n_bytes

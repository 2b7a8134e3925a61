"""How wide a halo is, where the datatype of its messages tells."""

from pathlib import Path

from leadline.figures.run import open_run
from leadline.report import to_json

from .building import Builder
from .libraries import Library
from .reading import open_processes
from .running import run_mpi

# Sides of the array and what is taken of them, by routine of tests/programs/halos.c.
SIDES = (
    [(0, 20), (24, 2)],
    [(0, 16), (0, 20), (24, 3)],
    [(0, 16), (480, 24)],
    [(16, 16), (20, 1), (24, 24)],
    [(16, 12), (20, 16), (24, 2)],
    [(16, 2), (20, 16), (24, 2)],
    [(16, 2), (20, 5), (24, 24)],
    [(0, 20), (4, 1)],
    [(0, 20), (120, 10)],
    [(0, 20), (24, 1)],
    [(0, 20), (26, 1)],
)
ROUTINES = 12  # one more where the library has functions with large counts


def test_the_width_of_a_halo_is_told_by_its_datatype(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    program = builder.c(one_of_each_family, "halos.c")
    outcome = run_mpi(one_of_each_family, 4, [program], cwd=tmp_path, recorder=recorder, run_directory=tmp_path / "run")
    assert outcome.returncode == 0, outcome.stderr
    for process in open_processes(tmp_path / "run").values():
        told = [datatype.sides for datatype in process.datatypes]
        assert all(told.count(sides) >= 1 for sides in SIDES), told
        assert told.count([(0, 20), (26, 1)]) == 1  # made in every step, and the same
    found = {
        pattern["routines"][0]: pattern["evidence"].get("halo_width", [0])
        for pattern in to_json(open_run(tmp_path / "run"))["patterns"]
        if pattern["pattern"] == "nearest_neighbour"
    }
    assert {routine: [int(routine[-1])] for routine in found} == found
    assert len(found) >= ROUTINES

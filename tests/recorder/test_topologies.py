"""Communicators with their virtual topologies."""

from pathlib import Path

from .building import Builder
from .libraries import Library
from .reading import open_processes
from .running import run_mpi


def test_communicators_have_their_topologies(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    program, run = builder.c(one_of_each_family, "topologies.c"), tmp_path / "run"
    outcome = run_mpi(one_of_each_family, 4, [program], cwd=tmp_path, recorder=recorder, run_directory=run)
    assert outcome.returncode == 0, outcome.stderr
    plane = ("cartesian", [(2, False), (2, True)])
    expected = [
        *[plane] * 3,
        ("cartesian", [(2, True)]),
        ("graph", []),
        ("distributed graph", []),
        ("cartesian", [(4, False)]),
        ("cartesian", [(4, True)]),
    ]
    for process in open_processes(run).values():
        found = [(one.topology, one.grid) for one in process.communicators if one.topology != "none"]
        assert sorted(found) == sorted(expected)
        assert all(one.topology == "none" for one in process.communicators[:2])  # world and self

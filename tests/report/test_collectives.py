"""Every collective has one class."""

from pathlib import Path

import tomllib

from leadline.figures.collectives import CLASSES, TITLES, class_of

SEMANTICS = Path(__file__).parents[2] / "api" / "semantics.toml"


def test_every_collective_of_the_standard_has_a_class() -> None:
    functions = tomllib.loads(SEMANTICS.read_text())["class"]
    for name in [*functions["coll"], *functions["icoll"]]:
        assert class_of(f"MPI_{name}") in CLASSES, name
    assert all(class_of(f"MPI_{name}") is None for name in functions["coll_init"])
    assert TITLES.keys() == CLASSES.keys()


def test_nonblocking_ones_are_of_their_class() -> None:
    assert class_of("MPI_Ireduce") == class_of("MPI_Gatherv") == "all_to_one"
    assert class_of("MPI_Iscatterv") == "one_to_all"
    assert class_of("MPI_Ineighbor_alltoallw") == "neighbours"

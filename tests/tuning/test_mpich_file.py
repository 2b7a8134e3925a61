"""MPICH's selection files: read here as MPICH reads them, and by MPICH itself, asked by the probe."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from leadline import mpi
from leadline.libraries import mpich_file
from leadline.libraries import mpich_variables as mpich
from leadline.libraries.mpich import LIBRARY as MPICH
from leadline.tuning.probing import Point, ask, fatal_errors, subject
from leadline.tuning.table import Rule, Table

from .conftest import Apply


def made_up() -> mpich_file.BuiltIn:
    """Trees as a library has them, each operation's with a leaf that says it is the library's own."""
    trees: list[dict[str, Any]] = []
    for kind in ("algorithm=own", "composition=own"):
        intra = {"comm_type=intra": {"comm_size<8": {kind: {}}, "comm_size=any": {kind: {}}}}
        one: dict[str, Any] = {f"collective={operation}": intra for operation in mpich.algorithms()}
        trees.append({**one, "collective=barrier": {"comm_type=intra": {kind: {}}}})
    names = {own.function for known in mpich.algorithms().values() for own in known.values()}
    return mpich_file.BuiltIn(trees[0], trees[1], frozenset(names))


def leaf(tree: dict[str, Any], facts: dict[str, Any]) -> str | None:
    """The result of MPICH's search: it enters the first branch that holds, and never leaves it."""
    for key, below in tree.items():
        if not below:
            return key
        if holds(key, facts):
            return leaf(below, facts)
    return None


def holds(key: str, facts: dict[str, Any]) -> bool:
    if key.endswith("=any") or key == "any":
        return True
    if key == "comm_size=pow2":
        return facts["comm_size"] & (facts["comm_size"] - 1) == 0
    if key == "count<pow2":
        return facts["count"] < 1 << (facts["comm_size"].bit_length() - 1)
    for sign, compare in (("<=", int.__le__), ("<", int.__lt__)):
        name, found, number = key.partition(sign)
        if found:
            return compare(facts[name], int(number))
    name, _, value = key.partition("=")
    return bool(facts[name] == value)


def random_table(chance: random.Random) -> Table:
    rules = []
    for _ in range(chance.randrange(1, 8)):
        operation = chance.choice(list(mpich.algorithms()))
        p, b = sorted(chance.choices(range(1, 10), k=2)), sorted(chance.choices(range(60), k=2))
        name = chance.choice([*mpich.algorithms()[operation], "native"])
        rules.append(Rule(operation, (p[0], p[1]), (b[0], b[1]), name))
    return Table(tuple(rules))


def test_mpich_reads_from_the_files_what_the_table_says_and_else_its_own() -> None:
    chance, own = random.Random(9), made_up()
    for _ in range(60):
        table = random_table(chance)
        more = chance.choice([0, 8])
        general, device = (
            json.loads(mpich_file.files(table, own, more)[name]) for name in (mpich_file.GENERAL, mpich_file.DEVICE)
        )
        assert general["collective=barrier"] == own.general["collective=barrier"]
        for operation in mpich.algorithms():
            for processes in range(1, 12):
                for size in range(0, 64, 3):
                    facts = {
                        "comm_size": processes,
                        "avg_msg_size": size + more,
                        "count": 100,
                        "is_op_built_in": "yes",
                        "is_commutative": "yes",
                        "is_sendbuf_inplace": "no",
                        "is_multi_threaded": chance.choice(["yes", "no"]),
                        "comm_type": "intra",
                    }
                    choice = table.choice(operation, size, processes)
                    able = choice and (choice.algorithm != "scatter_recursive_doubling" or processes in {1, 2, 4, 8})
                    key = f"collective={operation}"
                    wanted = (
                        (f"algorithm={mpich.algorithms()[operation][choice.algorithm].function}", None)
                        if choice and able
                        else ("algorithm=own", "composition=own")
                    )
                    assert (leaf(general[key], facts), leaf(device[key], facts)) == wanted


@pytest.mark.parametrize(
    ("operation", "algorithm", "facts"),
    [
        ("allreduce", "rabenseifner", {"is_op_built_in": "no", "count": 100}),
        ("allreduce", "rabenseifner", {"is_op_built_in": "yes", "count": 3}),
        ("allreduce", "ring", {"is_commutative": "no"}),
        ("alltoall", "pairwise", {"is_sendbuf_inplace": "yes"}),
    ],
)
def test_an_algorithm_is_never_named_for_what_it_cannot_do(
    operation: str, algorithm: str, facts: dict[str, Any]
) -> None:
    table = Table((Rule(operation, (2, 8), (0, 2**40), algorithm),))
    found = mpich_file.files(table, made_up(), 0)
    given = {"comm_size": 4, "avg_msg_size": 64, "comm_type": "intra", "is_multi_threaded": "no", **facts}
    for name, kind in ((mpich_file.GENERAL, "algorithm"), (mpich_file.DEVICE, "composition")):
        assert leaf(json.loads(found[name])[f"collective={operation}"], given) == f"{kind}=own"


def test_a_file_never_fills_its_last_page() -> None:
    for length in range(0, 5000, 61):
        own = made_up()
        own.general["collective=barrier"] = {"comm_type=intra": {f"algorithm={'x' * length}": {}}}
        table = Table((Rule("bcast", (2, 8), (0, 9), "binomial"),))
        assert len(mpich_file.files(table, own, 0)[mpich_file.GENERAL]) % 4096


RANGES = """schema = 1
[[rule]]
operation = "bcast"
processes = [2, 4]
bytes = [1024, 4096]
algorithm = "scatter_ring"
[[rule]]
operation = "bcast"
processes = [2, 4]
bytes = [16384, 16384]
algorithm = "binomial"
[[rule]]
operation = "allreduce"
processes = [2, 4]
bytes = [2048, 2048]
algorithm = "rabenseifner"
"""


def library(name: str) -> mpi.Library:
    found = next((library for library in mpi.available() if library.name == name), None)
    return found or pytest.skip(f"the MPI library {name} is not here")


def test_ranges_take_effect_in_mpich(apply: Apply) -> None:
    done = apply("mpich", RANGES, "--via", "native")
    assert not done.found["not_applied"]
    seen = [(at["bytes"], at["routine"]) for rule in done.found["applied"] for at in rule["evidence"]]
    assert seen == [
        (1024, "MPIR_Bcast_intra_scatter_ring_allgather"),
        (4096, "MPIR_Bcast_intra_scatter_ring_allgather"),
        (16384, "MPIR_Bcast_intra_binomial"),
        (2048, "MPIR_Allreduce_intra_reduce_scatter_allgather"),
    ]
    assert set(done.found["settings"]) == {mpich_file.GENERAL, mpich_file.DEVICE}
    assert done.output == "the program's own output"


def test_outside_the_ranges_mpich_does_what_it_does_by_itself(programs: Any, tmp_path: Path) -> None:
    here = library("mpich")
    about = subject([*here.launch(3), str(programs(here))], here.env())
    own = mpich_file.built_in(about.file)
    assert own is not None
    table = Table((Rule("bcast", (2, 4), (1024, 4096), "scatter_ring"), Rule("bcast", (2, 4), (8, 8), "binomial")))
    variables = {}
    for name, text in mpich_file.files(table, own, 0).items():
        (tmp_path / name).write_text(text)
        variables[name] = str(tmp_path / name)
    point = Point("bcast", 512, 3)
    found = [MPICH.routine_of(point, ask(about, given, points=[point]).points[point], "") for given in ({}, variables)]
    assert found[0] == found[1]
    assert "release_gather" in found[0]


def test_the_general_layers_file_alone_is_hidden_by_the_node_layer(apply: Apply, tmp_path: Path) -> None:
    own = mpich_file.built_in((library("mpich").libdir / "libmpi.so.12").resolve())
    assert own is not None
    file = tmp_path / "general.json"
    file.write_text(
        mpich_file.files(Table((Rule("bcast", (2, 4), (0, 2**40), "scatter_ring"),)), own, 0)[mpich_file.GENERAL]
    )
    table = RANGES.partition('[[rule]]\noperation = "allreduce"')[0].replace("[16384, 16384]", "[64, 64]")
    done = apply("mpich", table, "--via", "native", "--as-set", environ={mpich_file.GENERAL: str(file)})
    assert f"{mpich_file.DEVICE} is not set" in done.why()
    assert not done.found["applied"]


def test_what_a_release_has_not_is_refused_by_name() -> None:
    own = made_up()
    older = mpich_file.BuiltIn(own.general, own.device, own.names - {"MPIR_Allreduce_intra_ring"})
    found = mpich_file.settings(Table((Rule("allreduce", (2, 8), (0, 9), "ring"),)), older)
    assert "this MPICH release has no MPIR_Allreduce_intra_ring" in found.not_set[0].why
    assert not found.files


def test_errors_that_end_the_job_are_read_from_what_mpich_prints() -> None:
    said = [
        "Abort(3) on node 1 (rank 1 in comm 496): Fatal error in internal_Allreduce: Message truncated, error stack:",
        "MPIR_Allreduce_intra_recursive_doubling(97): ",
        "Abort(3) on node 2 (rank 2 in comm 496): Fatal error in internal_Allreduce: Message truncated, error stack:",
        "MPIC_Recv(210): ",
    ]
    assert fatal_errors(["before", *said]) == [(1, "\n".join(said[:2])), (2, "\n".join(said[2:]))]
    assert fatal_errors(["before"]) == []


def test_recursive_doubling_of_one_size_takes_effect_in_mpich(apply: Apply) -> None:
    table = RANGES[RANGES.rindex("[[rule]]") :].replace("rabenseifner", "recursive_doubling").replace("2048", "16")
    done = apply("mpich", f"schema = 1\n{table}", "--via", "native", ranks=2)
    assert [at["routine"] for rule in done.found["applied"] for at in rule["evidence"]] == [
        "MPIR_Allreduce_intra_recursive_doubling"
    ]

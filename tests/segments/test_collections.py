"""All-to-one and one-to-all of many fields: random collections byte by byte, wrong plans, the root's memory."""

from pathlib import Path

import pytest
import tiers

from .building import ROOT, run

PROGRAM = ROOT / "tests" / "programs" / "collections.c"
ALL = tiers.everything()
# MPICH and Intel MPI wait busily, so no more ranks than cores.
RANKS = {"openmpi": [1, 3, 5] if ALL else [3], "mpich": [1, 2] if ALL else [2], "intel": [2]}
COLLECTIONS = 2000 if ALL else 60

# What the last rank or the root does wrong, and what every rank must say of it.
WRONG = {
    "root": "rank 2: the root of the collection of field temperature and others is rank 1 here, but 0 on rank 0",
    "direction": "rank 2: the collection of field temperature and others goes from the root (rank 0) here",
    "outside": "rank 2: root 3 and direction 0, but there are 3 ranks",
    "fields": "rank 2: the collection has 1 fields here, the last of which is salt, but 2 on rank 0",
    "name": "rank 0: neighbour 2 (rank 2): field temperature, number 1, has another name there",
    "size": "rank 0: neighbour 2 (rank 2): field temperature receives 400 bytes, but 408 are sent",
    "null": "rank 2: field temperature, neighbour 0 (rank 0): the part of rank 2 has no address",
    "element": "rank 0: neighbour 2 (rank 2): field temperature has elements of 4 bytes there, of 8 here",
    "gap": "rank 2: field temperature, neighbour 0 (rank 0): its face is not in memory",
    "no place": "rank 0: neighbour 0 (rank 0): field temperature receives 0 bytes, but 400 are sent",
    "place": "rank 2: a place is given for field temperature, but the root is rank 0",
    "two places": "rank 0: field temperature has two places for rank 2",
    "overlap": "rank 0: what field temperature receives from neighbour 1 (rank 1) overlaps what field temp",
    "limit": "rank 0: a memory limit of 8 bytes has no room for one element of field salt from each of the 3 ranks",
    "freed": "rank 2: field temperature, neighbour 0 (rank 0): its face is not in memory; was the field freed?",
}


@pytest.mark.parametrize(("name", "ranks"), [(name, ranks) for name, counts in RANKS.items() for ranks in counts])
def test_random_collections_bring_every_byte(name: str, ranks: int, tmp_path: Path) -> None:
    done = run(name, ranks, ["random", "1", str(COLLECTIONS)], cwd=tmp_path, program=PROGRAM)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{COLLECTIONS} collections on {ranks} ranks, 0 wrong" in done.stdout


def test_a_wrong_plan_is_an_error_on_every_rank(tmp_path: Path) -> None:
    words = ["wrong", *WRONG, "early", "handler"]
    done = run("openmpi", 3, words, cwd=tmp_path, environment={"LEADLINE_SEGMENTS_CHECK": "1"}, program=PROGRAM)
    assert done.returncode == 0, done.stdout + done.stderr
    for kind, said in WRONG.items():
        for rank in range(3):
            found = [line for line in done.lines if line.startswith(f"rank {rank}: {kind}: ")]
            assert len(found) == 1, (kind, found)
            assert found[0].startswith(f"rank {rank}: {kind}: code 1: {said}"), found
    for rank in range(3):
        assert f"rank {rank}: early: code 3: rank {rank}: the collection is used before its commit" in done.lines
    # The root's handler failed: it is not called again, the others' data were taken, and nobody hangs.
    failed = "rank 0: handler: code 6: rank 0: a handler failed in the collection of field salt and others"
    assert {failed, "rank 0: handler: called 1 times", "rank 1: handler: code 0: "} <= set(done.stdout.splitlines())


def test_a_rank_that_does_not_come_is_named(tmp_path: Path) -> None:
    words, limit = ["wrong", "missing"], {"LEADLINE_SEGMENTS_TIMEOUT_S": "1"}
    done = run("openmpi", 3, words, cwd=tmp_path, environment=limit, program=PROGRAM)
    said = sorted(line for line in done.stdout.splitlines() if ": code 2: " in line)
    assert len(said) == 2, done.stdout + done.stderr
    for rank, line in enumerate(said):
        assert f"rank {rank}: rank 2 of 3 did not commit the plan of the fields from salt on" in line


@pytest.mark.parametrize(("name", "ranks"), [("mpich", 2), ("openmpi", 3)])
def test_the_root_holds_no_more_than_the_limit(name: str, ranks: int, tmp_path: Path) -> None:
    done = run(name, ranks, ["memory", "256", "8"], cwd=tmp_path, program=PROGRAM)
    assert done.returncode == 0, done.stdout + done.stderr
    words = done.lines[0].split()
    counted = dict(zip(words[::2], map(int, words[1::2]), strict=True))  # KiB
    assert counted["wrong"] == 0
    assert counted["taken"] >= 255 << 10
    assert counted["buffer"] <= 8 << 10
    assert counted["grown"] <= (8 + 32) << 10  # of the process, the MPI library's memory included

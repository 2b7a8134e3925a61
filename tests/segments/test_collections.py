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
    "root": "rank 2: the root is rank 1 here, but 0 on rank 0 (collection that ends with field temperature)",
    "direction": "rank 2: the collection goes from the root (rank 0) here, but not on rank 0 (it ends with field temp",
    "outside": "rank 2: invalid root 3 or direction 0 (3 ranks, 2 directions)",
    "fields": "rank 2: the collection has 1 fields here (the last is salt), but 2 on rank 0",
    "name": "rank 0: field temperature (number 1) has another name on neighbour 2 (rank 2)",
    "size": "rank 0, field temperature: receives 400 bytes from neighbour 2 (rank 2), which sends 408",
    "null": "rank 2: field temperature, neighbour 0 (rank 0): the part of rank 2 has a null address",
    "element": "rank 0: field temperature has elements of 4 bytes on neighbour 2 (rank 2), but of 8 on lower ranks",
    "gap": "rank 2: field temperature, neighbour 0 (rank 0): its face is not mapped memory",
    "no place": "rank 0, field temperature: receives 0 bytes from neighbour 0 (rank 0), which sends 400",
    "place": "rank 2: a buffer is given for field temperature, which only the root (rank 0) may do",
    "two places": "rank 0: field temperature has two buffers for rank 2",
    "overlap": "rank 0: buffers overlap: field temperature, received from neighbour 1 (rank 1), and field temp",
    "limit": "rank 0: the memory limit of 8 bytes cannot hold one element of field salt from each of 3 ranks",
    "freed": "rank 2: field temperature, neighbour 0 (rank 0): its face is not mapped memory (field freed?)",
}


@pytest.mark.ci("intel")
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
        assert f"rank {rank}: early: code 3: rank {rank}: the collection was used before it was committed" in done.lines
    # The root's handler failed: it is not called again, the others' data were taken, and nobody hangs.
    failed = "rank 0: handler: code 6: rank 0: a handler failed (collection that begins with field salt)"
    assert {failed, "rank 0: handler: called 1 times", "rank 1: handler: code 0: "} <= set(done.stdout.splitlines())


def test_a_rank_that_does_not_come_is_named(tmp_path: Path) -> None:
    words, limit = ["wrong", "missing"], {"LEADLINE_SEGMENTS_TIMEOUT_S": "1"}
    done = run("openmpi", 3, words, cwd=tmp_path, environment=limit, program=PROGRAM)
    said = sorted(line for line in done.stdout.splitlines() if ": code 2: " in line)
    assert len(said) == 2, done.stdout + done.stderr
    for rank, line in enumerate(said):
        assert f"rank {rank}: rank 2 of 3 did not commit the plan that begins with field salt" in line


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

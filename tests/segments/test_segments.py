"""Packed exchanges: random plans against plain exchanges, byte by byte; wrong plans; what `auto` finds."""

from pathlib import Path

import pytest
import tiers
from cli.other_users import OTHERS, others_file
from recorder.running import run_mpi

from leadline.mpi import Library

from .building import built, library, run

ALL = tiers.everything()
# MPICH and Intel MPI wait busily, so no more ranks than cores.
RANKS = {"openmpi": [1, 3, 5] if ALL else [3], "mpich": [1, 2] if ALL else [2], "intel": [2]}
PLANS = 2000 if ALL else 60

# What the last rank does wrong, and what every rank must say of it: rank, neighbour and field.
WRONG = {
    "neighbour": ("neighbour 0 (rank 2, ", "field salt would wait forever"),
    "rank": ("rank 2: neighbour 1 is rank 6, but there are only 3 ranks", ""),
    "name": ("field temperature (number 1) has another name on neighbour", ""),
    "fields": ("rank 2: 2 segments for 1 fields", ""),
    "size": ("field temperature: receives 400 bytes from neighbour 1 (rank 2), which sends 408", ""),
    "overlap": (
        "rank 2: buffers overlap: field salt, received from neighbour 1 (rank 0), and field temperature, received",
        "",
    ),
    "sent": ("field temperature, received from neighbour 1 (rank 0), and field temperature, sent to", ""),
    "null": ("rank 2: field temperature, neighbour 0 (rank 1): what is sent has a null address", ""),
    "gap": ("rank 2: field temperature, neighbour 0 (rank 1): its face is not mapped memory", ""),
    "segments": ("(rank 2) divides fields salt to temperature into different segments", ""),
    "many": ("3 segments for 2 fields", ""),
    "sum": ("segment 1 has 2 fields, but 1 of 2 are already assigned", ""),
    "freed": ("rank 2: field temperature, neighbour 0 (rank 1): its face is not mapped memory (field freed?)", ""),
    "twice": ("an exchange was started before the previous one was completed", ""),
    "early": ("wait for field temperature: its segment has 1 fields not marked ready", ""),
}


@pytest.mark.ci("intel")
@pytest.mark.parametrize(("name", "ranks"), [(name, ranks) for name, counts in RANKS.items() for ranks in counts])
def test_random_plans_bring_what_plain_messages_bring(name: str, ranks: int, tmp_path: Path) -> None:
    done = run(name, ranks, ["random", "1", str(PLANS)], cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{PLANS} plans on {ranks} ranks, 0 wrong" in done.stdout


def test_threads_bring_the_same_bytes(tmp_path: Path) -> None:
    chosen = library("openmpi")
    # From the first byte on: by default, threads would find nothing to do in plans as small as these.
    threaded = built(chosen, "-fopenmp", "-DLEADLINE_SEGMENTS_THREADED_BYTES=1")
    words = [threaded, "random", "1", str(PLANS)]
    done = run_mpi(chosen, 2, words, cwd=tmp_path, environment={"OMP_NUM_THREADS": "3"}, timeout_s=100)
    assert done.lines == [f"{PLANS} plans on 2 ranks, 0 wrong, 3 threads"], done.stderr


@pytest.mark.ci("openmpi")
@pytest.mark.parametrize(("name", "ranks"), [("mpich", 2), ("openmpi", 3)])
def test_segments_of_several_messages_bring_the_same_bytes(name: str, ranks: int, tmp_path: Path) -> None:
    chosen = library(name)
    limits = {"FULL": 64, "ALONE": 48, "IN_TURN": 40}
    divided = built(chosen, *(f"-DLEADLINE_SEGMENTS_{name}_BYTES={size}" for name, size in limits.items()))
    done = run_mpi(chosen, ranks, [divided, "random", "1", str(PLANS)], cwd=tmp_path, timeout_s=100)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{PLANS} plans on {ranks} ranks, 0 wrong" in done.stdout


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_plan_is_an_error_on_every_rank(kind: str, tmp_path: Path) -> None:
    done = run("openmpi", 3, ["wrong", kind], cwd=tmp_path, environment={"LEADLINE_SEGMENTS_CHECK": "1"})
    said = sorted(line for line in done.stdout.splitlines() if ": code " in line)
    assert [line.partition(":")[0] for line in said] == ["rank 0", "rank 1", "rank 2"], done.stdout + done.stderr
    for line in said:
        assert ": code 0" not in line
        assert all(part in line for part in WRONG[kind]), line


@pytest.mark.parametrize("name", ["mpich", "openmpi"])
def test_a_rank_that_does_not_come_is_named(name: str, tmp_path: Path) -> None:
    done = run(name, 3, ["wrong", "missing"], cwd=tmp_path, environment={"LEADLINE_SEGMENTS_TIMEOUT_S": "1"})
    said = sorted(line for line in done.stdout.splitlines() if ": code 2: " in line)
    assert len(said) == 2, done.stdout + done.stderr
    for rank, line in enumerate(said):
        assert f"rank {rank}: rank 2 of 3 did not commit the plan that begins with field salt" in line


@pytest.mark.parametrize(("name", "ranks"), [("mpich", 2), ("openmpi", 3)])
def test_auto_chooses_alike_on_all_ranks_and_is_loaded_again(name: str, ranks: int, tmp_path: Path) -> None:
    done = run(name, ranks, ["auto", str(tmp_path / "found")], cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = sorted(done.stdout.splitlines())
    found, loaded = lines[:ranks], lines[ranks:]
    assert len(set(found)) == len(set(loaded)) == 1, done.stdout
    assert found[0].endswith("(tried)")
    assert loaded[0] == found[0].replace("found", "loaded").replace("(tried)", "(not tried)")


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize(("name", "ranks"), [("mpich", 2), ("openmpi", 2)])
def test_a_saved_plan_that_others_can_change_is_neither_used_nor_added_to(
    name: str, ranks: int, kind: str, tmp_path: Path
) -> None:
    found, content = tmp_path / "found", b"what was in it\n"
    held = others_file(kind, found, content)
    done = run(name, ranks, ["auto", str(found)], cwd=tmp_path)
    assert done.returncode != 0, done.stdout + done.stderr
    assert f"leadline_segments: ignored the plan in {found}: {OTHERS[kind]}" in done.stderr
    if held is not None:
        assert held.read_bytes() == content


def test_the_library_needs_c_and_mpi_only(any_library: Library) -> None:
    assert built(any_library).exists()  # compiled by mpicc with all warnings as errors

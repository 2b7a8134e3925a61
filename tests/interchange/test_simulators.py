"""leadline export simgrid and goal: what simulators replay, read back; and replayed, where SimGrid is installed."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from .conftest import MANY_STEPS, RANKS, STEPS, Export, Record

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-7" speed="1Gf" bw="10GBps" lat="1us"/>
</platform>
"""


def actions_of(folder: Path) -> dict[int, list[list[str]]]:
    """By rank, the actions after its number."""
    found: dict[int, list[list[str]]] = defaultdict(list)
    for name in (folder / "traces.txt").read_text().split():
        for line in (folder / name).read_text().splitlines():
            rank, *action = line.split()
            found[int(rank)].append(action)
    return found


def without_computation(actions: list[list[str]]) -> list[list[str]]:
    return [action for action in actions if action[0] != "compute"]


def test_simgrid_actions_are_the_programs_calls(whole: Path, export: Export) -> None:
    found = actions_of(export("simgrid", whole).path)
    assert sorted(found) == list(range(RANKS))
    for rank, actions in found.items():
        before, after = (rank - 1) % RANKS, (rank + 1) % RANKS
        step = [
            ["irecv", str(before), "7", str((before + 1) * 100)],  # from anybody: who it was is known in the end
            ["isend", str(after), "7", str((rank + 1) * 100)],
            ["wait", str(before), str(rank), "7"],
            ["wait", str(rank), str(after), "7"],
            *([["send", "1", "9", "64"]] if rank == 0 else []),
            *([["recv", "0", "9", "64"]] if rank == 1 else []),
            ["allreduce", "8", "0"],
        ]
        assert without_computation(actions) == [
            ["init"],
            ["bcast", "40", "1"],
            *step * STEPS,
            ["gather", "4", "4" if rank == 0 else "0", "0"],
            ["finalize"],
        ]


def test_simgrid_has_means_where_times_are_unknown(sampled: Path, export: Export) -> None:
    exported = export("simgrid", sampled)
    found = actions_of(exported.path)
    assert Counter(action[0] for action in found[0])["allreduce"] == MANY_STEPS
    assert "computation times are call-site means" in exported.err


def test_simgrid_window(whole: Path, export: Export) -> None:
    found = actions_of(export("simgrid", whole, "--iterations", "5:7").path)
    assert Counter(action[0] for action in without_computation(found[1])) == {
        "init": 1, "irecv": 2, "isend": 2, "wait": 4, "recv": 2, "allreduce": 2, "finalize": 1,
    }  # fmt: skip
    alone = actions_of(export("simgrid", whole, "--ranks", "2", to="alone").path)
    assert not {"isend", "irecv", "wait"} & {action[0] for action in alone[2]}


@pytest.mark.skipif(not shutil.which("smpirun"), reason="smpirun (Debian's libsimgrid-dev) is not here")
def test_simgrid_replays_it(whole: Path, export: Export, tmp_path: Path) -> None:
    folder = export("simgrid", whole).path
    (tmp_path / "platform.xml").write_text(PLATFORM)
    (tmp_path / "hosts").write_text("".join(f"n{rank}\n" for rank in range(RANKS)))
    words = ["smpirun", "-np", str(RANKS), "-platform", str(tmp_path / "platform.xml")]
    words += ["-hostfile", str(tmp_path / "hosts"), "-replay", "traces.txt", "--cfg=smpi/host-speed:1Gf"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "Simulation time" in done.stdout + done.stderr


def goal_of(file: Path) -> tuple[dict[int, dict[str, str]], dict[int, dict[str, set[str]]]]:
    """By rank: operations by label, and what each requires."""
    operations: dict[int, dict[str, str]] = {}
    requires: dict[int, dict[str, set[str]]] = {}
    lines = iter(file.read_text().splitlines())
    assert next(lines) == f"num_ranks {RANKS}"
    rank = -1
    for line in lines:
        if found := re.fullmatch(r"rank (\d+) {", line):
            rank = int(found[1])
            operations[rank], requires[rank] = {}, defaultdict(set)
        elif found := re.fullmatch(r"(l\d+) requires (l\d+)", line):
            assert {found[1], found[2]} <= operations[rank].keys()
            requires[rank][found[1]].add(found[2])
        elif found := re.fullmatch(r"(l\d+): (.+)", line):
            assert found[1] not in operations[rank]
            operations[rank][found[1]] = found[2]
        else:
            assert line in ("", "}")
    return operations, requires


def messages_of(operations: dict[int, dict[str, str]]) -> tuple[Counter[tuple[int, ...]], Counter[tuple[int, ...]]]:
    """(source, dest, bytes, tag) of what is sent and what is received."""
    sent: Counter[tuple[int, ...]] = Counter()
    received: Counter[tuple[int, ...]] = Counter()
    for rank, each in operations.items():
        for text in each.values():
            if found := re.fullmatch(r"(send|recv) (\d+)b (?:to|from) (\d+) tag (\d+)", text):
                size, other, tag = int(found[2]), int(found[3]), int(found[4])
                (sent if found[1] == "send" else received)[
                    (rank, other, size, tag) if found[1] == "send" else (other, rank, size, tag)
                ] += 1
            else:
                assert re.fullmatch(r"calc \d+", text), text
    return sent, received


def test_goal_sends_everything_that_it_receives(whole: Path, export: Export) -> None:
    operations, _ = goal_of(export("goal", whole).path)
    assert sorted(operations) == list(range(RANKS))
    sent, received = messages_of(operations)
    assert sent == received
    for rank in range(RANKS):
        assert sent[rank, (rank + 1) % RANKS, (rank + 1) * 100, 7] == STEPS
    assert sent[0, 1, 64, 9] == STEPS
    collective = [key for key in sent.elements() if key[3] >= 1 << 28]
    # two rounds of three ranks in each allreduce; the broadcast and the gather reach two ranks each
    assert len(collective) == STEPS * 2 * RANKS + 2 * (RANKS - 1)
    assert sum(size for _, _, size, _ in collective) == STEPS * 2 * RANKS * 8 + 2 * 40 + 2 * 4


def test_goal_can_be_carried_out(whole: Path, export: Export) -> None:
    """Every operation starts once what it requires is done; a receive needs its message. Nothing may be left over."""
    operations, requires = goal_of(export("goal", whole, "--iterations", "0:6").path)
    done: dict[int, set[str]] = {rank: set() for rank in operations}
    there: Counter[tuple[int, ...]] = Counter()
    progress = True
    while progress:
        progress = False
        for rank, each in operations.items():
            for label, text in each.items():
                if label in done[rank] or not requires[rank][label] <= done[rank]:
                    continue
                kind = text.split()[0]
                if kind != "calc":
                    other, tag = int(text.split()[3]), int(text.split()[5])
                    message = (rank, other, tag) if kind == "send" else (other, rank, tag)
                    if kind == "recv" and not there[message]:
                        continue
                    there[message] += 1 if kind == "send" else -1
                done[rank].add(label)
                progress = True
    assert done == {rank: {*each} for rank, each in operations.items()}
    assert not any(there.values())


def test_goal_ranks_that_are_not_exported_do_nothing(whole: Path, export: Export) -> None:
    operations, _ = goal_of(export("goal", whole, "--ranks", "1").path)
    assert operations[0] == operations[2] == {"l1": "calc 0"}
    assert operations[1].keys() > {"l1"}


@pytest.mark.parametrize("family", ["mpich", "openmpi"])
def test_each_start_of_a_persistent_collective_is_one(record: Record, export: Export, family: str) -> None:
    run = record("counted.c", "starts", family=family)
    exported = export("simgrid", run)
    assert "omitted" not in exported.err
    found = actions_of(exported.path)
    both = [["allreduce", "4", "0"], ["bcast", "20", "1"]]
    for rank in range(RANKS):
        assert without_computation(found[rank]) == [["init"], *both * 50, ["finalize"]]
    assert "omitted" not in export("goal", run, to="goal").err


@pytest.mark.parametrize("family", ["mpich", "openmpi"])
def test_receives_from_nobody_are_not_taken_for_receives_from_anybody(
    record: Record, export: Export, family: str
) -> None:
    exported = export("simgrid", record("counted.c", "ignored", family=family))
    assert "omitted" not in exported.err
    received = [action for action in actions_of(exported.path)[1] if action[0] in ("recv", "irecv")]
    assert [action[1] for action in received] == ["0"] * 60
    # Also of a nonblocking receive, whose buffer is larger: the sender's record says what will come.
    assert {action[3] for action in received} == {"600"}

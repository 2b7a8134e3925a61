"""leadline export otf2: the files of programs whose operations are known, read back through OTF2's own package."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")
pytest.importorskip("otf2", reason="the package otf2 is not installed: ./dev setup")

from .archives import Events, locations_of, word
from .conftest import RANKS, Export, Record

BLOCK, STEPS = 1000, 12
UNKNOWN = 2**64 - 1


def operations_of(events: Events) -> Counter[tuple[str, str, str]]:
    """By paradigm and kind: ("POSIX", "read", "calls" or "bytes"), as tests/programs/random_files.c tells them."""
    found: Counter[tuple[str, str, str]] = Counter()
    begun: dict[tuple[Any, int], str] = {}

    def count(handle: Any, kind: str, amount: int = 0) -> None:
        paradigm = handle.io_paradigm.identification
        found[paradigm, kind, "calls"] += 1
        found[paradigm, kind, "bytes"] += amount

    for kind, event in events.rows:
        if kind == "IoOperationBegin":
            mode = word(event.mode).lower()
            assert (event.handle, event.matching_id) not in begun
            begun[event.handle, event.matching_id] = mode
            if event.bytes_request != UNKNOWN:
                count(event.handle, f"{mode}-asked", event.bytes_request)
            if mode == "flush":
                count(event.handle, mode)
        elif kind == "IoOperationComplete":
            mode = begun.pop((event.handle, event.matching_id))
            if event.bytes_result != UNKNOWN:
                count(event.handle, mode, event.bytes_result)
        elif kind in ("IoSeek", "IoCreateHandle", "IoDestroyHandle"):
            count(event.handle, {"IoSeek": "seek", "IoCreateHandle": "open", "IoDestroyHandle": "close"}[kind])
    assert not begun
    return found


def test_random_operations_are_those_that_the_program_did(record: Record, export: Export, tmp_path: Path) -> None:
    seed = str(random.SystemRandom().randrange(1 << 30))
    run = record("random_files.c", seed, str(tmp_path), "400")
    for rank, events in locations_of(export("otf2", run).path).items():
        told = [line.split() for line in (tmp_path / f"told-{rank}-0").read_text().splitlines()]
        expected: Counter[tuple[str, str, str]] = Counter()
        for paradigm, kind, calls, n_bytes in told:
            expected[paradigm, kind, "calls"] = int(calls)
            expected[paradigm, kind, "bytes"] = int(n_bytes)
        assert +operations_of(events) == +expected, f"seed {seed}"


def test_collective_operations_on_a_shared_file(record: Record, export: Export, tmp_path: Path) -> None:
    run = record("files.c", "collective", str(tmp_path), str(STEPS))
    for events in locations_of(export("otf2", run).path).values():
        of_mpi = [(function, kind, event) for function, kind, event in events.in_calls() if kind.startswith("Io")]
        (opened,) = events.all("IoCreateHandle")
        assert opened.handle.file.name == str(tmp_path / "shared")
        assert opened.handle.io_paradigm.identification == "MPI-IO"
        assert len(opened.handle.comm.group.members) == RANKS
        assert (word(opened.mode), word(opened.creation_flags)) == ("READ_WRITE", "CREATE")
        names = [(function, kind) for function, kind, _ in of_mpi]
        step = [
            (name, kind)
            for name in ("MPI_File_write_at_all", "MPI_File_sync", "MPI_File_read_at_all")
            for kind in ("IoOperationBegin", "IoOperationComplete")
        ]
        assert names == [
            ("MPI_File_open", "IoCreateHandle"), *step * STEPS, ("MPI_File_close", "IoDestroyHandle")
        ]  # fmt: skip
        begins = events.all("IoOperationBegin")
        assert [word(e.mode) for e in begins] == ["WRITE", "FLUSH", "READ"] * STEPS
        assert [e.bytes_request for e in begins] == [BLOCK, UNKNOWN, BLOCK] * STEPS
        assert {word(e.operation_flags) for e in begins} == {"COLLECTIVE"}
        assert [e.bytes_result for e in events.all("IoOperationComplete")] == [BLOCK, UNKNOWN, BLOCK] * STEPS


def test_a_file_that_was_opened_before_the_window_is_there_from_its_beginning(
    record: Record, export: Export, tmp_path: Path
) -> None:
    """Each step writes 1000 and 10 bytes to a file of its own, and 100 to the log, which was opened before."""
    run = record("files.c", "steps", str(tmp_path), str(STEPS))
    for rank, events in locations_of(export("otf2", run, "--iterations", "3:5").path).items():
        steps = [str(tmp_path / f"step-{rank}-{i:06}") for i in (3, 4)]
        log = str(tmp_path / f"log-{rank}")
        assert [e.handle.file.name for e in events.all("IoCreateHandle")] == steps
        assert [e.handle.file.name for e in events.all("IoDestroyHandle")] == steps
        moved = Counter((e.handle.file.name, e.bytes_result) for e in events.all("IoOperationComplete"))
        assert moved == {**{(name, n): 1 for name in steps for n in (BLOCK, 10)}, (log, 100): 2}
        flags = {e.handle.file.name: word(e.handle.io_handle_flags) for e in events.all("IoOperationBegin")}
        assert flags == {**dict.fromkeys(steps, "NONE"), log: "PRE_CREATED"}


def test_a_file_whose_open_call_is_not_in_the_trace_has_no_name(record: Record, export: Export, tmp_path: Path) -> None:
    """dup() is no event: after close(), the number of the open file may be that of another."""
    run = record("files.c", "kinds", str(tmp_path))
    for rank, events in locations_of(export("otf2", run).path).items():
        (opened,) = events.all("IoCreateHandle")  # a call that fails opens nothing
        assert opened.handle.file.name == str(tmp_path / f"kinds-{rank}")
        created, truncated = 1, 2
        assert (word(opened.mode), opened.creation_flags.value) == ("READ_WRITE", created | truncated)
        closed = next(i for i, (kind, _) in enumerate(events.rows) if kind == "IoDestroyHandle")
        names = [
            {event.handle.file.name if event.handle.file else None for kind, event in rows if kind.startswith("Io")}
            for rows in (events.rows[: closed + 1], events.rows[closed + 1 :])
        ]
        assert names == [{opened.handle.file.name}, {None}]
        seen = Counter((function, kind) for function, kind, _ in events.in_calls() if kind != "IoOperationBegin")
        assert seen["pwrite", "IoOperationComplete"] == seen["preadv", "IoOperationComplete"] == 1
        assert seen["lseek", "IoSeek"] == 1
        named = [e.region.name for e in events.all("Enter") if "on file" in {a.name for a in e.attributes or {}}]
        assert named == ["ftruncate", "mmap"]


def test_threads_share_a_file_and_have_their_own(record: Record, export: Export, tmp_path: Path) -> None:
    run = record("files_of_threads.c", str(tmp_path))
    moved: Counter[tuple[str, int]] = Counter()
    for events in locations_of(export("otf2", run).path).values():
        moved.update((e.handle.file.name, e.bytes_result) for e in events.all("IoOperationComplete"))
    expected = {}
    for rank in range(RANKS):
        expected[str(tmp_path / f"together-{rank}"), 100] = 3 * 10
        for thread in range(3):
            for name, times in ((0, 3), (1, 2)):
                expected[str(tmp_path / f"own-{rank}-{thread}-{name}"), 10 + thread] = times
    assert moved == expected

"""Live memory: where it is, how large it is, and what happens to it when ranks are killed."""

import os
import struct
from pathlib import Path

import pytest

from leadline import nodes
from leadline.errors import DamagedTrace

from .building import Builder
from .libraries import Library
from .reading import calls_by_rank, report_of
from .running import run_mpi

STEPS = 2000
RANKS = 2


def pointer_in(run: Path) -> Path:
    return run / f"{os.uname().nodename[:64]}.away"


@pytest.fixture
def run_away(one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path):  # type: ignore[no-untyped-def]
    """Runs a program whose live memory lies in tmp_path/node; returns the run's directory."""

    def run(source: str, *arguments: str, **environment: str) -> Path:
        (tmp_path / "node").mkdir()
        program: list[str | Path] = [builder.c(one_of_each_family, source), *arguments]
        run_mpi(
            one_of_each_family,
            RANKS,
            program,
            cwd=tmp_path,
            recorder=recorder,
            run_directory=tmp_path / "run",
            environment={"LEADLINE_LIVE": str(tmp_path / "node"), **environment},
        )
        return tmp_path / "run"

    return run


@pytest.mark.ci("openmpi")
def test_a_live_file_is_as_long_as_what_is_used(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    program: list[str | Path] = [builder.c(one_of_each_family, "endings.c"), "all-killed", str(STEPS)]
    run_mpi(one_of_each_family, RANKS, program, cwd=tmp_path, recorder=recorder, run_directory=tmp_path / "run")
    lives = list((tmp_path / "run").glob("*.live"))
    assert len(lives) == RANKS
    for live in lives:
        found = live.stat()
        assert found.st_size < 4 << 20
        assert found.st_blocks * 512 >= found.st_size, "no holes, which a copy would fill"
        assert found.st_mode & 0o222 == 0, "its owner, unless root, cannot empty it by mistake: that would be a SIGBUS"


@pytest.mark.ci("openmpi")
def test_live_memory_on_the_node_leaves_nothing_there(run_away, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    run = run_away("endings.c", "finish", str(STEPS))
    assert len(list(run.glob("rank-*.trace"))) == RANKS
    assert not pointer_in(run).exists()
    assert list((tmp_path / "node").iterdir()) == []
    assert report_of(run)["losses"] == []


@pytest.mark.ci("openmpi")
def test_ranks_that_come_later_are_told_where_and_leave_nothing(run_away, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """src/recorder/job/node_record.hpp: left by the first rank, removed by the last or by whoever collects."""
    run = run_away("endings.c", "all-killed", str(STEPS))
    (record,) = (tmp_path / "node").glob("*.run")
    assert bytes(run) + b"\0" in record.read_bytes()
    nodes.collect(run)
    assert not list((tmp_path / "node").iterdir())


@pytest.mark.ci("openmpi")
def test_generations_are_kept_on_the_node_until_the_end(run_away, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    run = run_away("random_program.c", "3", "structureless", "4000", LEADLINE_MEMORY="4M")
    assert report_of(run)["losses"] == []
    assert max(generations_in(trace) for trace in run.glob("*.trace")) > 0, "the program is too short to fill one"
    assert list((tmp_path / "node").iterdir()) == []
    assert {path.suffix for path in run.iterdir()} <= {".trace", ".structure", ".json"}


def generations_in(trace: Path) -> int:
    """Chunks that were written before the end (docs/reference/format.md)."""
    content, at, found = trace.read_bytes(), 16, 0
    while at < len(content):
        _, kind, size, _ = struct.unpack_from("<4I", content, at)
        found += kind & 0x3FFFFFFF == 8  # without the bits that say how it is packed
        at += 16 + size
    return found


def test_what_killed_ranks_leave_is_read_on_the_node_and_collected(run_away, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    run = run_away("endings.c", "all-killed", str(STEPS))
    (folder,) = (path for path in (tmp_path / "node").iterdir() if path.is_dir())
    assert pointer_in(run).read_text() == f"{folder}\n"
    assert len(list(folder.glob("*.live"))) == RANKS
    on_node = report_of(run)
    assert (on_node["ranks_recorded"], on_node["complete"]) == (RANKS, False)
    done = nodes.collect(run)
    assert (done.files, done.running) == (RANKS, 0)
    assert not pointer_in(run).exists()
    assert list((tmp_path / "node").iterdir()) == []
    collected = report_of(run)
    assert collected["functions"] == on_node["functions"]
    for counts in calls_by_rank(run).values():
        assert STEPS // 10 < counts["MPI_Send"] <= STEPS
    assert nodes.collect(run) == nodes.Collected()


def test_the_report_names_the_node_that_has_the_rest(run_away) -> None:  # type: ignore[no-untyped-def]
    run = run_away("endings.c", "all-killed", str(STEPS))
    pointer = pointer_in(run)
    folder = pointer.read_text().strip()
    pointer.rename(run / "n17.away")
    assert nodes.collect(run) == nodes.Collected(), "another node's is left alone"
    with pytest.raises(DamagedTrace, match=f"n17:{folder}.*leadline collect"):
        report_of(run)


def test_a_place_that_cannot_be_had_leaves_live_memory_in_the_run(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    program: list[str | Path] = [builder.c(one_of_each_family, "endings.c"), "all-killed", str(STEPS)]
    run_mpi(
        one_of_each_family,
        RANKS,
        program,
        cwd=tmp_path,
        recorder=recorder,
        run_directory=tmp_path / "run",
        environment={"LEADLINE_LIVE": str(tmp_path / "nowhere")},
    )
    assert len(list((tmp_path / "run").glob("*.live"))) == RANKS

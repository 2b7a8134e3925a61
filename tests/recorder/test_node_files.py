"""Traces of a node's ranks in one file: what is read is the same as from a file for each rank."""

from pathlib import Path
from typing import Any

import pytest

from leadline import anonymise, nodes
from leadline.run_directory import traces

from .building import Builder
from .libraries import Library
from .reading import calls_by_rank, core, losses_of, open_processes, report_of
from .running import Outcome, run_mpi

RANKS, STEPS = 2, 300


@pytest.fixture
def run(one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path):  # type: ignore[no-untyped-def]
    def run(name: str, *words: str, ranks: int = RANKS, **environment: str) -> Outcome:
        program: list[str | Path] = [builder.c(one_of_each_family, words[0]), *words[1:]]
        return run_mpi(
            one_of_each_family,
            ranks,
            program,
            cwd=tmp_path,
            recorder=recorder,
            run_directory=tmp_path / name,
            environment=environment,
        )

    return run


def kinds(directory: Path) -> dict[str, int]:
    """Files of a run that have traces, by kind."""
    found: dict[str, int] = {}
    for path in traces(directory):
        found[path.suffix] = found.get(path.suffix, 0) + 1
    return found


def counts(directory: Path) -> Any:
    report = report_of(directory)
    return [report[key] for key in ("functions", "ranks_recorded", "complete", "losses")]


@pytest.mark.ci("openmpi")
def test_one_file_has_what_a_file_for_each_rank_has(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    for where in ("node", "rank"):
        assert run(where, "endings.c", "finish", str(STEPS), LEADLINE_TRACE_FILES=where).returncode == 0
    assert (kinds(tmp_path / "node"), kinds(tmp_path / "rank")) == ({".traces": 1}, {".trace": RANKS})
    assert calls_by_rank(tmp_path / "node") == calls_by_rank(tmp_path / "rank")
    assert not [loss for process in open_processes(tmp_path / "node").values() for loss in losses_of(process)]
    assert {path.suffix for path in (tmp_path / "node").iterdir()} == {".traces", ".json"} | {
        path.suffix for path in (tmp_path / "rank").glob("*.structure")
    }


@pytest.mark.parametrize("one_of_each_family", ["openmpi"], indirect=True)  # 16 ranks of MPICH would wait busily
def test_16_ranks_of_a_node_share_a_file(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    assert run("run", "ring.c", "20", ranks=16).returncode == 0
    assert kinds(tmp_path / "run") == {".traces": 1}
    assert sorted(open_processes(tmp_path / "run")) == list(range(16))
    files = core().trace_files(str(tmp_path / "run"))
    assert [int(Path(file).name[5:10]) for file in files] == list(range(16)), "in the order of their ranks"
    assert sum(map(core().trace_bytes, files)) < traces(tmp_path / "run")[0].stat().st_size


def test_a_killed_rank_leaves_its_memory_beside_the_file(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    run("run", "endings.c", "all-killed", str(STEPS), LEADLINE_TRACE_FILES="node")
    assert kinds(tmp_path / "run") == {".live": RANKS}
    run("both", "endings.c", "finish", str(STEPS), LEADLINE_TRACE_FILES="node")
    live = next((tmp_path / "run").glob("*.live"))
    (file,) = (tmp_path / "both").glob("*.traces")
    name = core().node_members(str(file))[0][0]
    live.rename(tmp_path / "both" / f"{name.partition('-')[2].partition('-')[2].removesuffix('.trace')}.live")
    assert len(core().trace_files(str(tmp_path / "both"))) == RANKS, "a trace replaces the memory of its name"


def test_memory_on_the_node_is_gone_when_its_trace_is_in_the_file(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    node = tmp_path / "node"
    node.mkdir()
    run("run", "endings.c", "finish", str(STEPS), LEADLINE_TRACE_FILES="node", LEADLINE_LIVE=str(node))
    assert kinds(tmp_path / "run") == {".traces": 1}
    assert not list(node.iterdir())
    assert nodes.collect(tmp_path / "run") == nodes.Collected()


def test_where_the_file_cannot_be_had_each_rank_has_its_own(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    run("first", "endings.c", "finish", str(STEPS), LEADLINE_TRACE_FILES="node")
    (file,) = (tmp_path / "first").glob("*.traces")
    (tmp_path / "run" / file.name).mkdir(parents=True)
    outcome = run("run", "endings.c", "finish", str(STEPS), LEADLINE_TRACE_FILES="node")
    assert outcome.returncode == 0, outcome.stderr
    assert kinds(tmp_path / "run") == {".traces": 1, ".trace": RANKS}
    assert calls_by_rank(tmp_path / "run") == calls_by_rank(tmp_path / "first")


def test_a_run_of_one_file_is_anonymised(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    run("run", "endings.c", "finish", str(STEPS), LEADLINE_TRACE_FILES="node")
    (tmp_path / "out").mkdir()
    written = anonymise.anonymise(tmp_path / "run", tmp_path / "out")
    assert written.traces == RANKS
    assert counts(tmp_path / "out") == counts(tmp_path / "run")

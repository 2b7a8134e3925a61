"""Runs whose directory is on a file system that is not local: one of FUSE, whose server is another process here."""

import contextlib
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from leadline import nodes

from .building import Builder
from .libraries import Library
from .reading import calls_by_rank, report_of
from .running import run_mpi

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(os.environ.get("LEADLINE_TIER") != "full", reason="LEADLINE_TIER=full runs it"),
]
STEPS = 2000
RANKS = 2


@pytest.fixture
def remote(tmp_path: Path) -> Iterator[Path]:
    """A directory on a file system of FUSE."""
    if shutil.which("bindfs") is None or not Path("/dev/fuse").exists():
        pytest.skip("needs FUSE: apt-get install bindfs")
    (tmp_path / "server").mkdir()
    (tmp_path / "remote").mkdir()
    words = ["bindfs", "-f", "--no-allow-other", str(tmp_path / "server"), str(tmp_path / "remote")]
    with subprocess.Popen(words, stderr=subprocess.DEVNULL) as server:
        try:
            while not os.path.ismount(tmp_path / "remote"):
                if server.poll() is not None:
                    pytest.skip("FUSE cannot be mounted here")
                time.sleep(0.05)
            yield tmp_path / "remote"
        finally:
            with contextlib.suppress(OSError):
                subprocess.run(["umount", "-l", str(tmp_path / "remote")], check=False)
            server.terminate()


def run(how: str, library: Library, builder: Builder, recorder: Path, remote: Path) -> Path:
    program: list[str | Path] = [builder.c(library, "endings.c"), how, str(STEPS)]
    run_mpi(library, RANKS, program, cwd=remote.parent, recorder=recorder, run_directory=remote / "run")
    return remote / "run"


def test_live_memory_is_on_the_node_and_traces_are_in_the_run(
    one_of_each_family: Library, builder: Builder, recorder: Path, remote: Path
) -> None:
    report = report_of(run("finish", one_of_each_family, builder, recorder, remote))
    assert (report["complete"], report["losses"]) == (True, [])
    (where,) = report["live_memory"]
    assert (where["file_system_of_run"], where["ranks"], where["why_not_on_the_node"]) == ("fuse", RANKS, None)
    assert where["place"] in ("memory", "disk")
    assert nodes.on_nodes(remote / "run") == []


@pytest.mark.parametrize("how", ["all-killed", "abort", "segfault"])
def test_what_is_left_on_the_node_is_collected(
    how: str, one_of_each_family: Library, builder: Builder, recorder: Path, remote: Path
) -> None:
    directory = run(how, one_of_each_family, builder, recorder, remote)
    before = report_of(directory)
    assert before["ranks_recorded"] == RANKS
    folders = [node.folder for node in nodes.on_nodes(directory)]
    nodes.collect(directory)
    assert nodes.on_nodes(directory) == []
    assert not any(folder.exists() for folder in folders)
    assert report_of(directory)["functions"] == before["functions"]
    for counts in calls_by_rank(directory).values():
        assert counts["MPI_Send"] > STEPS // 10

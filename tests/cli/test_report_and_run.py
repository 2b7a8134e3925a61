"""leadline run and report: the contract for scripts, and the output on a terminal."""

import json
import os
import sys
from pathlib import Path

import pytest

from leadline import mpi

from .conftest import Command, Tiny


@pytest.mark.full("intel", "debian-mpich", "debian-openmpi")
def test_the_json_report_keeps_its_contract(leadline: Command, library: mpi.Library, tiny: Tiny) -> None:
    leadline("record", "-o", "run", "--", *library.launch(2), tiny(library), environ=library.environ)
    ended = leadline("report", "run", "--json")
    assert ended.code == 0, ended.everything
    found = json.loads(ended.out)
    for key in ("schema", "ranks", "library", "complete", "losses", "duration_s", "functions", "sites"):
        assert key in found
    assert found["ranks"] == 2
    assert found["complete"] is True
    functions = {entry["function"]: entry for entry in found["functions"]}
    for key in ("calls", "messages", "bytes", "time_s", "calls_min", "calls_max"):
        assert key in functions["MPI_Allreduce"]
    assert functions["MPI_Allreduce"]["calls"] == 2
    assert functions["MPI_Comm_rank"]["calls"] == 2
    assert all({"routine", "file", "line", "path"} <= set(entry) for entry in found["sites"])


def test_run_summarises_and_writes_the_report(leadline: Command, mpich: mpi.Library, tiny: Tiny) -> None:
    ended = leadline("run", "-o", "run", "--", *mpich.launch(2), tiny(mpich), "5")
    assert ended.code == 5, ended.everything
    assert ended.out.startswith("ranks=2 sum=2 ")
    assert len(ended.out.splitlines()) == 1
    assert "MPI_Allreduce" in ended.err
    run = leadline.directory / "run"
    assert "MPI_Allreduce" in (run / "report.txt").read_text()
    assert json.loads((run / "report.json").read_text())["ranks"] == 2


def test_report_without_a_directory_is_the_newest(leadline: Command, mpich: mpi.Library, tiny: Tiny) -> None:
    leadline("record", "--", tiny(mpich))
    ended = leadline("report", "--json")
    assert ended.code == 0, ended.everything
    assert json.loads(ended.out)["ranks"] == 1


def test_a_run_made_by_exec_is_reported(leadline: Command, mpich: mpi.Library, tiny: Tiny) -> None:
    leadline.plain(*mpich.launch(2), *Command.words, "exec", "-o", "run", tiny(mpich))
    found = json.loads(leadline("report", "run", "--json").out)
    assert (found["ranks"], found["complete"]) == (2, True)


def test_a_reader_that_leaves_is_no_failure(leadline: Command, mpich: mpi.Library, tiny: Tiny) -> None:
    leadline("record", "-o", "run", "--", tiny(mpich))
    line = f"set -o pipefail; {' '.join(Command.words)} report run | true"
    ended = leadline.plain("bash", "-c", line)
    assert ended.code == 0
    # Nothing but what is being done, where it takes more than two seconds.
    assert all(said.startswith("leadline: ") and said.endswith(" …") for said in ended.err.splitlines()), ended.err


def test_on_a_terminal_the_programs_lines_stay_whole(tmp_path: Path, mpich: mpi.Library, tiny: Tiny) -> None:
    """A program that runs long enough for progress to be shown, with its output on the same terminal."""
    script = f"{tiny(mpich)} >/dev/null; for i in 1 2 3 4 5 6; do printf 'half '; sleep 0.5; echo \"line $i\"; done"
    pid, terminal = os.forkpty()
    if pid == 0:
        os.chdir(tmp_path)
        os.execv(sys.executable, [*Command.words, "record", "-o", "run", "--", "bash", "-c", script])
    said = b""
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            break
        if not piece:
            break
        said += piece
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 0
    lines = said.decode().replace("\r\n", "\n").splitlines()
    assert [line for line in lines if "line" in line and not line.startswith("leadline:")] == [
        f"half line {i}" for i in range(1, 7)
    ]

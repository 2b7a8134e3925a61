"""Too little of everything, signals at any moment, threads without end: the program does what it does without us.

One process over a library of our own (tests/programs/fake_mpi.c), so that every moment can be tried, quickly.
test_hostile_ranks.py does the same with ranks of real libraries.
"""

import os
import shutil
from pathlib import Path

import pytest

from . import hostile
from .hostile import Fake
from .reading import calls_by_rank, report_of

STEPS = 2000


@pytest.fixture(scope="session")
def fake() -> Fake:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    return hostile.build()


def losses(directory: Path) -> dict[str, int]:
    return {loss["code"]: loss["amount"] for loss in report_of(directory / "run")["losses"]}


def counts(directory: Path) -> dict[str, int]:
    (of_rank_0,) = calls_by_rank(directory / "run").values()
    return of_rank_0


# How, what is expected of Irecv = Wait, and of Send.
WHOLE = {
    "plain": (STEPS, STEPS),
    "files-exhausted": (200, 200 + STEPS),
    "spawned": (5 * STEPS, 5 * STEPS),
    "eight": (8 * STEPS, 8 * STEPS),
    "small-stack": (STEPS, STEPS),
    "storm": (STEPS, 101 * STEPS),
    "communicators": (100 + STEPS, 100 + STEPS),
    "errors": (20, 20 + 3 * STEPS),
    "low-descriptors": (STEPS, 101 * STEPS),
    "close-all": (2 * STEPS, 102 * STEPS),
    "moves": (STEPS, STEPS),
    "no-environment": (STEPS, STEPS),
}
WITH_FILES = {"spawned", "low-descriptors", "close-all"}


@pytest.mark.parametrize("how", WHOLE)
def test_every_call_is_counted(how: str, fake: Fake, recorder: Path, tmp_path: Path) -> None:
    recorded = fake.both(how, STEPS, recorder, tmp_path, with_file=how in WITH_FILES)
    assert (recorded.returncode, recorded.stderr) == (0, "")
    report = report_of(tmp_path / "run")
    # Without a descriptor the file can't be made larger, and memory is used: said, but nothing is missing.
    allowed = {"not-crash-safe"} if how == "files-exhausted" else set()
    assert (report["complete"], report["ranks"]) == (True, 1)
    assert set(losses(tmp_path)) <= allowed
    receives, sends = WHOLE[how]
    calls = counts(tmp_path)
    assert (calls["MPI_Irecv"], calls["MPI_Wait"], calls["MPI_Send"]) == (receives, receives, sends)
    assert calls["MPI_Finalize"] == 1


def test_hundreds_of_threads_that_come_and_go_are_counted(fake: Fake, recorder: Path, tmp_path: Path) -> None:
    fake.both("churn", 60, recorder, tmp_path)  # 480 threads
    calls = counts(tmp_path)
    assert (calls["MPI_Irecv"], calls["MPI_Send"], calls["MPI_Wait"], calls["MPI_Allreduce"]) == (4800, 4800, 4800, 480)
    assert losses(tmp_path) == {}


def test_calls_of_threads_beyond_the_table_are_a_loss_with_their_number(
    fake: Fake, recorder: Path, tmp_path: Path
) -> None:
    fake.both("crowd", 50, recorder, tmp_path)
    calls = counts(tmp_path)
    # The main thread and 63 of 80 are recorded.
    assert (calls["MPI_Send"], losses(tmp_path)) == (63 * 50, {"threads-unrecorded": 17 * 50})


def test_threads_that_are_left_running_do_not_harm_the_end(fake: Fake, recorder: Path, tmp_path: Path) -> None:
    fake.both("left-running", STEPS, recorder, tmp_path)
    report = report_of(tmp_path / "run")
    assert report["ranks"] == 1
    assert counts(tmp_path)["MPI_Send"] >= STEPS


@pytest.mark.parametrize("how", ["requests", "copied-requests"])
def test_a_hundred_thousand_requests_are_outstanding(how: str, fake: Fake, recorder: Path, tmp_path: Path) -> None:
    fake.both(how, 100_000, recorder, tmp_path)
    calls = counts(tmp_path)
    assert (calls["MPI_Isend"], calls["MPI_Waitall"]) == (100_000, 1)
    # The list of what one call completed is longer than what is kept of such lists.
    assert losses(tmp_path) == ({"parameters-coarse": 1} if how == "requests" else {})
    totals = report_of(tmp_path / "run")["totals"]
    assert totals["messages"] == 0  # to nobody


def test_null_pointers_are_the_librarys_to_complain_about(fake: Fake, recorder: Path, tmp_path: Path) -> None:
    recorded = fake.both("nulls", 50, recorder, tmp_path)
    assert "250 errors returned, 250 handled" in recorded.stdout
    calls = counts(tmp_path)
    assert (calls["MPI_Isend"], calls["MPI_Alltoallv"], calls["MPI_Waitall"]) == (50, 50, 50)
    assert set(losses(tmp_path)) <= {"requests-unknown"}


def test_a_file_size_limit_stops_the_trace_not_the_program(fake: Fake, recorder: Path, tmp_path: Path) -> None:
    recorded = fake.both("file-size", 300_000, recorder, tmp_path)
    assert recorded.returncode == 0
    assert "File too large" in recorded.stderr
    found = losses(tmp_path)
    assert {"process-ended-early", "order-lost", "write-failed"} <= set(found)
    assert not report_of(tmp_path / "run")["complete"]


def test_little_address_space_is_left_to_the_program(fake: Fake, recorder: Path, tmp_path: Path) -> None:
    recorded = fake.both("address-space", 20_000, recorder, tmp_path)
    assert recorded.returncode == 0
    assert "this program is not recorded" in recorded.stderr
    assert [file.name for file in (tmp_path / "run").iterdir()] == ["job.json"]


def test_a_directory_that_vanishes_is_said_to_be_gone(fake: Fake, recorder: Path, tmp_path: Path) -> None:
    directory = tmp_path / "run"
    plain = fake.run("vanish", STEPS, directory=tmp_path, file=directory)
    recorded = fake.run("vanish", STEPS, directory=tmp_path, recorder=recorder, file=directory)
    assert (recorded.returncode, recorded.lines) == (0, plain.lines), recorded.stderr
    assert "its recording is lost" in recorded.stderr
    assert not directory.exists()


def test_a_directory_that_may_not_be_written_is_named(fake: Fake, recorder: Path, tmp_path: Path) -> None:
    directory = tmp_path / "not a directory"
    directory.write_text("")
    recorded = fake.run(
        "plain", STEPS, directory=tmp_path, recorder=recorder, environment={"LEADLINE_DIR": str(directory)}
    )
    plain = fake.run("plain", STEPS, directory=tmp_path)
    assert (recorded.returncode, recorded.stdout) == (0, plain.stdout)
    assert str(directory) in recorded.stderr


@pytest.mark.parametrize("name", [b"\xff\xfe b\xc3\xa9\n%s", (b"d" * 199 + b"/") * 17, (b"d" * 199 + b"/") * 20])
def test_any_path_serves(name: bytes, fake: Fake, recorder: Path, tmp_path: Path) -> None:
    """Bytes that are not text, close to the system's limit, and beyond it (with a message)."""
    plain = fake.run("plain", STEPS, directory=tmp_path)
    # A path is made in pieces where it is too long to be named at once.
    start = os.open(tmp_path, os.O_RDONLY)
    where = os.dup(start)
    for part in name.strip(b"/").split(b"/"):
        os.mkdir(part, dir_fd=where)
        below = os.open(part, os.O_RDONLY, dir_fd=where)
        os.close(where)
        where = below
    os.close(start)
    directory = os.fsdecode(os.fsencode(tmp_path) + b"/" + name.rstrip(b"/"))
    recorded = fake.run("plain", STEPS, directory=tmp_path, recorder=recorder, environment={"LEADLINE_DIR": directory})
    assert (recorded.returncode, recorded.stdout) == (0, plain.stdout)
    files = os.listdir(where)
    os.close(where)
    if len(directory) < 3800:
        assert recorded.stderr == ""
        assert any(file.endswith(".trace") for file in files)
        assert report_of(Path(directory))["complete"]
    else:
        assert "too long" in recorded.stderr
        assert files == []
    shutil.rmtree(os.fsencode(tmp_path) + b"/" + name.split(b"/")[0])


def test_a_relative_directory_is_where_the_program_began(fake: Fake, recorder: Path, tmp_path: Path) -> None:
    recorded = fake.run("moves", STEPS, directory=tmp_path, recorder=recorder, environment={"LEADLINE_DIR": "run"})
    assert recorded.returncode == 0
    assert counts(tmp_path)["MPI_Send"] == STEPS


def test_arguments_of_any_length_and_bytes_are_recorded(fake: Fake, recorder: Path, tmp_path: Path) -> None:
    odd = tmp_path / ("\udcff\udc80" + "long " * 20_000)
    recorded = fake.run("plain", STEPS, directory=tmp_path, recorder=recorder, file=odd)
    assert recorded.returncode == 0, recorded.stderr
    assert report_of(tmp_path / "run")["complete"]


def test_a_daemon_is_the_only_process_of_its_run(fake: Fake, recorder: Path, tmp_path: Path) -> None:
    fake.both("daemon", STEPS, recorder, tmp_path)
    report = report_of(tmp_path / "run")
    assert (report["ranks"], set(losses(tmp_path))) == (1, {"never-initialized"})
    assert sum(row["calls"] for row in report["functions"] if row["function"] == "MPI_Send") == STEPS


def test_a_program_that_executes_another_one_keeps_both_lives(fake: Fake, recorder: Path, tmp_path: Path) -> None:
    fake.both("exec-itself", STEPS, recorder, tmp_path)
    report = report_of(tmp_path / "run")
    sends = next(row["calls"] for row in report["functions"] if row["function"] == "MPI_Send")
    assert (sends, report["complete"]) == (STEPS + 10, False)
    assert "process-ended-early" in losses(tmp_path)


def test_a_stack_that_overflows_in_a_call_ends_the_program_as_it_would(
    fake: Fake, recorder: Path, tmp_path: Path
) -> None:
    recorded = fake.both("overflow", STEPS, recorder, tmp_path, prefix=["sh", "-c", 'ulimit -s 1024; exec "$@"', "sh"])
    assert (recorded.returncode, recorded.lines[-1]) == (42, "stack overflow handled")
    assert counts(tmp_path)["MPI_Irecv"] == STEPS
    assert "process-ended-early" in losses(tmp_path)


def test_exit_in_a_signal_handler_leaves_a_trace_whenever_it_comes(fake: Fake, recorder: Path, tmp_path: Path) -> None:
    for steps in range(12):
        directory = tmp_path / str(steps)
        directory.mkdir()
        recorded = fake.run(
            "exit-in-handler", steps, directory=directory, recorder=recorder, environment={"LEADLINE_BUDGET": "1m"}
        )
        assert (recorded.returncode, recorded.stderr) == (5, "")
        assert report_of(directory / "run")["ranks"] == 1
        assert set(losses(directory)) <= {"not-finalized", "order-lost", "parameters-coarse"}


@pytest.mark.parametrize("closed", ["0", "1", "2", "0 1 2"])
def test_closed_standard_streams_stay_the_programs_own(closed: str, fake: Fake, recorder: Path, tmp_path: Path) -> None:
    """The recorder has something to say here: not into a file that got the number of standard error."""
    redirections = " ".join(f"{fd}>&-" for fd in closed.split())
    prefix = ["sh", "-c", f'exec "$@" {redirections}', "sh"]
    recorded = fake.both("low-descriptors", 100, recorder, tmp_path, with_file=True, prefix=prefix)
    assert recorded.returncode == 0


def test_nothing_is_said_into_a_file_that_took_the_place_of_standard_error(
    fake: Fake, recorder: Path, tmp_path: Path
) -> None:
    """A message is due (the directory cannot be written), and descriptor 2 is the program's own file by then."""
    file = tmp_path / "of"
    recorded = fake.run(
        "low-descriptors",
        100,
        directory=tmp_path,
        recorder=recorder,
        file=file,
        environment={"LEADLINE_DIR": "/dev/null/none"},
    )
    assert (recorded.returncode, recorded.stderr) == (0, "")
    assert Path(f"{file}.2").read_text() == "file 2 is descriptor 2\n"


def test_nobody_reads_standard_error(fake: Fake, recorder: Path, tmp_path: Path) -> None:
    """The recorder's messages must not raise SIGPIPE in the program."""
    script = 'mkfifo "$0"; sleep 30 < "$0" & exec 2> "$0"; kill $!; wait $! 2> /dev/null; exec "$@"'
    recorded = fake.run(
        "plain",
        STEPS,
        directory=tmp_path,
        recorder=recorder,
        environment={"LEADLINE_DIR": "/dev/null/none"},
        prefix=["bash", "-c", script, str(tmp_path / "fifo")],
    )
    assert recorded.returncode == 0

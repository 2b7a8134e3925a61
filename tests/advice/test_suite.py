"""What the suite of planted faults shows however long its calls take: the main loop, its trips, and patterns that calls
alone tell. Its times are looked at by hand: suite/run.py."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from recorder import running
from recorder.libraries import find

from leadline.__main__ import main
from leadline.advice.kinds import parallel_io
from leadline.errors import UsageError
from leadline.figures.content import Content
from leadline.figures.run import Run, open_run
from leadline.predict import Change, Files, Join, Merge, PollOnce, Relax, Replays, Without

from .suite import judge, programs
from .suite.cases import CASES, FAULTS, HEALTHY, Case

RANKS = 2
STEPS = 40
BY_NAME = {case.name: case for case in CASES}
# Patterns that depend on no time, and cases without a fault that could be taken for one of these.
TOLD_BY_CALLS = {
    "number_by_number": "packable_messages",
    "communicator_each_step": "repeated_creation",
    "window_each_step": "repeated_creation",
    "datatype_each_step": "repeated_creation",
    "broadcasts_in_a_row": "consecutive_broadcasts",
    "root_reads": "read_by_one",
    "read_by_all": "read_all_by_all",
    "serial_output": "write_by_one",
    "small_writes": "small_io",
    "reopened_input": "reopened_files",
    "healthy_halo": "",
    "healthy_textbook": "",
    "healthy_transpose": "",
    "healthy_output": "",
    "healthy_redistribution": "",
}
NEVER_HEALTHY = {*TOLD_BY_CALLS.values(), "consecutive_exchanges", "consecutive_reductions", "redundant_barrier"} - {""}


def recorded(case: Case, directory: Path) -> Run:
    library, recorder = find("mpich") or find("openmpi"), running.find_recorder()
    if library is None or recorder is None:
        pytest.skip("an MPI library and the recorder are needed: ./dev setup")
    words = [str(programs.build(library, case.program)), case.name, "0", str(STEPS)]
    programs.run(library, RANKS, words, directory, recorder)
    return open_run(directory / "run")


@pytest.mark.parametrize("name", TOLD_BY_CALLS)
def test_main_loop_trips_and_patterns(name: str, tmp_path: Path) -> None:
    case = BY_NAME[name]
    content = Content(recorded(case, tmp_path))
    found = content.iterations
    assert found is not None
    assert found.loop is not None
    assert (found.loop.routine, found.found.count) == (name, STEPS)
    patterns = {entry.name for entry in content.patterns}
    if case.healthy:
        assert not patterns & NEVER_HEALTHY
    else:
        assert TOLD_BY_CALLS[name] in patterns


def test_steps_of_which_nothing_shows_are_said_to_be_unknown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All calls of all planes are alike, and nothing else comes between two steps."""
    run = recorded(BY_NAME["healthy_sweep"], tmp_path)
    assert judge.judged(BY_NAME["healthy_sweep"], run, RANKS, proposals=False).loop == "part"
    assert main(["report", str(tmp_path / "run")]) == 0
    said = " ".join(capsys.readouterr().out.split())
    unknown = said.partition("perhaps parts of a step: how often ")[2].partition(" is unknown")[0]
    assert re.match(r"order\.c:\d+ in healthy_sweep", unknown)


def test_changes_of_the_replay_find_their_calls(tmp_path: Path) -> None:
    sends = Replays(recorded(BY_NAME["synchronous_sends"], tmp_path / "sends"))
    found = sends.predict(Change(program=(Relax("synchronous_sends"),)))
    (made,) = found.made
    assert made.calls_before == made.calls_after == STEPS
    assert found.predicted.messages == found.base.messages == STEPS
    assert found.predicted.seconds <= found.base.seconds
    files = Replays(recorded(BY_NAME["small_writes"], tmp_path / "files"))
    halved, gone = (
        files.predict(Change(program=(Files("small_writes", factor),))).predicted.seconds for factor in (0.5, 0.0)
    )
    assert gone <= halved <= files.predict(Change()).predicted.seconds


def test_polls_in_vain_are_replayed_and_can_be_left_out(tmp_path: Path) -> None:
    """A thousand in each step on each rank; so few steps have no message."""
    polling = Replays(recorded(BY_NAME["polling"], tmp_path))
    found = polling.predict(Change(program=(PollOnce("polling"),)))
    (made,) = found.made
    assert made.calls_after == RANKS * STEPS
    assert made.calls_before == 512 * RANKS * STEPS  # known to a power of two
    assert found.predicted.seconds < found.base.seconds


def test_without_new_windows_one_sided_calls_may_take_no_time(tmp_path: Path) -> None:
    windows = Replays(recorded(BY_NAME["window_each_step"], tmp_path))
    functions, sites = windows.run.profile.functions, windows.run.profile.sites()
    made = [site for site, (function, *_) in enumerate(sites) if functions[function].name == "MPI_Win_create"]
    found = windows.predict(Change(program=(Without("window_each_step", tuple(made)),)))
    quick = windows.seconds(Change(program=(Without("window_each_step", tuple(made)),), quick_windows=True))
    assert found.predicted.low <= quick <= found.predicted.seconds
    assert found.predicted.seconds <= windows.predict(Change()).base.seconds
    assert [note for note in found.notes if "as long as the cheapest ones of their function" in note]


def test_messages_that_carry_a_file_are_saved_with_it(tmp_path: Path) -> None:
    run = recorded(BY_NAME["root_reads"], tmp_path)
    content, replays = Content(run), Replays(run)
    (read,) = (each for each in parallel_io.candidates(content) if each.title.startswith("Read"))
    files, messages = read.changes
    assert isinstance(files, Files)
    assert isinstance(messages, Without)
    assert files.factor == 1 / RANKS
    found = replays.predict(Change(program=read.changes))
    assert found.base.messages - found.predicted.messages == (RANKS - 1) * STEPS
    assert sum(made.calls_before - made.calls_after for made in found.made) == 2 * (RANKS - 1) * STEPS
    for one_end in messages.members:
        with pytest.raises(UsageError, match="both sides must be changed alike"):
            replays.predict(Change(program=(Without("root_reads", (one_end,)),)))


def test_ranks_of_one_host_write_a_file_by_turns(tmp_path: Path) -> None:
    content = Content(recorded(BY_NAME["late_sender"], tmp_path))
    (written,) = parallel_io.candidates(content)
    (change,) = written.changes
    assert isinstance(change, Files)  # its messages have fewer bytes than the file
    assert change.factor == 1


def test_messages_and_exchanges_in_a_row_become_one_and_computation_stays(tmp_path: Path) -> None:
    numbers = Replays(recorded(BY_NAME["number_by_number"], tmp_path / "numbers"))
    fields = Replays(recorded(BY_NAME["fields_in_a_row"], tmp_path / "fields"))
    for replays, change, calls, messages in (
        (numbers, Join("number_by_number"), (128, 2), (64, 1)),
        (fields, Merge("swap_faces"), (8 * 5, 5), (8, 1)),
    ):
        found = replays.predict(Change(program=(change,)))
        (made,) = found.made
        assert (made.calls_before, made.calls_after) == tuple(RANKS * STEPS * each for each in calls)
        assert (made.messages_before, made.messages_after) == tuple(RANKS * STEPS * each for each in messages)
        # Where calls take no time, what is left is the computation between them, whether or not its times were kept.
        # Ranks that wait for each other less often may take less.
        assert replays.seconds(Change(program=(change,), ideal=True)) <= 1.02 * replays.seconds(Change(ideal=True))


def test_cases_are_the_routines_of_the_programs() -> None:
    told = {
        (path.stem, name)
        for path in programs.HERE.glob("*.c")
        for name in re.findall(r"^(?:CASE|HEALTHY)\((\w+)\)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert {(case.program, case.name) for case in CASES} == told
    assert len(FAULTS) >= 40
    assert len(HEALTHY) >= 20


def test_a_verdict_is_judged_by_its_first_statement_and_proposal() -> None:
    case = BY_NAME["own_gather"]
    verdict = judge.Verdict("right", 40, "", "all_to_one", "", [("all_to_one", 0.1)], [("pack", 0.1, 0.0, 0.2)], [])
    assert judge.names_the_fault(case, verdict, 4, measured=0.0)
    assert not judge.is_silent(verdict)
    assert not judge.proposes_right(case, verdict, 4, measured=0.1)
    assert judge.proposes_right(case, verdict, 2, measured=0.0)  # on two ranks, one message is no gather


def test_silence_is_right_where_the_mended_form_gains_little() -> None:
    case = BY_NAME["barrier_each_step"]
    for said, measured, expected in ((0.01, 0.01, True), (0.05, 0.01, False), (0.01, 0.05, False)):
        verdict = judge.Verdict("right", 40, "", "waiting", "", [("waiting", said)], [], [])
        assert judge.names_the_fault(case, verdict, 2, measured) == expected

"""Somebody shortens the live file while it is mapped: the recording is lost, not the program (src/recorder/memory)."""

import signal
from pathlib import Path

from .building import Builder
from .libraries import Library, quiet_environment
from .running import Outcome, run


def alone(library: Library, program: list[str | Path], directory: Path, recorder: Path | None) -> Outcome:
    """Without mpiexec, which has exit codes of its own."""
    environment = quiet_environment(library)
    if recorder is not None:
        (directory / "run").mkdir()
        environment |= {"LD_PRELOAD": str(recorder), "LEADLINE_DIR": str(directory / "run")}
    return run([str(word) for word in program], environment=environment, cwd=directory, timeout_s=60)


def test_a_live_file_that_is_shortened_costs_the_recording_only(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    program = [builder.c(one_of_each_family, "lost_pages.c"), "truncate"]
    outcome = alone(one_of_each_family, program, tmp_path, recorder)
    assert (outcome.returncode, outcome.stdout) == (0, "all steps, 0 handled\n"), outcome.stderr
    assert "the recording of this program ended early and is lost" in outcome.stderr
    assert not list((tmp_path / "run").glob("*.trace"))


def test_the_programs_own_handlers_of_the_signal_are_its_own(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    program = [builder.c(one_of_each_family, "lost_pages.c"), "handled"]
    outcome = alone(one_of_each_family, program, tmp_path, recorder)
    assert (outcome.returncode, outcome.stdout) == (0, "all steps, 2 handled\n"), outcome.stderr


def test_a_signal_handler_may_ask_for_the_action_while_it_is_being_changed(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    program = [builder.c(one_of_each_family, "lost_pages.c"), "asked"]
    outcome = alone(one_of_each_family, program, tmp_path, recorder)
    assert (outcome.returncode, outcome.stdout) == (0, "all steps, 0 handled\n"), outcome.stderr


def test_a_process_may_fork_while_another_thread_changes_the_action(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    program = [builder.c(one_of_each_family, "lost_pages.c"), "forked"]
    outcome = alone(one_of_each_family, program, tmp_path, recorder)
    assert (outcome.returncode, outcome.stdout) == (0, "all steps, 0 handled\n"), outcome.stderr


def test_the_programs_own_fault_ends_it(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    program = [builder.c(one_of_each_family, "lost_pages.c"), "default"]
    plain = alone(one_of_each_family, program, tmp_path, None)
    recorded = alone(one_of_each_family, program, tmp_path, recorder)
    assert (plain.returncode, recorded.returncode) == (-signal.SIGBUS, -signal.SIGBUS)

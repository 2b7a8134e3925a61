"""The main loop is that of the steps, where a loop drives them, too: an interpreter's, a sweep's, a benchmark's."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from leadline.figures.run import open_run
from leadline.report import to_json

from .building import PROGRAMS, Builder
from .libraries import Library
from .running import run_mpi

SOURCE = (PROGRAMS / "drivers.c").read_text().splitlines()


def line_of(mark: str) -> int:
    return next(number for number, text in enumerate(SOURCE, 1) if text.endswith(f"// {mark}"))


def recorded(library: Library, builder: Builder, recorder: Path, directory: Path, kind: str, steps: int) -> Any:
    program = builder.c(library, "drivers.c", "-g")
    outcome = run_mpi(
        library, 2, [program, kind, str(steps)], cwd=directory.parent, recorder=recorder, run_directory=directory
    )
    assert outcome.returncode == 0, outcome.stderr
    return to_json(open_run(directory))


@pytest.mark.parametrize("kind", ["commands", "runs", "sweep", "timed", "converges"])
def test_main_loop_is_the_steps_and_not_what_drives_them(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path, kind: str
) -> None:
    report = recorded(one_of_each_family, builder, recorder, tmp_path / "run", kind, 300)
    main = report["iterations"]
    assert (main["routine"], main["line"], main["count"], main["at_least"]) == ("run", line_of("run"), 300, False)
    assert (main["kept"], main["timed"]) == ("full", 300)
    (phase,) = (phase for phase in report["phases"] if phase["kind"] == "loop" and phase["parent"] is None)
    assert (phase["line"], phase["iterations"]) == (line_of("run"), 300)


def test_steps_of_a_command_are_timed_while_they_run(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    steps = 13000
    main = recorded(one_of_each_family, builder, recorder, tmp_path / "run", "commands", steps)["iterations"]
    assert (main["line"], main["count"], main["kept"]) == (line_of("run"), steps, "sampled")
    assert main["timed"] >= steps - steps // 10
    assert len(main["sampled"]) >= 8


def test_a_short_run_is_told_from_lines_that_take_longer(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    """As in LAMMPS on cores that others use, too."""
    main = recorded(one_of_each_family, builder, recorder, tmp_path / "run", "lines", 30)["iterations"]
    assert (main["routine"], main["line"], main["count"]) == ("run", line_of("run"), 30)


def test_lines_of_an_input_that_another_one_names_are_no_steps(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    """As in MrBayes, which reads its data line by line."""
    report = recorded(one_of_each_family, builder, recorder, tmp_path / "run", "includes", 10)
    assert report["iterations"] is None
    assert open_run(tmp_path / "run").profile.iterations().missing == "commands"


@pytest.mark.parametrize(("kind", "count"), [("steps", 40), ("even", 10)])
def test_an_outer_loop_whose_iterations_are_alike_is_the_main_one(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path, kind: str, count: int
) -> None:
    report = recorded(one_of_each_family, builder, recorder, tmp_path / "run", kind, 40)
    main = report["iterations"]
    assert (main["line"], main["count"]) == (line_of(kind), count)
    if kind == "even":
        (other,) = report["other_loops"]
        assert other["call_paths"] == 1
        assert (other["place"], other["count"]) == (f"drivers.c:{line_of('run')} in run", 40)


def test_a_loop_whose_iterations_are_seen_stands_for_one_whose_iterations_are_not(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    report = recorded(one_of_each_family, builder, recorder, tmp_path / "run", "between", 100)
    main = report["iterations"]
    assert (main["routine"], main["line"], main["count"], main["at_least"]) == ("physics", line_of("pass"), 100, False)
    assert main["timed"] == 100
    (outer,) = report["other_loops"]
    assert (outer["place"], outer["count"]) == (f"drivers.c:{line_of('between')} in main", 10)
    assert outer["at_least"]


def test_where_each_stage_may_begin_a_step_the_stages_are_the_main_loop(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    report = recorded(one_of_each_family, builder, recorder, tmp_path / "run", "stages", 101)
    main = report["iterations"]
    assert (main["line"], main["count"], main["at_least"]) == (line_of("stage"), 101, True)
    outer = report["other_loops"][0]
    assert (outer["place"], outer["count"]) == (f"drivers.c:{line_of('step')} in main", 11)
    assert outer["at_least"]


def test_where_steps_go_unseen_parts_of_a_step_are_not_said_to_be_packable(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    report = recorded(one_of_each_family, builder, recorder, tmp_path / "run", "sectors", 100)
    assert report["iterations"]["at_least"]
    assert "packable_messages" not in {found["pattern"] for found in report["patterns"]}


def test_a_step_is_named_as_the_report_prints_it_and_all_figures_follow(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    recorded(one_of_each_family, builder, recorder, tmp_path / "run", "even", 40)
    line = line_of("run")
    for step in (f"drivers.c:{line}", f"drivers.c:{line} in run", f"run:{line}", "run"):
        report: Any = to_json(open_run(tmp_path / "run", step=step))
        assert (report["iterations"]["line"], report["iterations"]["count"]) == (line, 40)
        (phase,) = (phase for phase in report["phases"] if phase["kind"] == "loop" and phase["parent"] is None)
        assert (phase["line"], phase["iterations"]) == (line, 40)
        (main,) = (loop for loop in report["loops"] if loop["main"])
        assert main["line"] == line


def test_the_loop_of_an_interpreter_is_not_the_programs(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    """As in Meep, which Guile drives: the loop over a script's instructions takes all of the time."""
    interpreter = tmp_path / "libguile-3.0.so"
    shutil.copy(builder.tool(one_of_each_family, "interpreter.c", "-DLIBRARY"), interpreter)
    program = builder.c(one_of_each_family, "interpreter.c", "-g", "-ldl")
    outcome = run_mpi(
        one_of_each_family,
        2,
        [program, interpreter],
        cwd=tmp_path,
        recorder=recorder,
        run_directory=tmp_path / "run",
    )
    assert outcome.returncode == 0, outcome.stderr
    report = to_json(open_run(tmp_path / "run"))
    assert (report["iterations"]["routine"], report["iterations"]["count"]) == ("solve", 40)
    assert {site["frames"][1]["routine"] for site in report["sites"] if site["function"] == "MPI_Barrier"} == {
        "(Guile)"
    }


def test_a_loop_over_commands_of_another_rank_is_perhaps_none_of_the_steps(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    """As in ESyS-Particle, whose rank 0 is a script."""
    program = builder.c(one_of_each_family, "commanded.c", "-O1", "-g")
    outcome = run_mpi(
        one_of_each_family, 3, [program, "50"], cwd=tmp_path, recorder=recorder, run_directory=tmp_path / "run"
    )
    assert outcome.returncode == 0, outcome.stderr
    report = to_json(open_run(tmp_path / "run"))
    assert (report["iterations"]["routine"], report["iterations"]["count"]) == ("obey", 151)
    (phase,) = (phase for phase in report["phases"] if phase["kind"] == "loop" and phase["parent"] is None)
    commanding = phase["commanding"]
    assert (commanding["rank"], commanding["routine"], commanding["iterations"]) == ("0", "steps", 50)

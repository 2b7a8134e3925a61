"""Where ranks ran and among how many: the recorder's data compared with the test's arrangement."""

import os
from pathlib import Path
from typing import Any

from mpi_facts import facts

from leadline import _core

from .building import Builder
from .libraries import Library
from .reading import open_processes, report_of
from .running import run, run_mpi

CORE = min(os.sched_getaffinity(0))


def recorded(library: Library, ranks: int, recorder: Path, builder: Builder, tmp_path: Path, **more: Any) -> Path:
    directory = tmp_path / "run"
    program = [builder.c(library, "smoke.c"), "10"]
    done = run_mpi(library, ranks, program, cwd=tmp_path, recorder=recorder, run_directory=directory, **more)
    assert done.returncode == 0, done.stderr
    return directory


def test_ranks_that_share_a_core_are_recorded_as_such(
    one_of_each_family: Library, recorder: Path, builder: Builder, tmp_path: Path
) -> None:
    directory = recorded(one_of_each_family, 2, recorder, builder, tmp_path, prefix=("taskset", "-c", str(CORE)))
    places = [process.conditions for process in open_processes(directory).values()]
    assert len(places) == 2
    for place in places:
        assert place.known
        assert place.allowed == [(CORE, 1)]
        assert place.processors == os.sysconf("SC_NPROCESSORS_ONLN")
        assert place.threads >= place.busy >= 1
        assert place.cpu_ns > 0
        assert (place.launcher_ranks, place.budgets_given) == (2, 0)
    assert sorted(place.launcher_rank for place in places) == [0, 1]
    (host,) = report_of(directory)["hosts_detail"]
    assert (host["ranks"], host["cores"]) == (2, 1)


def test_threads_that_are_busy_only_before_mpi_begins_want_no_core(
    one_of_each_family: Library, recorder: Path, builder: Builder, tmp_path: Path
) -> None:
    program, directory = builder.c(one_of_each_family, "helper_thread.c", "-pthread"), tmp_path / "run"
    done = run_mpi(one_of_each_family, 1, [program], cwd=tmp_path, recorder=recorder, run_directory=directory)
    assert done.returncode == 0, done.stderr
    ((place,),) = [[process.conditions for process in open_processes(directory).values()]]
    assert place.threads >= 2
    assert place.busy == 1


def test_processes_of_another_librarys_launcher_are_recorded_as_such(
    one_of_each_family: Library, recorder: Path, builder: Builder, tmp_path: Path
) -> None:
    # As another library's mpiexec would: its variables say two, the library knows of one.
    names = facts(one_of_each_family).another_launcher
    directory = tmp_path / "run"
    directory.mkdir()
    program = str(builder.c(one_of_each_family, "smoke.c"))
    for rank in (0, 1):
        words = ["env", f"LD_PRELOAD={recorder}", f"LEADLINE_DIR={directory}", f"{names[0]}=2", f"{names[1]}={rank}"]
        done = run([*words, program, "10"], environment=one_of_each_family.env(), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    report = report_of(directory)
    assert [condition["code"] for condition in report["conditions"]][:1] == ["separate-processes"]
    assert report["verdict"].startswith("2 processes ran separately, each as rank 0 of 1: ")


def test_budgets_are_in_the_trace(
    one_of_each_family: Library, recorder: Path, builder: Builder, tmp_path: Path
) -> None:
    budgets = {"LEADLINE_BUDGET": "2MB", "LEADLINE_MEMORY": "8MB"}
    directory = recorded(one_of_each_family, 1, recorder, builder, tmp_path, environment=budgets)
    place = _core.open_process(str(next(directory.glob("rank-*.trace")))).conditions
    assert (place.budget_files, place.budget_memory, place.budgets_given) == (2_000_000, 8_000_000, 3)


def test_the_least_budget_holds_an_ordinary_program(
    one_of_each_family: Library, recorder: Path, builder: Builder, tmp_path: Path
) -> None:
    from leadline.cli.recorder_settings import SETTINGS

    least = next(setting.least for setting in SETTINGS if setting.name == "budget")
    directory = recorded(
        one_of_each_family, 2, recorder, builder, tmp_path, environment={"LEADLINE_BUDGET": str(least)}
    )
    report = report_of(directory)
    assert not {"order-lost", "over-budget"} & {loss["code"] for loss in report["losses"]}

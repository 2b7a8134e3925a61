"""--sample: the routines between calls are seen, the program is not disturbed, and a system that refuses is named."""

from pathlib import Path
from typing import Any

import pytest

from leadline.sampling import refusal

from .building import Builder
from .libraries import Library
from .reading import calls_by_rank, report_of
from .running import run_mpi

STEPS, WORK = 40, 2_000_000
RATE = 1000

pytestmark = pytest.mark.usefixtures("busy_waiting")
needs_samples = pytest.mark.skipif(bool(refusal()), reason=refusal())


@pytest.fixture
def program(one_of_each_family: Library, builder: Builder) -> Path:
    return builder.c(one_of_each_family, "sampled.c", "-g")


def record(
    library: Library, words: list[Any], recorder: Path, run: Path, rate: int = RATE, ranks: int = 2
) -> tuple[dict[str, Any], str]:
    """The report and what the program printed."""
    outcome = run_mpi(
        library,
        ranks,
        words,
        cwd=run.parent,
        recorder=recorder,
        run_directory=run,
        environment={"LEADLINE_SAMPLE": str(rate)} if rate else {},
    )
    assert outcome.returncode == 0, outcome.stderr
    return report_of(run), outcome.stdout


def routines(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["routine"]: one for one in report["samples"]["routines"]}


@pytest.mark.ci("openmpi")
@needs_samples
def test_each_routine_has_its_time(one_of_each_family: Library, program: Path, recorder: Path, tmp_path: Path) -> None:
    report, said = record(one_of_each_family, [program, STEPS, WORK], recorder, tmp_path / "run")
    plain, plainly = record(one_of_each_family, [program, STEPS, WORK], recorder, tmp_path / "plain", rate=0)
    assert said == plainly
    assert calls_by_rank(tmp_path / "run") == calls_by_rank(tmp_path / "plain")
    assert plain["samples"] is None
    assert any("--sample" in entry["why"] for entry in plain["not_recorded"])
    assert not any("--sample" in entry["why"] for entry in report["not_recorded"])

    samples = report["samples"]
    assert samples["taken"] == samples["in_mpi"] + sum(one["samples"] for one in samples["routines"])
    assert (samples["refused"], samples["lost"], samples["no_room"]) == (0, 0, 0)
    found = routines(report)
    heavy, light, beside = (found[name] for name in ("heavy", "light", "beside"))
    # In time of their own, so that it does not matter what else the machine does.
    assert 2 < heavy["time_s"] / light["time_s"] < 4
    assert 0.6 < beside["time_s"] / light["time_s"] < 1.6
    assert heavy["time_s"] + light["time_s"] + beside["time_s"] > 0.9 * samples["time_s"]
    assert heavy["before"].startswith("MPI_Allreduce in main")
    assert beside["before"].startswith("MPI_Barrier in main")
    assert heavy["before_share"] == 1
    assert heavy["ranks"] == 2
    assert heavy["in_main_loop"] > 0.9
    (loop,) = (phase for phase in report["phases"] if phase["kind"] == "loop" and phase["parent"] is None)
    assert [one["routine"] for one in loop["computes_in"][:1]] == ["heavy"]
    assert (Path(heavy["file"]).name, heavy["line"] > 0) == ("sampled.c", True)


@pytest.mark.ci("openmpi")
@needs_samples
def test_none_are_taken_while_recording_is_paused(
    one_of_each_family: Library, program: Path, recorder: Path, tmp_path: Path
) -> None:
    report, _ = record(one_of_each_family, [program, STEPS, WORK, "paused"], recorder, tmp_path / "run")
    found = routines(report)
    assert found["heavy"]["samples"] > 100
    assert "beside" not in found or found["beside"]["samples"] < 0.05 * found["light"]["samples"]


@pytest.mark.ci("openmpi")
@needs_samples
def test_what_has_no_room_is_counted(
    one_of_each_family: Library, program: Path, recorder: Path, tmp_path: Path
) -> None:
    # One step of some seconds at the highest rate: more than the 4,096 that have room between two calls.
    report, _ = record(one_of_each_family, [program, 1, 300_000_000], recorder, tmp_path / "run", rate=10_000, ranks=1)
    samples = report["samples"]
    assert samples["lost"] > 0
    assert samples["taken"] - samples["in_mpi"] >= 4000
    (entry,) = (entry for entry in report["not_recorded"] if entry["what"].endswith("samples"))
    assert "sample at a lower rate" in entry["why"]


def test_a_system_that_refuses_is_named(
    one_of_each_family: Library, program: Path, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    words = [builder.c(one_of_each_family, "without_perf.c"), program, STEPS, 1000]
    outcome = run_mpi(
        one_of_each_family,
        2,
        words,
        cwd=tmp_path,
        recorder=recorder,
        run_directory=tmp_path / "run",
        environment={"LEADLINE_SAMPLE": "97"},
    )
    if outcome.returncode == 77:
        pytest.skip("filters of system calls cannot be made here")
    assert outcome.returncode == 0, outcome.stderr
    assert outcome.stderr.count("no samples (--sample)") == 1
    assert "Permission denied" in outcome.stderr
    report = report_of(tmp_path / "run")
    refused = report["samples"]["refused"]
    assert refused >= 2  # of Open MPI's own threads one may be known too
    assert report["samples"]["routines"] == []
    (entry,) = (entry for entry in report["not_recorded"] if entry["what"] == f"samples of {refused} threads")
    assert "Permission denied" in entry["why"]
    assert "perf_event_paranoid" in entry["why"]
    functions = {entry["function"]: entry["calls"] for entry in report["functions"]}
    assert functions["MPI_Allreduce"] == 2 * STEPS

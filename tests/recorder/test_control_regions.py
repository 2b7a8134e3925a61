"""Named regions in C, C++, Fortran and Python: entries, calls and bytes are exact; mistakes are reported and
harmless."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

import leadline

from .building import PROGRAMS, Builder
from .libraries import Library, find
from .mpi4py_programs import python_command
from .reading import open_processes, report_of
from .running import run_mpi

INCLUDE = Path(leadline.__file__).parent / "include"
STEPS, RANKS = 10, 2
# path -> entries, calls and bytes of both ranks
EXPECTED = {
    "setup": (2, 2, 0),
    "step": (20, 60, 5000),
    "step/halo": (20, 40, 4000),
    "step/physics": (20, 20, 1000),
    "halo": (2, 4, 400),
}

# The counter's rate is known better at the end of a run, to which regions wait, than when calls are turned to seconds.
CLOCK = 1.001


def table(report: dict[str, Any]) -> dict[str, tuple[int, int, int]]:
    return {r["path"]: (r["entries"], r["calls"], r["bytes"]) for r in report["regions"] or []}


def record(
    library: Library, program: list[str | Path], recorder: Path, directory: Path, environment: dict[str, str]
) -> dict[str, Any]:
    plain = run_mpi(library, RANKS, program, cwd=directory, environment=environment)
    recorded = run_mpi(
        library,
        RANKS,
        program,
        cwd=directory,
        recorder=recorder,
        run_directory=directory / "run",
        environment=environment,
    )
    assert (recorded.returncode, recorded.lines) == (0, plain.lines), recorded.stderr
    return report_of(directory / "run")


@pytest.mark.full("intel", "debian-mpich", "debian-openmpi")
@pytest.mark.parametrize("language", ["c", "c++"])
def test_regions_of_c_and_cxx(
    language: str, library: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    build = builder.c if language == "c" else builder.cxx
    report = record(
        library, [build(library, "regions.c", f"-I{INCLUDE}", "-pthread"), str(STEPS)], recorder, tmp_path, {}
    )
    assert table(report) == EXPECTED
    assert report["losses"] == []
    regions = {r["path"]: r for r in report["regions"]}
    for path, region in regions.items():
        assert region["parent"] == ("step" if "/" in path else None)
        assert region["time_s"] * CLOCK >= region["mpi_s"] > 0
        assert region["time_max_s"] >= region["time_min_s"] > 0
    inner = regions["step/halo"]["time_s"] + regions["step/physics"]["time_s"]
    assert regions["step"]["time_s"] >= inner
    assert report["totals"]["calls"] == 2 * (1 + 30 + 2 + 2) + report["totals"]["local_calls"]


@pytest.mark.parametrize("interface", ["-DMIXED", "-DMPIF_H"])
def test_regions_of_fortran(
    interface: str, fortran_library: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    program = builder.fortran(fortran_library, "regions.F90", f"-I{INCLUDE}", interface)
    report = record(fortran_library, [program], recorder, tmp_path, {})
    assert table(report) == EXPECTED
    assert report["losses"] == []


def test_regions_of_python(one_of_each_family: Library, recorder: Path, tmp_path: Path) -> None:
    python, environment = python_command(one_of_each_family, tmp_path)
    environment["PYTHONPATH"] = str(Path(leadline.__file__).parents[1])
    report = record(one_of_each_family, [*python, PROGRAMS / "regions.py", str(STEPS)], recorder, tmp_path, environment)
    assert table(report) == EXPECTED
    assert report["losses"] == []


@pytest.mark.parametrize(
    ("how", "loss"),
    [("unbalanced", ("regions-unbalanced", 20)), ("deep", ("regions-merged", 36)), ("threads", None), ("early", None)],
)
def test_odd_uses_are_told_and_harmless(
    how: str,
    loss: tuple[str, int] | None,
    one_of_each_family: Library,
    builder: Builder,
    recorder: Path,
    tmp_path: Path,
) -> None:
    program = builder.c(one_of_each_family, "regions.c", f"-I{INCLUDE}", "-pthread")
    report = record(one_of_each_family, [program, str(STEPS), how], recorder, tmp_path, {})
    found = table(report)
    assert {path: found[path] for path in EXPECTED} == EXPECTED
    losses = sorted((entry["code"], entry["amount"]) for entry in report["losses"])
    assert losses == ([loss, loss] if loss else [])
    if how == "threads":
        assert found["thread"][0] == found["thread/inner"][0] == 3 * 100 * RANKS
    if how == "early":
        assert found["before MPI"] == (RANKS, 0, 0)


def test_regions_do_not_make_the_trace_grow(builder: Builder, recorder: Path, tmp_path: Path) -> None:
    library = find("debian-mpich") or find("mpich")
    if library is None:
        pytest.skip("no MPICH is installed")
    program = builder.c(library, "regions.c", f"-I{INCLUDE}", "-pthread")
    sizes = []
    for steps in (100, 5000):
        run = tmp_path / str(steps)
        outcome = run_mpi(
            library,
            RANKS,
            [program, str(steps)],
            cwd=tmp_path,
            recorder=recorder,
            run_directory=run,
            environment={"LEADLINE_SERIES": "none"},  # which has every call's times
        )
        assert outcome.returncode == 0, outcome.stderr
        (stream,) = {tuple(call.function for call in process.calls(0)) for process in open_processes(run).values()}
        assert len(stream) == 3 * steps + 5
        sizes.append(sum(file.stat().st_size for file in run.iterdir()))
    assert sizes[1] < 1.2 * sizes[0] + 200


def test_a_program_with_regions_needs_nothing_of_leadline(builder: Builder, tmp_path: Path) -> None:
    library = find("debian-mpich") or find("mpich")
    if library is None:
        pytest.skip("no MPICH is installed")
    program = builder.c(library, "regions.c", f"-I{INCLUDE}", "-pthread")
    needed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    assert "leadline" not in needed
    assert run_mpi(library, RANKS, [program, "3"], cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("standard", ["c89", "c99", "c11"])
def test_the_header_is_plain_c(standard: str, builder: Builder, tmp_path: Path) -> None:
    source = tmp_path / "plain.c"
    source.write_text(
        '#include "leadline.h"\nint main(void) { leadline_region_begin("a"); leadline_region_end("a"); return 0; }\n'
    )
    command = ["cc", f"-std={standard}", "-pedantic-errors", "-Wall", "-Wextra", "-Werror", f"-I{INCLUDE}", source]
    subprocess.run([*command, "-o", tmp_path / "plain"], check=True, timeout=60)
    subprocess.run([tmp_path / "plain"], check=True, timeout=60)

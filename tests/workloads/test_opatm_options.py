"""Invalid options are refused with one line, exit code 2 on every rank, and no hang."""

from pathlib import Path

import pytest

from .running import Program

pytestmark = pytest.mark.ci  # for changes to workloads/

RANKS = 3

REFUSED = {
    "an unknown option": (["--tracer", "4"], "unknown option --tracer"),
    "a word that is no option": (["fast"], "'fast' is not an option"),
    "an option without value": (["--steps"], "--steps needs a value"),
    "an option given twice": (["--steps=1", "--steps=2"], "--steps given twice"),
    "no steps": (["--steps", "0"], "--steps: expected an integer from 1"),
    "a word for a number": (["--tracers", "many"], "got 'many'"),
    "a number with more behind it": (["--tracers", "4.5"], "got '4.5'"),
    "a number too large for any integer": (["--steps", "99999999999999999999"], "--steps: expected an integer"),
    "a grid of two sizes": (["--grid", "14x10"], "--grid: expected NXxNYxNZ"),
    "a grid without levels": (["--grid", "14x10x1"], "the third number of --grid"),
    "a grid beyond all memory": (["--grid", "100000x100000x72"], "more than 2^31 points"),
    "a grid too narrow for the ranks": (["--grid", "2x10x8"], "cannot be decomposed into 3 strips"),
    "a grid too small for blocks": (["--grid", "2x2x8", "--decomp", "2d"], "cannot be decomposed into 3 blocks"),
    "too few widths": (["--grid", "14x10x8", "--decomp", "strips:7,7"], "2 widths for 3 processes"),
    "widths that do not add up": (["--grid", "14x10x8", "--decomp", "strips:4,5,6"], "add up to 15"),
    "a strip without width": (["--grid", "14x10x8", "--decomp", "strips:7,0,7"], "a width in --decomp"),
    "an unknown decomposition": (["--decomp", "rings"], "--decomp must be"),
    "an unknown cost": (["--cost", "cheap"], "--cost must be full or light"),
    "an unknown way of files": (["--io", "fast"], "--io must be serial, gathered or parallel, not 'fast'"),
    "a plain file by all ranks": (["--io", "parallel", "--output", "out.bin"], "--output must end in .nc"),
    "hints that are none": (["--hints", "striping"], "--hints: expected name=value"),
    "hints tried where none are heeded": (["--hints", "auto", "--io", "gathered"], "--hints auto needs --io parallel"),
    "hints from a file without a name": (["--hints", "auto:", "--io", "parallel"], "needs a file name"),
    "an unknown way to merge": (["--merge", "some"], "--merge"),
    "no threads": (["--threads", "0"], "--threads: expected an integer from 1"),
    "no segments": (["--segments", "0"], "--segments (or none, auto, A,B,...): expected an integer from 1"),
    "more segments than tracers": (["--tracers", "4", "--segments", "5"], "from 1 to 4"),
    "segments that do not add up": (["--tracers", "4", "--segments", "1,2"], "add up to 3, but there are 4 tracers"),
    "a segment without tracers": (["--tracers", "4", "--segments", "4,0"], "a size in --segments"),
    "an output that cannot be written": (["--grid=6x4x3", "--output", "/dev/null/x"], "cannot write --output"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(any_program: Program, tmp_path: Path, case: str) -> None:
    options, reason = REFUSED[case]
    # The shell tells each rank's exit code, which mpiexec would merge into one.
    done = any_program.start(RANKS, options, cwd=tmp_path, wrapper=["sh", "-c", '"$@"; echo "ended with $?"', "sh"])
    assert done.stdout.splitlines() == ["ended with 2"] * RANKS
    said = [line for line in done.stderr.splitlines() if line.startswith("opatm:")]
    assert len(said) == 1
    assert reason in said[0]
    assert list(tmp_path.iterdir()) == []


def test_mpiexec_passes_the_exit_code_on(any_program: Program, tmp_path: Path) -> None:
    assert any_program.start(2, ["--steps", "0"], cwd=tmp_path).returncode == 2


def test_nothing_is_written_unless_it_is_asked_for(any_program: Program, tmp_path: Path) -> None:
    done = any_program.start(2, ["--grid", "6x4x3", "--tracers", "1", "--steps", "1"], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "checksum" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_help_is_printed_once(any_program: Program, tmp_path: Path) -> None:
    done = any_program.start(2, ["--help"], cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.count("--grid") == 1

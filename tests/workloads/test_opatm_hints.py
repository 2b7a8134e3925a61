"""opatm --hints auto: which hints are fastest is tried at the beginning, and kept where a file is named."""

import re
import subprocess
from pathlib import Path

import pytest

from leadline import workloads
from leadline.errors import LeadlineError
from leadline.mpi import find

from .running import Program, run_opatm

pytestmark = pytest.mark.ci  # for changes to workloads/

RANKS = 3
USUAL = "nc_header_read_chunk_size=16384"
TRIED = re.compile(
    rf"^opatm: hints (?P<hints>{USUAL}\S*) "
    r"\((\d\.\d\d) of the default's time, after 7 rounds, \d+\.\d\d s, (?P<mb>\d+) MB written and read\)$"
)
GRID = "40x24x10"
OPTIONS = {"steps": 1, "cost": "light", "io": "parallel", "output": "out.nc"}


@pytest.fixture(scope="module")
def parallel(tmp_path_factory: pytest.TempPathFactory) -> Program:
    try:
        debian = find("debian-openmpi")
    except LeadlineError:
        pytest.skip("Debian's Open MPI is not installed")
    found = Program(debian, workloads.build(workloads.find("opatm"), debian))
    options = ["--grid=6x4x3", "--tracers=1", "--steps=1", "--io=parallel", "--output=x.nc"]
    done = found.start(1, options, cwd=tmp_path_factory.mktemp("can"))
    if "cannot use PnetCDF" in done.stderr:
        pytest.skip("PnetCDF is not installed")
    return found


@pytest.fixture(scope="module")
def made(parallel: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    done = parallel.start(1, ["--make-input=input", f"--grid={GRID}", "--tracers=3"], cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "input"


def start(program: Program, hints: str, cwd: Path, **more: object) -> "subprocess.CompletedProcess[str]":
    words = [f"--{name.replace('_', '-')}={value}" for name, value in {**OPTIONS, **more, "hints": hints}.items()]
    done = program.start(RANKS, words, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done


def expect_tried(done: "subprocess.CompletedProcess[str]") -> "re.Match[str]":
    """All rounds. A machine that takes more than the limit of 10 s for these small files can't show anything."""
    said = done.stdout.splitlines()[0]
    if "the limit of" in said or re.search("found in [1-6] rounds", said):
        pytest.skip(f"too slow: {said}")
    found = TRIED.match(said)
    assert found, said
    return found


def test_the_summary_says_what_was_chosen_and_what_it_cost(parallel: Program, made: Path, tmp_path: Path) -> None:
    plain = run_opatm(parallel, RANKS, {**OPTIONS, "input": made}, cwd=tmp_path)
    done = start(parallel, "auto", tmp_path, input=made)
    found, summary = expect_tried(done), done.stdout.splitlines()[1]
    assert int(found["mb"]) == round((1 + 7 * 7) * 40 * 24 * 10 * 8 / 1e6)  # sets, rounds, points
    assert summary.endswith(f"checksum {plain.checksum}")
    assert [path.name for path in tmp_path.iterdir()] == ["out.nc"]


def test_what_a_file_has_is_taken_and_nothing_is_tried(parallel: Program, tmp_path: Path) -> None:
    more = {"grid": GRID, "tracers": 3}
    expect_tried(start(parallel, "auto:kept", tmp_path, **more))
    (line,) = (tmp_path / "kept").read_text().splitlines()
    alike, _, _ = line.rpartition(" | ")
    (tmp_path / "kept").write_text(f"{alike} | {USUAL};cb_nodes=1\n")
    said, _ = start(parallel, "auto:kept", tmp_path, **more).stdout.splitlines()
    assert said == f"opatm: hints {USUAL};cb_nodes=1 (from kept)"
    expect_tried(start(parallel, "auto:kept", tmp_path, **more, decomp="strips:10,10,20"))
    assert len((tmp_path / "kept").read_text().splitlines()) == 2


def test_the_files_are_opened_with_what_was_chosen(
    parallel: Program, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ROMIO can say what it heeds; the input is opened twice, as its grid must be known first."""
    monkeypatch.setenv("OMPI_MCA_io", "romio321")
    monkeypatch.setenv("ROMIO_PRINT_HINTS", "1")
    said = start(parallel, "auto:kept", tmp_path, input=made).stdout
    if not (tmp_path / "kept").exists():
        pytest.skip(f"too slow: {said}")
    (line,) = (tmp_path / "kept").read_text().splitlines()
    alike, _, _ = line.rpartition(" | ")
    (tmp_path / "kept").write_text(f"{alike} | {USUAL};cb_buffer_size=33554432\n")
    said = start(parallel, "auto:kept", tmp_path, input=made).stdout
    sizes = re.findall(r"key = cb_buffer_size\s+value = (\d+)", said)
    assert sorted(sizes) == sorted(["16777216"] * 2 + ["33554432"] * 3), said


def test_a_file_that_cannot_be_kept_is_one_line_and_exit_code_2_on_every_rank(
    parallel: Program, tmp_path: Path
) -> None:
    done = parallel.start(
        RANKS, ["--grid", GRID, "--io=parallel", "--hints=auto:no/kept"], cwd=tmp_path,
        wrapper=["sh", "-c", '"$@"; echo "ended with $?"', "sh"],
    )  # fmt: skip
    assert done.stdout.splitlines() == ["ended with 2"] * RANKS
    (said,) = [line for line in done.stderr.splitlines() if line.startswith("opatm:")]
    assert said == "opatm: no/kept: cannot save the selected hints"

"""leadline study opatm, on a small sea: the forms' traffic, and the study as JSON, on a terminal and as a page."""

from __future__ import annotations

import json
import subprocess
import sys
from ctypes.util import find_library
from pathlib import Path
from typing import Any

import pytest

from leadline.mpi import available

TRACERS, STEPS, LEVELS = 51, 3, 6
OPTIONS = ("--grid", f"16x12x{LEVELS}", "--steps", str(STEPS), "--segments", "1,51", "--rounds", "1", "--ranks", "2,3")
# Exchanges of a tracer in a step; the last level has no horizontal diffusion.
EXCHANGES = {"trcadv": 8, "trchdf": LEVELS - 1, "trcnxt": 1}


def study(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "leadline", "study", "opatm", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("study")


@pytest.fixture(scope="module")
def found(directory: Path) -> Any:
    words = [*OPTIONS, "--output", directory / "runs", "--html", directory / "study.html", "--json"]
    done = study(*words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.ci
def test_each_form_sends_the_messages_that_it_stands_for(found: Any) -> None:
    assert found["steps"] == STEPS
    for row in found["routines"]:
        sent = {form["form"]: form["messages"] for form in row["forms"]}
        cuts = row["ranks"] - 1
        if row["routine"] == "trcwri":
            assert sent["before"] == sent["packed"] == 12 * TRACERS * cuts
            assert 0 < sent["gathered"] <= 12 * TRACERS * cuts // 20
            assert sent["after"] <= sent["gathered"]
            assert sent.get("parallel", 0) == 0
            continue
        whole = EXCHANGES[row["routine"]] * STEPS * 2 * cuts
        assert {sent[form] for form in sent if form not in ("packed", "after")} == {TRACERS * whole}
        assert whole <= sent["packed"] <= 2 * whole  # a short segment travels as two messages under Open MPI
        assert whole <= sent["after"] <= TRACERS * whole
    rows = {row["segments"]: row["messages"] for row in found["segments"]["rows"]}
    exchanges = sum(EXCHANGES.values()) * STEPS * 2
    assert rows[51] == TRACERS * exchanges
    assert exchanges <= rows[1] <= 2 * exchanges


@pytest.mark.ci
def test_the_default_is_the_library_that_pnetcdf_is_for(found: Any) -> None:
    names = {library.name for library in available()}
    whole = "debian-openmpi" in names and find_library("pnetcdf") is not None
    assert (found["library"] == "debian-openmpi") == whole


@pytest.mark.ci
def test_nothing_is_called_clear_after_one_round(found: Any) -> None:
    ratios = [form["ratio"] for row in found["routines"] for form in row["forms"] if form["ratio"]]
    assert ratios
    assert not any(ratio["clear"] for ratio in ratios)
    assert "252,960 with 32 processes" in [row["published"] for row in found["side_by_side"]]
    assert [each["phase"] for each in found["phases"]] == ["input", "loop", "output", "total"]


@pytest.mark.ci
def test_all_ranks_read_the_input_once_each_or_once_in_all(found: Any) -> None:
    if not found["files"]:
        pytest.skip("NetCDF is not installed")
    assert list((Path(found["runs"]) / "files").iterdir()) == [Path(found["runs"]) / "files" / "input"]
    forms = {row["form"] for row in found["files"]}
    assert ("parallel" in forms) == (not found["notes"] or "parallel I/O variant not measured" not in found["notes"][0])
    for row in found["files"]:
        once = 1 if row["form"] != "before" else row["ranks"]
        assert once * 0.99 <= row["read_times"] <= once * 1.02 + 0.1  # headers are read in blocks of several kB
        assert row["written_bytes"] >= 32 * 16 * 12 * LEVELS * TRACERS
        if row["form"] == "before":  # of others, a time too short to measure has no ratio
            assert row["read_ratio"] is None
            assert row["write_ratio"] is None
    here = [row["here"] for row in found["side_by_side"] if row["what"].startswith("time of the input")]
    assert len(here) == 2
    assert "parallel" in forms or not any(isinstance(share, dict) for share in here)


@pytest.mark.ci
def test_its_recordings_can_be_compared(found: Any) -> None:
    runs = Path(found["runs"])
    forms = {path.name.split("-")[0] for path in runs.iterdir()} - {"files"}
    assert forms - {"parallel"} == {"before", "packed", "gathered", "after", "segments"}
    assert len(list(runs.iterdir())) == 2 * (len(forms) - 1) + 1 + 1
    command = [sys.executable, "-m", "leadline", "compare", runs / "before-2-1", runs / "packed-2-1", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.ci
def test_the_terminal_has_every_part(found: Any) -> None:
    from rich.console import Console

    from leadline.studies.terminal import draw
    from leadline.text.screen import Screen

    console = Console(width=80, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    draw(found, Screen(console))
    lines = console.export_text().splitlines()
    assert max(map(len, lines)) <= 80
    for title in ("Time by phase", "Communication by routine", "Segments", "Comparison with the papers"):
        assert any(line.startswith(title) for line in lines), title


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--ranks", "2"), "two different numbers"),
        (("--ranks", "2,2"), "two different numbers"),
        (("--segments", "0,3"), "--segments 0,3"),
        (("--segments", "many"), "--segments many"),
        (("--grid", "4x4"), "grid"),
    ],
)
def test_a_bad_option_is_refused_with_one_line(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    done = study(*OPTIONS, "--output", tmp_path / "runs", *words)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert said in done.stderr.strip().splitlines()[-1] + done.stderr.strip().splitlines()[0]
    assert "Traceback" not in done.stderr

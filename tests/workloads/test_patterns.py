"""The patterns that a report finds in the workloads are those that their pages describe."""

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from .recorded import library, record

pytestmark = pytest.mark.ci  # tests/patterns has the findings

RANKS = 8
Patterns = list[dict[str, Any]]


def found_in(patterns: Patterns, routine: str) -> dict[str, dict[str, Any]]:
    """By name, those in the main loop of which all calls are in or beneath the routine."""
    return {each["pattern"]: each for each in patterns if routine in each["routines"] and each["messages_per_step"]}


def patterns_of(name: str, options: Mapping[str, object], cwd: Path) -> dict[str, Any]:
    recording = record(name, library("openmpi"), RANKS, options, cwd=cwd)
    lines = summary_of(recording.directory)
    assert len(lines) <= 25, "\n".join(lines)
    assert max(map(len, lines)) <= 80, "\n".join(lines)
    assert any(line.startswith("Main loop   ") and "none" not in line for line in lines), "\n".join(lines)
    return recording.report


def summary_of(directory: Path) -> list[str]:
    from leadline.figures.run import open_run
    from leadline.report import Report

    out = io.StringIO()
    Report(open_run(directory)).print_summary(Console(file=out, width=80), f"Tables: leadline report {directory} --all")
    return out.getvalue().splitlines()


@pytest.fixture(scope="module")
def opatm(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Twelve tracers, five levels of which the last is the bed, 16 rows; output after the last step."""
    directory = tmp_path_factory.mktemp("opatm")
    output = directory / "fields.dat"
    options = {"grid": "48x16x5", "tracers": 12, "steps": 4, "cost": "light", "output": output}
    return patterns_of("opatm", options, directory)


@pytest.mark.parametrize(("routine", "each", "loop"), [("trcadv", 8 * 12, 12), ("trcnxt", 12, 12)])
def test_tracers_of_opatm_could_travel_together(opatm: dict[str, Any], routine: str, each: int, loop: int) -> None:
    found = found_in(opatm["patterns"], routine)
    assert found["nearest_neighbour"]["evidence"]["dims"] == [RANKS]
    assert found["nearest_neighbour"]["messages_per_step"] == each * 2 * (RANKS - 1)
    packable = found["packable_messages"]["evidence"]
    assert (packable["together"], packable["messages_to_a_partner_per_step"]) == (loop, each)
    assert packable["assumes"] == "independent trips"


def test_levels_of_opatm_are_exchanged_one_by_one(opatm: dict[str, Any]) -> None:
    found = found_in(opatm["patterns"], "trchdf")
    assert found["nearest_neighbour"]["messages_per_step"] == 4 * 12 * 2 * (RANKS - 1)
    assert found["packable_messages"]["evidence"]["messages_to_a_partner_per_step"] == 4 * 12


def test_output_of_opatm_is_sent_to_rank_0_and_is_a_phase(opatm: dict[str, Any]) -> None:
    found = found_in(opatm["patterns"], "trcwri")
    assert found["all_to_one"]["evidence"]["root"] == 0
    (phase,) = [each for each in opatm["phases"] if each["kind"] == "output"]
    assert (phase["name"], phase["iterations"]) == ("trcwri", 1)
    names = {each["pattern"] for each in opatm["patterns"]}
    assert "write_by_one" in names


def test_halos_of_s3d(tmp_path: Path) -> None:
    report = patterns_of("s3d", {"grid": "20x12x12", "steps": 3, "blocks": "2x2x2"}, tmp_path)
    for routine in ("gradients", "divergence", "filter"):
        found = found_in(report["patterns"], routine)
        assert found["nearest_neighbour"]["evidence"]["dims"] == [2, 2, 2], routine
        assert not found["nearest_neighbour"]["evidence"]["corners"]


def test_halos_of_wrf(tmp_path: Path) -> None:
    report = patterns_of("wrf", {"grid": "21x21x4", "steps": 4}, tmp_path)
    dims = [each["evidence"]["dims"] for each in report["patterns"] if each["pattern"] == "nearest_neighbour"]
    assert dims
    assert all(each == dims[0] and each[0] * each[1] == RANKS for each in dims)


def test_ring_of_gtc(tmp_path: Path) -> None:
    report = patterns_of("gtc", {"grid": "9x16x16", "particles": 4000, "steps": 4, "domains": RANKS}, tmp_path)
    found = found_in(report["patterns"], "smooth_density")
    evidence = found["nearest_neighbour"]["evidence"]
    assert (evidence["dims"], evidence["periodic"]) == ([RANKS], [1])


def test_transposes_of_vh1_are_the_library_s(tmp_path: Path) -> None:
    report = patterns_of("vh1", {"grid": "16x16x16", "steps": 4}, tmp_path)
    assert {each["pattern"] for each in report["patterns"]} <= {"allreduce_bound"}


def test_halos_of_pop(tmp_path: Path) -> None:
    report = patterns_of("pop", {"grid": "97x33x4", "tracers": 3, "steps": 3}, tmp_path)
    exchanges = [each["evidence"] for each in report["patterns"] if each["pattern"] == "nearest_neighbour"]
    assert exchanges
    assert all(len(each["dims"]) == 2 for each in exchanges)

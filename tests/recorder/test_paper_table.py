"""The communication of OPATM-BFM according to its papers, counted from the trace of the workload: 32 ranks, 3 steps.

Source: Svjatnyj, Cheptsov, Keller, Salon 2008; Cheptsov, Dichev, Keller, Lazzari, Salon 2009. MB there = 1000 kB with
messages of 72 kB and 1 kB.
"""

import sys
from pathlib import Path
from typing import Any

import pytest

from .libraries import find
from .reading import report_of
from .running import run

pytestmark = pytest.mark.full  # workloads/test_opatm_traffic.py has the same counts on smaller grids

STEPS = 3
RANKS = 32
WIDE = 16  # one strip of 16 columns, not the root's; 362 columns in all
STRIPS = [11, WIDE, *[12] * 5, *[11] * 25]

# Per step: messages of an interior rank, of an end rank, of all ranks; bytes of one.
STEP = {
    "trcadv": (816, 408, 25_296, 73_728),
    "trchdf": (7242, 3621, 224_502, 1024),
    "trcnxt": (102, 51, 3162, 73_728),
}
PAPER_MB = {"trcadv": 1821.0, "trchdf": 224.5, "trcnxt": 227.6}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory, recorder: Path) -> dict[str, Any]:
    library = find("openmpi") or find("debian-openmpi")
    if library is None:
        pytest.skip("no Open MPI is installed: 32 ranks need it on few cores")
    assert sum(STRIPS) == 362
    assert len(STRIPS) == RANKS
    directory = tmp_path_factory.mktemp("opatm") / "run"
    strips = "strips:" + ",".join(str(width) for width in STRIPS)
    options = ["--grid", "362x128x72", "--tracers", "51", "--steps", str(STEPS), "--decomp", strips]
    outcome = run(
        [sys.executable, "-m", "leadline", "workload", "run", "opatm", "-n", str(RANKS), "--mpi", library.name,
         "--record", str(directory), "--", *options, "--cost", "light", "--output", "/dev/null"],
        environment={},
        cwd=directory.parent,
        timeout_s=800,
    )  # fmt: skip
    assert outcome.returncode == 0, outcome.stderr
    return report_of(directory)


def sites_of(report: dict[str, Any], routine: str, function: str) -> list[dict[str, Any]]:
    return [
        site
        for site in report["sites"]
        if site["function"] == function and any(frame["routine"] == routine for frame in site["frames"])
    ]


@pytest.mark.parametrize("routine", STEP)
def test_messages_per_step_and_routine_are_those_of_the_papers(report: dict[str, Any], routine: str) -> None:
    interior, end, everybody, size = STEP[routine]
    sends = sites_of(report, routine, "MPI_Isend")
    assert sum(site["calls_max"] for site in sends) == STEPS * interior
    assert sum(site["calls_min"] for site in sends) == STEPS * end
    messages = sum(site["messages"] for site in sends)
    assert messages == STEPS * everybody
    assert sum(site["bytes"] for site in sends) == messages * size
    kilobytes = {73_728: 72, 1024: 1}[size]
    assert round(everybody * kilobytes / 1000, 1) == pytest.approx(PAPER_MB[routine], abs=0.35)


def test_a_step_has_252960_messages_and_nothing_else_is_sent(report: dict[str, Any]) -> None:
    messages = {function["function"]: function["messages"] for function in report["functions"]}
    assert messages["MPI_Isend"] == STEPS * 252_960
    assert report["totals"]["messages"] == STEPS * 252_960 + 18_972


def test_each_message_is_sent_received_and_waited_for_alone(report: dict[str, Any]) -> None:
    calls = {function["function"]: function["calls"] for function in report["functions"]}
    assert calls["MPI_Irecv"] == calls["MPI_Isend"] == STEPS * 252_960
    assert calls["MPI_Wait"] == 2 * STEPS * 252_960


def test_output_gathers_612_messages_from_each_rank_but_the_root(report: dict[str, Any]) -> None:
    sends = sites_of(report, "trcwri", "MPI_Send")
    assert sum(site["messages"] for site in sends) == 18_972
    assert {site["calls_min"] for site in sends} == {0}  # the root
    assert sum(site["calls_max"] for site in sends) == 612
    by_size: dict[int, int] = {}
    for entry in [entry for site in sends for entry in site["sizes"]]:
        by_size[entry["bytes"]] = by_size.get(entry["bytes"], 0) + entry["messages"]
    assert by_size[WIDE * 128 * 72 * 8] == 204  # 1.125 MiB each: the wide strip
    assert sum(number for size, number in by_size.items() if size <= 4096) == 12_648


def test_nothing_is_lost(report: dict[str, Any]) -> None:
    assert report["complete"]
    assert report["losses"] == []
    assert report["ranks"] == RANKS


def test_structure_and_the_bounded_series_of_times_take_kilobytes(report: dict[str, Any]) -> None:
    assert report["trace"]["bytes"] < RANKS * 64_000

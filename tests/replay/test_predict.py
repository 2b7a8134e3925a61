"""leadline predict on a recorded run: what must hold however long its calls took."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


from leadline import predict as predicting
from leadline.__main__ import main
from leadline.cli.predict import data_of, lines_of
from leadline.errors import UsageError
from leadline.figures.run import Run
from leadline.predict import (
    Change,
    extrapolation,
    hosts_in,
    predict,
)

from .predicted_runs import NETWORK, STEPS, record


def test_the_unchanged_run_is_replayed_with_all_its_messages(run: Run) -> None:
    found = predict(run, Change())
    assert found.predicted == found.base
    assert found.base.messages == STEPS * 5
    assert found.steps == found.steps_recorded == STEPS
    assert not [note for note in found.notes if "omitted" in note or "unknown" in note]
    assert found.error_of_base["initialisation"] is not None
    assert found.base.low <= found.base.seconds <= found.base.high
    assert predict(run, Change()).base == found.base


def test_cancelled_receives_take_no_message(tmp_path: Path) -> None:
    """As in Quicksilver, which posts receives in each cycle and cancels those that nothing came for."""
    found = predict(record(tmp_path, "cancelled.c"), Change())
    assert found.base.messages == 2
    assert not [note for note in found.notes if "omitted" in note]


def test_messages_that_differ_from_step_to_step_are_replayed_one_by_one(tmp_path: Path) -> None:
    """Each has its other end, whatever the order; more steps have them over and over."""
    state, messages = 12345, 0

    def below(n: int) -> int:
        nonlocal state
        state = (state * 1664525 + 1013904223) % 2**32
        return (state >> 16) % n

    for _ in range(STEPS):
        below(3000), below(500), below(2)
        messages += 2 if below(3) else 1
    run = record(tmp_path, "varying.c")
    found = predict(run, Change())
    assert found.base.messages == messages
    assert not [note for note in found.notes if "unknown partners" in note]
    if found.steps_recorded:
        assert predict(run, Change(steps=3 * STEPS)).predicted.messages == 3 * messages


def test_more_steps_have_their_messages_and_their_time(run: Run) -> None:
    found = predict(run, Change(steps=10 * STEPS))
    assert found.predicted.messages == 10 * STEPS * 5
    assert found.predicted.iteration is not None
    # Iterations are drawn from those that were recorded: rank 1 sleeps for 400 µs in each.
    assert found.predicted.iteration[0] > 0.0004
    assert found.predicted.seconds > found.base.seconds + 9 * STEPS * 0.0004
    assert predict(run, Change(steps=STEPS // 2)).predicted.messages == STEPS // 2 * 5
    # That would be another run, without recorder; the unchanged one is the recorded one.
    own_s = sum(process.own_ns for process in run.processes) * 1e-9 / 2
    assert found.predicted.high >= found.predicted.seconds * 1.02
    assert found.predicted.low <= (found.predicted.seconds - 5 * own_s) * 0.98
    unchanged = predict(run, Change(steps=STEPS))
    assert (unchanged.predicted.low, unchanged.predicted.high) == (unchanged.base.low, unchanged.base.high)


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


def test_another_algorithm_has_its_own_messages(run: Run) -> None:
    from leadline import network

    given = network.parse(NETWORK).network
    # Of two ranks: recursive doubling is an exchange, a tree first reduces and then broadcasts.
    usual = predict(run, Change(network=given))
    tree = predict(run, Change(network=given, collectives=(("allreduce", "binary_tree"),)))
    assert tree.sensitivities[0] > usual.sensitivities[0]
    for change, reason in (
        (Change(collectives=(("allreduce", "linear"),)), "without a network"),
        (Change(network=given, collectives=(("allreduce", "nonsense"),)), "expected one of"),
        (Change(network=given, collectives=(("nonsense", "linear"),)), "expected one of"),
    ):
        with pytest.raises(UsageError, match=reason):
            predict(run, change)


def test_a_change_without_effect_says_why(run: Run) -> None:
    from leadline import network

    given = network.parse(NETWORK).network

    def notes(*collectives: tuple[str, str], steps: int = 0, base_too: bool = True) -> str:
        change = Change(network=given, collectives=collectives, base_too=base_too, steps=steps)
        return " ".join(predict(run, change).notes)

    assert "--collective bcast=linear changes nothing: the run has no call of MPI_Bcast; these can be changed:" in (
        without := notes(("bcast", "linear"))
    )
    assert "MPI_Allreduce" in without
    same = notes(("allreduce", "recursive_doubling"))
    assert "MPI_Allreduce anyway, or one that is as fast. Others: linear, " in same
    assert "changes nothing" not in notes(("allreduce", "linear"))
    assert "leadline predict --help" in " ".join(predict(run, Change()).notes)
    assert f"--steps {STEPS} changes nothing" in " ".join(predict(run, Change(steps=STEPS)).notes)
    for other in (Change(steps=STEPS + 1), Change(compute=2.0), Change(network=given), Change(ideal=True)):
        assert "hanges" not in " ".join(predict(run, other).notes)


def test_operations_that_move_blocks_take_their_schedules(tmp_path: Path) -> None:
    from leadline import network

    found = predict(record(tmp_path, "blocks.c"), Change(network=network.parse(NETWORK).network))
    rooted, of_all = 2 * 1, 9 * 2  # messages in a step; two of a prefix reduction by recursive doubling
    assert found.predicted.messages == STEPS * (rooted + of_all)


def test_a_limit_for_messages_that_wait_for_their_receiver(run: Run) -> None:
    from leadline import network

    given = network.parse(NETWORK).network
    # A long message then takes three latencies: to ask, for the answer, and for the message.
    rendezvous = predict(run, Change(network=given, eager_bytes=1000)).sensitivities[0]
    assert rendezvous > predict(run, Change(network=given)).sensitivities[0]


def test_of_iterations_that_may_be_several_no_time_is_predicted(run: Run) -> None:
    found = predict(run, Change())
    assert found.loop is not None
    found.lumped, found.loop = True, replace(found.loop, at_least=True)
    said = "\n".join(lines_of(found))
    assert f"main loop: main, at least {STEPS} iterations recorded, each of which may be several" in said
    assert "per iteration" not in said
    assert data_of(found)["lumped"]


def test_where_the_loops_end_was_not_timed_the_error_is_that_from_the_loop_on(run: Run) -> None:
    found = predict(run, Change())
    assert found.error_from_loop_on is None  # the loop's own is known
    before_s = found.base.phases_s["initialisation"]
    assert before_s is not None
    found.error_of_base = {**found.error_of_base, "loop": None, "finalisation": None}
    found.recorded_s = {"whole": before_s + (found.base.seconds - before_s) / 1.25, "initialisation": before_s}
    assert found.error_from_loop_on == pytest.approx(0.25)
    assert "from the main loop on +25.0 %" in "\n".join(lines_of(found))


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
    assert "per iteration: predicted" in said
    assert main(["predict", str(run.path), "--step", "main"]) == 0
    assert capsys.readouterr().out == said
    assert main(["predict", str(run.path), "--compute", "main=0.5", "--noise", "none", "--balance"]) == 0
    assert "computation in main takes 50 % of its time" in capsys.readouterr().out
    for wrong in ("--compute main=fast", "--pack main=1", "--pack main", "--collective allreduce"):
        assert main(["predict", str(run.path), *wrong.split()]) == 2
        assert f"{wrong}: " in capsys.readouterr().err
    for nameless in (" ", ":", ":3"):
        assert main(["predict", str(run.path), "--pack", nameless]) == 2
        assert "no loop or call" in capsys.readouterr().err
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


def test_more_steps_than_are_replayed_take_the_mean_of_those(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = 50 * STEPS
    monkeypatch.setattr(extrapolation, "MOST_MESSAGES", 10 * STEPS * 5)
    some = predict(run, Change(steps=steps))
    assert f"{10 * STEPS:,} of the {steps:,} iterations are replayed" in " ".join(some.notes)
    assert some.predicted.messages == steps * 5
    assert some.predicted.low <= some.predicted.seconds <= some.predicted.high
    assert some.predicted.seconds > some.base.seconds + 49 * STEPS * 0.0004


def test_steps_of_a_periodic_run_are_replayed_however_many_there_are(run: Run) -> None:
    periodic = Change(steps=1_000_000, compute=0)
    found = predict(run, periodic)
    assert found.predicted.messages == periodic.steps * 5
    assert not [note for note in found.notes if "replayed; the others" in note]


def test_a_run_calibrates_a_network_in_which_it_can_be_replayed(
    rows: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from leadline import network

    monkeypatch.setattr(predicting, "why_spoiled", lambda run: None)  # however busy the machine is
    given = tmp_path / "net.toml"
    assert main(["calibrate", str(rows.path), "-o", str(given)]) == 0
    said = capsys.readouterr().err
    assert "messages with times" in said
    described = network.read(given)
    first, second = described.network.own("node").pieces
    assert first.from_bytes == 0
    assert second.from_bytes == described.network.own("node").eager_bytes + 1
    for path, (low, high) in described.intervals.items():
        assert low <= high, path
    assert described.origin.source.startswith("messages of the run")
    found = predict(rows, Change(network=described.network))
    assert found.predicted.messages >= found.base.messages
    assert main(["calibrate", str(rows.path), "-o", str(given)]) == 2  # it exists already


NEAR_AND_FAR = """
schema = 1
[[link.node.piece]]
latency_ns = 100
[[link.other_node.piece]]
latency_ns = 1e11
"""


def test_ranks_on_other_hosts_have_the_latency_between_hosts(run: Run, tmp_path: Path) -> None:
    from leadline import network

    given = network.parse(NEAR_AND_FAR).network
    file = tmp_path / "places"
    file.write_text("0 a  # the first host\n\n1 b\n")
    apart = predict(run, Change(network=given, hosts=hosts_in(file)))
    together = predict(run, Change(network=given, hosts=("a", "a")))
    assert together.predicted == predict(run, Change(network=given)).predicted
    latencies = 2 * STEPS + 1  # as in the slow network above
    assert latencies * 100 < apart.predicted.seconds < latencies * 101
    assert together.predicted.seconds < 100
    assert apart.base == together.base


def test_messages_between_hosts_pass_the_links_of_the_topology(run: Run) -> None:
    from leadline import network

    def seconds(kind: str, *hosts: str) -> float:
        text = NEAR_AND_FAR.replace("[[", f'[topology]\nkind = "torus"\n{kind}\nhop_ns = 3e11\n[[', 1)
        return predict(run, Change(network=network.parse(text).network, hosts=hosts)).predicted.seconds

    without = predict(run, Change(network=network.parse(NEAR_AND_FAR).network, hosts=("a", "b"))).predicted.seconds
    messages = 2 * STEPS + 1  # whose latencies follow one another, of 100 s each
    assert seconds("extents = [2]", "a", "b") == pytest.approx(without + messages * 300, rel=1e-3)
    assert seconds("extents = [1]\nnodes_per_switch = 2", "a", "b") == pytest.approx(without, rel=1e-3)
    with pytest.raises(UsageError, match="places for 1 nodes, and the ranks are on 2"):
        seconds("extents = [1]", "a", "b")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0 a\n", "1 ranks have a host, but the run has 2"),
        ("0-1 a\n1 b\n", "line 2: rank 1 has a host already"),
        ("1 b\n", "rank 0 has no host"),
        ("", "rank 0 has no host"),
        ("0-2 a\n4 b\n", "rank 3 has no host"),
        ("zero a\n", "line 1: expected RANK HOST"),
        ("0 a b\n", "line 1: expected RANK HOST"),
    ],
)
def test_places_that_do_not_fit_are_refused(run: Run, tmp_path: Path, text: str, reason: str) -> None:
    from leadline import network

    file = tmp_path / "places"
    file.write_text(text)
    with pytest.raises(UsageError, match=reason):
        predict(run, Change(network=network.parse(NEAR_AND_FAR).network, hosts=hosts_in(file)))


def test_places_need_a_network_that_knows_the_way_between_hosts(run: Run) -> None:
    from leadline import network

    with pytest.raises(UsageError, match="the run does not say what messages cost elsewhere"):
        predict(run, Change(hosts=("a", "b")))
    with pytest.raises(UsageError, match="no figures for messages between hosts"):
        predict(run, Change(network=network.parse(NETWORK).network, hosts=("a", "b")))


def test_an_algorithm_without_a_network_takes_the_one_beside_the_run(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(predicting, "why_spoiled", lambda run: None)
    kept = tmp_path / "run"
    shutil.copytree(run.path, kept)
    words = ["predict", str(kept), "--collective", "allreduce=linear", "--json"]
    beside = tmp_path / "network.toml"

    def sentences() -> list[str]:
        assert main(words) == 0
        found = json.loads(capsys.readouterr().out)
        return [each for each in found["assumptions"] if str(beside) in each]

    text = NETWORK.replace("schema = 1", 'schema = 1\nsource = "{}"')
    beside.write_text(text.format(f"leadline calibrate, {run.library.partition(',')[0]}"))
    beside.chmod(0o600)
    assert len(sentences()) == 1
    # One of another library does not count; then the run's own messages have to do.
    beside.write_text(text.format("leadline calibrate, another library"))
    if main(words) == 0:
        assert "messages of the run show" in capsys.readouterr().out
    else:
        assert "says nothing of a network" in capsys.readouterr().err

"""leadline predict on a recorded run: what must hold however long its calls took."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from recorder import running
from recorder.building import Builder
from recorder.libraries import find

from leadline import _core
from leadline import predict as predicting
from leadline.__main__ import main
from leadline.cli.predict import data_of, lines_of
from leadline.errors import UsageError
from leadline.figures.run import Run, open_run
from leadline.predict import (
    Balance,
    Change,
    Computation,
    Gather,
    Merge,
    Nonblocking,
    NoNoise,
    Overlap,
    Pack,
    Without,
    extrapolation,
    hosts_in,
    packing,
    predict,
)

STEPS = 80
FIELDS = 6  # fields.c
NETWORK = """
schema = 1
[[link.node.piece]]
latency_ns = 1e11
overhead_ns = 100
per_byte_ns = 1
"""


def record(directory: Path, program: str, *options: str) -> Run:
    library, recorder = find("mpich") or find("debian-mpich") or find("openmpi"), running.find_recorder()
    if library is None or recorder is None:
        pytest.skip("an MPI library and the recorder are needed: ./dev setup")
    done = running.run_mpi(
        library,
        2,
        [Builder().c(library, program, *options), str(STEPS)],
        cwd=directory,
        recorder=recorder,
        run_directory=directory / "run",
    )
    assert done.returncode == 0, done.stderr
    return open_run(directory / "run")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return record(tmp_path_factory.mktemp("predicted"), "predicted.c")


@pytest.fixture(scope="module")
def fields(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return record(tmp_path_factory.mktemp("fields"), "fields.c")


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return record(tmp_path_factory.mktemp("rows"), "rows.c")


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


def test_packed_fields_cost_one_latency_a_step(fields: Run) -> None:
    from leadline import network

    given = network.parse(NETWORK).network
    apart = predict(fields, Change(network=given))
    assert apart.predicted.messages - STEPS * 2 == STEPS * 2 * FIELDS
    packed = predict(fields, Change(network=given, program=(Pack("exchange_fields"),)))
    assert packed.predicted.messages - STEPS * 2 == STEPS * 2
    assert packed.base == apart.base
    (made,) = packed.made
    assert (made.messages_before, made.messages_after) == (STEPS * 2 * FIELDS, STEPS * 2)
    assert (made.calls_before, made.calls_after) == (STEPS * 2 * FIELDS * 3, STEPS * 2 * 3)
    # Each field's exchange costs a latency, and so does the allreduce of each step.
    assert (apart.sensitivities[0], packed.sensitivities[0]) == (STEPS * (FIELDS + 1), STEPS * 2)
    half = predict(fields, Change(network=given, program=(Pack("exchange_fields", FIELDS // 2),)))
    assert half.sensitivities[0] == STEPS * 3
    more = predict(fields, Change(network=given, steps=3 * STEPS, program=(Pack("exchange_fields"),)))
    assert more.sensitivities[0] == 3 * STEPS * 2


def test_packed_messages_are_copied_at_both_ends(fields: Run) -> None:
    from leadline import network

    given = network.parse(NETWORK).network
    program = (Pack("exchange_fields"),)
    ns, packed_bytes = 1e6, FIELDS * 100 * 8  # 100 doubles each
    free, dear = (predict(fields, Change(network=given, program=program, packed_copy_ns=each)) for each in (0, ns))
    # Rank 0 and rank 1 copy at the same time, before the send and after the receive.
    more = dear.predicted.seconds - free.predicted.seconds
    assert more == pytest.approx(STEPS * 2 * packed_bytes * ns * 1e-9, rel=1e-3)
    assert free.predicted.low <= free.predicted.seconds <= free.predicted.high


def test_that_packing_may_gain_nothing_is_said(fields: Run) -> None:
    found = predict(fields, Change(program=(Pack("exchange_fields"),)))
    likely = predict(fields, Change(program=(Pack("exchange_fields"), Computation("exchange_fields", 1.2))))
    assert found.predicted.high >= likely.predicted.seconds  # as slow as that is within the interval
    assert any("4 MiB (0 to 1.9, assumed)" in each for each in found.assumptions)
    unclear = found.predicted.low < found.base.seconds < found.predicted.high
    assert unclear == any("Whether the change gains anything is unknown" in each for each in found.notes)
    from_file = _core.Network()
    from_file.copy_per_byte_ns, from_file.copy_uncached_per_byte_ns = 0.05, 0.2
    assert packing.copy_rates(from_file) == packing.CopyRates(0.05, 0.2, 0.2, assumed=False)
    from_file.copy_strided_uncached_per_byte_ns = 3
    assert packing.copy_rates(from_file).high == 3


def test_exchanges_and_sums_in_a_row_become_one(rows: Run) -> None:
    from leadline import network

    given = network.parse(NETWORK).network
    apart = predict(rows, Change(network=given))
    fields = predict(rows, Change(network=given, program=(Merge("swap_two"),), packed_copy_ns=0))
    (made,) = fields.made
    assert (made.messages_before, made.messages_after) == (STEPS * 4, STEPS * 2)
    assert (made.calls_before, made.calls_after) == (STEPS * 2 * 6, STEPS * 2 * 3)
    assert apart.predicted.messages - fields.predicted.messages == STEPS * 2
    # A latency is 100 s: one of two in each step is gone at least, more where a rank was ahead of the other.
    assert apart.sensitivities[0] - fields.sensitivities[0] >= STEPS - 1
    assert apart.predicted.seconds - fields.predicted.seconds > (STEPS - 1) * 99
    dear = predict(rows, Change(network=given, program=(Merge("swap_two"),), packed_copy_ns=1e6))
    more = dear.predicted.seconds - fields.predicted.seconds
    assert more == pytest.approx(STEPS * 2 * 150 * 8 * 1e-3, rel=0.1)  # both fields, at both ends
    sums = predict(rows, Change(network=given, program=(Merge("sum_two"),)))
    (made,) = sums.made
    assert (made.calls_before, made.calls_after) == (STEPS * 4, STEPS * 2)
    assert sums.predicted.messages == apart.predicted.messages - STEPS * 2
    both = predict(rows, Change(network=given, program=(Merge("main"),)))
    assert both.predicted.messages == apart.predicted.messages - STEPS * 4
    assert any("no exchange or collective call may need" in each for each in both.assumptions)
    without_network = predict(rows, Change(program=(Merge("swap_two"), Merge("sum_two"))))
    assert without_network.predicted.low <= without_network.predicted.seconds <= without_network.predicted.high
    with pytest.raises(UsageError, match="--merge collect: no exchanges with the same partners"):
        predict(rows, Change(program=(Merge("collect"),)))


def test_messages_that_do_not_wait_for_their_turn(rows: Run) -> None:
    from leadline import network

    given = network.parse(NETWORK).network
    blocking = predict(rows, Change(network=given))
    free = predict(rows, Change(network=given, program=(Nonblocking("shift"),)))
    (made,) = free.made
    assert (made.calls_before, made.calls_after) == (STEPS * 4, STEPS * 6)
    assert free.predicted.messages == blocking.predicted.messages
    assert free.predicted.seconds <= blocking.predicted.seconds
    with pytest.raises(UsageError, match="--nonblocking swap_two: no exchange there has blocking calls"):
        predict(rows, Change(program=(Nonblocking("swap_two"),)))


def test_messages_overlap_with_the_computation_that_follows(rows: Run) -> None:
    from leadline import network

    # After shift() each rank sleeps for 200 us at least, here as long in each step, and 20,000 times as long: 4 s.
    # A latency of 100 s keeps the ranks together however long they slept.
    before = (Computation("collect", 2e4), NoNoise())

    def predicted(text: str, *, part: float = 1.0, eager_bytes: int | None = None) -> predicting.Prediction:
        given = network.parse(text).network
        return predict(rows, Change(network=given, eager_bytes=eager_bytes, program=(*before, Overlap("shift", part))))

    none, all_of_it = (predicted(NETWORK, part=part) for part in (0, 1))
    assert none.predicted.seconds - all_of_it.predicted.seconds >= (STEPS - 1) * 3.9
    assert all_of_it.predicted.low <= all_of_it.predicted.seconds <= none.predicted.seconds <= all_of_it.predicted.high
    assert not any("brings nothing" in each for each in all_of_it.notes)
    # Messages that wait for their receiver come no earlier, unless the library progresses: two latencies, here of 1 s,
    # which are short beside the computation.
    near = NETWORK.replace("1e11", "1e9")
    long = predicted(near, eager_bytes=0)
    assert any("the library makes no progress then (by the network's file)" in each for each in long.notes)
    moved = predicted(near.replace("[[", "[link.node]\nprogresses = true\n[["), eager_bytes=0)
    assert long.predicted.seconds - moved.predicted.seconds >= (STEPS - 1) * 1.9
    assert not any("makes no progress" in each for each in moved.notes)


def test_messages_to_one_rank_become_a_gather(rows: Run) -> None:
    from leadline import network

    given = network.parse(NETWORK).network
    apart = predict(rows, Change(network=given))
    found = predict(rows, Change(network=given, program=(Gather("collect"),)))
    (made,) = found.made
    assert (made.messages_before, made.messages_after) == (STEPS, 0)
    assert (made.calls_before, made.calls_after) == (STEPS * 2, STEPS * 2)
    assert found.predicted.messages == apart.predicted.messages  # of the gather's tree, as many on two ranks
    without_network = predict(rows, Change(program=(Gather("collect"),)))
    assert without_network.predicted.messages == without_network.base.messages - STEPS
    with pytest.raises(UsageError, match="--gather sum_two: no messages from all ranks to one"):
        predict(rows, Change(program=(Gather("sum_two"),)))


def test_changes_that_cannot_be_made_are_refused(fields: Run) -> None:
    for change, reason in (
        (Pack("main"), "it is the main loop"),
        (Pack("nonsense"), "no loop or call is at nonsense"),
        (Computation("nonsense:3", 0.5), "no loop or call is at nonsense:3"),
    ):
        with pytest.raises(UsageError, match=reason):
            predict(fields, Change(program=(change,)))


def test_computation_that_is_spread_evenly_or_shorter(run: Run) -> None:
    base = predict(run, Change(ideal=True)).predicted
    assert base.iteration is not None
    balanced = predict(run, Change(ideal=True, program=(Balance(),))).predicted
    assert balanced.iteration is not None
    # Rank 1 computes for 200 µs longer than rank 0 in each step, unless something else took its core.
    assert balanced.iteration[0] <= base.iteration[0]
    nothing = predict(run, Change(ideal=True, program=(Computation("main", 0),))).predicted
    assert nothing.seconds <= base.seconds - STEPS * 0.0004
    calm = predict(run, Change(program=(NoNoise(),)))
    assert calm.predicted.messages == calm.base.messages


def test_calls_that_are_not_made_cost_nothing(run: Run) -> None:
    from leadline import network

    given = network.parse(NETWORK).network
    sums, sends = (
        tuple(member for site in run.sites if site.function == name for member in site.members)
        for name in ("MPI_Allreduce", "MPI_Isend")
    )
    usual = predict(run, Change(network=given))
    without = predict(run, Change(network=given, program=(Without("the sum", sums),)))
    assert without.made[0].calls_before == 2 * STEPS
    assert without.predicted.messages == usual.predicted.messages - 2 * STEPS  # of recursive doubling
    # A latency is 100 s. Rank 1 went on and sent before the sum had come: only the last sum was waited for.
    assert without.predicted.seconds == pytest.approx(usual.predicted.seconds - 100, abs=1)
    assert without.base == usual.base
    with pytest.raises(UsageError, match="MPI_Isend is no blocking collective"):
        predict(run, Change(program=(Without("sends", sends),)))


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


def test_operations_that_move_blocks_take_their_schedules(tmp_path: Path) -> None:
    from leadline import network

    found = predict(record(tmp_path, "blocks.c"), Change(network=network.parse(NETWORK).network))
    rooted, of_all = 2 * 1, 5 * 2  # messages in a step; two of a prefix reduction by recursive doubling
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
    for nameless in ("", ":", ":3"):
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

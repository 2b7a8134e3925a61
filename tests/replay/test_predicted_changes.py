"""Changes to the program in leadline predict: what must hold however long the recorded calls took."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


from leadline import _core
from leadline import predict as predicting
from leadline.errors import UsageError
from leadline.figures.run import Run
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
    packing,
    predict,
)
from leadline.predict.packing import Copies

from .predicted_runs import FIELDS, NETWORK, STEPS


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

    def seconds(copies: Copies) -> float:
        found = predict(fields, Change(network=given, program=program, copies=copies)).predicted
        assert found.low <= found.seconds <= found.high
        return found.seconds

    def expected(parts: float) -> object:
        return pytest.approx(STEPS * parts * ns * 1e-9, rel=1e-3)

    free = seconds(packing.NO_COPIES)
    # Rank 0 and rank 1 copy at the same time, before the send and after the receive.
    assert seconds(Copies(((1, ns),))) - free == expected(2 * packed_bytes)
    # Each touches four times as much: what it copies together, and what it copies apart. Where half as much would take
    # no time, the message, between data that are used less often, takes as much longer as a copy.
    touched = 4 * packed_bytes
    assert seconds(Copies(((touched // 2, 0.0), (touched, ns)))) - free == expected(3 * packed_bytes)
    assert seconds(Copies(((touched // 4, 0.0), (touched, ns)))) - free == expected(2.5 * packed_bytes)
    assert seconds(Copies(part=ns)) - free == expected(2 * FIELDS)
    assert seconds(Copies(fresh=ns)) - free == expected(packed_bytes)


def test_that_packing_may_gain_nothing_is_said(fields: Run) -> None:
    found = predict(fields, Change(program=(Pack("exchange_fields"),)))
    likely = predict(fields, Change(program=(Pack("exchange_fields"), Computation("exchange_fields", 1.2))))
    assert found.predicted.high >= likely.predicted.seconds  # as slow as that is within the interval
    assert any("(0 to 0.6 ns a byte, assumed)" in each for each in found.assumptions)
    assert any("0.015 ns a byte longer to arrive (0 to 0.04, assumed)" in each for each in found.assumptions)
    unclear = found.predicted.low < found.base.seconds < found.predicted.high
    assert unclear == any("Whether the change gains anything is unknown" in each for each in found.notes)
    from_file = _core.Network()
    from_file.copy_per_byte_ns, from_file.copy_uncached_per_byte_ns = 0.05, 0.2
    costs = packing.copy_costs(from_file)
    assert not costs.assumed
    assert costs.likely.per_byte == ((64 << 10, 0.05), (128 << 20, 0.2))
    assert costs.high.per_byte == ((16 << 10, 0.05), (32 << 20, 0.2))  # four times as much may be touched
    from_file.copy_2_mib_per_byte_ns = 0.1
    assert packing.copy_costs(from_file).likely.per_byte[1] == (4 << 20, 0.1)


def test_exchanges_and_sums_in_a_row_become_one(rows: Run) -> None:
    from leadline import network

    given = network.parse(NETWORK).network
    apart = predict(rows, Change(network=given))
    fields = predict(rows, Change(network=given, program=(Merge("swap_two"),), copies=packing.NO_COPIES))
    (made,) = fields.made
    assert (made.messages_before, made.messages_after) == (STEPS * 4, STEPS * 2)
    assert (made.calls_before, made.calls_after) == (STEPS * 2 * 6, STEPS * 2 * 3)
    assert apart.predicted.messages - fields.predicted.messages == STEPS * 2
    # A latency is 100 s: one of two in each step is gone at least, more where a rank was ahead of the other.
    assert apart.sensitivities[0] - fields.sensitivities[0] >= STEPS - 1
    assert apart.predicted.seconds - fields.predicted.seconds > (STEPS - 1) * 99
    dear = predict(rows, Change(network=given, program=(Merge("swap_two"),), copies=Copies(((1, 1e6),))))
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
    with pytest.raises(UsageError, match="MPI_Isend is neither a blocking collective nor a blocking message"):
        predict(run, Change(program=(Without("sends", sends),)))

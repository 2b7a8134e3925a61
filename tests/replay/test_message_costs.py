"""The costs of messages from when they were sent and received, where these are known by construction."""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from leadline import _core
from leadline.predict import message_costs
from leadline.predict.costs import Costs, _with_latency
from leadline.predict.eager_limit import eager_limit_of
from leadline.predict.message_costs import FEWEST, LATENCY_NS, costs_of, messages_of
from leadline.predict.recorded_network import figures_of
from replay.predicted_runs import FIELDS, STEPS, record

FUNCTIONS = ["MPI_Send", "MPI_Recv", "MPI_Waitall", "MPI_Sendrecv"]
SEND, RECEIVE, WAITALL, EXCHANGE = range(4)
EAGER = 4096


@dataclass
class Message:
    """As _core.MessageTime."""

    bytes: int
    sender: int
    receiver: int
    send_site: int
    done_site: int
    done: int
    send_begin_ns: float
    send_end_ns: float
    sent_begin_ns: float
    sent_end_ns: float
    posted_ns: float
    done_begin_ns: float
    done_end_ns: float
    within_host: bool = True


def sent(
    number: int,
    ends: tuple[int, int],
    late_ns: float,
    *,
    bytes: int,
    latency: float,
    send: float,
    cost: float,
    ahead: float = 0.0,
) -> Message:
    """late_ns: when the receive begins, after the message has left.   ahead: of the receiver's clock."""
    begin = 1e6 * number
    left = begin + send
    received = left + late_ns
    end = max(received, left + latency) + cost
    return Message(
        bytes, *ends, SEND, RECEIVE, number, begin, left, begin, left, received + ahead, received + ahead, end + ahead
    )


def both_ways(count: int, ahead: float = 0.0, late: bool = True, **costs: float) -> list[Message]:
    chance = random.Random(1)
    found = []
    for number in range(count):
        ends = (0, 1) if number % 2 else (1, 0)
        late_ns = chance.uniform(3e3, 9e3) if late and number % 4 < 2 else -chance.uniform(3e3, 9e3)
        found.append(sent(number, ends, late_ns, bytes=1000, ahead=ahead if ends == (0, 1) else -ahead, **costs))
    return found


@pytest.mark.parametrize("ahead", [0.0, 700.0, -1600.0])
def test_latency_and_costs_are_found_whatever_the_clocks(ahead: float) -> None:
    found = costs_of(both_ways(100, ahead, latency=300, send=40, cost=650), FUNCTIONS, EAGER)
    assert found is not None
    assert found.latency.value == pytest.approx(300, abs=1)
    assert found.send == pytest.approx(40, abs=1)
    cost = found.receives[RECEIVE, (1000).bit_length()]
    assert cost.whole == pytest.approx(650, abs=1)
    assert cost.own == pytest.approx(40, abs=1)  # as much as a send: the rest is the call's
    assert found.call == pytest.approx(610, abs=1)
    assert found.receives[RECEIVE, _core.MessageCosts.any_size] == cost
    assert "latency" not in found.assumed


def test_where_all_waited_a_latency_is_assumed_and_the_rest_is_cost() -> None:
    found = costs_of(both_ways(100, late=False, latency=LATENCY_NS, send=40, cost=650), FUNCTIONS, EAGER)
    assert found is not None
    assert "latency" in found.assumed
    assert found.receives[RECEIVE, 10].whole == pytest.approx(650, abs=1)


def test_long_messages_keep_both_ranks_busy() -> None:
    short = both_ways(100, latency=300, send=40, cost=650)
    long = []
    for number in range(100, 120):
        begin = 1e6 * number
        end = begin + 40 + 3 * 300 + 7000 + 650
        long.append(Message(70_000, 0, 1, SEND, RECEIVE, number, begin, end, begin, end, begin - 100, begin - 100, end))
    found = costs_of(short + long, FUNCTIONS, EAGER)
    assert found is not None
    assert found.busy == {70_000: pytest.approx(7000, abs=1)}
    assert found.receives[RECEIVE, (70_000).bit_length()].whole == pytest.approx(650, abs=1)


def test_too_few_messages_say_nothing() -> None:
    assert costs_of(both_ways(FEWEST - 1, latency=300, send=40, cost=650), FUNCTIONS, EAGER) is None


def test_a_cost_never_exceeds_what_a_quarter_of_the_calls_took() -> None:
    messages = both_ways(100, latency=300, send=40, cost=650)
    for each in messages[:40]:  # a rank that was interrupted
        if each.done_begin_ns > each.send_end_ns:
            each.done_end_ns += 5000
    found = costs_of(messages, FUNCTIONS, EAGER)
    assert found is not None
    shortest = sorted(each.done_end_ns - each.done_begin_ns for each in messages)
    assert found.receives[RECEIVE, 10].whole <= shortest[len(shortest) // 4 + 1]


def test_the_figures_of_a_network_give_the_times_of_its_messages_back() -> None:
    """Two sizes of short messages: overheads have a constant part and one for each byte."""
    messages = []
    for number in range(400):
        n_bytes = 4000 if number % 8 < 4 else 1000
        late_ns = 5e3 if number % 4 < 2 else -5e3
        ends = (0, 1) if number % 2 else (1, 0)
        costs = {"latency": 300.0, "send": 30 + 0.02 * n_bytes, "cost": 600 + 0.1 * n_bytes}
        messages.append(sent(number, ends, late_ns, bytes=n_bytes, **costs))
    found = costs_of(messages, FUNCTIONS, EAGER)
    assert found is not None
    figures = figures_of(found)
    assert figures["0.latency_ns"] == pytest.approx(300, abs=1)
    assert figures["0.overhead_ns"] == pytest.approx(30, abs=1)
    assert figures["0.overhead_per_byte_ns"] == pytest.approx(0.02, rel=0.01)
    assert figures["0.receive_overhead_ns"] == pytest.approx(600, rel=0.01)
    assert figures["0.receive_overhead_per_byte_ns"] == pytest.approx(0.1, rel=0.01)


def posted_late(number: int, n_bytes: int, waits: bool) -> Message:
    begin = 1e6 * number
    posted = begin + 50_000
    end = posted + 3_000 if waits else begin + 100
    return Message(n_bytes, 0, 1, SEND, RECEIVE, number, begin, end, begin, end, posted, posted, posted + 5_000)


def test_the_eager_limit_lies_between_what_was_sent_at_once_and_what_was_not() -> None:
    sizes = {100: False, 4000: False, 9000: True, 70_000: True}
    messages = [posted_late(i, n, waits) for i, (n, waits) in enumerate([*sizes.items()] * 10)]
    found = eager_limit_of(messages, FUNCTIONS)
    assert (found.low, found.high) == (4000, 9000)
    assert [found.nearest(default) for default in (1000, 8191, 65_536)] == [4000, 8191, 8999]
    nothing = eager_limit_of([], FUNCTIONS)
    assert (nothing.low, nothing.high, nothing.nearest(8191)) == (0, None, 8191)
    # Sends in place wait, whatever the limit; those that did not wait were copied.
    in_place = range(257, 4097)
    for waits in (True, False):
        messages = [posted_late(i, n, n > 500 and waits) for i, n in enumerate([300, 4000] * 10)]
        found = eager_limit_of(messages, FUNCTIONS, in_place)
        assert (found.nearest(4096), found.copied(in_place)) == (4096, 300 if waits else 4000)
    assert nothing.copied(in_place) == 256


def test_of_many_messages_those_of_some_iterations_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """fields.c: each of two ranks sends FIELDS messages in each of STEPS iterations."""
    run = record(tmp_path, "fields.c", "-g")
    everything = messages_of(run)
    assert len(everything) >= 2 * FIELDS * STEPS
    monkeypatch.setattr(message_costs, "MOST_MESSAGES", len(everything) // 4)
    some = messages_of(run)
    assert len(everything) // 8 <= len(some) <= len(everything) // 3
    ends = {(each.sender, each.receiver, each.bytes) for each in some}
    assert ends <= {(each.sender, each.receiver, each.bytes) for each in everything}
    monkeypatch.setattr(message_costs, "MOST_MESSAGES", 1)
    assert messages_of(run)  # one iteration in any case


@pytest.mark.parametrize("off", [0.08, -0.08])
def test_if_no_latency_helps_two_replays_tell(off: float) -> None:
    asked = []

    def error_of(costs: Costs) -> float:
        asked.append(costs)
        return off + 1e-6 * (costs.latency_ns - LATENCY_NS)

    assert _with_latency(Costs(EAGER), off, error_of) == (off, Costs(EAGER, error=off))
    assert len(asked) == 2


@pytest.mark.parametrize("latency_ns", [60.0, 450.0])
def test_the_latency_with_which_the_replay_is_close_is_found(latency_ns: float) -> None:
    def error_of(costs: Costs) -> float:
        return (costs.latency_ns - latency_ns) / 1000

    first = error_of(Costs(EAGER))
    left, found = _with_latency(Costs(EAGER), first, error_of)
    assert abs(left) < 0.02
    assert found.latency_ns == pytest.approx(latency_ns, abs=20)
    assert found.error == first

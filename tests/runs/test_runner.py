"""Launches in turn: their order, failures as results, limits, what is left out, and interruption."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from leadline.runs import runner
from leadline.runs.execute import execute
from leadline.runs.launch import Launch
from leadline.runs.order import Order, Turn, turns
from leadline.runs.outcome import Ending
from leadline.runs.runner import Done, Runner


def script(turn: Turn[str]) -> Launch:
    """The candidates are scripts."""
    return Launch(turn.candidate, ("sh", "-c", turn.candidate))


def test_turns_are_taken_in_order_and_failures_are_results() -> None:
    seen: list[str] = []
    finished = Runner().run(
        turns(["echo a", "echo b >&2; exit 3"], 2, Order.BACK_AND_FORTH),
        script,
        lambda done: seen.append(done.row()["label"]),
    )
    assert seen == ["echo a", "echo b >&2; exit 3", "echo b >&2; exit 3", "echo a"]
    rows = [each.row() for each in finished.done]
    assert [(row["round"], row["place"], row["reason"], row["last_lines"]) for row in rows] == [
        (0, 0, "", []),
        (0, 1, "exit code 3", ["b"]),
        (1, 0, "exit code 3", ["b"]),
        (1, 1, "", []),
    ]
    assert json.loads(json.dumps(rows)) == rows
    assert (finished.why, finished.interrupted, finished.not_begun, finished.complete_rounds()) == ("", False, [], 2)
    finished.interruption.end_if_any()


def test_a_launch_can_depend_on_those_before_it() -> None:
    walls: list[float] = []

    def limited(turn: Turn[str]) -> Launch:
        return Launch("x", ("sh", "-c", turn.candidate), limit_s=100 + len(walls) if walls else None)

    finished = Runner().run(turns(["true"], 3), limited, lambda done: walls.append(done.outcome.wall_s))
    assert [each.outcome.limit_s for each in finished.done] == [None, 101, 102]


def test_a_turn_without_a_launch_is_left_out() -> None:
    """As when its candidate is decided, or it was finished in an earlier session."""
    finished = Runner().run(
        turns(["echo a", "echo b"], 3), lambda turn: None if turn.candidate == "echo b" and turn.round else script(turn)
    )
    assert [each.outcome.output for each in finished.done] == ["a\n", "b\n", "a\n", "a\n"]
    assert [(turn.candidate, turn.round) for turn in finished.left_out] == [("echo b", 1), ("echo b", 2)]
    assert (finished.why, finished.complete_rounds()) == ("", 3)


def test_what_each_raises_ends_the_run() -> None:
    def refuse(done: Done[str]) -> None:
        raise ValueError(done.outcome.reason)

    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(ValueError, match="exit code 5"):
        Runner().run(turns(["exit 5"], 3), script, refuse)
    assert signal.getsignal(signal.SIGTERM) is before


def test_no_launch_is_begun_after_the_limit_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [1000.0]
    monkeypatch.setattr(runner, "time", SimpleNamespace(monotonic=lambda: clock[0]))

    def take_20_s(_: Done[str]) -> None:
        clock[0] += 20

    finished = Runner(total_limit_s=50).run(turns(["true", "echo"], 2), script, take_20_s)
    assert [each.turn.round for each in finished.done] == [0, 0, 1]
    assert [turn.candidate for turn in finished.not_begun] == ["true"]
    assert finished.why == "the time limit of 50 s for all launches was reached"
    assert finished.complete_rounds() == 1


def test_a_launch_that_the_limit_of_all_ends_has_no_result() -> None:
    """It might have been good: it is not a failure of its candidate."""
    finished = Runner(total_limit_s=0.2).run(turns(["exec sleep 250"], 2), script)
    assert finished.done == []
    assert [turn.round for turn in finished.not_begun] == [0, 1]
    assert finished.why == "the time limit of 0.2 s for all launches was reached"


def test_a_launch_that_its_own_limit_ends_is_a_failure() -> None:
    def limited(turn: Turn[str]) -> Launch:
        return Launch("x", ("sleep", "250"), limit_s=0.1)

    finished = Runner(total_limit_s=100).run(turns(["x"], 2), limited)
    assert [each.outcome.ending for each in finished.done] == [Ending.TIMED_OUT] * 2


def test_progress_says_what_runs_and_how_long_it_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(runner, "time", SimpleNamespace(monotonic=lambda: clock[0]))

    def take_60_s(_: Done[str]) -> None:
        clock[0] += 60

    said: list[str] = []
    Runner(said.append).run(turns(["true", "echo"], 2), script, take_60_s)
    assert said == [
        "repeat 1 of 2, launch 1 of 2: true",
        "repeat 1 of 2, launch 2 of 2: echo, about 3 min left",
        "repeat 2 of 2, launch 1 of 2: echo, about 2 min left",
        "repeat 2 of 2, launch 2 of 2: true, about 60 s left",
    ]
    said.clear()
    Runner(said.append).run(turns(["true"], 2), script)
    Runner(said.append).run(turns(["true"], 1), script)
    assert said == ["true: launch 1 of 2", "true: launch 2 of 2", "true"]


OUTER = """
import json, sys
from pathlib import Path
from leadline.runs.execute import execute
from leadline.runs.launch import Launch
from leadline.runs.order import turns
from leadline.runs.runner import Runner
mark, kept, how = sys.argv[1:]
before = json.loads(Path(kept).read_text()) if Path(kept).exists() else []
hangs = not before

def launch_of(turn):
    if [turn.candidate, turn.round] in before:
        return None
    hang = hangs and (turn.candidate, turn.round) == ("b", 1)
    words = ("sh", "-c", 'echo $$ > "$0"; exec sleep 250' if hang else "echo $0", mark)
    if hang and how == "within":
        execute(Launch("preparation", words))
    return Launch(turn.candidate, words)

finished = Runner().run(turns("ab", 3), launch_of)
done = before + [[each.turn.candidate, each.turn.round] for each in finished.done]
Path(kept).write_text(json.dumps(done))
print(finished.complete_rounds(), finished.why)
finished.interruption.end_if_any()
"""


@pytest.mark.parametrize("how", ["direct", "within"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_keeps_what_is_finished_and_is_resumed(
    how: str, number: signal.Signals, tmp_path: Path
) -> None:
    """Rotating: a b, b a, a b. The second round's b hangs; within: in a launch that prepares it."""
    mark, kept = tmp_path / "pid", tmp_path / "kept"
    words = [sys.executable, "-c", OUTER, str(mark), str(kept), how]
    outer = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not (mark.exists() and mark.read_text().endswith("\n")):
        time.sleep(0.02)
    outer.send_signal(number)
    out, _ = outer.communicate()
    assert outer.returncode == (-signal.SIGINT if number == signal.SIGINT else 128 + number)
    assert out == "1 interrupted\n"
    assert json.loads(kept.read_text()) == [["a", 0], ["b", 0]]
    again = subprocess.run(words, capture_output=True, text=True, check=True)
    assert again.stdout == "3 \n"
    assert json.loads(kept.read_text()) == [["a", 0], ["b", 0], ["b", 1], ["a", 1], ["a", 2], ["b", 2]]


def test_it_works_in_a_thread(tmp_path: Path) -> None:
    """There no signal can be noted, and none may be touched."""
    from threading import Thread

    found: list[str] = []

    def work() -> None:
        found.extend(each.outcome.output for each in Runner().run(turns(["echo a"], 2), script).done)
        found.append(execute(Launch("x", ("echo", "b"))).output)

    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert found == ["a\n", "a\n", "b\n"]


def test_launches_within_callbacks_are_launches_like_others() -> None:
    def prepared(turn: Turn[Callable[[], str]]) -> Launch:
        return Launch("x", ("echo", turn.candidate()))

    finished = Runner().run(turns([lambda: execute(Launch("y", ("echo", "from within"))).output.strip()], 1), prepared)
    assert [each.outcome.output for each in finished.done] == ["from within\n"]

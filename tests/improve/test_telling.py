"""What is said of a search, however it ended."""

import json
from typing import Any

from leadline.improve.improving import Improved
from leadline.improve.search import BASE, Search, Stage
from leadline.improve.setting import Setting
from leadline.improve.step import Measured
from leadline.improve.telling import as_json, lines


def told(search: Search) -> tuple[str, dict[str, Any]]:
    settings = {name: Setting(name, name, f"what {name} does", "a risk", 0.5) for name in search.standings}
    found = Improved(Measured.ITERATION, settings, [], search, 40, 60.0, 0.5)
    return "\n".join(lines(found, "better", ["mpiexec", "./app"])), json.loads(json.dumps(as_json(found)))


def ended(search: Search, times: dict[str, float]) -> Search:
    while wanted := search.wanted():
        search.take({name: times[name] for name in wanted})
    return search


def test_a_gain_is_told_with_the_line_to_type() -> None:
    text, data = told(ended(Search(["one"]), {BASE: 2.0, "one": 1.0}))
    assert text.startswith("Faster by 50 % (50 % to 50 %) of the time of an iteration of the main loop (500 ms")
    assert "leadline apply better/improve.toml -- mpiexec ./app" in text
    assert (data["confirmed"], data["gain"]) == (True, 0.5)


def test_no_gain_is_told_as_such() -> None:
    text, data = told(ended(Search(["one"]), {BASE: 1.0, "one": 1.0}))
    assert text.startswith("Nothing helps on this machine (500 ms unchanged): of 1 setting, none was proven to gain")
    assert "leadline apply" not in text
    assert (data["confirmed"], data["gain"], data["chosen"]) == (None, None, [])


def test_nothing_to_try_is_told_as_such() -> None:
    assert told(Search([]))[0].startswith("Nothing to try (500 ms unchanged)")


def test_without_time_it_is_not_said_that_nothing_could_help() -> None:
    found = Improved(Measured.ITERATION, {}, [], Search([]), 0, 0.0, None, why_over="--for left no time")
    assert lines(found, "better", ["./app"])[0] == "Nothing was proven to help so far."


def test_what_was_not_confirmed_is_told_as_such() -> None:
    search = Search(["one"])
    while search.stage is Stage.RACE:
        search.take({BASE: 2.0, "one": 1.0})
    assert "Nothing is proven yet" in told(search)[0]
    text, data = told(ended(search, {BASE: 1.0, "one": 1.0}))
    assert "one looked faster at first, but fresh launches did not confirm it" in text
    assert (data["confirmed"], data["gain"]) == (False, None)

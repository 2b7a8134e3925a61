"""The page as a reader meets it, in Chromium: its figures, its sections, and hostile data."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from leadline.figures.loops import NamedLoop
from leadline.figures.phases import PhaseEntry
from leadline.report import page as report_page
from leadline.report.sections.phases import perhaps_parts
from leadline.text import format as fmt
from leadline.wording.loops import restarting

from .conftest import Opened, seconds
from .synthetic import report_of, without_optional_parts
from .synthetic_parts import phases
from .synthetic_timeline import timeline_of

Show = Callable[..., Opened]
SECTIONS = [
    "ranks",
    "iterations",
    "timeline",
    "loops",
    "functions",
    "collectives",
    "calls",
    "call-tree",
    "routines",
    "samples",
    "regions",
    "sizes",
    "matrix",
    "files",
    "variables",
]


def test_the_page_holds_the_object_that_json_prints(show: Show) -> None:
    report = report_of(8)
    report["strange"] = [{"a": 1e-300, "b": None, "c": "\u2028</script><!--\ud800"}] * 5 + [{}]
    report["nested"] = [{"x": [{"y": [1, 2.5, True]}] * 3}] * 4
    read = show(report).tab.evaluate("leadline.report")
    surrogate_safe = json.loads(json.dumps(report))
    assert read["nested"] == report["nested"]
    assert {key: read[key] for key in report if key != "strange"} == {k: v for k, v in report.items() if k != "strange"}
    assert read["strange"][0]["a"] == surrogate_safe["strange"][0]["a"]
    assert len(read["strange"]) == 6


def test_the_verdict_comes_first_then_what_to_look_at(show: Show) -> None:
    report = report_of(8)
    opened = show(report)
    assert opened.tab.locator("main").inner_text().startswith(report["verdict"])
    assert opened.texts("h1 strong") == report["verdict_sentences"][:1]
    figures = opened.texts("h1 .unbroken")  # each on one line with its unit
    assert figures
    assert all(re.fullmatch(r"[\d.,]+ (%|×|[kMGTP]?B|[nµm]?s)", figure) for figure in figures)
    look = opened.tab.locator(".look li")
    assert [text.split(". ")[0] for text in look.all_inner_texts()] == [
        "Recording was paused on 1 rank for up to 1.50 s",
        "Rank 5 receives all of the message bytes",
    ]
    assert [each.get_attribute("title") for each in look.all()] == [
        "ranks: 1, at least 1",
        "ranks: 8, at least 4; times median: no bound, at least 2",
    ]
    assert opened.texts(".look a") == ["Losses and omissions", "Communication matrix"]
    for link in opened.tab.locator(".look a").all():
        assert opened.tab.locator(link.get_attribute("href")).count() == 1


def test_advice_is_drawn_as_cards_in_place_of_what_it_answers(show: Show) -> None:
    report = report_of(8)
    answered = next(each for each in report["findings"] if not each["in_verdict"])
    site = {"function": "MPI_Send", "routine": "halo", "file": "src/halo.c", "line": 7}
    proposal = {
        "kind": "pack",
        "title": "Pack <b>all</b>",
        "text": "Use one buffer.",
        "gain": 0.1,
        "gain_low": 0.05,
        "gain_high": 0.2,
        "seconds": 1.0,
        "sites": [site, site],
        "assumes": ["nothing needs them", "there is memory"],
        "sketch": {"language": "C++", "text": "// halo<b>.c\nint pack;"},
        "pitfalls": ["Mind the <i>order</i>."],
    }
    other = {**proposal, "title": "Leave out the barrier", "gain": 0.0, "unsure": False}
    advice = {
        "proposals": [proposal],
        "not_worth_it": [other, {**other, "title": "Balance", "unsure": True}],
        "answered": [answered["text"]],
        "ceiling": 0.2,
        "ceiling_of_network": 0.1,
        "ceiling_of_balance": 0.1,
    }
    opened = show({**report, "advice": advice})
    (card,) = opened.tab.locator(".advice ol > li").all_inner_texts()
    assert "10 % less time (5.0 % to 20 %)" in card
    assert "Pack <b>all</b>" in card
    assert "Check first that nothing needs them, and that there is memory." in card
    assert card.count("MPI_Send at halo.c:7") == 1
    assert "A sketch in C++, and pitfalls" in card
    assert opened.tab.locator(".advice details[open]").count() == 0
    opened.tab.locator(".advice summary").click()
    assert opened.tab.locator(".advice pre").inner_text() == proposal["sketch"]["text"]
    assert opened.tab.locator(".advice details li").all_inner_texts() == proposal["pitfalls"]
    (note,) = opened.texts(".advice > .note")
    assert note.startswith(
        "Gain not certain, from a run this short or irregular: balance. Not worth it here: leave out"
    )
    bar = opened.tab.locator(".gain-bar").bounding_box()
    value, interval = (opened.tab.locator(f".gain-{name}").bounding_box() for name in ("value", "range"))
    assert value["width"] == pytest.approx(bar["width"] / 2, abs=1)
    assert interval["x"] - bar["x"] == pytest.approx(bar["width"] / 4, abs=1)
    assert interval["x"] + interval["width"] == pytest.approx(bar["x"] + bar["width"], abs=1)
    assert answered["text"] not in opened.tab.locator(".look:not(.advice)").all_inner_texts()[0]
    assert opened.tab.evaluate("leadline.advice") == advice
    assert opened.tab.evaluate("'advice' in leadline.report") is False


def test_cards_show_an_iteration_before_and_after(show: Show) -> None:
    report = report_of(8)
    timeline = timeline_of(4, rounds=2)
    before, after = timeline["steps"][1], timeline["steps"][0]  # the slowest one and the typical one, half as long
    proposal = {
        "kind": "pack",
        "title": "Pack",
        "text": "Use one buffer.",
        **{"gain": 0.1, "gain_low": 0.05, "gain_high": 0.2, "seconds": 1.0},
        **{"sites": [], "assumes": [], "sketch": None, "pitfalls": []},
    }
    advice = {
        "proposals": [proposal, proposal, proposal],
        **{"not_worth_it": [], "answered": [], "ceiling": 0.2, "ceiling_of_network": 0.1, "ceiling_of_balance": 0.1},
        "timelines": {
            **{"ranks": timeline["ranks"], "ranks_why": None, "sites": timeline["sites"], "before": before},
            "after": [after, after, None],
        },
    }
    opened = show({**report, "advice": advice})
    cards = opened.tab.locator(".advice ol > li")
    assert [cards.nth(n).locator("details.before-after").count() for n in range(3)] == [1, 1, 0]
    assert [cards.nth(n).locator("canvas").count() for n in range(2)] == [2, 0]  # the first one is open
    said = cards.nth(0).locator("summary").inner_text()
    took = [seconds(max(step["lanes"]["to"]) * step["unit_s"]) for step in (before, after)]
    assert said == f"An iteration before and after: {took[0]} and {took[1]}, predicted"
    assert cards.nth(0).locator("figcaption").all_inner_texts() == [
        f"As recorded, replayed: {took[0]}",
        f"With the change, predicted: {took[1]}",
    ]
    cards.nth(1).locator("summary").click()
    cards.nth(1).locator("canvas").nth(1).wait_for()  # drawn when it is open
    canvas = cards.nth(0).locator("canvas").first
    assert canvas.bounding_box()["height"] < 220
    canvas.focus()
    for key in ("Home", "Enter"):
        opened.tab.keyboard.press(key)
    assert cards.nth(0).locator("[role=status]").first.inner_text().startswith("Rank 0: MPI_Isend in exchange")


def test_every_section_is_there_and_shows_the_figures_of_the_object(show: Show) -> None:
    report = report_of(8)
    opened = show(report)
    headings = opened.tab.evaluate("[...document.querySelectorAll('section')].map((each) => each.id)")
    assert headings == [*SECTIONS, "missing", "itself"]
    for row, rank in zip(opened.rows("ranks"), report["ranks_detail"], strict=True):
        assert [row[0], row[2], row[3]] == [str(rank["rank"]), seconds(rank["computation_s"]), seconds(rank["mpi_s"])]
        assert row[-1] == rank["host"]
    for section, entries, name in (
        ("functions", report["functions"], "function"),
        ("calls", report["places"], "function"),
    ):
        for row, entry in zip(opened.rows(section), entries, strict=True):
            assert row[0].split()[0] == entry[name]
            assert row[1:3] == [f"{entry['share'] * 100:.1f}", seconds(entry["time_s"])]
            assert row[4:7] == [fmt.count(entry["calls"]), seconds(entry["mean_s"]), seconds(entry["max_s"])]
            assert row[7] == (fmt.count(entry["messages"]) if entry["messages"] else "")
            assert row[8] == (fmt.size(entry["bytes"]) if entry["bytes"] else "")
    assert "src/halo.cpp:47" in opened.rows("calls")[0][0]
    for row, bucket in zip(opened.rows("sizes"), report["size_histogram"], strict=True):
        assert row[1:] == [fmt.count(bucket["messages"]), fmt.size(bucket["bytes"])]
    for row, pair in zip(opened.rows("matrix"), report["matrix"], strict=True):
        assert row[:4] == [
            str(pair["source"]),
            str(pair["target"]),
            fmt.count(pair["messages"]),
            fmt.size(pair["bytes"]),
        ]
    assert opened.rows("iterations")[0] == ["3,217", "5", "100 ms", "90.0 ms", "10.0 ms", "10.0 times"]
    assert [row[0] for row in opened.rows("regions")] == ["step", "halo"]
    assert [row[0] for row in opened.rows("loops")] == [
        "main step.f90:100 (main loop)",
        "solve step.f90:200",
        "halo step.f90:300",
    ]
    assert [row[3] for row in opened.rows("loops")] == ["200", "7 to 9", "≥ 5"]
    assert opened.rows("files")[0][:5] == ["/scratch/data/forcing.nc", "8", "8", "3.20 s", "120"]
    assert opened.rows("variables")[0][0].startswith("unexpected_recvq_length")
    assert opened.texts("#itself dd")[0] == f"{seconds(report['overhead']['own_s'])} of the ranks' time (<0.1 %)"


def test_parts_that_were_not_recorded_leave_no_empty_sections(show: Show) -> None:
    opened = show(without_optional_parts(report_of(1)))
    present = opened.tab.evaluate("[...document.querySelectorAll('section')].map((each) => each.id)")
    assert present == [
        "ranks",
        "functions",
        "collectives",
        "calls",
        "call-tree",
        "routines",
        "sizes",
        "missing",
        "itself",
    ]
    assert opened.texts("nav li") == [
        "Time by rank",
        "MPI functions",
        "Collectives by class",
        "Call sites",
        "Call paths",
        "Routines",
        "Message sizes",
        "Losses and omissions",
        "Leadline itself",
    ]


def test_a_run_with_nothing_in_it_and_losses_is_shown(show: Show) -> None:
    report = without_optional_parts(report_of(2))
    empty: list[Any] = []
    report |= dict.fromkeys(
        (
            "functions",
            "collective_classes",
            "sites",
            "places",
            "routines",
            "call_tree",
            "call_paths",
            "size_histogram",
            "matrix",
        ),
        empty,
    )
    report |= {"complete": False, "ranks": 5, "library": "", "start": None, "command": None, "command_duration_s": None}
    report["losses"] = [{"code": "missing-ranks", "amount": 3, "message": "ranks 2-4 left no trace", "rank": None}]
    for rank in report["ranks_detail"]:
        rank |= {"computation_s": 0.0, "mpi_s": 0.0, "io_s": 0.0, "complete": False, "finalized": False}
        rank["by_kind_s"] = dict.fromkeys(rank["by_kind_s"], 0.0)
    report |= {"mpi_s": 0.0, "computation_s": 0.0}
    opened = show(report)
    assert opened.texts(".warning") == ["This run is incomplete: 1 kind of loss. What is missing"]
    assert opened.rows("missing")[0] == ["missing-ranks", "all", "3", "ranks 2-4 left no trace"]
    assert opened.texts(".look a") == ["Losses and omissions"]  # there is no matrix to lead to


def test_a_run_that_ended_at_its_start_has_no_shares(show: Show) -> None:
    report = without_optional_parts(report_of(2))
    report |= {"ended_at_start": {"all_ranks": True, "in_init": [0, 1], "after_init": [], "aborted": []}}
    sentence = "The run ended during start-up: MPI_Init did not return on ranks 0, 1."
    report |= {"verdict": sentence, "verdict_sentences": [sentence], "time_parts": [], "complete": False}
    report |= {"mpi_share": None, "duration_s": None, "mpi_s": 0.0, "computation_s": 0.0}
    report["overhead"] = {"own_s": 0.03, "per_call_ns": 5e6, "fraction": None}
    opened = show(report)
    assert opened.texts("h1") == [report["verdict"]]
    assert opened.texts(".strip") == []
    assert [text for text in opened.texts("header dd") if "MPI_Init" in text or "is MPI" in text] == []
    assert opened.texts("#itself dd")[0] == "30.0 ms"
    assert "NaN" not in opened.texts("body")[0]


def test_a_thousand_ranks(show: Show) -> None:
    opened = show(report_of(1_000))
    assert len(opened.rows("ranks")) == 16
    assert opened.texts("#ranks .rest")[0].split("\n")[0].startswith("984 more not shown")
    opened.tab.locator("#ranks .more").click()
    assert len(opened.rows("ranks")) == 216
    opened.tab.locator("#ranks input").fill("777")
    assert [row[0] for row in opened.rows("ranks")] == ["777"]
    assert opened.texts("#ranks [role=status]") == ["1 rank of 1,000 match"]
    canvas = opened.tab.locator("canvas.matrix")
    assert "Each cell: 2 × 2 ranks" in opened.texts("#matrix figcaption")[0]
    canvas.press("ArrowRight")
    canvas.press("ArrowRight")
    assert opened.texts("#matrix [role=status]")[0] == "From ranks 0–1 to ranks 2–3: 5,000 messages, 46.1 MB"


def test_files_without_any_call_have_no_section(show: Show) -> None:
    report = report_of(4)
    report["io"] |= {"files": [], "calls": 0, "mpi_io": None}
    assert "files" not in show(report).tab.evaluate("[...document.querySelectorAll('section')].map((each) => each.id)")


def test_hostile_names_are_text(show: Show) -> None:
    evil = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>&lt;b&gt;\"'"
    report = _with_every_text(report_of(12), evil)
    report["losses"] = [{"code": evil, "amount": 1, "message": evil, "rank": evil}]
    opened = show(report)
    opened.tab.evaluate("document.querySelectorAll('button.open, summary').forEach((each) => each.click())")
    assert opened.tab.evaluate("window.hacked") is None
    assert opened.tab.locator("img, iframe, object").count() == 0
    assert opened.tab.locator("h1").inner_text() == f"{evil} {evil}"  # of two sentences
    assert opened.rows("functions")[0][0] == evil
    assert opened.tab.evaluate("document.scripts.length") == 3


def _with_every_text(value: Any, text: str) -> Any:
    if isinstance(value, dict):
        return {key: _with_every_text(item, text) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_every_text(item, text) for item in value]
    return text if isinstance(value, str) else value


def test_names_of_worlds_and_of_unknown_ranks(show: Show) -> None:
    report = report_of(3)
    names = {0: "0.0", 1: "1.0", 2: "pid 77"}
    for rank in report["ranks_detail"]:
        rank["rank"] = names[rank["rank"]]
    for pair in report["matrix"]:
        pair["source"], pair["target"] = names[pair["source"]], names[pair["target"]]
    report["matrix"].append({"source": "1.0", "target": None, "messages": 7, "bytes": 70})
    opened = show(report)
    assert [row[0] for row in opened.rows("ranks")] == ["0.0", "1.0", "pid 77"]
    assert opened.rows("matrix")[-1][:2] == ["1.0", "unknown"]
    assert "Not shown: 7 messages" in opened.texts("#matrix > .note")[-1]


def test_the_strip_shows_the_parts_of_the_time_that_the_report_computed(show: Show) -> None:
    opened = show(report_of(8))
    assert opened.texts(".strip li") == ["computation 91 %", "waiting 6.8 %", "transfer 2.2 %", "start-up 2.00 s"]


def test_without_scripts_the_verdict_can_still_be_read(show: Show) -> None:
    report = report_of(4)
    opened = show(report, java_script_enabled=False)
    assert opened.texts("h1") == [report["verdict"]]
    assert "leadline report leadline-runs/ocean-1" in opened.texts("main")[0]


def test_a_section_that_fails_leaves_the_others(open_page: Any, browser: Any, tmp_path: Path) -> None:
    report = copy.deepcopy(report_of(4))
    report["regions"] = [None]
    file = tmp_path / "report.html"
    report_page.write_page(report, file)
    tab = browser.new_page()
    try:
        tab.goto(file.as_uri())
        assert "Cannot draw this section" in tab.locator("#regions").inner_text()
        assert tab.locator("#itself dd").count() > 3
    finally:
        tab.close()


def test_iterations_say_which_loop_of_the_source_they_are(show: Show) -> None:
    report = report_of(4)
    loop = {"routine": "step", "file": "/home/me/ocean/src/main.cpp", "line": 21, "share": 0.9}
    report["iterations"] |= loop
    remark = show(report).texts("#iterations .remark")[0]
    assert remark.startswith("The loop at src/main.cpp:21 in step, 90 % of the ranks' time: 5,000 iterations")


@pytest.mark.parametrize(("outer", "trips"), [(0, 0), (0, 1), (20, 70)])
def test_what_calls_show_of_steps_is_told_in_the_words_of_the_terminal(show: Show, outer: int, trips: int) -> None:
    def around(routine: str, line: int, restarts: int) -> NamedLoop:
        more = {"at_least": True, "around": (), "restarts": restarts, "restart_iterations": trips}
        return NamedLoop(1, routine, "/src/step.f90" if line else "", line, line, (), 0, 0.0, 0.0, **more)

    loops = (around("sweep", 40, 1_200), around("advance", 0, outer))
    data = [
        {"routine": loop.routine, "file": loop.file or None, "line": loop.line or None, "restarts": loop.restarts_json}
        for loop in loops
    ]
    report = report_of(4)
    main = {"name": "solve", "kind": "loop", "parent": None, "iterations": 40, "around": data}
    report["phases"] = [{**phases()[0], **main}]
    report["iterations"] |= {"at_least": True, "restarts": loops[0].restarts_json}
    opened = show(report)
    words = perhaps_parts(
        cast(PhaseEntry, SimpleNamespace(around=loops, commanding=None, waits_for_cores=False, rival=None))
    )
    assert f"{words[:1].upper()}{words[1:]}." in opened.texts("#phases .remark")[0]
    assert f"({restarting(loops[0])})" in opened.texts("#iterations .remark")[0]


@pytest.mark.parametrize("why", ["commanding", "waits", "rival"])
def test_a_main_loop_that_may_not_be_the_steps_is_told_in_the_words_of_the_terminal(show: Show, why: str) -> None:
    loop = NamedLoop(1, "steps", "/src/model.c", 12, 14, (), 1_200, 0.0, 0.12, True, (), 0, 0)
    own = {"routine": loop.routine, "file": loop.file, "line": loop.line, "iterations": loop.iterations}
    main = {"name": "obey", "kind": "loop", "parent": None, "around": [], "driver": None}
    main["waits_for_cores"] = waits = why == "waits"
    main["commanding"] = {"rank": "0", **own} if why == "commanding" else None
    main["rival"] = {**own, "at_least": True, "about": False, "share": loop.share} if why == "rival" else None
    report = report_of(4)
    report["phases"] = [{**phases()[0], **main}]
    entry = SimpleNamespace(around=(), driver="", commanding=None, waits_for_cores=waits, rival=None)
    entry.commanding = ("0", loop) if why == "commanding" else None
    entry.rival = loop if why == "rival" else None
    words = perhaps_parts(cast(PhaseEntry, entry))
    assert f"{words[:1].upper()}{words[1:]}." in show(report).texts("#phases .remark")[0]


def test_iterations_say_where_one_ends_and_what_was_kept(show: Show) -> None:
    remark = show(report_of(4)).texts("#iterations .remark")[0]
    assert "5,000 iterations of 6 MPI calls per rank; each ends with MPI_Allreduce in step (src/main.cpp:21)" in remark
    assert "They were kept for 4 iterations, the same on all ranks" in remark


def test_one_sided_operations_have_a_section_of_their_own(show: Show) -> None:
    report = report_of(4)
    report["matrix"] = [
        {"source": r, "target": (r + 1) % 4, "messages": 0, "bytes": 0}
        | {"one_sided_operations": 1_600, "bytes_put": 0, "bytes_got": 1_228_800}
        for r in range(4)
    ]
    report["size_histogram"], report["sizes"] = [], []
    report["totals"] |= {"messages": 0, "one_sided_operations": 6_400, "puts": 0, "gets": 6_400, "accumulates": 0}
    report["totals"] |= {"bytes_put": 0, "bytes_got": 4_915_200}
    report["one_sided_size_histogram"] = [{"from": 512, "to": 1_024, "operations": 6_400, "bytes": 4_915_200}]
    report["one_sided_sizes"] = [{"bytes": 768, "operations": 6_400}]
    opened = show(report)
    present = opened.texts("nav li")
    assert "One-sided communication" in present
    assert "Communication matrix" not in present
    assert opened.texts("#one-sided .remark")[0].startswith("6,400 gets. ")
    assert opened.rows("one-sided", 0)[0] == ["0", "1", "1,600", "0 B", "1.23 MB"]
    assert opened.rows("one-sided", 1) == [["512 … <1 Ki", "6,400", "4.92 MB"]]
    assert opened.texts("#one-sided .choice label") == ["bytes got", "operations"]
    canvas = opened.tab.locator("#one-sided canvas.matrix")
    canvas.press("ArrowRight")
    canvas.press("ArrowRight")
    said = opened.texts("#one-sided [role=status]")[0]
    assert said == "Origin rank 0, target rank 1: 1,600 operations, 0 B by puts, 1.23 MB by gets"
    assert "one-sided operations, 0 B by puts, 4.92 MB by gets\n6,400" in opened.texts(".figures > div")

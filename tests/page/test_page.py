"""The page as a reader meets it, in Chromium: its figures, its tables, its looks, and hostile data."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from leadline.figures.loops import NamedLoop
from leadline.figures.phases import PhaseEntry
from leadline.report import page as report_page
from leadline.report.page import document
from leadline.report.sections.phases import perhaps_parts
from leadline.text import format as fmt
from leadline.wording.loops import restarting

from .conftest import Opened, seconds
from .synthetic import report_of, without_optional_parts

Show = Callable[..., Opened]
FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 20))))"
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
CHARTS = pytest.mark.skipif(
    not (Path(document.__file__).parent / "from_npm" / "uPlot.js").is_file(), reason="uPlot could not be had from npm"
)


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


@CHARTS
def test_charts_are_drawn_beside_their_tables(show: Show) -> None:
    opened = show(report_of(1_000))
    assert [opened.tab.locator(f"#{name} .uplot canvas").count() for name in ("ranks", "iterations", "sizes")] == [
        1,
        1,
        1,
    ]
    painted = """(name) => { const canvas = document.querySelector(`#${name} canvas`);
        const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        return new Set(new Uint32Array(data.buffer)).size; }"""
    for name in ("ranks", "iterations", "sizes"):
        assert opened.tab.evaluate(painted, name) > 3, f"the chart of {name} is empty"


def test_without_uplot_every_table_is_there_and_the_page_says_what_is_missing(
    show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    styles, _ = document._assets()
    monkeypatch.setattr(document, "_assets", lambda: (styles, "// none"))
    opened = show(report_of(100))
    notes = [text for text in opened.texts(".note") if "uPlot" in text]
    assert len(notes) == 3
    assert len(opened.rows("ranks")) == 16
    assert opened.rows("iterations", 1)[0][0] == "0–19"


def test_tables_sort_and_filter_by_keyboard(show: Show) -> None:
    opened = show(report_of(20))
    heading = opened.tab.locator("#ranks thead button", has_text="Computation")
    heading.focus()
    opened.tab.keyboard.press("Enter")
    assert heading.locator("..").get_attribute("aria-sort") == "descending"
    assert opened.rows("ranks")[0][0] == "0"
    opened.tab.keyboard.press("Enter")
    assert heading.locator("..").get_attribute("aria-sort") == "ascending"
    assert opened.rows("ranks")[-1][0] == "0"
    opened.tab.locator("#ranks tbody button.open").first.focus()
    opened.tab.keyboard.press("Space")
    assert "process 1" in opened.texts("#ranks tr.detail:not([hidden])")[0]
    opened.tab.keyboard.press("Space")
    assert opened.tab.locator("#ranks tr.detail:not([hidden])").count() == 0


def test_a_call_site_opens_to_its_whole_path_and_its_spread(show: Show) -> None:
    opened = show(report_of(4))
    opened.tab.locator("#calls tbody button.open").first.click()
    detail = opened.texts("#calls tr.detail:not([hidden])")[0]
    for text in (
        "ocean::step /home/me/ocean/src/main.cpp:21",
        "/home/me/ocean/src/halo.cpp:47",
        "rank 3",
        "max on rank 3",
    ):
        assert text in detail, detail


def test_a_click_on_a_row_opens_it(show: Show) -> None:
    opened = show(report_of(4))
    row = opened.tab.locator("#calls tbody tr.row").first
    detail = opened.tab.locator("#calls tr.detail:not([hidden])")
    row.locator("td.number").first.click()
    assert detail.count() == 1
    assert row.locator("button.open").get_attribute("aria-expanded") == "true"
    detail.locator("code").first.click()  # reading closes nothing
    assert detail.count() == 1
    row.locator("td.number").first.click()
    assert detail.count() == 0


@pytest.mark.ci
def test_every_heading_says_what_its_column_is(show: Show) -> None:
    report = report_of(64) | {"waits": _waits(), "patterns": _patterns(), "efficiency": _efficiency()}
    report |= {"phases": _phases(), "critical_path": {"steps": 3, "parts": [_part(rank) for rank in range(4)]}}
    opened = show(report)
    opened.tab.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    headings = opened.tab.locator(".table thead th > .explained").all()
    assert len(headings) == opened.tab.locator(".table thead th").count() > 100
    said = [heading.get_attribute("aria-description") for heading in headings]
    assert all(len(text) >= 10 for text in said)
    opened.tab.locator("#calls thead button", has_text="Longest").focus()
    assert opened.texts(".tip:not([hidden])") == ["Time of the longest single call"]
    box = opened.tab.locator(".tip").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 1_280
    opened.tab.keyboard.press("Escape")
    assert opened.texts(".tip:not([hidden])") == []
    opened.tab.locator("#ranks thead th", has_text="Time breakdown").hover()
    assert opened.texts(".tip:not([hidden])")[0].startswith("Time by kind")
    keys = opened.tab.locator("#calls p.key")
    assert "min, median and max over ranks" in keys.inner_text()
    assert keys.locator(".range").count() == 1


@pytest.mark.ci(width=420, scheme="light")
@pytest.mark.ci(width=1_180, scheme="dark")
@pytest.mark.parametrize("width", [420, 1_180])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_column_is_cut_and_what_has_no_room_is_in_the_opened_row(show: Show, width: int, scheme: str) -> None:
    report = report_of(64) | {"waits": _waits(), "patterns": _patterns(), "efficiency": _efficiency()}
    for site in report["places"]:
        site["path"] = [
            f"ocean::Solver<double, std::vector<int>>::very_long_name_of_a_routine_{i}(int)" for i in range(9)
        ]
    opened = show(report, width=width, scheme=scheme)
    opened.tab.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    opened.tab.evaluate(FRAMES)
    wide = """[...document.querySelectorAll(".scroll")].filter((each) => each.scrollWidth > each.clientWidth)
        .map((each) => each.getAttribute("aria-label"))"""
    assert opened.tab.evaluate(wide) == []
    assert opened.tab.evaluate("document.documentElement.scrollWidth") <= width
    for section in ("ranks", "calls", "waits", "patterns"):
        shown = opened.tab.locator(f"#{section} .table").first.locator("thead th:visible").all_inner_texts()
        hidden = opened.tab.evaluate(
            """(id) => { const table = document.querySelector(`#${id} .table table`);
              const [first] = table.tBodies[0].rows;
              return [...table.tHead.rows[0].cells]
                .filter((head, i) => head.matches("th[hidden]") && first.cells[i].innerHTML)
                .map((head) => head.textContent); }""",
            section,
        )
        opened.tab.locator(f"#{section} tbody button.open").first.click()
        others = opened.texts(f"#{section} tr.detail:not([hidden]) .inside > dl.others:first-child dt")
        assert others == hidden
        assert len(shown) >= 2
        assert (width == 420) <= bool(hidden)
    assert opened.tab.evaluate(wide) == []


def test_a_table_takes_its_columns_back_when_there_is_room_again(show: Show) -> None:
    opened = show(report_of(4), width=420)
    hidden = opened.tab.locator("#calls thead th[hidden]")
    assert hidden.count() > 2
    for width, few in ((1_600, True), (420, False)):
        opened.tab.set_viewport_size({"width": width, "height": 900})
        opened.tab.wait_for_function(
            "few => (document.querySelectorAll('#calls thead th[hidden]').length === 0) === few", arg=few
        )
    opened.tab.emulate_media(media="print")
    opened.tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert hidden.count() == 0


def test_everything_can_be_reached_and_opened_with_the_keyboard_alone(show: Show) -> None:
    report = report_of(24) | {"waits": _waits(), "patterns": _patterns(), "efficiency": _efficiency()}
    opened = show(report)
    marks = """() => {
      const wanted = [...document.querySelectorAll(".scroll, canvas.timeline, canvas.matrix, .plot, summary")]
        .filter((each) => each.checkVisibility());
      wanted.forEach((each, i) => (each.dataset.wanted = i));
      return wanted.length; }"""
    wanted = opened.tab.evaluate(marks)
    assert wanted > 20
    opened.tab.evaluate("""() => { window.reached = new Set();
      addEventListener("focusin", ({ target }) => window.reached.add(target.dataset.wanted)); }""")
    # Stops are each reached once before the first comes again.
    stops = opened.tab.evaluate("""() => [...document.querySelectorAll("a, button, input, summary, [tabindex='0']")]
        .filter((each) => each.checkVisibility()).length""")
    for _ in range(stops):
        opened.tab.keyboard.press("Tab")
    reached = opened.tab.evaluate("[...window.reached].filter((each) => each !== undefined).map(Number)")
    assert sorted(reached) == list(range(wanted))
    for section in ("ranks", "waits", "patterns", "functions", "calls", "routines", "variables"):
        opened.tab.locator(f"#{section} tbody button.open").first.focus()
        opened.tab.keyboard.press("Enter")
        assert opened.tab.locator(f"#{section} tr.detail:not([hidden])").count() == 1
        assert len(opened.texts(f"#{section} tr.detail:not([hidden])")[0]) > 10


@CHARTS
def test_keys_move_in_a_chart_and_its_legend_says_what_is_there(show: Show) -> None:
    report = report_of(24)
    opened = show(report)
    for section, first, last in (("ranks", "0", "23"), ("sizes", "0", "8 Ki … <16 Ki")):
        opened.tab.locator(f"#{section} .plot").focus()
        for key, wanted in (("Home", first), ("ArrowLeft", first), ("End", last)):
            opened.tab.keyboard.press(key)
            opened.tab.wait_for_function(
                "([section, wanted]) => document.querySelector(`#${section} .u-value`).textContent === wanted",
                arg=[section, wanted],
            )


def test_long_names_are_shortened_and_whole_on_hover(show: Show) -> None:
    report = report_of(4)
    long = {
        "std::map<long, std::vector<int>>::exchange_it(int, double const*)": "std::map<…>::exchange_it()",
        "ocean::detail::" * 6 + "halo": "…::ocean::detail::ocean::detail::ocean::detail::halo",
        "operator<< <std::char_traits<char>, more_and_more_and_more_and_more>": None,
        "x" * 90: "x" * 56 + "…",
        "short<int>::name(int)": "short<int>::name(int)",
    }
    report["routines"] = [{**report["routines"][0], "routine": name, "full": name, "at_least": False} for name in long]
    opened = show(report)
    for (whole, short), row in zip(long.items(), opened.rows("routines"), strict=True):
        assert len(row[0]) <= 61
        assert short is None or row[0] == short
        name = opened.tab.locator("#routines tbody .name", has_text=row[0]).first
        assert name.get_attribute("title") == (None if row[0] == whole else whole)


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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground_in_light_and_dark(show: Show, scheme: str) -> None:
    opened = show(report_of(4), scheme=scheme)
    ratios = opened.tab.evaluate("""() => {
      const channel = (value) => ((value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
      const probe = document.body.appendChild(document.createElement("i"));
      const light = (name) => { probe.style.color = `var(${name})`;
        const [r, g, b] = getComputedStyle(probe).color.match(/[\\d.]+/g).map(Number).map(channel);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
      const ratio = (a, b) => {
        const [x, y] = [light(a), light(b)].sort((m, n) => n - m);
        return (x + 0.05) / (y + 0.05); };
      const grounds = ["--panel", "--ground", "--hover"];
      const ratios = ["--ink", "--muted", "--link"].flatMap((text) => grounds.map((ground) => ratio(text, ground)));
      return [...ratios, ratio("--warn", "--warn-ground")];
    }""")
    assert min(ratios) >= 4.5
    is_dark = opened.tab.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(20, 23, 26)"
    assert is_dark == (scheme == "dark")
    opened.tab.locator("button.theme").click()  # from the system's to light
    assert opened.tab.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(247, 247, 245)"


@pytest.mark.ci(800, 2200)
@pytest.mark.parametrize("width", [360, 800, 2200])
def test_no_window_is_too_narrow(show: Show, width: int) -> None:
    opened = show(report_of(64), width=width)
    assert opened.tab.evaluate("document.documentElement.scrollWidth") <= width
    for button in ("#functions", "#calls", "#files"):
        opened.tab.locator(f"{button} button.open").first.click()
    assert opened.tab.evaluate("document.documentElement.scrollWidth") <= width


@CHARTS
def test_charts_follow_the_window(show: Show) -> None:
    opened = show(report_of(64), width=1_300)
    wide = opened.tab.locator("#iterations .uplot").bounding_box()["width"]
    opened.tab.set_viewport_size({"width": 500, "height": 800})
    opened.tab.evaluate("""async () => {
      const width = () => document.querySelector("#iterations .uplot").clientWidth;
      for (let frame = 0; frame < 600 && width() >= 500; frame++) await new Promise(requestAnimationFrame);
    }""")
    assert opened.tab.locator("#iterations .uplot").bounding_box()["width"] < 500
    assert wide > 900
    assert opened.tab.evaluate("document.documentElement.scrollWidth") <= 500


def test_on_paper_there_are_no_controls_and_all_is_light(show: Show) -> None:
    opened = show(report_of(64), scheme="dark")
    opened.tab.emulate_media(media="print")
    opened.tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert not any(opened.tab.locator(name).first.is_visible() for name in ("nav", "input.filter", "button.open"))
    assert opened.tab.evaluate("[...document.querySelectorAll('details')].every((each) => each.open)")
    assert (
        opened.tab.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--panel')").strip()
        == "#ffffff"
    )
    opened.tab.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not opened.tab.evaluate("[...document.querySelectorAll('details')].some((each) => each.open)")
    assert opened.tab.pdf().startswith(b"%PDF")


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
    report["phases"] = [{**_phases()[0], **main}]
    report["iterations"] |= {"at_least": True, "restarts": loops[0].restarts_json}
    opened = show(report)
    words = perhaps_parts(cast(PhaseEntry, SimpleNamespace(around=loops)))
    assert f"{words[:1].upper()}{words[1:]}." in opened.texts("#phases .remark")[0]
    assert f"({restarting(loops[0])})" in opened.texts("#iterations .remark")[0]


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


def _where(line: int) -> dict[str, Any]:
    return {"function": "MPI_Waitall", "routine": "ocean::Halo<double>::exchange", "file": "/o/halo.cpp", "line": line}


def _part(rank: int) -> dict[str, Any]:
    return {"rank": rank, "doing": ("computation", "io", "mpi", "unknown")[rank % 4], "site": _where(7), "share": 0.2}


def _waits() -> list[dict[str, Any]]:
    return [
        {"kind": kind, "site": _where(line), "rank": rank, "seconds": 0.5 / (1 + rank), "interval_s": None}
        | {"cause": [_part(rank), _part(rank + 1)]}
        for kind in ("late_sender", "wait_at_n_to_n")
        for line in (3, 4)
        for rank in range(9)
    ]


def _patterns() -> list[dict[str, Any]]:
    found = {"pattern": "nearest_neighbour", "title": "nearest-neighbour exchange", "ranks": 4, "messages": 40}
    found |= {"sites": [_where(3)], "routines": ["main", "step", "a", "exchange"], "files": [], "bytes": 4_000}
    found |= {"messages_per_step": 8.0, "bytes_per_step": 800.0, "time_s": 1.0, "share": 0.1}
    return [{**found, "evidence": {"dims": [2, 2], "periodic": [1, 0], "corners": False, "part": 0.25, "no": None}}]


def _efficiency() -> dict[str, Any]:
    run = {"parallel": 0.5, "load_balance": 0.8, "communication": 0.625}
    return {"method": "POP", "run": run, "phases": [{"name": "main loop", "kind": "loop", **run}]}


def _phases() -> list[dict[str, Any]]:
    phase = {"name": "main loop", "parent": None, "time_s": 2.0, "iterations": 5, "every": None, "period_s": 0.4}
    phase |= {"computation_s": 1.0, "mpi_s": 0.8, "wait_s": 0.3, "io_s": 0.2, "class": "computation"}
    return [phase | {"file": "/o/main.cpp", "line": 5}]

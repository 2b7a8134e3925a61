"""The tables of the page in Chromium: sorted, filtered and opened, by mouse and keyboard, in windows of any width."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .conftest import Opened
from .synthetic import report_of
from .synthetic_parts import efficiency, part, patterns, phases, waits

Show = Callable[..., Opened]
FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 20))))"


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
    report = report_of(64) | {"waits": waits(), "patterns": patterns(), "efficiency": efficiency()}
    report |= {"phases": phases(), "critical_path": {"steps": 3, "parts": [part(rank) for rank in range(4)]}}
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
    report = report_of(64) | {"waits": waits(), "patterns": patterns(), "efficiency": efficiency()}
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
    report = report_of(24) | {"waits": waits(), "patterns": patterns(), "efficiency": efficiency()}
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

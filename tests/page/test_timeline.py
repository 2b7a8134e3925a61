"""The timeline in Chromium: what it draws, and that mouse, keyboard and filters show the same facts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from leadline.report.page import page

from .conftest import Opened
from .synthetic import report_of
from .synthetic_timeline import in_tiles, timeline_of

Show = Callable[..., Opened]

# How many pixels of the canvas have each colour, named by its variable in the page's styles.
PAINTED = """(names) => { const canvas = document.querySelector("#timeline canvas");
  const probe = document.body.appendChild(document.createElement("i"));
  const wanted = names.map((name) => { probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color.match(/\\d+/g).map(Number); });
  const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
  const context = copy.getContext("2d", { willReadFrequently: true });
  context.drawImage(canvas, 0, 0);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  const counts = names.map(() => 0);
  for (let i = 0; i < data.length; i += 4)
    wanted.forEach(([r, g, b], at) => { counts[at] += data[i] === r && data[i + 1] === g && data[i + 2] === b; });
  probe.remove();
  return Object.fromEntries(names.map((name, at) => [name, counts[at]])); }"""
COLORS = ["--timeline-ground", "--point-to-point", "--completion", "--collective", "--files", "--critical"]


def painted(opened: Opened) -> dict[str, int]:
    """Once that stays: the canvas is drawn again when the page has got its width."""
    found: dict[str, int] = {}
    for _ in range(100):
        before, found = found, opened.tab.evaluate(PAINTED, COLORS)
        if found == before:
            break
        opened.tab.wait_for_timeout(50)
    return found


def status(opened: Opened) -> str:
    return opened.texts("#timeline .timeline-figure [role=status]")[0]


def keys(opened: Opened, *names: str) -> None:
    opened.tab.locator("#timeline canvas").focus()
    for name in names:
        opened.tab.keyboard.press(name)


def choose(opened: Opened, text: str) -> None:
    opened.tab.locator("#timeline label", has_text=text).locator("input").click()


@pytest.mark.ci("dark")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_calls_of_every_category_are_drawn_on_computation(show: Show, scheme: str) -> None:
    opened = show(report_of(8), scheme=scheme)
    typical = painted(opened)
    assert all(typical[color] > 50 for color in COLORS[:4]), typical
    assert typical["--files"] == 0
    choose(opened, "With output: iteration 200")
    assert painted(opened)["--files"] > 50
    assert opened.texts("#timeline .about-step")[0].startswith("Iteration 200: mean 4.50 ms over the ranks")
    opened.tab.locator("button.theme").click()  # from the system's to light
    assert painted(opened)["--collective"] > 50


def test_keys_zoom_move_and_say_what_is_at_the_cursor(show: Show) -> None:
    opened = show(report_of(8))
    whole = painted(opened)["--completion"]
    keys(opened, "Home", "Enter")
    # The first call of rank 0: 20,000 units of 10 ns after the step's start.
    first = "Rank 0: MPI_Isend in exchange (src/halo.cpp:41), "
    assert status(opened).startswith(first)
    assert "from 200 µs to 20" in status(opened)
    assert "preceded by 200 µs of computation" in status(opened)
    assert "9,216 B to rank 1, received at " in status(opened)
    keys(opened, "Shift+ArrowRight", "Shift+ArrowRight")
    assert status(opened).startswith("Rank 0: MPI_Waitall in exchange (src/halo.cpp:47), ")
    assert "9,216 B from rank 7, sent at " in status(opened)
    keys(opened, "+", "+", "+")
    assert painted(opened)["--completion"] > 2 * whole / 8
    seen = painted(opened)
    keys(opened, "ArrowRight", "ArrowRight", "ArrowRight")
    assert painted(opened) != seen
    keys(opened, "ArrowDown", "ArrowDown")
    assert status(opened).startswith("Rank 2")
    keys(opened, "End")
    assert "ends the iteration" in status(opened) or "MPI_Allreduce" in status(opened)
    keys(opened, "0", "Escape", "Home")
    assert status(opened) == "Rank 2 computes for 210 µs, from the start to 210 µs."


@pytest.mark.ci("dark")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_a_call_waited_is_hatched_and_said(show: Show, scheme: str) -> None:
    opened = show(report_of(8), scheme=scheme)
    hatched = painted(opened)["--completion"]
    choose(opened, "waiting for another rank")
    solid = painted(opened)["--completion"]
    assert 0.5 * solid < hatched < 0.9 * solid  # of half of each call, a third or a half is stripes
    keys(opened, "Home", "Enter", "Shift+ArrowRight", "Shift+ArrowRight")
    assert "; waiting " in status(opened)
    assert " for rank 7 (late sender)" in status(opened)
    assert " of the ranks' time is waiting for other ranks" in opened.texts("#timeline .about-step")[0]
    opened.tab.locator("#timeline summary").click()
    waited = {row[5].split(" for ")[0] != "" for row in opened.rows("timeline") if row[0].startswith("MPI_Waitall")}
    assert waited == {True}


def test_where_nothing_waited_no_waiting_is_shown(show: Show) -> None:
    report = report_of(4)
    for step in report["timeline"]["steps"]:
        step["waits"] = None
    opened = show(report)
    assert opened.tab.locator("#timeline label", has_text="waiting for").count() == 0
    assert "waiting" not in opened.texts("#timeline .about-step")[0]


def test_the_mouse_points_at_calls_and_drags_a_part_of_the_step(show: Show) -> None:
    opened = show(report_of(8))
    canvas = opened.tab.locator("#timeline canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    x, y = box["x"] + box["width"] / 3, box["y"] + box["height"] / 2
    opened.tab.mouse.move(x, y)
    assert status(opened).startswith("Rank ")
    before = painted(opened)
    opened.tab.mouse.down()
    opened.tab.mouse.move(x + 60, y)
    opened.tab.mouse.up()
    closer = painted(opened)
    assert closer != before
    canvas.dblclick()
    opened.tab.mouse.move(x, y)
    assert painted(opened) != closer
    opened.tab.locator("#timeline button[aria-label='Zoom in']").click()
    opened.tab.locator("#timeline button[aria-label='Later']").click()
    opened.tab.locator("#timeline button[aria-label='Whole iteration']").click()


def test_categories_and_ranks_can_be_left_out(show: Show) -> None:
    opened = show(report_of(12))
    everything = painted(opened)
    choose(opened, "collectives")
    without = painted(opened)
    assert without["--collective"] == 0 < everything["--collective"]
    assert without["--completion"] > 0
    choose(opened, "collectives")
    opened.tab.locator("#timeline input[type=text]").fill("2, 4-5")
    few = painted(opened)
    assert 0 < few["--timeline-ground"] < everything["--timeline-ground"]
    keys(opened, "Home", "Enter")
    assert status(opened).startswith("Rank 2: MPI_Isend")
    keys(opened, "ArrowDown", "Home", "Enter")
    assert status(opened).startswith("Rank 4: MPI_Isend")
    opened.tab.locator("#timeline input[type=text]").fill("99")
    assert opened.tab.locator("#timeline input[aria-invalid]").count() == 1
    assert painted(opened) != everything


def test_the_table_has_the_calls_of_the_picture(show: Show) -> None:
    report = report_of(4)
    report["timeline"] = timeline_of(4, rounds=1)
    opened = show(report)
    opened.tab.locator("#timeline summary").click()
    rows = opened.rows("timeline")
    assert len(rows) == 16
    sends = [row for row in rows if row[0].startswith("MPI_Isend")]
    assert [row[1] for row in sorted(sends, key=lambda row: row[1])] == ["0", "1", "2", "3"]
    of_rank_0 = next(row for row in sends if row[1] == "0")
    assert of_rank_0[2:4] == ["point to point", "200 µs"]
    assert of_rank_0[5:8] == ["", "200 µs", "9,216 B"]
    assert of_rank_0[8] == "1"
    choose(opened, "point to point")
    assert len(opened.rows("timeline")) == 8


def test_a_step_of_too_many_calls_is_drawn_from_tiles(show: Show) -> None:
    report = report_of(4)
    timeline = report["timeline"]
    timeline["steps"] = [in_tiles(timeline["steps"][0])]
    opened = show(report)
    assert "1,234,567 calls are too many to draw" in opened.texts("#timeline .note")[1]
    assert painted(opened)["--collective"] > 1_000
    keys(opened, "Home")
    said = "Rank 0 from the start to 21"
    assert status(opened).startswith(said)
    assert "52 % collectives" in status(opened)
    assert "26 % completing requests" in status(opened)
    assert "26 % waiting for other ranks" in status(opened)


def test_the_critical_path_is_drawn_where_the_report_has_it(show: Show) -> None:
    report = report_of(4)
    assert painted(show(report))["--critical"] == 0
    path = {"rank": [0, 1], "begin": [0, 200_000], "duration": [200_000, 200_000]}
    report["timeline"]["steps"][0]["critical_path"] = path
    opened = show(report)
    assert painted(opened)["--critical"] > 100
    choose(opened, "critical path")
    assert painted(opened)["--critical"] == 0


def test_calls_that_are_not_shown_are_no_computation(show: Show) -> None:
    report = report_of(2)
    report["timeline"] = timeline_of(2, rounds=1)
    whole = painted(show(report))["--timeline-ground"]
    report["timeline"]["steps"][0]["after_others"] = [3, 7]
    opened = show(report)
    assert painted(opened)["--timeline-ground"] < whole
    keys(opened, "Home", "Enter", "Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight")
    assert "MPI_Allreduce" in status(opened)
    assert "with calls outside any iteration" in status(opened)


def test_the_error_of_clocks_is_said(show: Show) -> None:
    report = report_of(4)
    assert "hosts" not in show(report).texts("#timeline .remark")[0]
    report["iterations"]["clocks"] = {"kind": "exchanged", "clocks": 2, "error_s": 2.5e-6, "drift_known": True}
    assert "hosts agree to ±2.50 µs, so" in show(report).texts("#timeline .remark")[0]
    report["iterations"]["clocks"] = {"kind": "system", "clocks": 2, "error_s": None, "drift_known": False}
    assert "with unknown error" in show(report).texts("#timeline .remark")[0]


def test_why_there_is_no_timeline_is_said(show: Show) -> None:
    report = report_of(4)
    report |= {"timeline": None, "no_timeline": "no loop takes 10 % of the time or more"}
    opened = show(report)
    said = "No timeline: no loop takes 10 % of the time or more."
    assert opened.texts("#timeline .remark") == [said]


def test_the_picture_follows_the_window(show: Show) -> None:
    opened = show(report_of(8), width=1_300)
    assert opened.tab.locator("#timeline canvas").bounding_box()["width"] > 900
    opened.tab.set_viewport_size({"width": 500, "height": 800})
    opened.tab.evaluate("""async () => {
      const width = () => document.querySelector("#timeline canvas").clientWidth;
      for (let frame = 0; frame < 600 && width() >= 500; frame++) await new Promise(requestAnimationFrame);
    }""")
    assert opened.tab.locator("#timeline canvas").bounding_box()["width"] < 500
    assert painted(opened)["--completion"] > 50


@pytest.mark.ci(420)
@pytest.mark.parametrize("width", [360, 420, 1_180])
def test_the_picture_fits_every_window_and_paper(show: Show, width: int) -> None:
    opened = show(report_of(64), width=width)
    assert opened.tab.evaluate("document.documentElement.scrollWidth") <= width
    assert opened.tab.locator("#timeline canvas").bounding_box()["width"] <= width
    assert "48 of 64 ranks" in opened.texts("#timeline .remark")[0]
    opened.tab.emulate_media(media="print")
    opened.tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert not opened.tab.locator("#timeline button").first.is_visible()
    assert opened.tab.locator("#timeline .timeline-legend").is_visible()
    assert opened.tab.evaluate("document.querySelector('#timeline canvas').clientWidth") <= 680
    opened.tab.evaluate("dispatchEvent(new Event('afterprint'))")


@pytest.mark.ci
def test_a_page_of_a_thousand_ranks_stays_below_two_megabytes(show: Show) -> None:
    report: dict[str, Any] = report_of(1_000)
    report["timeline"] = timeline_of(1_000, rounds=80)
    assert 45_000 < sum(step["calls"] for step in report["timeline"]["steps"]) <= 50_000
    assert len(page(report).encode()) < 2_000_000
    opened = show(report)
    assert opened.tab.evaluate("leadline.report.timeline") == report["timeline"]
    assert painted(opened)["--completion"] > 1_000

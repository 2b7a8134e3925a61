"""How the page looks in Chromium: its charts, light and dark, narrow windows, paper."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from leadline.report.page import document

from .conftest import Opened
from .synthetic import report_of

Show = Callable[..., Opened]
CHARTS = pytest.mark.skipif(
    not (Path(document.__file__).parent / "from_npm" / "uPlot.js").is_file(), reason="uPlot could not be had from npm"
)


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

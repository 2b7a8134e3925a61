"""A number that is printed in several places is the same in all of them: summary, tables, JSON."""

import io
import re
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from .recorded import library, record


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], str, str]:
    """Of one recorded run: the JSON object, the summary, all tables."""
    directory = tmp_path_factory.mktemp("agree")
    options = {"grid": "48x16x5", "tracers": 12, "steps": 6, "cost": "light", "output": directory / "fields.dat"}
    recording = record("opatm", library("mpich"), 4, options, cwd=directory)
    return recording.report, printed(recording.directory, whole=False), printed(recording.directory, whole=True)


def printed(directory: Path, *, whole: bool) -> str:
    from leadline.figures.run import open_run
    from leadline.report import Report

    out = io.StringIO()
    console = Console(file=out, width=200)
    if whole:
        Report(open_run(directory)).print(console, all_sites=True)
    else:
        Report(open_run(directory)).print_summary(console)
    return out.getvalue()


def base_s(report: dict[str, Any]) -> float:
    return float(report["time_s"] - report["startup_s"])


def by_place(loops: list[dict[str, Any]]) -> dict[tuple[Any, ...], float]:
    """Seconds by the loop around, and the place in the source."""
    found: dict[tuple[Any, ...], float] = {}
    for loop in loops:
        place = tuple(loop[name] for name in ("parent", "file", "line", "routine"))
        found[place] = found.get(place, 0.0) + loop["time_s"]
    return found


def percent(share: float) -> str:
    from leadline.text import format as fmt

    return fmt.percent(share)


def table(text: str, title: str) -> list[str]:
    """The lines beneath a title, up to the next empty one."""
    lines = text.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(title))
    return lines[start + 1 : lines.index("", start)]


def test_the_share_of_mpi_is_one_number(run: tuple[dict[str, Any], str, str]) -> None:
    report, summary, tables = run
    share = percent(report["mpi_share"])
    assert report["mpi_share"] == pytest.approx((report["mpi_s"] - report["startup_s"]) / base_s(report))
    assert f"{share} of the time" in " ".join(summary.split())
    assert f"{share} of the time" in " ".join(tables.split())
    assert f"{share} of the time" in report["verdict"]
    timed = [entry["share"] for entry in report["functions"] if entry["share"] is not None]
    assert sum(timed) == pytest.approx(report["mpi_share"], rel=1e-6)


def test_waiting_is_one_number(run: tuple[dict[str, Any], str, str]) -> None:
    report, summary, tables = run
    share = report["waits_s"] / base_s(report)
    assert f"= waiting {percent(share)}" in summary
    shown = [float(line.split("%")[0]) for line in table(tables, "Waits") if re.match(r" *[0-9.]+ % ", line)]
    assert report["waits_left_out"] == 0
    assert sum(each["seconds"] for each in report["waits"]) == pytest.approx(report["waits_s"])
    left_out = 0.1 * len(report["waits"])  # lines of less than a tenth of a percent are not printed
    assert 100 * share - left_out <= sum(shown) <= 100 * share + 0.051 * len(shown)


def test_parts_of_the_time_make_up_the_whole(run: tuple[dict[str, Any], str, str]) -> None:
    report, summary, _ = run
    words = re.search(r"# computation .*?(?=shares exclude)", summary, re.DOTALL)  # on one line or more
    assert words is not None
    parts = {name: float(number) for name, number in re.findall(r"(\w+) <?([0-9.]+) %", words[0])}
    assert sum(parts.values()) == pytest.approx(100, abs=3)  # own work below 2 % is not shown, and parts are rounded
    assert parts["computation"] == pytest.approx(100 * report["computation_s"] / base_s(report), abs=0.51)


def test_efficiency_is_that_of_json(run: tuple[dict[str, Any], str, str]) -> None:
    report, summary, tables = run
    of_run = report["efficiency"]["run"]
    words = [percent(of_run[name]) for name in ("parallel", "load_balance", "communication")]
    assert f"{words[0]} parallel = {words[1]} load balance × {words[2]} communication" in summary
    assert f"{100 * of_run['parallel']:5.1f} % =" in table(tables, "Efficiency")[0]


def test_the_main_loop_has_as_many_iterations_everywhere(run: tuple[dict[str, Any], str, str]) -> None:
    report, summary, tables = run
    (phase,) = [each for each in report["phases"] if each["kind"] == "loop" and each["parent"] is None]
    (loop,) = [each for each in report["loops"] if each["main"]]
    assert report["iterations"]["count"] == phase["iterations"] == loop["trips"] == 6
    assert re.search(r"^Main loop   .*, 6 × ", summary, re.MULTILINE)
    assert ": 6 iterations," in "\n".join(table(tables, "Iterations"))
    charted = report["iterations"]["strip"]
    assert sum(part["last"] - part["first"] + 1 for part in charted) == report["iterations"]["timed"]
    longest = max([part["max_s"] for part in charted] + [each["time_s"] for each in report["iterations"]["outliers"]])
    assert report["iterations"]["max_s"] == pytest.approx(longest)


def test_tables_have_the_numbers_of_json(run: tuple[dict[str, Any], str, str]) -> None:
    report, _, tables = run
    rows = {line.split()[-1]: line.split() for line in table(tables, "MPI functions")}
    for entry in report["functions"]:
        if entry["local"]:
            continue
        row = rows[entry["function"]]
        if entry["share"] is not None:
            assert float(row[0]) == pytest.approx(100 * entry["share"], abs=0.051)
        assert f"{entry['calls']:,}" in row
    for title, entries in (("Phases", report["phases"]), ("Loops", report["loops"]), ("Patterns", report["patterns"])):
        shown = [float(line.split("%")[0]) for line in table(tables, title) if re.match(r" *[0-9.]+ % ", line)]
        wanted = [100 * entry["time_s"] / base_s(report) for entry in entries]
        if title == "Loops":  # a line may stand for the call paths on which a loop is reached
            wanted += [100 * time_s / base_s(report) for time_s in by_place(entries).values()]
        assert len(shown) >= 3, title
        for number in shown:
            assert any(abs(number - each) < 0.06 for each in wanted), (title, number)
    tree = [float(line.split("%")[0]) for line in table(tables, "Call paths") if re.match(r" *[0-9.]+ % ", line)]
    (top,) = [entry for entry in report["call_tree"] if entry["parent"] is None]
    assert tree[0] == pytest.approx(100 * top["share"], abs=0.051)
    main = next(entry for entry in report["routines"] if entry["routine"] == "main")
    assert top["time_s"] == pytest.approx(main["time_s"], rel=0.01)


def test_no_share_is_more_than_the_whole(run: tuple[dict[str, Any], str, str]) -> None:
    pending: list[Any] = [run[0]]
    shares = []
    while pending:
        each = pending.pop()
        if isinstance(each, dict):
            shares += [value for name, value in each.items() if name.endswith("share") and isinstance(value, float)]
            pending += each.values()
        elif isinstance(each, list):
            pending += each
    assert len(shares) > 50
    assert all(0 <= share <= 1.001 for share in shares)

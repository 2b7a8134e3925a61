"""The page of `leadline compare`, in a browser."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from leadline.compare import Group, Subject, compare
from leadline.compare.as_json import as_json
from leadline.compare.subject import Part
from leadline.report.page import document


def subject(name: str, ranks: int, step_s: float) -> Subject:
    series = [ranks * step_s / 2] * 40
    part = Part(("MPI_Bcast", "main", "0"), "MPI_Bcast in main", 40, 0, 4096, sum(series), in_loop=True, series=series)
    return Subject(
        name=name,
        program="app",
        ranks=ranks,
        environment={"Ranks": str(ranks), "CPU": "one <b>with markup</b>" if ranks == 4 else "another"},
        iterations=40,
        iteration_s=[step_s * (1 + 0.01 * (at % 3)) for at in range(40)],
        sites=[part],
        phases=[Part(("loop", "run", "1"), "main loop, run", time_s=40 * ranks * step_s, in_loop=True)],
        computation_s=10.0,
        elapsed_s=40 * step_s,
    )


@pytest.mark.ci("dark")
@pytest.mark.parametrize(("width", "scheme"), [(1180, "light"), (420, "dark")])
def test_a_comparison_shows_charts_and_tables(
    open_page: Callable[..., Any], tmp_path: Path, width: int, scheme: str
) -> None:
    groups = [Group("few", [subject("few", 4, 0.02)]), Group("many", [subject(f"many{i}", 8, 0.012) for i in "ab"])]
    found = as_json(compare(groups))
    document.write_comparison(found, tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", width=width, scheme=scheme)
    assert page.texts("h1") == [found["verdict"]]
    sections = ["Environments", "What differs", "Iterations", "Scaling", "Times", "Phases", "Call sites"]
    assert page.texts("section > h2") == sections
    assert page.tab.locator(".plot canvas").count() == 3
    assert [row[0] for row in page.rows("environments")] == ["Ranks", "CPU"]
    assert page.rows("phases")[0][:1] == ["main loop, run"]
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= width


def test_a_page_says_what_is_wrong_with_the_runs(open_page: Callable[..., Any], tmp_path: Path) -> None:
    spoiled = replace(subject("b", 4, 0.01), notes=["The ranks waited for a core."])
    document.write_comparison(
        as_json(compare([Group("a", [subject("a", 4, 0.02)]), Group("b", [spoiled])])), tmp_path / "page.html"
    )
    page = open_page(tmp_path / "page.html")
    assert page.texts("section > h2")[:2] == ["Environments", "Caveats"]
    assert page.texts("#limits li")[0] == "b: The ranks waited for a core."

"""The page of `leadline study`, in a browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leadline.report.page import document

RATIO = {"median": 0.5, "least": 0.4, "most": 0.6, "clear": True}
UNCLEAR = {**RATIO, "most": 1.1, "clear": False}


def a_study() -> dict[str, Any]:
    here = {"before_s": 2.0, "before_mpi_s": 1.0, "after_s": 1.0, "after_mpi_s": 0.2, "ratio": RATIO}
    form = {"form": "packed", "title": "one segment", "messages": 48, "mpi_s": 0.1, "ratio": UNCLEAR}
    return {
        "verdict": "The changed program is faster.",
        "program": ["opatm", "--grid", "16x12x6"],
        "ranks": [2, 4],
        "rounds": 5,
        "notes": ["4 ranks share 2 cores"],
        "findings": ["51 messages could be one <b>here</b>"],
        "phases": [{"phase": "loop", "title": "main loop", "here": [{"ranks": n, **here} for n in (2, 4)]}],
        "routines": [{"routine": "trcadv", "ranks": 2, "forms": [form]}],
        "files": [
            {"ranks": 2, "title": title, "read_s": 0.1, "read_times": times, "write_s": 0.2}
            | dict.fromkeys(("read_ratio", "write_ratio"), of)
            for title, times, of in (("as it was", 2.0, None), ("by all ranks", 1.0, RATIO))
        ],
        "segments": {
            "ranks": 2,
            "best": 3,
            "none_s": 1.0,
            "auto_s": 0.5,
            "rows": [
                {"segments": n, "loop_s": 0.5 + 0.01 * n, "mpi_s": 0.1, "messages": 96 * n, "ratio": RATIO}
                for n in (1, 3, 51)
            ],
        },
        "side_by_side": [
            {"what": "messages in a step", "published": "252,960", "here": "1,632 with 2"},
            {"what": "communication", "published": "50 %", "here": UNCLEAR},
        ],
    }


@pytest.mark.ci("dark")
@pytest.mark.parametrize(("width", "scheme"), [(1180, "light"), (420, "dark")])
def test_a_study_shows_its_tables_and_the_segments(
    open_page: Callable[..., Any], tmp_path: Path, width: int, scheme: str
) -> None:
    found = a_study()
    document.write_study(found, tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", width=width, scheme=scheme)
    assert page.texts("h1") == [found["verdict"]]
    assert [row[0] for row in page.rows("phases")] == ["main loop", "main loop"]
    assert [row[0] for row in page.rows("files")] == ["as it was", "by all ranks"]
    assert [row[0] for row in page.rows("segments")] == ["1", "3", "51"]
    assert page.rows("papers")[1][0] == "communication"
    assert page.tab.locator(".plot canvas").count() == 1
    assert page.texts("#findings li") == found["findings"]
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= width

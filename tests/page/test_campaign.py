"""The page of `leadline campaign`, in a browser."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leadline.report.page import document

HOSTILE = '<img src=x onerror="alert(1)">'


def a_campaign(n_cells: int, repeats: int) -> dict[str, Any]:
    chance = random.Random(1)

    def runs() -> list[dict[str, Any]]:
        made = [{"repeat": n, "recorded": True, "time_s": chance.uniform(1, 2)} for n in range(repeats)]
        return [{**run, **{"outlier": False, "counts": True, "reason": "", "environment": "e1"}} for run in made]

    cells = [
        {
            **{
                "program": f"app{at % 4}",
                "part": "",
                "input": "default",
                "ranks": 2 << (at // 4 % 5),
                "candidate": f"lib{at // 20}",
            },
            **{"id": f"c{at}", "n": repeats, "failed": 0, "reason": "", "median": 1.5, "low": 1.4, "high": 1.6},
            **{"outliers": 0, "to_best": None, "group": "a", "overhead": None, "settings": {}, "runs": runs()},
        }
        for at in range(n_cells)
    ]
    for cell in cells:
        for run in cell["runs"]:
            run["report"] = f"runs/{cell['id']}-{run['repeat'] + 1}/report.html"
    return {
        "name": HOSTILE,
        "verdict": f"{HOSTILE}: no difference is proven",
        "notes": [HOSTILE],
        "directory": "/x",
        "environments": {
            "candidates": ["lib0", HOSTILE],
            "differences": [{"title": "Host", "values": [HOSTILE, "b"]}],
            "alike": {"CPU": HOSTILE},
        },
        "paragraphs": [f"{HOSTILE} is the fastest"],
        "cells": cells,
        "scaling": [],
    }


@pytest.mark.parametrize("width", [1180, 420])
def test_each_point_leads_to_its_report(open_page: Callable[..., Any], tmp_path: Path, width: int) -> None:
    found = a_campaign(8, 3)
    found["cells"][0]["runs"][0]["report"] = "runs/a b#?/report.html"
    document.write_campaign(found, tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", width=width)
    assert page.texts("h1") == [found["verdict"]]
    assert page.texts("#proven li") == found["paragraphs"]
    points = page.tab.locator("svg.multiple a")
    assert points.count() == 24
    assert points.first.get_attribute("href") == "runs/a%20b%23%3F/report.html"
    assert page.tab.locator("svg.multiple").count() == 4
    assert page.tab.locator("img").count() == 0
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= width


def test_a_point_says_what_it_is_when_it_is_pointed_at(open_page: Callable[..., Any], tmp_path: Path) -> None:
    document.write_campaign(a_campaign(8, 3), tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")
    point = page.tab.locator("svg.multiple a").first
    assert point.locator("title").count() == 0
    point.locator("circle").hover(force=True)
    assert point.locator("title").text_content() == point.get_attribute("aria-label")


def test_a_page_of_many_runs_stays_small(open_page: Callable[..., Any], tmp_path: Path) -> None:
    """Two elements and some dozen bytes for each run; of the table, only its first rows."""
    sizes, elements = [], []
    for n_cells in (20, 220):
        document.write_campaign(a_campaign(n_cells, 5), tmp_path / "page.html")
        sizes.append((tmp_path / "page.html").stat().st_size)
        page = open_page(tmp_path / "page.html")
        elements.append(page.tab.evaluate("document.querySelectorAll('*').length"))
        assert len(page.rows("cells")) == 20
    assert (sizes[1] - sizes[0]) / 1000 < 100
    assert (elements[1] - elements[0]) / 1000 < 3


def test_nothing_that_a_run_says_becomes_part_of_the_page(open_page: Callable[..., Any], tmp_path: Path) -> None:
    """Names, values, paths, reasons and states, in each place that shows them."""
    found = a_campaign(8, 3)
    hostile = f"</script>{HOSTILE}"
    for cell in found["cells"]:
        cell |= {"program": hostile, "input": hostile, "candidate": hostile, "part": hostile, "group": hostile}
        cell |= {"settings": {hostile: hostile}, "reason": hostile}
        for run in cell["runs"]:
            run |= {"report": f"javascript:{hostile}/../report.html", "environment": hostile}
    found["cells"][0] |= {"part": "", "failed": 1}
    found["cells"][0]["runs"][0] |= {"reason": hostile, "counts": False, "time_s": None}
    document.write_campaign(found, tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")
    page.tab.locator("#cells tr.row button.open").first.click()
    assert page.tab.locator("img").count() == 0
    assert hostile in page.texts("#failed li")[0]
    assert page.tab.locator("svg.multiple a").first.evaluate("(link) => link.href.animVal").startswith("javascript%3A")


@pytest.mark.ci
def test_ten_thousand_runs_are_all_there(open_page: Callable[..., Any], tmp_path: Path) -> None:
    document.write_campaign(a_campaign(2000, 5), tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")
    assert page.tab.locator("svg.multiple a").count() == 10_000

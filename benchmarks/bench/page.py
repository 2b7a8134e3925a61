"""How long it takes from the report object to a page that can be read, by number of ranks."""

from __future__ import annotations

import importlib.util
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console

from leadline.statistics.median import median

ROOT = Path(__file__).resolve().parents[2]
RANKS = (8, 64, 1_000, 4_096)
REPEATS = 5
PARTNERS = 26  # of a rank: neighbours in three dimensions, corners too


def measure_page(console: Console) -> list[dict[str, Any]]:
    """Medians of writing the page of a made-up run and of opening it in Chromium until everything is drawn."""
    console.print(f"{'ranks':>6} {'page':>10} {'written in':>12} {'opened in':>12}", style="bold")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for ranks in RANKS:
            rows.append(_of(ranks, Path(folder) / f"{ranks}.html"))
            row = rows[-1]
            opened = f"{row['opened_s']:.2f} s" if row["opened_s"] is not None else "no browser"
            console.print(f"{ranks:>6} {row['bytes'] / 1e3:>7,.0f} kB {row['written_s']:>10.2f} s {opened:>12}")
    return rows


def _of(ranks: int, file: Path) -> dict[str, Any]:
    from leadline.report.page import write_page

    report = _synthetic().report_of(ranks)
    pair = report["matrix"][0]
    report["matrix"] = [
        {**pair, "source": rank, "target": (rank + step) % ranks}
        for rank in range(ranks)
        for step in range(1, min(PARTNERS, ranks - 1) + 1)
    ]
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        write_page(report, file)
        times.append(time.perf_counter() - begin)
    return {
        "ranks": ranks,
        "bytes": file.stat().st_size,
        "written_s": median(times),
        "opened_s": _opened_s(file),
    }


def _synthetic() -> Any:
    path = ROOT / "tests" / "page" / "synthetic.py"
    spec = importlib.util.spec_from_file_location("synthetic", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _opened_s(file: Path) -> float | None:
    """From navigation to the load event, by when the page's scripts have drawn it; None without a browser."""
    chromium = shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    if chromium is None:
        return None
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=chromium, args=arguments)
        times = []
        for _ in range(REPEATS):
            tab = browser.new_page()
            tab.goto(file.as_uri())
            times.append(tab.evaluate("performance.getEntriesByType('navigation')[0].duration") / 1e3)
            tab.close()
        browser.close()
    return float(median(times))

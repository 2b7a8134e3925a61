"""python benchmarks/compare/many_rows.py DIR [--cells N] [--repeats N]

How a campaign with many rows behaves, in processor time: the first results, those that are kept, the live table before
a run, the page's size, and the page in Chromium: until it can be used, and sorting and filtering its table. The runs
are made up, with the facts that real ones have. docs/compare/campaign.md has the figures. Needs playwright for Python.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from leadline.campaign.journal import Journal
from leadline.campaign.show import Campaign

RANKS = (2, 4, 8, 16, 32)
LIBRARIES = ("mpich", "openmpi")
PROGRAMS, INPUTS = 4, 5
USED = """async (act) => {
  const table = document.querySelector("#cells .table");
  const begin = performance.now();
  if (act === "sort") table.querySelector("thead button").click();
  else { const box = table.querySelector("input"); box.value = "app2"; box.dispatchEvent(new Event("input")); }
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - begin;
}"""


def made(folder: Path, cells: int, repeats: int) -> Campaign:
    """A campaign of at least so many cells, all of whose runs are finished."""
    folder.mkdir(parents=True)
    settings = -(-cells // (len(RANKS) * len(LIBRARIES) * PROGRAMS * INPUTS))
    lines = [f"ranks = {list(RANKS)}", f"libraries = {json.dumps(LIBRARIES)}", f"repeats = {repeats}"]
    lines += [f'[[program]]\nname = "app{n}"\ncommand = ["./app{n}"]\ntime = "took (.*)"' for n in range(PROGRAMS)]
    lines += [f'[[setting]]\nname = "limit{n}"\nenvironment = {{ LIMIT = "{n}" }}' for n in range(settings)]
    lines += [f'[[input]]\nname = "grid{n}"\narguments = ["{n}"]' for n in range(INPUTS)]
    (folder / "campaign.toml").write_text("\n".join(lines))
    campaign = Campaign.of_directory(folder)
    chance = random.Random(1)
    journal = [
        json.dumps({"environment": name, "facts": {"Host": name, "CPU": "a processor"}}) for name in ("e1", "e2")
    ]
    for repeat in range(repeats):
        for cell in campaign.cells:
            time_s = 60 / cell.ranks * (1.1 if cell.library == LIBRARIES[0] else 1.0) * chance.lognormvariate(0, 0.02)
            row: dict[str, Any] = {
                "cell": cell.id,
                "names": cell.names,
                "repeat": repeat,
                "recorded": True,
                "ok": True,
                "reason": "",
            }
            row |= {"time_s": time_s, "wall_s": time_s + 1, "load": 0.1, "stolen": 0.0, "parts": {}}
            row |= {"settings": {"LIMIT": "seen by the ranks"}, "environment": chance.choice(("e1", "e2"))}
            journal.append(json.dumps(row))
    (folder / "journal.jsonl").write_text("\n".join(journal) + "\n")
    for row in Journal(folder).rows.values():
        report = folder / "runs" / f"{row['cell']}-{row['repeat'] + 1}"
        report.mkdir(parents=True)
        (report / "report.html").touch()
    return Campaign.of_directory(folder)


def used_s(act: Callable[[], object]) -> float:
    before = time.process_time()
    act()
    return time.process_time() - before


def of_command(folder: Path, *words: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "leadline", "campaign", str(folder), *words]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def live_s(campaign: Campaign) -> float:
    """Of the line and the table that are drawn before a run, in the middle of the campaign."""
    from leadline.campaign.execution import jobs_of
    from leadline.campaign.live import Live

    turns = jobs_of(campaign.plan, campaign.cells)
    live = Live(turns, campaign.cells, campaign.journal, lambda _: None)
    live._table = type("Table", (), {"update": lambda *_, **__: None})()
    live.before(turns[0])
    return used_s(lambda: live.before(turns[len(turns) // 2]))


def in_browser(page: Path) -> dict[str, float]:
    """threads: processor time of the page's main thread; the rest as the page's clock has it."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        flags = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        tab = browser.new_page(viewport={"width": 1280, "height": 900})
        tools: Any = tab.context.new_cdp_session(tab)
        tools.send("Performance.enable", {"timeDomain": "threadTicks"})

        def thread_s() -> float:
            found = {each["name"]: each["value"] for each in tools.send("Performance.getMetrics")["metrics"]}
            return float(found["TaskDuration"])

        begin = time.perf_counter()
        tab.goto(page.resolve().as_uri())
        tab.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        found = {"opened, clock s": time.perf_counter() - begin, "opened, thread s": thread_s()}
        found["elements"] = tab.evaluate("document.querySelectorAll('*').length")
        tab.locator("#cells .table").scroll_into_view_if_needed()
        for act in ("sort", "filter"):
            before = thread_s()
            clock_ms = tab.evaluate(USED, act)
            found |= {f"{act}, clock s": clock_ms / 1000, f"{act}, thread s": thread_s() - before}
        browser.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--cells", type=int, default=2000)
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    campaign = made(given.directory, given.cells, given.repeats)
    figures: dict[str, float] = {"cells": len(campaign.cells), "runs": len(campaign.journal.rows)}
    figures["live table, s"] = live_s(campaign)
    figures["first results, s"] = of_command(given.directory)
    figures["kept results, s"] = of_command(given.directory)
    page = given.directory / "campaign.html"
    figures["page, s"] = of_command(given.directory, "--html", str(page))
    figures["page, MB"] = page.stat().st_size / 1e6
    figures |= in_browser(page)
    for name, value in figures.items():
        print(f"{name:20} {value:.3g}" if isinstance(value, float) else f"{name:20} {value:,}")


if __name__ == "__main__":
    main()

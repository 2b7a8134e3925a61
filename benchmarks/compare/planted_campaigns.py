"""python benchmarks/compare/planted_campaigns.py DIR [--mpi NAME] [--campaigns N] [--seconds S]

How often campaigns claim a difference between cells that are the same, and how often they find 5 % more work with the
repeats that `leadline campaign --dry-run` names after three: with the noise of this machine. The runs of one long
campaign are real, in turn, and are read as so many short ones, one after the other. The same command resumes it.
docs/compare/campaign.md has the figures.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from leadline.campaign.dry import spread_of
from leadline.campaign.measured import Measured, measured
from leadline.campaign.results import comparisons
from leadline.campaign.show import Campaign
from leadline.mpi import Library, find
from leadline.statistics.repeats import repeats_for

PROGRAM = Path(__file__).resolve().parent / "timed_work.c"
WORK = 500  # thousand rounds in each step
PLANTED = 0.05
FIRST = 3  # repeats, after which the dry run is asked
SIZES = (3, 5, 10)  # repeats of campaigns of cells that are the same
FILE = """
name = "planted"
libraries = ["{library}"]
ranks = [2]
repeats = {repeats}
record = false
timeout = 60
time = 'took ([0-9.]+) s'
difference = {planted}

[[program]]
name = "timed_work"
command = ["./timed_work"]
"""
SETTING = """
[[setting]]
name = "{name}"
environment = {{ WORK = "{work}", CELL = "{name}" }}
"""


def campaign_in(folder: Path, library: Library, repeats: int) -> Campaign:
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "timed_work"
    if not program.exists():
        words = [str(library.mpicc), "-O1", str(PROGRAM), "-o", str(program)]
        subprocess.run(words, check=True, env=library.env())
    text = FILE.format(library=library.name, repeats=repeats, planted=PLANTED)
    for name, work in (("one", WORK), ("same", WORK), ("more", round(WORK * (1 + PLANTED)))):
        text += SETTING.format(name=name, work=work)
    (folder / "planted.toml").write_text(text)
    return Campaign.of_file(folder / "planted.toml", folder / "runs", folder)


def part(cell: Measured, begin: int, n: int) -> Measured:
    """Of a campaign that has only these repeats."""
    return Measured(cell.cell, [row for row in cell.rows if begin <= row["repeat"] < begin + n])


def claims(pair: Sequence[Measured]) -> bool:
    return any(each.claimed for each in comparisons(pair))


def same(one: Measured, other: Measured, repeats: int, whole: int) -> tuple[int, int]:
    """Campaigns that claim something, and all."""
    begins = range(0, whole - repeats + 1, repeats)
    return sum(claims([part(one, b, repeats), part(other, b, repeats)]) for b in begins), len(begins)


def planted(one: Measured, more: Measured, whole: int) -> tuple[int, list[int]]:
    """Campaigns that find it, and the repeats that each was told. One that was told too few to count is not cut."""
    begin, found, told = 0, 0, []
    while begin + FIRST <= whole:
        spread = spread_of([part(each, begin, FIRST).times for each in (one, more)])
        needed = repeats_for(PLANTED, spread, 1) if spread is not None else None
        if needed is None or begin + max(needed, FIRST) > whole:
            break
        repeats = max(needed, FIRST)
        pair = [part(one, begin, repeats), part(more, begin, repeats)]
        # The longer cell must be the one that is found to be longer.
        found += claims(pair) and (pair[0].median_s or 0.0) < (pair[1].median_s or 0.0)
        told.append(repeats)
        begin += repeats
    return found, told


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--mpi", default="mpich")
    parser.add_argument("--campaigns", type=int, default=200, help="of three repeats [default: 200]")
    parser.add_argument("--seconds", type=float, default=280.0, help="of this call [default: 280]")
    chosen = parser.parse_args()
    campaign = campaign_in(chosen.directory.absolute(), find(chosen.mpi), SIZES[0] * chosen.campaigns)
    said = shutil.get_terminal_size().columns
    finished = campaign.run(lambda text: print(text[:said], file=sys.stderr), chosen.seconds, retry_failed=True)
    by = {each.cell.setting.name: each for each in measured(campaign.cells, campaign.journal)}
    one, other, more = (by[name] for name in ("one", "same", "more"))
    whole = min(len(each.times) for each in by.values())
    spread = spread_of([each.times for each in by.values()])
    print(f"{whole} repeats of each cell, {one.median_s or 0:.3f} s each; spread {100 * (spread or 0):.1f} %")
    for repeats in SIZES:
        wrong, of = same(one, other, repeats, whole)
        print(f"cells that are the same, {repeats} repeats: a difference is claimed in {wrong} of {of} campaigns")
    found, told = planted(one, more, whole)
    if told:
        print(
            f"{100 * PLANTED:g} % more work: found in {found} of {len(told)} campaigns, with the {min(told)} to "
            f"{max(told)} repeats that each was told after {FIRST}; median ratio "
            f"{(more.median_s or 0) / (one.median_s or 1):.3f}"
        )
    if finished.not_begun:
        print(f"{len(finished.not_begun)} runs are left: the same command goes on")
    finished.interruption.end_if_any()
    return 0


if __name__ == "__main__":
    sys.exit(main())

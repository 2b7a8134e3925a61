"""python benchmarks/compare/kills.py [--on ssh|slurm] [--seeds FIRST-LAST] [--kills N]

A campaign of which a part is killed at random moments, and which is resumed until that is done.

ssh    on a machine reached by ssh (kills_by_ssh.py): the connection on either side, the campaign, the launcher, a rank;
       sshd itself, which starts again a second later; or the link is down for a while
slurm  as jobs of a real Slurm on three nodes (kills_by_slurm.py): the campaign, jobs, parts of them, a node's daemon,
       which starts again a second later

For each seed it says how many were killed, of which kinds, and what was lost, doubled or left running. Each seed
repeats the same choices, not the same moments: these depend on the machine. Needs root and MPICH; ssh, Open MPI or
Slurm.
"""

from __future__ import annotations

import argparse
import collections
import importlib
import itertools
import json
import random
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from leadline.campaign.journal import Journal

LIMIT_S = 900
RANKS = 2
LEADLINE = (sys.executable, "-m", "leadline")


class Place(Protocol):
    """Where campaigns run.   folder: of their files.   between_s: two kills, from and to, so that runs are met at all
    their moments.   kills: kill one of a kind; whether there was one."""

    folder: Path
    between_s: tuple[float, float]
    kills: Mapping[str, Callable[[random.Random], bool]]

    def written(self, name: str, seed: int, repeats: int) -> str:
        """The name of a campaign's file."""
        ...

    def start(self, words: list[str]) -> Any:
        """A command, as subprocess.Popen."""
        ...

    def run(self, words: list[str], limit_s: float) -> Any:
        """A command's code and output, as jobs.hosts.Ended of the tests."""
        ...

    def left(self) -> str:
        """What is left running."""
        ...


def problems(place: Place, file: str, out: str, repeats: int) -> list[str]:
    """What is wrong after the campaign was resumed to its end."""
    words = [*LEADLINE, "campaign", file, "-o", out, "--json", "--retry-failed"]
    ended = place.run(words, LIMIT_S)
    if ended.code != 0:
        return [f"it does not resume: {ended.everything[-2000:]}"]
    cells = json.loads(ended.out[ended.out.index("{") :])["cells"]
    found = [f"{cell['n']} of {repeats} repeats" for cell in cells if cell["n"] != repeats]
    directory = place.folder / out
    rows = [json.loads(line) for line in (directory / "journal.jsonl").read_text().splitlines()]
    keys = [(row["cell"], row["repeat"]) for row in rows if row.get("ok")]
    if len(keys) != len(set(keys)):
        found.append(f"{len(keys) - len(set(keys))} runs are doubled")
    for each in (directory / "runs").iterdir():
        traces = len([*each.glob("*.trace")])
        found += [f"{each.name} has {traces} traces"] if traces != RANKS else []
    if left := place.left():
        found.append(f"left running: {left}")
    return found


def searched(place: Place, seed: int, wanted: int) -> tuple[collections.Counter[str], list[str]]:
    """How many were killed, by kind, and what is wrong."""
    repeats, chance = 2 + wanted // 2, random.Random(seed)
    file, out = place.written(f"seed{seed}", seed, repeats), f"seed{seed}.out"
    killed: collections.Counter[str] = collections.Counter()
    before: list[Any] = []
    while killed.total() < wanted:
        process = place.start([*LEADLINE, "campaign", file, "-o", out])
        while process.poll() is None and killed.total() < wanted:
            time.sleep(chance.uniform(*place.between_s))
            kinds = chance.sample([*place.kills], len(place.kills))
            killed.update(itertools.islice((kind for kind in kinds if place.kills[kind](chance)), 1))
        process.communicate()
        rows = list(Journal(place.folder / out).rows.values()) if (place.folder / out).exists() else []
        if rows[: len(before)] != before:
            return killed, ["rows are lost"]
        before = rows
        if process.returncode == 0:
            break
    return killed, problems(place, file, out, repeats)


def main() -> int:
    given = argparse.ArgumentParser(usage=__doc__)
    given.add_argument("--on", choices=("ssh", "slurm"), default="ssh")
    given.add_argument("--seeds", default="1-10")
    given.add_argument("--kills", type=int, default=20)
    options = given.parse_args()
    module: Any = importlib.import_module(f"kills_by_{options.on}")
    if why := module.why_not():
        sys.exit(why)
    first, _, last = options.seeds.partition("-")
    total: collections.Counter[str] = collections.Counter()
    wrong = 0
    places: AbstractContextManager[Place] = module.made()
    with places as place:
        for seed in range(int(first), int(last or first) + 1):
            killed, found = searched(place, seed, options.kills)
            total, wrong = total + killed, wrong + bool(found)
            said = "; ".join(found) or "nothing lost, doubled or left"
            print(f"seed {seed}: {told(killed)}: {said}", flush=True)
    print(f"{told(total)}; {wrong} seeds with something wrong")
    return 1 if wrong else 0


def told(killed: collections.Counter[str]) -> str:
    kinds = ", ".join(f"{name} {count}" for name, count in sorted(killed.items()))
    return f"{killed.total()} killed ({kinds})"


if __name__ == "__main__":
    sys.exit(main())

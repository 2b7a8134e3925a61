"""python benchmarks/compare/kills.py [--seeds FIRST-LAST] [--kills N]

A campaign on a machine reached by ssh (namespaces, tests/campaign/machines.py), of which a part is killed at random
moments: the connection on either side, the campaign, the launcher, a rank, sshd itself, which starts again a second
later; or the link is down for a while. For each seed it says how many were killed, and what was lost, doubled or left
running. Each seed repeats the same choices, not the same moments: these depend on the machine. Needs root, MPICH and
Open MPI.
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from leadline import mpi

machines: Any = importlib.import_module("campaign.machines")  # of the tests
test_on_machines: Any = importlib.import_module("campaign.test_on_machines")

LIMIT_S = 900
RANKS = 2


def one_killed(made: Any, chance: random.Random) -> bool:
    kind = chance.choice(("process", "process", "process", "sshd", "link"))
    node, login = made.hosts.nodes[0], made.hosts.login
    if kind == "process":
        return test_on_machines.killed(made, chance)
    if kind == "sshd":
        node.shell("pkill -9 sshd")  # of the node alone: it has processes of its own
        time.sleep(1)
        made.start_sshd(0)
        return True
    login.shell("ip link set w1 down")
    time.sleep(chance.uniform(0.5, 3.0))
    return login.shell("ip link set w1 up").code == 0


def problems(made: Any, name: str, repeats: int) -> list[str]:
    """What is wrong after the campaign was resumed to its end."""
    file = f"{name}.toml"
    ended = made.campaign(file, "-o", f"{name}.out", "--json", "--retry-failed", timeout=LIMIT_S)
    if ended.code != 0:
        return [f"it does not resume: {ended.everything[-2000:]}"]
    found = [f"{cell['n']} of {repeats} repeats" for cell in json.loads(ended.out)["cells"] if cell["n"] != repeats]
    directory = made.folder / f"{name}.out"
    rows = [json.loads(line) for line in (directory / "journal.jsonl").read_text().splitlines()]
    keys = [(row["cell"], row["repeat"]) for row in rows if row.get("ok")]
    if len(keys) != len(set(keys)):
        found.append(f"{len(keys) - len(set(keys))} runs are doubled")
    recorded = list((directory / "runs").iterdir())
    found += [f"{each.name} lacks a trace" for each in recorded if len([*each.glob("*.trace")]) != RANKS]
    time.sleep(2)
    if left := test_on_machines.left_running(made):
        found.append(f"left running: {left}")
    return found


def searched(made: Any, seed: int, wanted: int) -> tuple[int, list[str]]:
    """How many were killed, and what is wrong."""
    name, repeats, chance, kills = f"seed{seed}", 2 + wanted // 2, random.Random(seed), 0
    inputs = '[[input]]\nname = "w"\narguments = ["wait"]'
    file = test_on_machines.written(made, name, inputs, "record = true", repeats=repeats)
    before: list[object] = []
    while kills < wanted:
        words = [*machines.LEADLINE, "campaign", file, "-o", f"{name}.out"]
        process = made.hosts.login.start(words, directory=made.folder)
        while process.poll() is None and kills < wanted:
            time.sleep(chance.uniform(0.3, 2.0))
            kills += one_killed(made, chance)
        if process.poll() is None:
            process.kill()
        process.communicate()
        before = test_on_machines.grown(before, made.folder / f"{name}.out")
        if process.returncode == 0:
            break
    return kills, problems(made, name, repeats)


def main() -> int:
    given = argparse.ArgumentParser(usage=__doc__)
    given.add_argument("--seeds", default="1-10")
    given.add_argument("--kills", type=int, default=20)
    options = given.parse_args()
    if why := machines.why_not():
        sys.exit(why)
    first, _, last = options.seeds.partition("-")
    total, wrong = 0, 0
    with machines.made([mpi.find(name) for name in test_on_machines.BOTH]) as made:
        test_on_machines.prepared(made)
        for seed in range(int(first), int(last or first) + 1):
            kills, found = searched(made, seed, options.kills)
            total, wrong = total + kills, wrong + bool(found)
            print(f"seed {seed}: {kills} killed: {'; '.join(found) or 'nothing lost, doubled or left'}", flush=True)
    print(f"{total} killed; {wrong} seeds with something wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

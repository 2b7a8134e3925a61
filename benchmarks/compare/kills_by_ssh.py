"""A machine reached by ssh, of which parts are killed: kills.py. It is the one of tests/campaign/machines.py."""

from __future__ import annotations

import contextlib
import importlib
import random
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from leadline import mpi

machines: Any = importlib.import_module("campaign.machines")  # of the tests
test_on_machines: Any = importlib.import_module("campaign.test_on_machines")


def why_not() -> str:
    return str(machines.why_not())


class Place:
    between_s = (0.3, 2.0)

    def __init__(self, made: Any) -> None:
        self._made = made
        self._login, self._node = made.hosts.login, made.hosts.nodes[0]
        self.folder: Path = made.folder
        login = ("-x ssh", "-f 'campaign[.]machines.carry'")
        there = ("-f 'sshd[:] root'",)
        ranks = ("-x app", "-f '[m]piexec|[p]rte|[h]ydra'", "-f 'start[.]sh'")
        self.kills: Mapping[str, Callable[[random.Random], bool]] = {
            "campaign": lambda _: self._killed(self._login, "-f '[l]eadline campaign'"),
            "connection": lambda chance: self._killed(self._login, chance.choice(login)),
            "connection there": lambda chance: self._killed(self._node, chance.choice(there)),
            "run there": lambda chance: self._killed(self._node, chance.choice(ranks)),
            "sshd": lambda _: self._sshd(),
            "link": self._link,
        }

    def _killed(self, host: Any, which: str) -> bool:
        """which: options of pgrep; a letter in brackets keeps it from finding the shell that asks."""
        return bool(host.shell(f"kill -9 $(pgrep {which} | shuf -n 1)").code == 0)

    def _sshd(self) -> bool:
        self._node.shell("pkill -9 sshd")  # of the node alone: it has processes of its own
        time.sleep(1)
        self._made.start_sshd(0)
        return True

    def _link(self, chance: random.Random) -> bool:
        self._login.shell("ip link set w1 down")
        time.sleep(chance.uniform(0.5, 3.0))
        return bool(self._login.shell("ip link set w1 up").code == 0)

    def written(self, name: str, seed: int, repeats: int) -> str:
        inputs = '[[input]]\nname = "w"\narguments = ["wait"]'
        return str(test_on_machines.written(self._made, name, inputs, "record = true", repeats=repeats))

    def start(self, words: list[str]) -> Any:
        return self._login.start(words, directory=self.folder)

    def run(self, words: list[str], limit_s: float) -> Any:
        return self._login.run(words, directory=self.folder, timeout=limit_s)

    def left(self) -> str:
        time.sleep(2)
        return str(test_on_machines.left_running(self._made))


@contextlib.contextmanager
def made() -> Iterator[Place]:
    with machines.made([mpi.find(name) for name in test_on_machines.BOTH]) as found:
        test_on_machines.prepared(found)
        yield Place(found)

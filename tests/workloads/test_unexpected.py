"""The unexpected workload: right contents, its refusals, and senders that wait for late receives."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .recorded import assert_refused, library, result_line

pytestmark = pytest.mark.ci  # for changes to workloads/

LINE = re.compile(
    r"^unexpected: (?P<messages>\d+) messages of (?P<bytes>\d+) bytes, \d+ ranks, (?P<rounds>\d+) rounds: "
    r"(?P<whole>\S+) s \(posted (?P<posted>\S+) s, unexpected (?P<late>\S+) s, sending (?P<sending>\S+) s\), "
    r"0 bytes wrong$"
)
LONG = 16 << 20  # beyond every library's eager limit


@pytest.mark.parametrize("name", ["mpich", "openmpi"])
def test_a_sender_of_long_messages_waits_for_the_receive(name: str, tmp_path: Path) -> None:
    """Not a matter of speed: its send cannot end before the receive is posted."""
    options = {"bytes": LONG, "messages": 2, "rounds": 2, "delay": 500}
    found = LINE.match(result_line("unexpected", library(name), 2, options, cwd=tmp_path))
    assert found
    assert float(found["sending"]) >= 0.1  # of a second of delays; the sender may leave the barriers a little late
    assert float(found["whole"]) >= 1


@pytest.mark.parametrize("ranks", [2, 3, 4])
@pytest.mark.parametrize("n_bytes", [1, 5000])
def test_contents_are_right_on_any_number_of_ranks(ranks: int, n_bytes: int, tmp_path: Path) -> None:
    options = {"bytes": n_bytes, "messages": 5, "rounds": 3, "delay": 1}
    assert LINE.match(result_line("unexpected", library("openmpi"), ranks, options, cwd=tmp_path))


def test_refused(tmp_path: Path) -> None:
    assert_refused("unexpected", 2, ["--bytes=0"], "--bytes: expected an integer from 1", cwd=tmp_path)
    assert_refused("unexpected", 1, [], "needs two processes", cwd=tmp_path)

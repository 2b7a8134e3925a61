"""Where the ranks of a job are to run: the file of `leadline predict --place`.

Each line has ranks and a host, as in "0-3 a": a rank or a range of ranks, then the name of their host, which only has
to differ from those of other hosts. Empty lines, and what follows a #, do not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from leadline import _core
from leadline.errors import UsageError

MOST_BYTES = 1 << 26


def hosts_in(path: Path) -> tuple[str, ...]:
    """By rank. Raises UsageError if the file does not name every rank once."""
    try:
        with path.open(encoding="utf-8") as file:
            lines = file.read(MOST_BYTES).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--place {path}: {getattr(error, 'strerror', None) or 'not a text file'}") from error
    found: dict[int, str] = {}
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        first, dash, last = words[0].partition("-")
        bounds = [first, last if dash else first]
        if len(words) != 2 or not all(each.isascii() and each.isdigit() and len(each) < 9 for each in bounds):
            raise UsageError(f"--place {path}, line {number}: expected RANK HOST or FIRST-LAST HOST")
        for rank in range(int(bounds[0]), int(bounds[1]) + 1):
            if rank in found:
                raise UsageError(f"--place {path}, line {number}: rank {rank} has a host already")
            found[rank] = words[1]
    missing = next((rank for rank in range(max(found, default=-1) + 2) if rank not in found), 0)
    if missing <= max(found, default=-1) or not found:
        raise UsageError(f"--place {path}: rank {missing} has no host")
    return tuple(found[rank] for rank in range(len(found)))


def nodes_of(hosts: Sequence[str], ranks: int, network: _core.Network | None) -> list[int]:
    """By rank: hosts numbered as they come. Raises UsageError if the network has no figures for them."""
    if len(hosts) != ranks:
        raise UsageError(f"--place: {len(hosts):,} ranks have a host, but the run has {ranks:,}")
    if network is None:
        raise UsageError("--place: the run does not say what messages cost elsewhere", hint="--network FILE")
    numbers: dict[str, int] = {}
    nodes = [numbers.setdefault(host, len(numbers)) for host in hosts]
    if len(numbers) > 1 and not network.own("other_node").pieces:
        raise UsageError(
            "--place: the network has no figures for messages between hosts",
            hint="leadline calibrate -- LAUNCHER, with ranks on two hosts",
        )
    return nodes

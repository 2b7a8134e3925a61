"""By which transport messages go, and over how many network devices (rails)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from leadline.improve.candidates.asking import WORTH, Asked, NotTried
from leadline.improve.facts import LONG, Facts
from leadline.improve.setting import Setting
from leadline.launch.executable import needed_by
from leadline.text import format as fmt

WHAT, RAILS = "transports", "network devices for a message (rails)"
RISK = "on another machine, or other nodes, the transport may be missing"
DEVICES = Path("/sys/class/infiniband")
STACKS = {"ucx": "libucp.so", "ofi": "libfabric.so"}
MOST_RAILS = "UCX_MAX_RNDV_RAILS"
USUAL_RAILS = 2  # of UCX


def candidates(facts: Facts, asked: Asked) -> Iterator[Setting | NotTried]:
    share = facts.messages + facts.collective_share
    if facts.library is None:
        yield NotTried(WHAT, "the MPI library is unknown")
        return
    if share < WORTH:
        yield NotTried(WHAT, f"messages and collectives take {fmt.percent(share)} of the time")
        return
    known = facts.library.transports(facts.hosts, stacks_of(asked.libmpi))
    if not known:
        yield NotTried(WHAT, f"no setting of this {facts.library.title} is known")
    for each in known:
        yield Setting(
            f"transport-{each.name}", "transport", each.what, RISK, share, variables=each.variables, sent=each
        )
    yield from _rails(facts, share)


def stacks_of(libmpi: Path) -> set[str]:
    """Those of STACKS that the library itself needs; what it loads as a plugin is not seen."""
    needed = needed_by(libmpi)
    return {name for name, file in STACKS.items() if any(file in library for library in needed)}


def _rails(facts: Facts, share: float) -> Iterator[Setting | NotTried]:
    devices = len([*DEVICES.iterdir()]) if DEVICES.is_dir() else 0
    if facts.hosts < 2:
        yield NotTried(RAILS, "the ranks are on one host")
    elif devices < 2:
        yield NotTried(RAILS, f"{DEVICES} has {fmt.plural(devices, 'device')}")
    elif not facts.longer_than(LONG):
        yield NotTried(RAILS, f"no message is longer than {fmt.size(LONG)}")
    else:
        for rails in sorted({1, devices} - {USUAL_RAILS}):
            what = f"UCX: {fmt.plural(rails, 'device')} for a long message"
            yield Setting(f"rails-{rails}", "rails", what, RISK, share, variables={MOST_RAILS: str(rails)})

"""Hints for collective transfers of files."""

from __future__ import annotations

from collections.abc import Iterator

from leadline.improve.candidates.asking import WORTH, Asked, NotTried
from leadline.improve.facts import Facts
from leadline.improve.setting import Setting
from leadline.text import format as fmt

WHAT = "hints for MPI-IO"
RISK = "larger buffers take memory"
HINTS = {
    "collective": {"romio_cb_write": "enable", "romio_cb_read": "enable"},
    "independent": {"romio_cb_write": "disable", "romio_cb_read": "disable"},
    "large-buffers": {"cb_buffer_size": "67108864"},
}


def candidates(facts: Facts, asked: Asked) -> Iterator[Setting | NotTried]:
    if facts.files < WORTH:
        yield NotTried(WHAT, f"collective transfers of files take {fmt.percent(facts.files)} of the time")
        return
    for name, hints in {**HINTS, **_aggregators(facts)}.items():
        lines = [f"{hint} {value}" for hint, value in hints.items()]
        yield Setting(
            f"files-{name}",
            "files",
            ", ".join(lines),
            RISK,
            facts.files,
            files={"ROMIO_HINTS": "".join(f"{line}\n" for line in lines)},
            hints=hints,
        )


def _aggregators(facts: Facts) -> dict[str, dict[str, str]]:
    """Ranks of each host that write and read for the others, more than the usual one."""
    each = facts.ranks // facts.hosts
    numbers = sorted({number for number in (2, each) if 1 < number <= each})
    return {
        f"aggregators-{number}": {"cb_nodes": str(number * facts.hosts), "cb_config_list": f"*:{number}"}
        for number in numbers
    }

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
    "collective": "romio_cb_write enable\nromio_cb_read enable\n",
    "independent": "romio_cb_write disable\nromio_cb_read disable\n",
    "large-buffers": "cb_buffer_size 67108864\n",
}


def candidates(facts: Facts, asked: Asked) -> Iterator[Setting | NotTried]:
    if facts.files < WORTH:
        yield NotTried(WHAT, f"collective transfers of files take {fmt.percent(facts.files)} of the time")
    elif facts.library is None or not facts.library.reads_romio_hints:
        yield NotTried(WHAT, "whether the library's MPI-IO reads the hints of ROMIO is unknown")
    else:
        for name, text in HINTS.items():
            what = ", ".join(text.splitlines())
            yield Setting(f"files-{name}", "files", what, RISK, facts.files, files={"ROMIO_HINTS": text})

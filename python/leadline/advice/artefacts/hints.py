"""Hints for MPI-IO: buffers that hold what a collective transfer moves."""

from __future__ import annotations

import re

from leadline.advice.artefacts.artefact import Artefact, NotMade
from leadline.figures.content import Content
from leadline.libraries import LIBRARIES
from leadline.text import format as fmt

WHAT = "hints for MPI-IO"
NAME = "hints.romio"
BUFFER = 16 << 20  # cb_buffer_size of ROMIO, unless told otherwise (its users' guide)
MOST = 256 << 20
COLLECTIVE = re.compile("^MPI_File_i?(read|write)(_at|_shared)?(_all|_ordered)")


def hints(content: Content) -> Artefact | NotMade:
    run = content.run
    sites = [site for site in content.sites if COLLECTIVE.match(site.name) and site.calls]
    if not sites:
        return NotMade(WHAT, "the program makes no collective transfers of files")
    library = next((known for known in LIBRARIES if run.library.startswith(known.banner)), None)
    if library is None or not library.reads_romio_hints:
        return NotMade(WHAT, "whether the library's MPI-IO reads the hints of ROMIO is unknown")
    hosts = len({process.host for process in run.processes})
    largest = max(site.moved_bytes * run.ranks // site.calls for site in sites)
    each = largest // hosts  # ROMIO has one aggregator for each host
    if each <= BUFFER:
        return NotMade(
            WHAT,
            f"a collective transfer moves {fmt.size(each)} for each host at most, and ROMIO's buffer has "
            f"{fmt.size(BUFFER)}",
        )
    buffer = min(1 << (each - 1).bit_length(), MOST)
    lines = [
        f"# A collective transfer moves {fmt.size(each)} for each host; ROMIO moves {fmt.size(BUFFER)} at a time.",
        "# How much time larger buffers save is not predicted: measure it.",
        f"# Use:    export ROMIO_HINTS=$PWD/{NAME}",
        "# Check:  ROMIO_PRINT_HINTS=1 prints the hints when a file is opened",
        f"cb_buffer_size {buffer}",
    ]
    return Artefact(NAME, f"collective transfers in buffers of {fmt.size(buffer)}", "\n".join(lines) + "\n")

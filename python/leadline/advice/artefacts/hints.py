"""Hints for MPI-IO: buffers that hold what a collective transfer moves, and stripes and aggregators for each host."""

from __future__ import annotations

import re
from collections.abc import Callable

from leadline.advice.artefacts.artefact import Artefact, NotMade
from leadline.advice.artefacts.file_systems import file_system_of
from leadline.figures.content import Content
from leadline.libraries import LIBRARIES
from leadline.text import format as fmt

WHAT = "hints for MPI-IO"
NAME = "hints.romio"
BUFFER = 16 << 20  # cb_buffer_size of ROMIO, unless told otherwise (its users' guide)
MOST = 256 << 20
STRIPED = ("lustre", "beegfs")  # file systems for which ROMIO passes stripes on
LEAST_STRIPE, MOST_STRIPE = 1 << 20, 16 << 20
COLLECTIVE = re.compile("^MPI_File_i?(read|write)(_at|_shared)?(_all|_ordered)")


def hints(content: Content, file_system: Callable[[str], str] = file_system_of) -> Artefact | NotMade:
    """file_system: that a path lies on; "": unknown."""
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
    buffer = _power_of_two(each, BUFFER, MOST)
    striped = _striped(content, file_system) if hosts > 1 else ""
    if each <= BUFFER and not striped:
        return NotMade(
            WHAT,
            f"a collective transfer moves {fmt.size(each)} for each host at most, and ROMIO's buffer has "
            f"{fmt.size(BUFFER)}; no file that several hosts write lies on {' or '.join(STRIPED)} here",
        )
    what, lines = [], []
    if each > BUFFER:
        what.append(f"collective transfers in buffers of {fmt.size(buffer)}")
        lines.append(f"cb_buffer_size {buffer}")
    if striped:
        stripe = _power_of_two(each, LEAST_STRIPE, MOST_STRIPE)
        what.append(f"a stripe and an aggregator for each of {hosts} hosts")
        lines += [
            f"# {striped}: how many stripes it has now, lfs getstripe or beegfs-ctl --getentryinfo says. New files get",
            "# these, so that each aggregator writes to a target of its own, in whole stripes.",
            f"striping_factor {hosts}",
            f"striping_unit {stripe}",
            f"cb_nodes {hosts}",
        ]
    head = [
        f"# A collective transfer moves {fmt.size(each)} for each host; ROMIO moves {fmt.size(BUFFER)} at a time.",
        "# How much time this saves is not predicted: measure it.",
        f"# Use:    export ROMIO_HINTS=$PWD/{NAME}",
        "# Check:  ROMIO_PRINT_HINTS=1 prints the hints when a file is opened",
    ]
    return Artefact(NAME, "; ".join(what), "\n".join([*head, *lines]) + "\n")


def _power_of_two(n_bytes: int, least: int, most: int) -> int:
    return min(max(1 << max(n_bytes - 1, 0).bit_length(), least), most)


def _striped(content: Content, file_system: Callable[[str], str]) -> str:
    """A file that ranks of several hosts write through MPI-IO, on a file system with stripes; "": there is none."""
    for entry in content.files.files:
        writers = {content.run.processes[rank.process].host for rank in entry.ranks if rank.mpi.bytes_written}
        if len(writers) > 1 and file_system(entry.file) in STRIPED:
            return entry.file
    return ""

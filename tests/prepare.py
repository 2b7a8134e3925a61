"""Builds parts that many tests would wait for, beside them: ./dev test starts it with low priority for a whole run.

Every part is built by the function that its tests call, too. The tests wait for a part that is being built, build one
that is not, and report failures. A failure here only means that no time was saved.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest
import tiers
from recorder.sanitized import build_recorder

from leadline import mpi, workloads
from leadline.errors import LeadlineError

# In these folders' order of the tests: the command's with every library, the recorder's, the workloads' own.
EVERY_LIBRARY = "opatm"
STUDIED = (("mpich", "debian-mpich"), ("openmpi", "debian-openmpi"), *([("intel",)] if tiers.everything() else []))


def studied(known: dict[str, mpi.Library]) -> Iterator[mpi.Library]:
    """The libraries that every workload is tested with, or their stand-ins."""
    for names in STUDIED:
        yield from [known[name] for name in names if name in known][:1]


def main() -> None:
    known = {library.name: library for library in mpi.available() if library.name in mpi.NAMES}
    for library in known.values() if tiers.everything() else studied(known):
        with contextlib.suppress(LeadlineError):
            workloads.build(workloads.find(EVERY_LIBRARY), library)
    for sanitizers in ("address,undefined", *(["thread"] if tiers.everything() else [])):
        with contextlib.suppress(AssertionError, pytest.skip.Exception):
            build_recorder(sanitizers)
    for name in workloads.names():
        fortran = workloads.find(name).language == "fortran"
        libraries = [known[word] for word in workloads.FORTRAN if word in known] if fortran else studied(known)
        for library in libraries:
            with contextlib.suppress(LeadlineError):
                workloads.build(workloads.find(name), library)


if __name__ == "__main__":
    main()

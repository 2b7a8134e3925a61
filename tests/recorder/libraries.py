"""Facts about MPI libraries that the tests need beyond `leadline.mpi`."""

import functools
import subprocess
import tempfile
from pathlib import Path

from mpi_facts import facts

from leadline.errors import LeadlineError
from leadline.mpi import NAMES, Library
from leadline.mpi import find as find_installed

__all__ = [
    "NAMES",
    "Library",
    "debian_mpich_file",
    "find",
    "has_function",
    "has_large_counts",
    "has_mpi4",
    "quiet_environment",
]


def find(name: str) -> Library | None:
    """The library of that name, None if it is not installed here."""
    try:
        return find_installed(name)
    except LeadlineError:
        return None


def quiet_environment(library: Library) -> dict[str, str]:
    """Environment for mpiexec on a machine that others use at the same time: Open MPI would pin ranks to cores."""
    return {**library.environ, **library.kind.unbound}


@functools.cache
def has_function(library: Library, name: str) -> bool:
    """Whether a program that calls the function can be linked with the library."""
    with tempfile.TemporaryDirectory() as directory:
        source = Path(directory, "has.c")
        source.write_text(f"int {name}(void);\nint main(void) {{ return {name}(); }}\n")
        words = [str(library.mpicc), "-w", str(source), "-o", str(source.with_suffix(""))]
        return subprocess.run(words, capture_output=True, check=False, timeout=60, env=library.env()).returncode == 0


def has_mpi4(library: Library) -> bool:
    """Whether the library has what MPI 4 brought: partitioned messages, persistent collectives, sessions."""
    return facts(library).has_mpi4(library)


def has_large_counts(library: Library) -> bool:
    """Whether the library has the MPI_x_c functions."""
    return facts(library).large_counts


def debian_mpich_file() -> Path | None:
    """Debian's MPICH, which calls itself libmpich.so.12 where everybody else says libmpi.so.12."""
    listing = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=False).stdout
    for line in listing.splitlines():
        if line.strip().startswith("libmpich.so.12 "):
            return Path(line.rpartition("=> ")[2].strip())
    return None

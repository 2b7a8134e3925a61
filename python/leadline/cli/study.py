"""leadline study: a published optimisation done again on this machine."""

from __future__ import annotations

import contextlib
import ctypes.util
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import click

from leadline import mpi
from leadline.cli.groups import Group
from leadline.cli.saying import say, shown
from leadline.errors import MissingPrerequisite, UsageError
from leadline.runs.interruption import Interruption
from leadline.text.printing import write_json

OF_PNETCDF = "debian-openmpi"  # the library that Debian's PnetCDF is for: all forms can run with it
GRID = "48x48x16"
SEGMENTS = "1,2,3,5,10,17,26,51"


output_option = click.option(
    "-o", "--output", metavar="DIR", envvar="LEADLINE_OUTPUT", help="Directory of the study, to begin or to resume."
)
json_option = click.option("--json", "json_", is_flag=True, envvar="LEADLINE_JSON", help="Print the study as JSON.")


@click.group("study", cls=Group)
def command() -> None:
    """Reproduce a published optimisation and compare with its papers."""


@command.command("opatm", short_help="OPATM-BFM: packed messages, collectives, parallel I/O.")
@click.option(
    "-n",
    "--ranks",
    metavar="P,Q",
    envvar="LEADLINE_RANKS",
    default="2,4",
    show_default=True,
    help="Numbers of ranks to compare, e.g. 2,4.",
)
@click.option(
    "--grid",
    metavar="NXxNYxNZ",
    envvar="LEADLINE_GRID",
    default=GRID,
    show_default=True,
    help="Grid size (as opatm's --grid).",
)
@click.option(
    "--steps", type=click.IntRange(3), envvar="LEADLINE_STEPS", default=3, show_default=True, help="Steps of each run."
)
@click.option(
    "--cost",
    type=click.Choice(["full", "light"]),
    envvar="LEADLINE_COST",
    default="light",
    show_default=True,
    help="Work per cell of the biological reactor.",
)
@click.option(
    "--segments",
    metavar="N,…",
    envvar="LEADLINE_SEGMENTS",
    default=SEGMENTS,
    show_default=True,
    help="Numbers of segments to pack the exchanged fields into.",
)
@click.option(
    "--rounds",
    type=click.IntRange(1),
    envvar="LEADLINE_ROUNDS",
    default=5,
    show_default=True,
    help="Repeats per variant, interleaved.",
)
@click.option(
    "--mpi",
    "library",
    metavar="LIBRARY",
    envvar="LEADLINE_MPI",
    help="MPI library.  [default: debian-openmpi if PnetCDF is installed; else mpich, or openmpi when oversubscribed]",
)
@click.option("-o", "--output", metavar="DIR", envvar="LEADLINE_OUTPUT", help="Directory for the runs; new or empty.")
@click.option("--html", metavar="FILE", envvar="LEADLINE_HTML", help="Write the study as one HTML page.")
@json_option
def opatm(
    ranks: str,
    grid: str,
    steps: int,
    cost: str,
    segments: str,
    rounds: int,
    library: str | None,
    output: str | None,
    html: str | None,
    json_: bool,
) -> int:
    """OPATM-BFM: pack its messages, replace sends with collectives, read and write in parallel, and measure again.

    Records the original program, each change alone and all changes together, at two numbers of ranks, and each number
    of segments, interleaved. The tables show the figures of two papers beside those measured here.
    """
    numbers = sorted(_numbers("--ranks", ranks, 2, 4096))
    if len(numbers) != 2:
        raise UsageError(f"--ranks {ranks}: expected two different numbers, e.g. 2,4")
    tried = tuple(sorted(_numbers("--segments", segments, 1, 51)))
    if html is not None and Path(html).is_dir():
        raise UsageError(f"{html} is a directory", hint="leadline study opatm --html FILE")
    try:
        from leadline.runs.progress import ProgressLine
        from leadline.studies.figures import figures
        from leadline.studies.opatm import Plan, measure
    except ImportError as error:
        raise MissingPrerequisite(
            f"Leadline's native module is missing: {error}",
            hint="build the source tree (./dev build) or reinstall Leadline",
        ) from error
    plan = Plan(
        ranks=(numbers[0], numbers[1]),
        segments=tried,
        rounds=rounds,
        grid=("--grid", grid),
        program=("--steps", str(steps), "--cost", cost),
        library=_library(library, numbers[1]),
        directory=_directory(output),
    )
    with ProgressLine(say) as line:
        study = measure(plan, line.show)
    _write(figures(study), html, json_)
    study.interruption.end_if_any()
    return 0


@command.command("libraries", short_help="Open MPI's OB1 and CM, and other libraries, under four applications.")
@click.option(
    "-n", "--ranks", metavar="P,Q", envvar="LEADLINE_RANKS", default="2,4", show_default=True, help="Numbers of ranks."
)
@click.option(
    "--mpi",
    "libraries",
    metavar="A,B",
    envvar="LEADLINE_MPI",
    default="mpich,openmpi,openmpi@4.1.8,intel",
    show_default=True,
    help="MPI libraries.",
)
@click.option(
    "--repeats", type=click.IntRange(2), envvar="LEADLINE_REPEATS", default=5, show_default=True, help="Runs of each."
)
@click.option("--small", is_flag=True, envvar="LEADLINE_SMALL", help="Problems that take seconds, not minutes.")
@click.option("--record", is_flag=True, envvar="LEADLINE_RECORD", help="Record the runs, with their reports.")
@output_option
@click.option("--dry-run", is_flag=True, envvar="LEADLINE_DRY_RUN", help="Print what would run, and for how long.")
@json_option
def libraries(
    ranks: str,
    libraries: str,
    repeats: int,
    small: bool,
    record: bool,
    output: str | None,
    dry_run: bool,
    json_: bool,
) -> int:
    """Open MPI on a Cray XT4, again: vh1, gtc, pop and s3d with each library, Open MPI with its PMLs OB1 and CM.

    Messages alone are measured beside them, and MPI_Allreduce under pop with four algorithms. For each claim of the
    paper the study says whether it holds here, does not, or cannot be said here. It resumes with -o.
    """
    from leadline.cli.campaign import FAILED, show_study
    from leadline.runs.progress import ProgressLine
    from leadline.studies.libraries.plan import Wanted
    from leadline.studies.libraries.study import campaign_of, run
    from leadline.studies.libraries.terminal import draw

    numbers = tuple(sorted(_numbers("--ranks", ranks, 1, 4096)))
    names = tuple(dict.fromkeys(name.strip() for name in libraries.split(",") if name.strip()))
    wanted = Wanted(names, numbers, repeats, small, record)
    directory = Path(tempfile.mkdtemp(prefix="leadline-study-")) if output is None else Path(output).absolute()
    campaign = campaign_of(wanted, directory)
    if dry_run:
        return show_study(campaign, None, draw, json_=json_)
    with ProgressLine(say) as line:
        found = run(campaign, wanted, line.note, line.show)
    show_study(campaign, found.content, draw, json_=json_)
    _end_if_interrupted(found.interruption, directory)
    return FAILED if found.content["runs"]["failed"] else 0


@command.command("intel-mpi", short_help="Releases of Intel MPI: messages, broadcasts and sums, and who wins where.")
@click.option(
    "--mpi",
    "libraries",
    metavar="A,B",
    envvar="LEADLINE_MPI",
    default="intel@2018.0.3,intel@2019.4.243,intel@2021.2.0,intel",
    show_default=True,
    help="MPI libraries.",
)
@click.option(
    "--launches",
    type=click.IntRange(2),
    envvar="LEADLINE_LAUNCHES",
    default=5,
    show_default=True,
    help="Launches of each release, in turn.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0.01),
    envvar="LEADLINE_SECONDS",
    default=0.5,
    show_default=True,
    help="For each point of a launch, at most.",
)
@click.option("--full", is_flag=True, envvar="LEADLINE_FULL", help="All processes and lengths, on however few cores.")
@output_option
@json_option
def intel_mpi(libraries: str, launches: int, seconds: float, full: bool, output: str | None, json_: bool) -> int:
    """Releases of Intel MPI, again: messages, broadcasts and sums of vectors, by the library and by its rivals.

    Releases take turns, launch by launch. For each conclusion of the study it says how often its tables show it, and
    whether it holds here, does not, or cannot be said here. It resumes with -o.
    """
    from leadline.cli.campaign import FAILED
    from leadline.runs.progress import ProgressLine
    from leadline.studies.intel_mpi.study import Wanted, run
    from leadline.studies.intel_mpi.terminal import draw
    from leadline.text.printing import console
    from leadline.text.screen import Screen

    names = tuple(dict.fromkeys(name.strip() for name in libraries.split(",") if name.strip()))
    directory = Path(tempfile.mkdtemp(prefix="leadline-study-")) if output is None else Path(output).absolute()
    with ProgressLine(say) as line:
        found = run(Wanted(names, launches, seconds, full), directory, line.note, line.show)
    if json_:
        write_json(found.content, sys.stdout)
    else:
        draw(found.content, Screen(console()))
        say(f"times: {shown(directory)}")
    _end_if_interrupted(found.interruption, directory)
    return FAILED if found.content["failed"] else 0


@command.command("virtual", short_help="wrf on 2 to 16 nodes in two environments: calls, and what differs.")
@click.option(
    "-n",
    "--nodes",
    metavar="P,Q",
    envvar="LEADLINE_NODES",
    default="2,4,8,16",
    show_default=True,
    help="Numbers of nodes, one process on each.",
)
@click.option(
    "--mpi",
    "library",
    metavar="LIBRARY",
    envvar="LEADLINE_MPI",
    default="openmpi",
    show_default=True,
    help="MPI library.",
)
@click.option(
    "--repeats", type=click.IntRange(2), envvar="LEADLINE_REPEATS", default=5, show_default=True, help="Runs of each."
)
@click.option(
    "--rate",
    metavar="RATE",
    envvar="LEADLINE_RATE",
    default="1gbit",
    show_default=True,
    help="Of the links between nodes, e.g. 100mbit.",
)
@click.option(
    "--environments",
    metavar="A,B",
    envvar="LEADLINE_ENVIRONMENTS",
    default="direct,links",
    show_default=True,
    help="Two of direct, links (network namespaces), guests (QEMU under KVM).",
)
@click.option(
    "--guest-kernel", metavar="FILE", envvar="LEADLINE_GUEST_KERNEL", help="Of guests.  [default: the newest in /boot]"
)
@click.option(
    "--virtual-launcher",
    metavar="WORDS",
    envvar="LEADLINE_VIRTUAL_LAUNCHER",
    help="Starts the second environment's processes, with {ranks} in it.  [default: network namespaces here]",
)
@click.option(
    "--sleep",
    type=click.IntRange(0),
    metavar="NS",
    envvar="LEADLINE_SLEEP",
    help="Sleep for each point and step instead of computing; 0: compute.  [default: 2000]",
)
@click.option("--small", is_flag=True, envvar="LEADLINE_SMALL", help="A problem that takes seconds, not minutes.")
@output_option
@click.option("--dry-run", is_flag=True, envvar="LEADLINE_DRY_RUN", help="Print what would run, and for how long.")
@json_option
def virtual(
    nodes: str,
    library: str,
    repeats: int,
    rate: str,
    environments: str,
    guest_kernel: str | None,
    virtual_launcher: str | None,
    sleep: int | None,
    small: bool,
    output: str | None,
    dry_run: bool,
    json_: bool,
) -> int:
    """WRF on physical and virtual clusters, again: the workload wrf in two environments, such as directly on this
    machine and over limited links, or over such links and in QEMU guests.

    Time by call and node, the study's three figures, and its conclusions, with what its own tables say; replays take
    the difference apart into computation, latency, bandwidth and jitter. It resumes with -o.
    """
    from leadline.cli.campaign import FAILED, show_study
    from leadline.runs.progress import ProgressLine
    from leadline.studies.virtual.plan import wanted_of
    from leadline.studies.virtual.study import campaign_of, on_environments, run
    from leadline.studies.virtual.terminal import draw

    numbers = tuple(sorted(_numbers("--nodes", nodes, 2, 128)))
    wanted = wanted_of(
        library,
        numbers,
        repeats,
        rate,
        virtual_launcher,
        sleep,
        small=small,
        environments=environments,
        kernel=guest_kernel or "",
    )
    directory = Path(tempfile.mkdtemp(prefix="leadline-study-")) if output is None else Path(output).absolute()
    campaign = campaign_of(wanted, directory)
    if dry_run:
        for note in on_environments(wanted):
            say(note)
        return show_study(campaign, None, draw, json_=json_)
    with ProgressLine(say) as line:
        found = run(campaign, wanted, line.note, line.show)
    show_study(campaign, found.content, draw, json_=json_)
    _end_if_interrupted(found.interruption, directory)
    return FAILED if found.content["runs"]["failed"] else 0


def _end_if_interrupted(asked: Interruption, directory: Path) -> None:
    """What was finished is shown by then."""
    if asked.signal:
        say(f"interrupted: the above is of what was finished; to go on: the same command with -o {shown(directory)}")
    asked.end_if_any()


def _numbers(option: str, text: str, least: int, most: int) -> set[int]:
    parts = text.split(",")
    if not all(re.fullmatch(r"\d{1,6}", part.strip()) and least <= int(part) <= most for part in parts):
        raise UsageError(f"{option} {text}: expected numbers from {least} to {most}, e.g. 2,4")
    return {int(part) for part in parts}


def _library(name: str | None, ranks: int) -> mpi.Library:
    """One for both numbers of ranks: ranks that wait must leave their core to others if there are too few cores."""
    from leadline.cli.workload import RANKS_FOR_BUSY_WAITING, default_library, library_for

    if name is None and ctypes.util.find_library("pnetcdf"):
        with contextlib.suppress(MissingPrerequisite):
            return mpi.find(OF_PNETCDF)
    busy = ranks > len(os.sched_getaffinity(0))
    return library_for(name or default_library("c++", RANKS_FOR_BUSY_WAITING + 1 if busy else ranks))


def _directory(output: str | None) -> Path:
    if output is None:
        return Path(tempfile.mkdtemp(prefix="leadline-study-"))
    directory = Path(output)
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise UsageError(f"{output} is not empty", hint="give a new or empty directory: --output DIR")
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot create {output}: {error.strerror}") from error
    return directory


def _write(found: dict[str, Any], html: str | None, json_: bool) -> None:
    if json_:
        write_json(found, sys.stdout)
    else:
        from leadline.studies.terminal import draw
        from leadline.text.printing import console
        from leadline.text.screen import Screen

        draw(found, Screen(console()))
    if html is not None:
        from leadline.report.page import document

        try:
            document.write_study(found, Path(html))
        except OSError as error:
            raise UsageError(f"cannot write {html}: {error.strerror}") from error
        say(f"page: {shown(Path(html))}")

"""leadline calibrate: the parameters of a network, measured with a job's library, launcher and placement."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from leadline import mpi
from leadline.cli.saying import say, shown
from leadline.errors import MeasurementFailed, MissingPrerequisite, UsageError


@click.command("calibrate")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    envvar="LEADLINE_NETWORK_FILE",
    help="Write the network to FILE.  [default: print it]",
)
@click.option(
    "--mpi",
    "library",
    metavar="LIBRARY",
    envvar="LEADLINE_MPI",
    help=f"MPI library: {', '.join(mpi.NAMES)}, a release, or the path of an mpiexec.  [default: the launcher's]",
)
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="RUN | -- LAUNCHER [OPTIONS]...")
def command(output: Path | None, library: str | None, words: tuple[str, ...]) -> int:
    """Measure what messages cost and write it to a file for `leadline predict --network`.

    LAUNCHER starts the ranks as for the job that is to be predicted: same library, nodes, placement and environment. A
    program after its options is not started. It takes one to two minutes, on cores that do nothing else.

    RUN is the directory of a run: the file then says what its own messages show, and nothing is measured.
    """
    from leadline.bench.output import check_folder
    from leadline.calibration import calibration_of, launch_all, why_too_noisy
    from leadline.network import write
    from leadline.runs.progress import ProgressLine

    if output is not None:
        if output.exists():
            raise UsageError(f"{output} already exists", hint="choose another name")
        check_folder(output)  # before a minute of measuring
    if len(words) == 1 and Path(words[0]).is_dir():
        return _of_run(Path(words[0]), output)
    chosen = _library(library, words)
    with ProgressLine(say) as line:
        launches = launch_all(words, chosen, line.show)
    if launches[0].ranks < 2:
        raise UsageError("the job has one rank, so there are no messages to measure", hint="-- mpiexec -n 2")
    if launches[0].oversubscribed:
        raise UsageError(f"the {launches[0].ranks} ranks share cores, so messages wait for cores", hint="start fewer")
    if reason := why_too_noisy(launches):
        raise MeasurementFailed(f"nothing was written: {reason}", hint="repeat it on cores that do nothing else")
    found = calibration_of(launches)
    for each in lines_of(found):
        say(each)
    return _written(write(found.described), output)


def _written(text: str, output: Path | None) -> int:
    if output is None:
        sys.stdout.write(text)
    else:
        output.write_text(text)
        say(f"wrote {shown(output)}")
    return 0


def _of_run(directory: Path, output: Path | None) -> int:
    from leadline.cli.reporting import open_run
    from leadline.network import write
    from leadline.predict import copied_bytes_of, eager_bytes_of, network_of, why_spoiled

    run = open_run(directory)
    if reason := why_spoiled(run):
        raise UsageError(f"the run says nothing of a network. {reason}")
    found = network_of(run, eager_bytes_of(run), copied_bytes_of(run))
    for name, count in found.messages.items():
        sizes = ", ".join(f"{n_bytes:,}" for n_bytes in found.sizes[name][:8])
        more = ", …" if len(found.sizes[name]) > 8 else ""
        say(f"{name}: {count:,} messages with times, of {sizes}{more} bytes")
    for each in found.notes:
        say(each)
    return _written(write(found.described), output)


def _library(given: str | None, words: tuple[str, ...]) -> mpi.Library:
    from leadline.cli.workload import library_for, library_of_launcher

    if given is not None:
        return library_for(given)
    found = library_of_launcher(words)
    if found is None:
        raise MissingPrerequisite(
            f"cannot find the MPI library of {words[0]}: no compiler wrapper (mpicxx) stands beside it",
            hint="--mpi LIBRARY or --mpi /path/to/mpiexec",
        )
    return mpi.find(found)


def lines_of(found: Any) -> list[str]:
    """What was found, for people."""
    from leadline.text import format as fmt

    lines = [f"library: {found.library}"]
    for name, (one, other) in found.pairs.items():
        link = found.described.network.own(name)
        limit = "none found" if link.eager_bytes >= 2**62 else fmt.size(link.eager_bytes)
        if link.copied_bytes < link.eager_bytes:
            limit += f", in place above {fmt.size(link.copied_bytes)}"
        rate = f"{fmt.size(found.bytes_per_ns[name] * 1e9)}/s"
        lines.append(
            f"{name} (ranks {one} and {other}): {fmt.seconds(found.latency_ns[name] * 1e-9)}, {rate}, eager limit "
            f"{limit}, long messages {'move' if link.progresses else 'do not move'} while both ranks compute"
        )
    return lines + found.notes

"""Starts the measuring program in the place of the user's, as often as wanted."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from leadline import mpi
from leadline.bench import program
from leadline.bench.launching import Plan, prepared, read_lines, result_of
from leadline.calibration.measured import Launch, take
from leadline.calibration.noise import why_too_noisy
from leadline.errors import CannotStart, MeasurementFailed
from leadline.launch.launcher import find_launcher, with_program
from leadline.runs.execute import execute
from leadline.tuning.shared import shared_folder, unseen

LAUNCHES = 3
SECONDS = 14.0  # of each, besides starting and stopping
LIMIT_S = 110.0


def launch_all(
    words: Sequence[str],
    library: mpi.Library,
    progress: Callable[[str], None] = lambda _: None,
    *,
    launches: int = LAUNCHES,
    seconds: float = SECONDS,
    environ: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> list[Launch]:
    """words: a launcher with its options; a program behind them is replaced.   environ: besides this process' own and
    the library's.   folder: one that the hosts share; None: as shared_folder() finds it.

    Raises CannotStart, MissingPrerequisite, MeasurementFailed.
    """
    if shutil.which(words[0]) is None:
        raise CannotStart(
            f"{words[0]}: not found", found=False, hint="name a launcher: leadline calibrate -- mpiexec -n 2"
        )
    executable = program.executable(library)
    whole = {**os.environ, **library.env(), **(environ or {})}
    found = []
    with shared_folder("calibrate", folder) as shared:
        for number in range(launches):
            progress(f"launch {number + 1} of {launches}")
            found.append(_launch(_command(words, str(executable)), whole, shared / f"launch{number}", seconds))
            if found[-1].ranks < 2 or found[-1].oversubscribed or why_too_noisy(found):
                break  # more of them say no more
    return found


def _command(words: Sequence[str], executable: str) -> list[str]:
    launcher = find_launcher(words)
    if launcher is None:
        return [*words, executable]
    start = launcher.index + 1
    return [*words[:start], *with_program(words[start:], [executable], launcher.kind)]


def _launch(words: Sequence[str], environ: dict[str, str], folder: Path, seconds: float) -> Launch:
    folder.mkdir()
    plan = Plan((), calibrate_s=seconds)
    outcome = execute(prepared(plan, words, environ, folder, label="leadline calibrate", timeout_s=LIMIT_S))
    try:
        result = result_of(outcome, plan, folder)
    except MeasurementFailed as error:
        if "not a leadline bench plan" in outcome.output:  # of a node that does not have it
            raise MeasurementFailed(f"a rank cannot read its plan: {unseen(folder)}") from error
        raise
    found = Launch(result.library, result.ranks, result.hosts, result.oversubscribed, result.noise)
    take(found, read_lines(folder / "results"))
    return found

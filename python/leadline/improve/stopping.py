"""Launches that do not take as long as the program: fewer steps by an option, or ended once enough of them are done.

The recording of a launch that was ended is read as that of any killed program.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from leadline.errors import LeadlineError
from leadline.figures.iterations import iterations
from leadline.figures.run import open_run
from leadline.improve.step import why_no_iterations
from leadline.launch.launcher import find_launcher, program_start

LOOK_S = 0.5  # between two looks at a recording that grows, at least
REST = 10  # times as long as the look took


class UntilIterations:
    """Whether the run that is recorded into a directory has done so many iterations of its main loop.

    from_s: when that is looked at first.   reached_s: when it was seen, since the launch; None if it was not.
    """

    def __init__(self, directory: Path, count: int, from_s: float = LOOK_S) -> None:
        self.directory = directory
        self.count = count
        self.reached_s: float | None = None
        self._next_s = from_s

    def __call__(self, elapsed_s: float) -> bool:
        if elapsed_s < self._next_s:
            return False
        begin = time.monotonic()
        if _has_done(self.directory, self.count):
            self.reached_s = elapsed_s
            return True
        took_s = time.monotonic() - begin
        self._next_s = elapsed_s + took_s + max(LOOK_S, REST * took_s)
        return False


def _has_done(directory: Path, count: int) -> bool:
    try:
        run = open_run(directory)
        found = iterations(run)
    except (LeadlineError, OSError):
        return False  # nothing there yet
    return found is not None and found.found.count >= count and not why_no_iterations(run, found, ended=True)


def shortened(command: Sequence[str], option: Sequence[str], path: str | None) -> tuple[str, ...]:
    """The command whose program has the option in place of its own of the same name, in each of several programs.

    option: "--steps=5" in one word, or name and value in two. At the end of the command if the program has none.
    """
    if not option:
        return tuple(command)
    launcher = find_launcher(command, path)
    start = 0 if launcher is None else launcher.index + 1
    start += 0 if launcher is None else program_start(command[start:], launcher.kind)
    before, words = list(command[: start + 1]), list(command[start + 1 :])
    name, assigned, _ = option[0].partition("=")
    if len(option) == 1 and assigned:
        found = [at for at, word in enumerate(words) if word.startswith(f"{name}=")]
    else:
        found = [at for at, word in enumerate(words) if word == option[0] and at + len(option) <= len(words)]
    for at in found:
        words[at : at + len(option)] = option
    return (*before, *words) if found else (*before, *words, *option)

"""The signals that Python ignores since it started, which the programs that it starts must not ignore for that."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # built in; `signal` is a dozen files, which `leadline exec` would open on every rank
import os

IGNORED_BY_PYTHON = (_signal.SIGPIPE, _signal.SIGXFSZ)
# A shell cannot change a signal that was ignored when it started, and passes on what its user ignores (trap '' PIPE).
SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "busybox", "fish", "tcsh", "csh"})


def to_default() -> list[int]:
    """The signals that Python ignores since it started, and the program does not, as if it had been started without us.

    Python has forgotten whether they were ignored before. They were if a shell started us that ignores them itself; of
    any other parent that says nothing, since it may have set them back for us, as Python's subprocess does.
    """
    try:
        with open(f"/proc/{os.getppid()}/status", errors="replace") as file:
            facts = dict(line.split(":\t", 1) for line in file.read().splitlines() if ":\t" in line)
        ignored = int(facts["SigIgn"], 16) if facts["Name"] in SHELLS else 0
    except (OSError, ValueError, KeyError):
        ignored = 0
    return [number for number in IGNORED_BY_PYTHON if not ignored >> (number - 1) & 1]

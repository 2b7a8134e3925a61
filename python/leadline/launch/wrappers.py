"""Commands that run another command: `env X=1 mpiexec …`, `timeout 60 mpiexec …`, `numactl -N 0 ./app`.

Looking through them must not mistake an argument of the user's program for a launcher, so each is known by name, with
the options that take a value and the number of words it wants before the command.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z_0-9]*=")


@dataclass(frozen=True)
class Wrapper:
    """How to skip a wrapper's own words."""

    options_with_value: frozenset[str] = frozenset()
    positional: int = 0
    assignments: bool = False


def _wrapper(options: str = "", positional: int = 0, *, assignments: bool = False) -> Wrapper:
    return Wrapper(frozenset(options.split()), positional, assignments)


WRAPPERS: dict[str, Wrapper] = {
    "env": _wrapper("-u --unset -C --chdir", assignments=True),
    "timeout": _wrapper("-k --kill-after -s --signal", 1),
    "numactl": _wrapper(
        "-i --interleave -N --cpunodebind -C --physcpubind -m --membind -p --preferred -P --preferred-many -w"
    ),
    "taskset": _wrapper("", 1),
    "nice": _wrapper("-n --adjustment"),
    "ionice": _wrapper("-c --class -n --classdata"),
    "chrt": _wrapper("-T -P -D --sched-runtime --sched-period --sched-deadline", 1),
    "stdbuf": _wrapper("-i -o -e --input --output --error"),
    "nohup": _wrapper(),
    "setsid": _wrapper(),
    "setarch": _wrapper("", 1),
    "time": _wrapper("-f --format -o --output"),
    "unbuffer": _wrapper(),
    "catchsegv": _wrapper(),
    "setpriv": _wrapper("--reuid --regid --groups --inh-caps --ambient-caps --bounding-set --securebits"),
    "exec": _wrapper("-a"),
    "hyperfine": _wrapper("-w --warmup -r --runs -m --min-runs -M --max-runs --export-json"),
}


def wrappers_in_front(words: Sequence[str]) -> list[Sequence[str]]:
    """The leading words cut into one piece per wrapper; what follows them is the launcher or the program."""
    pieces = []
    at = 0
    while at < len(words) and PurePath(words[at]).name in WRAPPERS:
        end = min(_after(words, at + 1, WRAPPERS[PurePath(words[at]).name]), len(words))
        pieces.append(words[at:end])
        at = end
    return pieces


def command_start(words: Sequence[str]) -> int:
    """The index of the first word that does not belong to a wrapper: the launcher's or the program's.

    Equals len(words) if a wrapper is given nothing to run.
    """
    return sum(len(piece) for piece in wrappers_in_front(words))


def _after(words: Sequence[str], at: int, wrapper: Wrapper) -> int:
    while at < len(words):
        word = words[at]
        if word == "--":
            at += 1
            break
        if not word.startswith("-") or word == "-":
            if wrapper.assignments and (word == "-" or ASSIGNMENT.match(word)):
                at += 1
                continue
            break
        at += 2 if word in wrapper.options_with_value else 1
    while wrapper.assignments and at < len(words) and ASSIGNMENT.match(words[at]):
        at += 1
    return at + wrapper.positional


def with_variables(words: Sequence[str], variables: dict[str, str], preload: str) -> list[str]:
    """`words` with each `env` in front of the program keeping our variables.

    One that clears the environment is given them as assignments; one that sets LD_PRELOAD gets ours before its own.
    preload: the value of LD_PRELOAD without any preload of the user's.
    """
    out: list[str] = []
    for piece in wrappers_in_front(words):
        if PurePath(piece[0]).name == "env":
            piece = _env_with(piece, variables, preload)
        out += piece
    return [*out, *words[command_start(words) :]]


def preload_in_front(words: Sequence[str]) -> str | None:
    """The LD_PRELOAD that an `env` in front of the program sets; "" if it removes it; None if there is no such
    `env`."""
    found = None
    for piece in wrappers_in_front(words):
        if PurePath(piece[0]).name == "env":
            found = "" if "LD_PRELOAD" in _unset(piece) else found
            for word in piece:
                if word.startswith("LD_PRELOAD="):
                    found = word.partition("=")[2]
    return found


def _unset(piece: Sequence[str]) -> set[str]:
    """The variables that `env -u NAME` takes away."""
    found: set[str] = set()
    for at, word in enumerate(piece):
        if word in {"-u", "--unset"}:
            found.update(piece[at + 1 : at + 2])
        elif word.startswith(("-u", "--unset=")):
            found.add(word.removeprefix("--unset=").removeprefix("-u"))
    return found


def _env_with(piece: Sequence[str], variables: dict[str, str], preload: str) -> list[str]:
    clears = any(word in {"-i", "-", "--ignore-environment"} for word in piece)
    unset = _unset(piece) & {*variables, "LD_PRELOAD"}
    theirs = [word.partition("=")[2] for word in piece if word.startswith("LD_PRELOAD=")]
    if not clears and not theirs and not unset:
        return list(piece)
    kept = [word for word in piece if not word.startswith("LD_PRELOAD=")]
    ours = {name: value for name, value in variables.items() if clears or name in unset}
    if clears or theirs or "LD_PRELOAD" in unset:
        ours["LD_PRELOAD"] = ":".join([preload, *theirs[-1:]]) if theirs and theirs[-1] else preload
    return [*kept, *(f"{name}={value}" for name, value in ours.items())]

"""Whether we are a rank of a job ourselves: `mpiexec -n 4 leadline run ./app` would make four runs of one rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leadline.errors import UsageError
from leadline.launch.launcher import LAUNCHER_NAME
from leadline.launch.wrappers import command_start
from leadline.launchers.variables import launcher_variables
from leadline.masking import masked_words
from leadline.text.visible import in_shell

MOST_SHOWN = 60


@dataclass(frozen=True)
class OwnRank:
    """Our place among the processes that a launcher started."""

    rank: int
    size: int
    launcher: str


def own_rank(environ: Mapping[str, str]) -> OwnRank | None:
    """None if no launcher started us, or only us."""
    for variables in launcher_variables().values():
        try:
            found = OwnRank(int(environ[variables.rank]), int(environ[variables.size]), variables.command)
        except (KeyError, ValueError):
            continue
        return found if found.size > 1 and found.rank >= 0 else None
    return None


class InsideJob(UsageError):
    """One of several ranks was about to do what must be done once, around all of them. `silent`: rank 0 reports it for
    all."""

    def __init__(self, own: OwnRank, command: str, words: Sequence[str]) -> None:
        shown = " ".join(map(in_shell, masked_words(words)))
        program = shown if len(shown) < MOST_SHOWN else f"{in_shell(words[0])} …"
        begin = f"{own.launcher} -n {own.size}"
        around = f"leadline {command}{' TABLE' if command == 'apply' else ''} -- {begin} {program}"
        instead = f", or {begin} leadline exec {program}" if command in {"run", "record"} else ""
        super().__init__(
            f"nothing was started: {own.launcher} started `leadline {command}` {own.size} times, once per rank, and "
            "each would record its rank as a separate run",
            hint=f"use: {around}{instead}",
        )
        if own.rank > 0:  # a launcher that sees a rank fail may end the others, before the message is out
            self.silent = True
            self.exit_code = 0


def refuse_inside_job(command: str, words: Sequence[str], environ: Mapping[str, str]) -> None:
    """Raises InsideJob in each rank of a job, unless `words` start a job of their own."""
    start = command_start(words)
    own = own_rank(environ)
    if own is not None and start < len(words) and not LAUNCHER_NAME.fullmatch(words[start].rpartition("/")[2]):
        raise InsideJob(own, command, words)

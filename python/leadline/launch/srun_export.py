"""What srun passes on to its tasks: everything, or what --export or SLURM_EXPORT_ENV names.

`sbatch --export=NONE` sets SLURM_EXPORT_ENV=NONE for all that the script starts. What is recorded needs a few variables
of ours in the tasks, so they are added to what is passed, by name where they can be: srun has them in its own
environment, and a value may hold commas, at which srun cuts the list.
Source: srun's manual, --export and SLURM_EXPORT_ENV; tried with 22.05.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from leadline.launch.launcher_options import SRUN

VARIABLE = "SLURM_EXPORT_ENV"
NOTHING = ("NONE", "NIL")


def with_variables(contexts: Sequence[Sequence[str]], variables: Mapping[str, str], preload: str) -> list[str]:
    """The words after srun, of each program of several, with an --export that passes our variables too.

    preload: the value of LD_PRELOAD without any preload of the user's.
    """
    inherited = os.environ.get(VARIABLE)
    found = [_with_export(context, variables, preload, inherited) for context in contexts]
    out = list(found[0])
    for words in found[1:]:
        out += [":", *words]
    return out


def environment(environ: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """What must be set for every srun that a script starts, where the environment says that they pass little on."""
    value = environ.get(VARIABLE)
    if value is None or passes_all(value):
        return {}
    kept = [] if value in NOTHING else value.split(",")
    return {VARIABLE: ",".join([*kept, *(name for name in names if name not in kept)])}


def passes_all(value: str) -> bool:
    return value == "" or "ALL" in value.split(",")


def _with_export(
    context: Sequence[str], variables: Mapping[str, str], preload: str, inherited: str | None
) -> list[str]:
    words: list[str] = []
    given, at = inherited, 0
    while at < len(context) and context[at].startswith("-") and context[at] not in {"-", "--"}:
        count = SRUN.takes(context, at) or 1
        option = context[at : at + count]
        name, assigned, value = option[0].partition("=")
        if len(name) > 4 and name != "--export-file" and "--export".startswith(name):  # --export, or abbreviated
            given = value if assigned else "".join(option[1:])
        else:
            words += option
        at += count
    rest = list(context[at:])
    if given is None:
        return [*words, *rest]
    return [f"--export={_merged(given, variables, preload)}", *words, *rest]


def _merged(given: str, variables: Mapping[str, str], preload: str) -> str:
    kept = [] if given in NOTHING else [word for word in given.split(",") if word]
    theirs = [word.partition("=")[2] for word in kept if word.startswith("LD_PRELOAD=")]
    kept = [word for word in kept if word.partition("=")[0] not in variables]
    names = [name for name in variables if name != "LD_PRELOAD"]
    # Set for the tasks only, not for srun itself.
    loaded = ":".join([preload, *theirs[-1:]]) if theirs and theirs[-1] else None
    if loaded is not None:
        return ",".join([*kept, f"LD_PRELOAD={loaded}", *names])
    if passes_all(given):
        return given
    return ",".join([*kept, "LD_PRELOAD", *names])

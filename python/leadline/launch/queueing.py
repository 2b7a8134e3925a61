"""Commands that put a job into a batch system's queue and come back at once: sbatch, qsub, bsub."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath

from leadline.launch.explain import keeps_environment_back
from leadline.launch.wrappers import command_start
from leadline.launchers.srun import passes_all

SUBMITTERS = ("sbatch", "qsub", "bsub", "msub", "flux-batch")


def submitter(command: Sequence[str]) -> str:
    """The name of the submitting command; "" if this is none."""
    start = command_start(command)
    name = PurePath(command[start]).name if start < len(command) else ""
    return name if name in SUBMITTERS and "--wait" not in command and "-W" not in command else ""


def what_becomes_of(command: Sequence[str], environ: Mapping[str, str], directory: Path) -> str:
    """The message about a job that has only been queued."""
    name = submitter(command)
    kept_back = _kept_back(name, command, environ)
    if kept_back:
        return (
            f"the job was queued but will not be recorded: {kept_back}. In its script, "
            "start the program with leadline exec."
        )
    return f"the job was queued; when it runs, it is recorded in {directory}"


def _kept_back(name: str, command: Sequence[str], environ: Mapping[str, str]) -> str:
    """The reason why our variables do not reach the job; "" if none is known."""
    if name in {"qsub", "msub"}:
        exported = any(word.startswith("-V") or (word.startswith("-v") and "LD_PRELOAD" in word) for word in command)
        return "" if exported else f"{name} needs -V to pass on the environment"
    if name != "sbatch":
        return ""
    value = environ.get("SBATCH_EXPORT")
    for at, word in enumerate(command):
        if word == "--export":
            value = "".join(command[at + 1 : at + 2])
        elif word.startswith("--export="):
            value = word.partition("=")[2]
    if value is not None:
        return "" if passes_all(value) else f"sbatch exports only {value} (--export)"
    for word in command[command_start(command) + 1 :]:
        if os.path.isfile(word) and (option := keeps_environment_back(word)):
            return f"{word} sets {option}"
    return ""

"""What switches the recorder on for every job of a site, without a change to scripts (docs/record/every-job.md).

prolog    a script for Slurm's TaskProlog, whose output Slurm takes as changes to the tasks' environment
module    a module file in Tcl, which Environment Modules and Lmod read
profile   lines for /etc/profile.d, or a job script
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

from leadline.errors import UsageError

FORMS = ("prolog", "module", "profile")
PLAIN = re.compile(r"[A-Za-z0-9/._+@%,=-]+")


@dataclass(frozen=True)
class Recording:
    """recorder: the library.   runs: the folder in which every user gets one.   settings: further variables."""

    recorder: Path
    runs: Path
    settings: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for path in (self.recorder, self.runs, *(value for value in self.settings.values() if value.startswith("/"))):
            if not PLAIN.fullmatch(str(path)):
                raise UsageError(f"{path}: a path for every job may have letters, digits and /._+@%,=- only")


def written(recording: Recording, form: str) -> str:
    """In one of FORMS."""
    variables = {"LEADLINE_DIR": f"{recording.runs}/$USER", "LEADLINE_RUNS": "1", **recording.settings}
    about = "# Records every MPI job: leadline site setup. LEADLINE_OFF=1 switches it off for whoever sets it."
    match form:
        case "prolog":
            return _prolog(about, recording, variables)
        case "module":
            return _module(about, recording, variables)
        case _:
            return _profile(about, recording, variables)


def _prolog(about: str, recording: Recording, variables: dict[str, str]) -> str:
    lines = ["#!/bin/sh", about, f'if [ -z "$LEADLINE_DIR" ] && [ -r {recording.recorder} ]; then']
    lines += [f'  echo "export {name}={value}"' for name, value in _defaults(variables).items()]
    lines += [f'  echo "export LD_PRELOAD={recording.recorder}${{LD_PRELOAD:+:$LD_PRELOAD}}"', "fi"]
    return "\n".join(lines) + "\n"


def _profile(about: str, recording: Recording, variables: dict[str, str]) -> str:
    lines = [about, f'if [ -z "$LEADLINE_DIR" ] && [ -r {recording.recorder} ]; then']
    lines += [f'  export {name}="{value}"' for name, value in _defaults(variables).items()]
    lines += [f'  export LD_PRELOAD="{recording.recorder}${{LD_PRELOAD:+:$LD_PRELOAD}}"', "fi"]
    return "\n".join(lines) + "\n"


def _defaults(variables: dict[str, str]) -> dict[str, str]:
    """What the user has set stays."""
    return {name: f"${{{name}:-{value}}}" for name, value in variables.items()}


def _module(about: str, recording: Recording, variables: dict[str, str]) -> str:
    lines = [
        "#%Module1.0",
        about,
        f"if {{ ![info exists ::env(LEADLINE_DIR)] && [file readable {recording.recorder}] }} {{",
    ]
    for name, value in variables.items():
        own = value.replace("$USER", "$::env(USER)")
        lines.append(f'  if {{ ![info exists ::env({name})] }} {{ setenv {name} "{own}" }}')
    lines += [f"  prepend-path LD_PRELOAD {shlex.quote(str(recording.recorder))}", "}"]
    return "\n".join(lines) + "\n"

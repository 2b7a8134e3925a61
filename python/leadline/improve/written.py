"""What was proven to help, for those who run the program without Leadline: lines of a shell, and of other formats.

shell    to be sourced by a shell, in a job script
prolog   a script for `srun --task-prolog`, whose output Slurm takes as changes to the tasks' environment
module   a module file in Tcl, which Environment Modules and Lmod read
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from leadline.errors import UsageError
from leadline.improve.file import read
from leadline.improve.setting import Setting, laid_out, variables_of
from leadline.launch.shim import require_library
from leadline.tuning import table as tables

FORMS = ("shell", "prolog", "module")
FOLDER = "settings"
SHIM_TABLE = "collectives.shim"
IN_TCL = re.compile(r'[\\$\[\]{}";]')


def written(path: Path, form: str) -> str:
    """The settings of a file in one of FORMS. Files that they name are written beside it. Raises UsageError."""
    settings, _ = read(path)
    gone = [name for setting in settings for name in setting.without]
    settings = [laid_out(setting, path.absolute().parent / FOLDER) for setting in settings]
    variables = _variables(settings, path.absolute().parent)
    notes = _notes(settings, variables)
    if not gone and not variables and not notes:
        notes = ["nothing to set"]
    match form:
        case "shell":
            lines = [f"unset {name}" for name in gone]
            lines += [f"export {name}={shlex.quote(value)}" for name, value in variables.items()]
            lines += [f"# {note}" for note in notes]
        case "prolog":
            told = [f"unset {name}" for name in gone]
            told += [f"export {name}={_on_a_line(name, value)}" for name, value in variables.items()]
            lines = [
                "#!/bin/sh",
                *(f"# {note}" for note in notes),
                *(f"printf '%s\\n' {shlex.quote(line)}" for line in told),
            ]
        case _:
            lines = ["#%Module1.0", *(f"# {note}" for note in notes), *(f"unsetenv {name}" for name in gone)]
            lines += [f'setenv {name} "{_in_tcl(_on_a_line(name, value))}"' for name, value in variables.items()]
    return "\n".join(lines) + "\n"


def _variables(settings: Sequence[Setting], beside: Path) -> dict[str, str]:
    variables = variables_of(settings, beside / FOLDER)
    for setting in settings:
        if setting.by_shim and setting.table is not None:
            table = beside / SHIM_TABLE
            table.write_text(tables.lines_for_shim(setting.table))
            table.chmod(table.stat().st_mode & 0o755)
            variables |= {"LD_PRELOAD": str(require_library()), "LEADLINE_TABLE": str(table)}
    return variables


def _notes(settings: Sequence[Setting], variables: Mapping[str, str]) -> list[str]:
    """What variables cannot say."""
    notes = []
    options = [word for setting in settings for word in setting.options]
    gone = [shlex.join(option) for setting in settings for option in setting.without_options]
    if gone:
        notes.append(f"without these options of the launcher: {', '.join(gone)}")
    if options:
        notes.append(f"options of the launcher: {shlex.join(options)}")
    hosts = dict.fromkeys(host for setting in settings for host in setting.hosts)
    if hosts:
        notes.append(f"places of ranks are for these hosts: {' '.join(hosts)}")
    passed = [name for name in variables if not name.startswith(("OMPI_MCA_", "PRTE_MCA_", "PMIX_MCA_"))]
    if passed:
        notes.append(f"on other nodes, the launcher has to pass on: {' '.join(passed)}")
    return notes


def _on_a_line(name: str, value: str) -> str:
    if "\n" in value:
        raise UsageError(f"{name} has several lines, which only --as-shell can write")
    return value


def _in_tcl(text: str) -> str:
    """As it stands between quotes in Tcl."""
    return IN_TCL.sub(lambda found: f"\\{found[0]}", text)

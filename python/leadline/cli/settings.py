"""Settings files: the project's leadline.toml takes precedence over the user's ~/.config/leadline/config.toml.

A key at the top level applies to every command that has such an option; a key in a command's table, to that command.

    budget = "64MB"
    [record]
    output = "soundings/latest"

A file counts only if the user or root owns it and nobody else can change or replace it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from leadline import owners, toml
from leadline.cli.recorder_settings import SETTINGS
from leadline.errors import UsageError

PROJECT_FILE = "leadline.toml"
# The options that may be set in a file, and the commands that have them.
OPTIONS = {
    "output": ("record", "run", "exec"),
    **{setting.name: ("record", "run", "exec") for setting in SETTINGS},
    "quiet": ("record", "run", "apply"),
    "json": ("report", "doctor", "bench", "tune", "apply"),
    "ranks": ("workload", "bench", "tune"),
    "mpi": ("workload", "bench", "tune"),
    **dict.fromkeys(("algorithms", "sizes", "launches", "rounds", "seconds", "seed", "launcher"), ("bench", "tune")),
    **dict.fromkeys(("repeat", "skew", "buffers", "root", "nodes", "timeout"), ("bench",)),
    **dict.fromkeys(("operations", "refine"), ("tune",)),
    **dict.fromkeys(("via", "fill", "measure"), ("apply",)),
}
# The names that click uses: those of the commands' parameters.
PARAMETERS = {
    "json": "json_",
    "mpi": "library",
    "skew": "skew_us",
    "timeout": "timeout_s",
    "refine": "refinements",
}


def default_map(commands: set[str]) -> dict[str, Any]:
    """click's defaults per command, from both files. Raises UsageError for a file that cannot be used."""
    merged: dict[str, Any] = {name: {} for name in commands}
    for path in (_user_file(), _project_file()):
        if path is not None:
            for command, values in _per_command(path, commands).items():
                merged[command].update({PARAMETERS.get(key, key): value for key, value in values.items()})
    workload = merged.get("workload")
    if workload is not None:
        library = PARAMETERS["mpi"]
        merged["workload"] = {"run": workload, "build": {k: v for k, v in workload.items() if k == library}}
    return merged


def _user_file() -> Path | None:
    """None if there is none, or none that is obeyed."""
    base, home = os.environ.get("XDG_CONFIG_HOME"), os.environ.get("HOME")
    if not base and not home:
        return None
    path = (Path(base) if base else Path(home or "") / ".config") / "leadline" / "config.toml"
    return path if os.path.isfile(path) and _is_obeyed(path) else None


def _project_file() -> Path | None:
    """The nearest one that is obeyed, in the working directory or above it."""
    here = Path.cwd()
    files = (folder / PROJECT_FILE for folder in (here, *here.parents))
    return next((file for file in files if os.path.isfile(file) and _is_obeyed(file)), None)


def _is_obeyed(path: Path) -> bool:
    """Whether only the user or root can change the file, which may name programs to start. One that others can change
    is named, by one rank of a job, and otherwise ignored, whatever it holds."""
    why = owners.why_not_obeyed(path)
    if why:
        from leadline.cli.saying import say
        from leadline.launch.inside import own_rank

        own = own_rank(os.environ)
        if own is None or own.rank == 0:
            say(f"ignored {path}: {why}")
    return not why


def _per_command(path: Path, commands: set[str]) -> dict[str, dict[str, Any]]:
    content = toml.load(path)
    found: dict[str, dict[str, Any]] = {name: {} for name in commands}
    for key, value in content.items():
        if isinstance(value, dict):
            if key not in commands:
                raise UsageError(f"{path}: unknown command {key!r}", hint=f"commands: {', '.join(sorted(commands))}")
            for option, setting in value.items():
                if key not in OPTIONS.get(option, ()):
                    raise UsageError(f"{path}: unknown option {option!r} of leadline {key}")
                found[key][option] = setting
    for key, value in content.items():
        if not isinstance(value, dict):
            if key not in OPTIONS:
                raise UsageError(f"{path}: unknown setting {key!r}", hint=f"settings: {', '.join(OPTIONS)}")
            for command in OPTIONS[key]:
                found[command].setdefault(key, value)
    return found

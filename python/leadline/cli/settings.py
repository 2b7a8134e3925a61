"""Settings files: the project's leadline.toml takes precedence over the user's ~/.config/leadline/config.toml.

A key at the top level applies to every command that has such an option; a key in a command's table, to that command.

    budget = "64MB"
    [record]
    output = "soundings/latest"
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from leadline import toml
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
        if path is not None and path.is_file():
            for command, values in _per_command(path, commands).items():
                merged[command].update({PARAMETERS.get(key, key): value for key, value in values.items()})
    workload = merged.get("workload")
    if workload is not None:
        library = PARAMETERS["mpi"]
        merged["workload"] = {"run": workload, "build": {k: v for k, v in workload.items() if k == library}}
    return merged


def _user_file() -> Path | None:
    base = os.environ.get("XDG_CONFIG_HOME")
    if base:
        return Path(base) / "leadline" / "config.toml"
    home = os.environ.get("HOME")
    return Path(home) / ".config" / "leadline" / "config.toml" if home else None


def _project_file() -> Path | None:
    here = Path.cwd()
    return next((folder / PROJECT_FILE for folder in (here, *here.parents) if (folder / PROJECT_FILE).is_file()), None)


def _per_command(path: Path, commands: set[str]) -> dict[str, dict[str, Any]]:
    content = toml.load(path)
    found: dict[str, dict[str, Any]] = {name: {} for name in commands}
    for key, value in content.items():
        if isinstance(value, dict):
            if key not in commands:
                raise UsageError(
                    f"{path}: no command is called {key!r}", hint=f"commands: {', '.join(sorted(commands))}"
                )
            for option, setting in value.items():
                if key not in OPTIONS.get(option, ()):
                    raise UsageError(f"{path}: leadline {key} has no setting {option!r}")
                found[key][option] = setting
    for key, value in content.items():
        if not isinstance(value, dict):
            if key not in OPTIONS:
                raise UsageError(f"{path}: no setting is called {key!r}", hint=f"settings: {', '.join(OPTIONS)}")
            for command in OPTIONS[key]:
                found[command].setdefault(key, value)
    return found

"""Settings that a library reads from a file of the user's, such as Open MPI's mca-params.conf."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from leadline import own_files

MOST_BYTES = 1 << 20


@dataclass(frozen=True)
class SettingsFile:
    """settings: by the names of the library's own variables (MPI_T).   prefix: with which the environment has them,
    which goes before the file."""

    path: Path
    settings: Mapping[str, str]
    prefix: str


def settings_of(path: Path) -> dict[str, str]:
    """The settings in lines "name = value"; # begins a comment. {} if the file cannot be read.

    Source: "Setting MCA parameter values", documentation of Open MPI 5.0.
    """
    try:
        text = own_files.read_named(path, MOST_BYTES).decode(errors="replace")
    except OSError:
        return {}
    lines = (line.partition("#")[0].partition("=") for line in text.splitlines())
    found = ((name.strip(), value.strip()) for name, sign, value in lines if sign)
    return {name: value for name, value in found if name}

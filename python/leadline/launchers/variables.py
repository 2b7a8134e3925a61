"""The variables of launchers and batch systems, from api/launchers.toml; its head explains the words."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from leadline.api_data import api_data


@dataclass(frozen=True)
class LauncherVariables:
    """Those by which a launcher tells each process its place; "" for what it does not tell."""

    command: str
    source: str
    rank: str
    size: str = ""
    local_rank: str = ""
    local_size: str = ""
    nodes: str = ""
    job: str = ""
    job_is_unique: bool = False
    any_library: bool = False
    inherited: bool = False


@dataclass(frozen=True)
class BatchVariables:
    """Those by which a batch system describes a job; "" for what it does not say."""

    title: str
    source: str
    id: str
    name: str = ""
    partition: str = ""
    nodes: str = ""
    array_job: str = ""
    array_task: str = ""
    restarts: str = ""
    end_time: str = ""
    node_count: str = ""
    node_file: str = ""
    ambiguous: bool = False


@functools.cache
def launcher_variables() -> dict[str, LauncherVariables]:
    """By name, in the order of the file. Raises MissingPrerequisite."""
    return {name: LauncherVariables(**entry) for name, entry in api_data("launchers.toml")["launcher"].items()}


@functools.cache
def batch_variables() -> dict[str, BatchVariables]:
    """By name, in the order of the file. Raises MissingPrerequisite."""
    return {name: BatchVariables(**entry) for name, entry in api_data("launchers.toml")["batch"].items()}

"""The settings that reach the recorder as variables: one line each, for `record`, `run` and `exec` alike."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from leadline.errors import UsageError


@dataclass(frozen=True)
class Setting:
    """An option --name-with-dashes, the key `name` of the settings files, and its variable, LEADLINE_NAME.

    kind: "flag", "size" ("64MB"), "series" (a size or one of SERIES_WORDS) or "text".
    """

    name: str
    kind: str
    help: str

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        return "LEADLINE_" + self.name.upper()


SERIES_WORDS = ("auto", "all", "none")
SIZE = r"\d+(\.\d+)?\s*([kKMG]i?)?B?"

SETTINGS = (
    Setting("budget", "size", "At most this much trace per rank, e.g. 64MB."),
    Setting(
        "series",
        "series",
        "Keep the times of single calls: all of them up to this size per rank, beyond it those of some iterations; "
        "or all, none.  [default: auto: some 25,000 calls, beyond that 16,000 or 16 iterations]",
    ),
    Setting("memory", "size", "At most this much memory for the recorder per rank, 4MB or more."),
    Setting("variables", "text", "Whether to read the MPI library's variables (MPI_T): 0 or 1."),
    Setting(
        "clocks",
        "text",
        "Whether MPI_Init and MPI_Finalize compare the clocks of a job's hosts: hosts (where there are several), none, "
        "or exchange (always). All ranks must be recorded.  [default: hosts]",
    ),
    Setting("start_paused", "flag", "Record nothing until the program calls MPI_Pcontrol(1)."),
    Setting("verbose", "flag", "Let the recorder say what it does."),
)


def variables_of(given: Mapping[str, Any]) -> dict[str, str]:
    """The recorder's variables for the values of options by name. Raises UsageError for a size that is none."""
    found = {}
    for setting in SETTINGS:
        value = given.get(setting.name)
        if value is None or value is False:
            continue
        if setting.kind == "flag":
            found[setting.variable] = "1"
        elif setting.kind == "size":
            found[setting.variable] = _size(value)
        elif setting.kind == "series":
            found[setting.variable] = str(value) if str(value) in SERIES_WORDS else _size(value)
        else:
            found[setting.variable] = str(value)
    return found


def _size(value: Any) -> str:
    if not re.fullmatch(SIZE, str(value)):
        raise UsageError(f"not a size: {value}", hint="for example 64MB")
    return str(value).replace(" ", "")

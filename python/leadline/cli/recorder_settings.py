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

    kind: "flag", "size" ("64MB") or "text".
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


SETTINGS = (
    Setting("budget", "size", "At most this much trace per rank, e.g. 64MB."),
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
            if not re.fullmatch(r"\d+(\.\d+)?\s*([kKMG]i?)?B?", str(value)):
                raise UsageError(f"not a size: {value}", hint="for example 64MB")
            found[setting.variable] = str(value).replace(" ", "")
        else:
            found[setting.variable] = str(value)
    return found

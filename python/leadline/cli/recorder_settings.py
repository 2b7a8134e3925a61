"""The settings that reach the recorder as variables, one entry each. `record`, `run` and `exec` share them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from leadline.errors import UsageError
from leadline.text import sizes


@dataclass(frozen=True)
class Setting:
    """An option --name-with-dashes, the key `name` of the settings files, and its variable, LEADLINE_NAME.

    kind: "flag", "size" ("64MB"), "series" (a size or one of SERIES_WORDS), "rate" (per second) or "text".
    least: the smallest size that is of any use, in bytes. values: the values of a text, as the help shows them.
    """

    name: str
    kind: str
    help: str
    least: int = 0
    values: str = "TEXT"

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        return "LEADLINE_" + self.name.upper()


SAMPLES_PER_S = 97  # a prime: not in step with anything
MOST_SAMPLES_PER_S = 10_000
SERIES_WORDS = ("auto", "all", "none")
BARE_LEAST = 1_000_000  # a smaller number without a unit was meant in megabytes, as other tools count

SETTINGS = (
    # The call sites and definitions of an ordinary program must fit.
    Setting("budget", "size", "Trace size limit per rank, at least 64kB.  [default: 64MB]", least=64_000),
    Setting(
        "series",
        "series",
        "Call times to keep per rank: SIZE (all calls if they fit, else some iterations), "
        "all, or none.  [default: auto, about 25,000 calls or 16 iterations]",
        least=5_000,  # the recorder's least_limit: below it no times are kept
    ),
    Setting("memory", "size", "Recorder memory limit per rank, at least 4MB.", least=4_000_000),
    Setting("variables", "text", "Read the MPI library's performance variables (MPI_T).", values="0|1"),
    Setting(
        "clocks",
        "text",
        "Compare clocks in MPI_Init and MPI_Finalize: hosts (only jobs on several "
        "hosts), exchange (always), none. All ranks must be recorded.  [default: hosts]",
        values="hosts|exchange|none",
    ),
    Setting(
        "sample",
        "rate",
        "Sample computation between MPI calls, RATE times per second of CPU time. "
        f"[default: off; RATE defaults to {SAMPLES_PER_S}]",
    ),
    Setting("start_paused", "flag", "Start paused: record nothing until MPI_Pcontrol(1)."),
    Setting(
        "live",
        "text",
        "Directory on each node for the traces while the program runs.  [default: the run's directory; "
        "node-local memory or disk if that is on a network file system]",
        values="DIR|run",
    ),
    Setting(
        "shared_directory",
        "flag",
        "Allow a directory owned by another user or writable by others.",
    ),
    Setting(
        "keep_secrets", "flag", "Do not mask passwords, tokens and keys in the recorded command line and settings."
    ),
    Setting("verbose", "flag", "Log what the recorder does."),
)


def variables_of(given: Mapping[str, Any]) -> dict[str, str]:
    """Turn the values of options, by name, into the recorder's variables. Raises UsageError for an invalid size."""
    found = {}
    for setting in SETTINGS:
        value = given.get(setting.name)
        if value is None or value is False:
            continue
        if setting.kind == "flag":
            found[setting.variable] = "1"
        elif setting.kind == "rate":
            found[setting.variable] = _rate(setting, value)
        elif setting.kind == "size":
            found[setting.variable] = _size(setting, value)
        elif setting.kind == "series":
            found[setting.variable] = str(value) if str(value) in SERIES_WORDS else _size(setting, value)
        else:
            found[setting.variable] = str(value)
    return found


def _rate(setting: Setting, value: Any) -> str:
    text = str(value)
    if not re.fullmatch(r"\d{1,9}", text) or not 1 <= int(text) <= MOST_SAMPLES_PER_S:
        raise UsageError(
            f"{setting.flag} {text}: expected samples per second, 1 to {MOST_SAMPLES_PER_S:,}",
            hint=f"{setting.flag}={SAMPLES_PER_S}, or {setting.flag} -- before the command",
        )
    return text


def _size(setting: Setting, value: Any) -> str:
    text = str(value)
    n_bytes = sizes.parse(text)
    if n_bytes is None:
        raise UsageError(f"{value}: expected a size", hint="e.g. 64MB or 64MiB")
    if not sizes.has_unit(text) and 0 < n_bytes < BARE_LEAST:
        raise UsageError(
            f"{setting.flag} {text} has no unit ({n_bytes:,.0f} bytes is unlikely)",
            hint=f"write {text}MB for megabytes"
            if n_bytes < setting.least
            else f"{text}B for bytes, {text}MB for megabytes",
        )
    if n_bytes < setting.least:
        meant = _instead(setting)
        raise UsageError(
            f"{setting.flag} {text} ({n_bytes:,.0f} bytes) is too small; the minimum is {sizes.typed(setting.least)}",
            hint=meant,
        )
    return text.replace(" ", "")


def _instead(setting: Setting) -> str:
    return "--series none keeps no call times" if setting.kind == "series" else "omit it to use the default"

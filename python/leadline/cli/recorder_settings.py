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
    Setting("budget", "size", "Write at most this much trace per rank; 64kB or more.  [default: 64MB]", least=64_000),
    Setting(
        "series",
        "series",
        "Keep the times of single calls: all of them while they fit into SIZE per rank, otherwise those of some "
        "iterations; or of all calls, or of none.  [default: auto: about 25,000 calls; otherwise 16,000 calls or 16 "
        "iterations]",
        least=5_000,  # the recorder's least_limit: below it no times are kept
    ),
    Setting("memory", "size", "Let the recorder take at most this much memory per rank; 4MB or more.", least=4_000_000),
    Setting("variables", "text", "Whether to read the MPI library's variables (MPI_T).", values="0|1"),
    Setting(
        "clocks",
        "text",
        "When MPI_Init and MPI_Finalize compare clocks: hosts, if the job has several hosts; exchange, always; none, "
        "never. All ranks must be recorded.  [default: hosts]",
        values="hosts|exchange|none",
    ),
    Setting(
        "sample",
        "rate",
        "Sample where the program computes between MPI calls, RATE times per second of a thread's own time.  "
        f"[default: none; without RATE: {SAMPLES_PER_S}]",
    ),
    Setting("start_paused", "flag", "Record nothing until the program calls MPI_Pcontrol(1)."),
    Setting(
        "live",
        "text",
        "Where to keep the recording while the program runs: in DIR on each node, or in the run's directory.  "
        "[default: run; on a network file system, the node's memory or disk]",
        values="DIR|run",
    ),
    Setting(
        "shared_directory",
        "flag",
        "Record into a directory that belongs to somebody else, or that others can write.",
    ),
    Setting("keep_secrets", "flag", "Keep passwords, tokens and keys of the command line and of settings readable."),
    Setting("verbose", "flag", "Let the recorder report what it does."),
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
            f"{setting.flag} {text}: a number of samples per second is expected, 1 to {MOST_SAMPLES_PER_S:,}",
            hint=f"{setting.flag}={SAMPLES_PER_S}, or {setting.flag} -- before the command",
        )
    return text


def _size(setting: Setting, value: Any) -> str:
    text = str(value)
    n_bytes = sizes.parse(text)
    if n_bytes is None:
        raise UsageError(f"not a size: {value}", hint="for example 64MB, or 64MiB")
    if not sizes.has_unit(text) and 0 < n_bytes < BARE_LEAST:
        raise UsageError(
            f"{setting.flag} {text} has no unit, and {n_bytes:,.0f} bytes would be very little",
            hint=f"write {text}MB for megabytes" if n_bytes < setting.least else f"write {text}B if you meant bytes",
        )
    if n_bytes < setting.least:
        meant = _instead(setting)
        raise UsageError(
            f"{setting.flag} {text} ({n_bytes:,.0f} bytes) is too little to record with; the minimum is "
            f"{sizes.typed(setting.least)}",
            hint=meant,
        )
    return text.replace(" ", "")


def _instead(setting: Setting) -> str:
    return "--series none keeps no times" if setting.kind == "series" else "leave it out for the default"

"""How messages are sent, as something to tune: under a program of the user's, since which is better depends on it.

Every candidate is a setting of the MPI library that is first shown to have taken effect (MPI_T in the ranks, and the
library still starts), then runs the program in turn with the library's defaults, several times, in an order that
changes; what decides is the ratio of runs that were next to each other.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from leadline.bench.statistics import interval
from leadline.errors import LeadlineError, UsageError
from leadline.launch import process
from leadline.tuning.applying import LIBRARIES
from leadline.tuning.probing import ProbeFailed, Subject, ask, subject, words_with

SCHEMA = 1


@dataclass(frozen=True)
class Candidate:
    """variables: for every rank. control: the MPI_T variable, or else the environment's, that shows it: its value."""

    name: str
    what: str
    variables: dict[str, str] = field(hash=False)
    control: tuple[str, str] | None = None


def candidates(family: str) -> list[Candidate]:
    """The default is first."""
    found = [Candidate("default", "as it is", {})]
    if family == "openmpi":
        found.append(
            Candidate("ob1", "PML OB1: rendezvous above the eager limit", {"OMPI_MCA_pml": "ob1"}, ("pml", "ob1"))
        )
        found.append(
            Candidate(
                "cm",
                "PML CM over OFI's MTL: everything is sent at once, matched below",
                {"OMPI_MCA_pml": "cm", "OMPI_MCA_mtl": "ofi"},
                ("pml", "cm"),
            )
        )
        # Shared memory is btl/sm in 5.0, btl/vader in 4.1: the limit is set in both, one is not there.
        for limit in (1024, 16384, 65536):
            variables = {
                "OMPI_MCA_pml": "ob1",
                "OMPI_MCA_btl_sm_eager_limit": str(limit),
                "OMPI_MCA_btl_vader_eager_limit": str(limit),
            }
            control = ("btl_sm_eager_limit", str(limit))
            found.append(Candidate(f"eager-{limit}", f"OB1, eager to {limit} bytes in a node", variables, control))
    elif family == "mpich":
        for limit in (0, 16384, 65536):
            name = "MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD"
            found.append(
                Candidate(
                    f"cma-{limit}", f"copied once (CMA) from {limit} bytes", {name: str(limit)}, (name, str(limit))
                )
            )
    elif family == "intel":
        for limit in (16384, 65536, 1048576):
            found.append(Candidate(f"eager-{limit}", f"eager to {limit} bytes", {"I_MPI_EAGER_THRESHOLD": str(limit)}))
            found.append(
                Candidate(
                    f"shm-eager-{limit}",
                    f"eager to {limit} bytes in a node",
                    {"I_MPI_INTRANODE_EAGER_THRESHOLD": str(limit)},
                )
            )
    return found


def available(about: Subject, candidate: Candidate) -> str:
    """Why it can't be tried; "" where it can: the library starts with it, and its own variable has the value."""
    if not candidate.variables:
        return ""
    control = candidate.control
    names = [control[0], "btl_vader_eager_limit"] if control else []
    try:
        answers = ask(about, candidate.variables, named=list(candidate.variables), controls=names)
    except ProbeFailed as error:
        if candidate.variables.get("OMPI_MCA_pml") == "cm":
            return f"PML CM needs an MTL, and none can be used here (mtl ofi: no provider that fits): {error}"
        return str(error)
    for name, value in candidate.variables.items():
        if answers.variables.get(name) != value:
            return f"{name} did not reach the ranks"
    if control is None:
        return ""
    seen = [value for value in answers.controls.values() if value is not None]
    if not seen:
        return f"the library has no variable {control[0]}: the setting would do nothing"
    if control[1] not in seen:
        return f"the library has {control[0]} = {seen[0]} in spite of the setting"
    return ""


def tune_protocol(
    command: Sequence[str], *, launches: int, pattern: str | None, say: Callable[[str], None]
) -> dict[str, Any]:
    """Run `command` under each candidate. pattern: a regular expression whose group is the time, by default wall time.

    Raises UsageError, MissingPrerequisite, CannotStart, and LeadlineError where the program fails as it is.
    """
    process.resolve(command[0], os.environ.get("PATH"))
    about = subject(command)
    usable, without = [], []
    for candidate in candidates(about.family):
        why = available(about, candidate)
        if why:
            without.append({"candidate": candidate.name, "what": candidate.what, "why": why})
            say(f"not available: {candidate.name}: {why}")
        else:
            usable.append(candidate)
    times: dict[str, list[float | None]] = {candidate.name: [] for candidate in usable}
    for number in range(launches):
        turn = usable[number % len(usable) :] + usable[: number % len(usable)]
        for candidate in turn:
            say(f"run {number + 1} of {launches}: {candidate.name}")
            seconds = _time(about, candidate, pattern)
            if seconds is None and not candidate.variables:
                raise LeadlineError(f"the program ends with an error as it is: {' '.join(command)}")
            times[candidate.name].append(seconds)
    rows = [judge(candidate.name, times["default"], times[candidate.name]) for candidate in usable]
    for row, candidate in zip(rows, usable, strict=True):
        row |= {"what": candidate.what, "settings": candidate.variables}
    return {
        "schema": SCHEMA,
        "library": LIBRARIES.get(about.family, str(about.library)),
        "command": list(command),
        "launches": launches,
        "rows": rows,
        "not_available": without,
        "best": best(rows),
    }


def judge(name: str, base: Sequence[float | None], times: Sequence[float | None]) -> dict[str, Any]:
    """Of seconds by launch, None where the program failed. ratio: default time / its time, of the same launch."""
    ratios = [ours / theirs for ours, theirs in zip(base, times, strict=True) if ours and theirs]
    found = interval([[ratio] for ratio in ratios]) if ratios else None
    return {
        "candidate": name,
        "seconds": list(times),
        "failed": sum(seconds is None for seconds in times),
        "ratio": None if found is None else found.as_dict(),
        "ratio_by_launch": ratios,
    }


def best(rows: Sequence[dict[str, Any]]) -> str:
    """The candidate that was faster in every run, its interval clear of 1; "default" where none was."""
    able = [
        row
        for row in rows
        if not row["failed"]
        and row["ratio"]
        and (row["ratio"]["low"] or 0) > 1
        and all(ratio > 1 for ratio in row["ratio_by_launch"])
    ]
    return max(able, key=lambda row: row["ratio"]["low"])["candidate"] if able else "default"


def _time(about: Subject, candidate: Candidate, pattern: str | None) -> float | None:
    """Seconds of one run; None where it failed. Its output is not shown."""
    words, environ = words_with(about, candidate.variables)
    begin = time.perf_counter()
    done = subprocess.run(
        words, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", env=environ, check=False
    )
    seconds = time.perf_counter() - begin
    if done.returncode != 0:
        return None
    if pattern is None:
        return seconds
    found = re.search(pattern, done.stdout)
    if found is None or not found.groups():
        raise UsageError(f"--time {pattern!r} has no group, or is not in the program's output")
    try:
        return float(found[1])
    except ValueError:
        raise UsageError(f"--time: {found[1]!r} is not a number") from None


def print_found(found: dict[str, Any]) -> None:
    print(f"{found['library']}: best is {found['best']}")
    for row in found["rows"]:
        ratio = row["ratio"]
        if ratio is None:
            words = "failed"
        elif ratio["low"] is None:
            words = f"default / this: {ratio['median']:.3f} (too few runs for an interval)"
        else:
            words = f"default / this: {ratio['median']:.3f} ({ratio['low']:.3f} to {ratio['high']:.3f})"
        print(f"  {row['candidate']:18} {words}  {row['what']}")
    for lost in found["not_available"]:
        print(f"  {lost['candidate']:18} not available: {lost['why']}")

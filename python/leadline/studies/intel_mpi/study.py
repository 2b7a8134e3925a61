"""The study: its points over the releases, and its claims."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline import run_directory
from leadline.campaign import conditions
from leadline.campaign.programs import library_for
from leadline.errors import MeasurementFailed
from leadline.runs.interruption import Interruption
from leadline.studies.intel_mpi import claims, points

SCHEMA = "leadline.study.intel-mpi/1"
RELEASES = ("intel@2018.0.3", "intel@2019.4.243", "intel@2021.2.0", "intel")
FEWEST = 3


@dataclass(frozen=True)
class Wanted:
    """libraries: names, the oldest first.   full: every number of processes and elements of the study."""

    libraries: tuple[str, ...]
    launches: int
    seconds: float
    full: bool


@dataclass(frozen=True)
class Result:
    content: dict[str, Any]
    interruption: Interruption


def run(wanted: Wanted, directory: Path, say: Callable[[str], None], progress: Callable[[str], None]) -> Result:
    """Raises MeasurementFailed if there is nothing to show."""
    run_directory.make(directory)
    run_directory.refuse_if_others_write(directory, shared=False)
    libraries = [library_for(name, say) for name in wanted.libraries]
    found = points.measured(libraries, wanted.launches, wanted.seconds, directory, progress, full=wanted.full)
    if not found.done and not found.interruption.signal:
        raise MeasurementFailed(f"nothing was measured: {next(iter(found.failed.values()), 'no point fits')}")
    ran_on = {each.name: conditions.facts(each, {}) for each in libraries}
    return Result(content_of(found, wanted.libraries, ran_on), found.interruption)


def content_of(
    found: points.Points, libraries: Sequence[str], ran_on: dict[str, dict[str, str | None]]
) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "libraries": [*libraries],
        "environments": ran_on,
        "rows": found.rows(),
        "failed": found.failed,
        "left_out": found.left_out,
        "claims": [each.as_dict() for each in claims.verdicts(found, libraries)],
    }

"""The study: its campaign in two environments, tables, figures, claims, and the difference taken apart."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline.campaign.execution import RUNS, run_name
from leadline.campaign.plan import Cell
from leadline.campaign.programs import kind_of, library_for
from leadline.campaign.show import Campaign
from leadline.errors import LeadlineError, MeasurementFailed, MissingPrerequisite
from leadline.figures.run import open_run
from leadline.libraries import LIBRARIES
from leadline.mpi import Library
from leadline.profiles import virtual_clusters
from leadline.profiles.profile import Profile
from leadline.profiles.virtual_clusters import disagreements, figures
from leadline.runs.interruption import ends_the_block
from leadline.statistics.median import median
from leadline.studies.by_campaign import Result, campaign_in
from leadline.studies.virtual import apart, calibrations, claims, guests, nodes, tables
from leadline.studies.virtual.plan import FOLDERS, GUESTS, LINKS, Wanted, toml_of

FIGURES = "figures.svg"
SCHEMA = "leadline.study.virtual/1"


def sides_of(wanted: Wanted) -> dict[str, str]:
    """The study's clusters, by the names of the environments that stand for them."""
    return dict(zip(wanted.environments, (claims.FIRST, claims.SECOND), strict=True))


def campaign_of(wanted: Wanted, directory: Path) -> Campaign:
    """Writes the campaign's file into the directory. An earlier call's runs are kept."""
    kind = next(each for each in LIBRARIES if each.name == kind_of(wanted.library))
    return campaign_in(directory, toml_of(wanted, kind, directory))


def run(campaign: Campaign, wanted: Wanted, say: Callable[[str], None], progress: Callable[[str], None]) -> Result:
    """Raises MissingPrerequisite where there are no nodes, MeasurementFailed if there is nothing to show."""
    library = library_for(wanted.library, say)
    measured = None
    with ends_the_block() as asked, _made_here(wanted, library, campaign.directory):
        campaign.run(say, None, retry_failed=True)
        if not campaign.journal.rows and not asked.signal:
            raise MeasurementFailed("no run of the study was made")
        if not asked.signal:
            measured = calibrations.measured(wanted, library, campaign.directory, progress)
    return Result(campaign, content_of(campaign, wanted, Found.of(campaign, sides_of(wanted)), measured), asked)


@contextlib.contextmanager
def _made_here(wanted: Wanted, library: Library, directory: Path) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        if LINKS in wanted.made_here:
            stack.enter_context(nodes.made(wanted.ranks, wanted.rate, library, directory / FOLDERS[LINKS]))
        if GUESTS in wanted.made_here:
            folder = directory / FOLDERS[GUESTS]
            stack.enter_context(guests.made(wanted.ranks, wanted.rate, library, folder, wanted.guest_kernel))
        yield


@dataclass(frozen=True)
class Found:
    """The recordings: by side and nodes, a directory and a profile for each repeat that succeeded, in order."""

    directories: dict[tuple[str, int], list[Path]]
    profiles: dict[tuple[str, int], list[Profile]]

    @staticmethod
    def of(campaign: Campaign, sides: Mapping[str, str]) -> Found:
        found = Found({}, {})
        for cell in campaign.cells:
            key = sides[cell.setting.name], cell.ranks
            for directory in _recorded(campaign, cell):
                with contextlib.suppress(LeadlineError):
                    profile = tables.profile_of(open_run(directory))
                    found.directories.setdefault(key, []).append(directory)
                    found.profiles.setdefault(key, []).append(profile)
        return found


def _recorded(campaign: Campaign, cell: Cell) -> Iterator[Path]:
    for (cell_id, repeat, recorded), row in sorted(campaign.journal.rows.items()):
        if cell_id == cell.id and recorded and row["ok"]:
            yield campaign.directory / RUNS / run_name(cell_id, repeat, recorded)


def content_of(
    campaign: Campaign, wanted: Wanted, found: Found, measured: calibrations.Measured | None
) -> dict[str, Any]:
    typical = {key: tables.typical(profiles) for key, profiles in found.profiles.items()}
    both = virtual_clusters.sizes(typical)
    notes = [*on_environments(wanted), *(measured.notes if measured is not None else [])]
    parts, failures = _apart(found, measured, both)
    names = {side: name for name, side in sides_of(wanted).items()} | {claims.SECOND: "virtual"}
    drawn, why = _drawn(wanted, typical, names, campaign.directory / FIGURES) if both else ("", "")
    verdicts = claims.verdicts(found.profiles, typical, names[claims.FIRST]) if both else []
    return {
        **campaign.results(),
        "schema": SCHEMA,
        "caution": wanted.caution,
        "sides": names,
        "tables": [
            {"side": side, "nodes": count, "rows": tables.rows_of(profile)}
            for (side, count), profile in sorted(typical.items(), key=lambda item: (item[0][1], item[0][0]))
        ],
        "figures": list(figures(typical)),
        "published": list(figures(virtual_clusters.tables())),
        "drawn": drawn,
        "disagreements": [
            {**vars(each), "ratio": each.ratio, "slower": each.slower} for each in disagreements(typical)
        ],
        "apart": [each.as_dict() for each in parts],
        "claims": [each.as_dict() for each in verdicts],
        "remarks": [*notes, *failures, *([why] if why else []), *_on_counts(found)],
    }


def _apart(
    found: Found, measured: calibrations.Measured | None, both: list[int]
) -> tuple[list[apart.Apart], list[str]]:
    if measured is None or len(measured.networks) < 2:
        return [], []
    parts, failures = [], []
    for count in both:
        middle = [_middle(found, side, count) for side in (claims.FIRST, claims.SECOND)]
        try:
            networks = [*measured.networks.values()]
            runs, runs_s = [open_run(path) for path, _, _ in middle], [alone_s for _, alone_s, _ in middle]
            first_s, second_s = (median_s for _, _, median_s in middle)
            parts.append(apart.taken_apart(count, runs, runs_s, (first_s, second_s), networks))
        except LeadlineError as error:
            failures.append(f"{count} nodes: the difference is not taken apart: {error}")
    return parts, failures


def _middle(found: Found, side: str, nodes: int) -> tuple[Path, float, float]:
    """The recording in the middle of the repeats, by time, with its time, and their median."""
    seconds = [tables.whole_s(profile) for profile in found.profiles[side, nodes]]
    order = sorted(range(len(seconds)), key=seconds.__getitem__)
    middle = order[(len(order) - 1) // 2]
    return found.directories[side, nodes][middle], seconds[middle], median(seconds)


def _drawn(wanted: Wanted, typical: virtual_clusters.Tables, names: dict[str, str], file: Path) -> tuple[str, str]:
    """The file's name, or why there is none."""
    title = f"wrf, one process per node: seconds per process, medians. Virtual: {wanted.second}.\n{wanted.caution}"
    try:
        virtual_clusters.draw(typical, file, title, names)
    except (MissingPrerequisite, LeadlineError) as error:
        return "", str(error)
    return file.name, ""


def on_environments(wanted: Wanted) -> list[str]:
    """What is compared here, and what is not, in sentences."""
    first, second = wanted.environments
    notes = [
        f"Physical is here: {wanted.described(first)}. Virtual is here: {wanted.described(second)}.",
        f"On every figure: {wanted.caution}.",
    ]
    cores = len(os.sched_getaffinity(0))
    if len(wanted.made_here) == 2 and max(wanted.ranks) > cores:
        notes.append(f"All nodes share {cores} cores here: in both environments, calls wait for a core, too.")
    if len(wanted.made_here) == 2:
        why = guests.why_impossible(wanted.guest_kernel)
        if GUESTS not in wanted.environments:
            why = why or f"--environments {LINKS},{GUESTS} takes them"
            notes.append(f"QEMU guests are not among the environments: {why}.")
        elif why:
            notes.append(f"QEMU guests cannot be made: {why}.")
    return notes


def _on_counts(found: Found) -> list[str]:
    """TAU lost receives; here each function's calls are all there."""
    runs = [profile for profiles in found.profiles.values() for profile in profiles]
    short = sum(profile.calls("MPI_Irecv") != profile.calls("MPI_Isend") for profile in runs)
    if not runs:
        return []
    words = "as many MPI_Irecv as MPI_Isend" if not short else f"MPI_Irecv and MPI_Isend differ in {short}"
    return [f"Of {len(runs)} runs: {words} (his tables on 8 nodes: 786,044 and 898,840, cut by TAU)."]

"""A profile of another tool as a Subject: functions, call sites where it has them, and the time of each rank."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from leadline.compare.subject import Part, Subject
from leadline.profiles import CallSite, Profile, cut_counts, read
from leadline.profiles.profile import Row
from leadline.profiles.tau import STARTUP
from leadline.profiles.tau_columns import APPLICATION as APPLICATION_OF_COLUMNS
from leadline.text import format as fmt

# Timers of TAU that stand for the whole program.
APPLICATION = (".TAU application", APPLICATION_OF_COLUMNS)
LEAST_KNOWN = 0.01  # of a rank's computation: figures with a larger error are not compared


def subject_of(profile: Profile, name: str) -> Subject:
    in_mpi = profile.in_mpi_s
    totals = {
        rank: max(seconds - in_mpi.get(rank, 0.0), 0.0)
        for rank, seconds in profile.application_s.items()
        if rank is not None
    }
    if len(totals) < profile.ranks or profile.span_error_s > LEAST_KNOWN * min(totals.values(), default=0.0):
        totals = {}
    whole = profile.application_s
    computation_s = sum(max(whole[rank] - in_mpi.get(rank, 0.0), 0.0) for rank in whole)
    return Subject(
        name=name,
        program=profile.program,
        ranks=profile.ranks,
        environment=_environment(profile),
        arguments=profile.arguments,
        sites=_sites(profile),
        functions=_functions(profile),
        rank_computation={rank: [seconds] for rank, seconds in totals.items()},
        rank_totals=totals,
        computation_s=computation_s,
        mpi_s=sum(in_mpi.values()),
        elapsed_s=whole[None] / profile.ranks if None in whole else max(whole.values(), default=0.0),
        notes=profile.notes,
        tool=profile.tool,
        kind=profile.format,
        depth=profile.depth,
        all_sites=profile.all_sites,
        has_structure=False,
        uncounted=sorted({cut.function for cut in cut_counts(profile)}),
    )


def _environment(profile: Profile) -> dict[str, str | None]:
    known = dict(profile.environment)
    arguments = profile.arguments
    return {
        "Recorded with": profile.tool,
        "MPI library": fmt.library(known.pop("MPI library", "")) or None,
        "Ranks": str(profile.ranks),
        "Program": profile.program or None,
        "Arguments": " ".join(arguments) if arguments is not None else None,
        **known,
    }


def _functions(profile: Profile) -> list[Part]:
    """MPI functions but those that start and end MPI, then the program's own that take time themselves."""
    by_name: dict[str, list[Row]] = defaultdict(list)
    for row in profile.rows:
        if row.function not in STARTUP and row.function not in APPLICATION:
            by_name[row.function].append(row)
    parts = [
        Part(
            key=(function, ""),
            name=function,
            calls=sum(row.calls for row in rows),
            time_s=sum(row.exclusive_s for row in rows),
            calls_error=sum(row.calls_error for row in rows),
            time_error_s=sum(row.time_error_s for row in rows),
        )
        for function, rows in by_name.items()
    ]
    parts = [part for part in parts if part.key[0].startswith("MPI_") or part.time_s > 0]
    return sorted(parts, key=lambda part: not part.key[0].startswith("MPI_"))


def _sites(profile: Profile) -> list[Part]:
    """Those of a path are told apart by their lines' order, as in from_run.py."""
    by_key: dict[tuple[str, ...], list[CallSite]] = defaultdict(list)
    for site in profile.sites:
        by_key[(site.function, *site.path)].append(site)
    parts = []
    for key, members in by_key.items():
        for number, site in enumerate(sorted(members, key=lambda each: each.line)):
            routines = " > ".join(map(_short, site.path[-2:]))
            parts.append(
                Part(
                    key=(*key, str(number)),
                    name=f"{site.function} in {routines}" if routines else site.function,
                    calls=site.calls,
                    n_bytes=site.n_bytes or 0,
                    time_s=site.time_s,
                    calls_error=site.calls_error,
                    bytes_error=site.bytes_error,
                    time_error_s=site.time_error_s,
                )
            )
    return parts


def _short(routine: str) -> str:
    """ "opatm::Halo::exchange" -> "Halo::exchange"."""
    parts = [part for part in routine.split("::") if part != "(anonymous namespace)"]
    return routine if "<" in routine or not parts else "::".join(parts[-2:])


def open_profile(path: Path) -> Subject:
    """Raises what leadline.profiles.read does."""
    return subject_of(read(path), str(path))

"""A recording of Leadline's as a Subject."""

from __future__ import annotations

import re
import statistics
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from leadline.compare.environment import environment_of
from leadline.compare.subject import Concern, Part, Subject
from leadline.errors import LeadlineError
from leadline.figures import efficiency
from leadline.figures.content import Content
from leadline.figures.core_sharing import waited_share
from leadline.figures.entries import COLLECTIVE, STARTUP
from leadline.figures.loops import NamedLoop, named_loop
from leadline.figures.programs import names_of, programs_of
from leadline.figures.run import Site
from leadline.findings import findings_of
from leadline.findings.finding import Finding
from leadline.wording.loops import anchor_of, loop_at

MOST_DELAYED = 4
IN_LOOP = 0.5  # a site belongs to the main loop if at least this share of its time does


def subject_of(content: Content, name: str) -> Subject:
    run = content.run
    found = content.iterations
    loop = found.loop if found is not None else None
    steps = found.found.count if found is not None else 0
    inside = _in_main_loop(content)
    series, computation = _kept(content)
    sites = _sites(content, inside, series)
    program, arguments = _program(content)
    efficient = efficiency.of_run(content.ranks)
    found_there = findings_of(content)
    return Subject(
        name=name,
        program=program,
        ranks=run.ranks,
        environment=environment_of(run),
        arguments=arguments,
        iterations=steps,
        bound=loop.bound if loop is not None else "",
        lumped=found is not None and found.lumped,
        main_loop=loop_at(loop) if loop is not None else anchor_of(found) if found is not None else "",
        iteration_s=_iterations(content),
        sites=sites,
        functions=_functions(content, sites),
        phases=_phases(content),
        loops=_loops(content),
        partners=_partners(content),
        rank_computation=computation,
        rank_totals={rank: each.computation_s for rank, each in enumerate(content.ranks)},
        computation_s=sum(rank.computation_s for rank in content.ranks),
        mpi_s=max(content.mpi_s - content.startup_s, 0.0),
        io_s=content.io_s,
        elapsed_s=max((rank.time_s - rank.category_s["startup"] for rank in content.ranks), default=0.0),
        waited_share=_waited(content),
        load_balance=efficient.load_balance if efficient is not None else None,
        communication=efficient.communication if efficient is not None else None,
        concerns=[_concern(finding) for finding in found_there],
        notes=[
            *(loss.message for loss in run.losses if loss.code in ("missing-ranks", "unreadable-trace", "on-nodes")),
            *(finding.text for finding in found_there if finding.in_verdict),
        ],
        predicted=run.predicted,
    )


def _waited(content: Content) -> float | None:
    """Ranks wait for one another, so that delays of several add up; of those that waited most."""
    told = [share for process in content.run.processes if (share := waited_share([process])) is not None]
    return sum(sorted(told, reverse=True)[:MOST_DELAYED]) if told else None


def _program(content: Content) -> tuple[str, list[str] | None]:
    """The program's file name, and its arguments if they are known."""
    programs = programs_of(content.run)
    return " + ".join(names_of(content.run)), programs[0][1] if len(programs) == 1 else None


def _concern(finding: Finding) -> Concern:
    """By what its text names: the innermost routine, not the way to it; files by their names without numbers, since
    another one of a series may take most time, and another run may write into another directory."""
    loop = finding.about.loop
    sites = [(site.function, site.path[-1].full if site.path else "") for site in finding.about.sites[:1]]
    where = (loop.routine,) if loop is not None else sites[0] if sites else ()
    files = [re.sub("[0-9]+", "#", Path(file).name) for file in finding.about.files[:1]]
    return Concern((finding.id, *where, *files), finding.text, finding.cost_s)


def _in_main_loop(content: Content) -> dict[int, float]:
    """By site of the profile, which share of its time belongs to the main loop."""
    shares: dict[int, float] = {}
    for phase in content.found_phases:
        if phase.kind == "loop":
            shares |= dict(zip(phase.sites, phase.share, strict=True))
    return shares


def _iterations(content: Content) -> list[float]:
    """Of single iterations, or of runs of consecutive ones where they are more than 512."""
    found = content.iterations
    return [part.mean_ns * 1e-9 for part in found.found.strip] if found is not None else []


def _kept(content: Content) -> tuple[dict[int, list[float]], dict[int, list[float]]]:
    """From the iterations whose calls all kept their times: by entry of content.sites, seconds of all ranks in each;
    by process, seconds of computation in each."""
    from leadline.figures.timeline import StepTimeline, absent
    from leadline.figures.timeline.reading import groups_of

    if absent(content) is not None:
        return {}, {}
    try:
        timeline = StepTimeline(content, content.run.order)
    except LeadlineError:
        return {}, {}
    entries = [entry.site for entry in content.sites if entry.site is not None]
    sites, ranks = timeline.sums(groups_of(content.run, entries))
    row = {index: at for at, index in enumerate(content.run.order)}
    return (
        {group: list(seconds) for group, seconds in sites.items()},
        {row[index]: list(seconds) for index, seconds in ranks.items() if index in row},
    )


def site_key(site: Site) -> tuple[str, ...]:
    return (site.function, *(location.full for location in site.path))


def _sites(content: Content, inside: dict[int, float], series: dict[int, list[float]]) -> list[Part]:
    """Those of a key are told apart by their lines' order: lines themselves move when a source is edited."""
    by_key: dict[tuple[str, ...], list[tuple[tuple[int, ...], int]]] = defaultdict(list)
    for index, entry in enumerate(content.sites):
        if entry.site is not None and entry.cls not in STARTUP:
            lines = tuple(location.line for location in entry.site.path)
            by_key[site_key(entry.site)].append((lines, index))
    parts, places = [], []
    for key, members in by_key.items():
        for number, (_, index) in enumerate(sorted(members)):
            entry = content.sites[index]
            assert entry.site is not None
            share = statistics.fmean(inside.get(member, 0.0) for member in entry.site.members)
            routines = " > ".join(location.routine for location in entry.site.path[-2:])
            parts.append(
                Part(
                    key=(*key, str(number)),
                    name=f"{entry.name} in {routines}" if routines else entry.name,
                    calls=entry.calls,
                    messages=entry.messages,
                    n_bytes=entry.n_bytes,
                    time_s=entry.time_s,
                    in_loop=share >= IN_LOOP,
                    sizes=dict(entry.sizes.distinct) if entry.sizes.distinct_complete else None,
                    series=series.get(index, ()),
                    local=entry.local,
                    collective=entry.cls in COLLECTIVE,
                )
            )
            places.append([location.place() for location in reversed(entry.site.path)])
    return _told_apart(parts, places)


def _told_apart(parts: list[Part], places: Sequence[Sequence[str]]) -> list[Part]:
    """With the lines in which sites of one name differ. places: of each, the innermost first."""
    alike: dict[str, list[int]] = defaultdict(list)
    for index, part in enumerate(parts):
        alike[part.name].append(index)
    found = list(parts)
    for members in (each for each in alike.values() if len(each) > 1):
        lines: dict[int, tuple[str, ...]] = dict.fromkeys(members, ())
        for depth in range(max(len(places[index]) for index in members)):
            here = {index: places[index][depth] if depth < len(places[index]) else "" for index in members}
            if len({(lines[index], here[index]) for index in members}) > len(set(lines.values())):
                lines = {index: (*lines[index], here[index]) for index in members}
        for index, told in lines.items():
            found[index] = replace(parts[index], lines=", ".join(place for place in reversed(told) if place))
    return found


def _functions(content: Content, sites: list[Part]) -> list[Part]:
    """By MPI function: within the main loop and outside of it, which scale with different things."""
    found = []
    for function, in_loop in sorted({(site.key[0], site.in_loop) for site in sites if not site.local}):
        members = [site for site in sites if site.key[0] == function and site.in_loop == in_loop and not site.local]
        with_series = [site.series for site in members if site.series]
        found.append(
            Part(
                key=(function, "loop" if in_loop else ""),
                name=f"{function} in the main loop" if in_loop else f"{function} outside the main loop",
                calls=sum(site.calls for site in members),
                messages=sum(site.messages for site in members),
                n_bytes=sum(site.n_bytes for site in members),
                time_s=sum(site.time_s for site in members),
                in_loop=in_loop,
                series=[sum(values) for values in zip(*with_series, strict=True)],
                collective=any(site.collective for site in members),
            )
        )
    return found


def _phases(content: Content) -> list[Part]:
    seen: dict[tuple[str, ...], int] = defaultdict(int)
    parts = []
    for phase in content.phases:
        base = (phase.kind if phase.parent is None else "in the loop", phase.name)
        seen[base] += 1
        parts.append(
            Part(
                key=(*base, str(seen[base])),
                name=phase.name if phase.kind != "loop" or phase.parent is not None else f"main loop, {phase.name}",
                time_s=phase.time_s,
                in_loop=phase.parent is not None or phase.kind == "loop",
                computation_s=phase.computation_s,
                mpi_s=phase.mpi_s,
                wait_s=phase.wait_s,
                loop_iterations=phase.iterations,
            )
        )
    return parts


def _loops(content: Content) -> list[Part]:
    """By the routines that lead to it and its place among theirs; copies of one loop of the source are one."""
    profile = content.run.profile
    groups: dict[tuple[str, ...], dict[tuple[int, ...], list[NamedLoop]]] = defaultdict(lambda: defaultdict(list))
    for number in range(1, len(profile.loops.all)):
        loop = named_loop(content.run, number)
        groups[tuple(location.full for location in loop.path)][(loop.line,)].append(loop)
    parts = []
    for key, by_line in groups.items():
        for index, (_, members) in enumerate(sorted(by_line.items())):
            parts.append(
                Part(
                    key=(*key, str(index)),
                    name=loop_at(members[0]),
                    loop_iterations=sum(loop.iterations for loop in members),
                    time_s=sum(loop.time_s for loop in members),
                    in_loop=_within(content, members[0].number),
                )
            )
    return parts


def _within(content: Content, number: int) -> bool:
    """Whether the loop lies in the main loop."""
    found = content.iterations
    main = found.found.loop if found is not None else 0
    loops = content.run.profile.loops.all
    at = loops[number].outer
    while at and at != main:
        at = loops[at].outer
    return bool(main) and at == main


def _partners(content: Content) -> dict[int, tuple[int, ...]] | None:
    """By process, the distances to those it sends to, around the ring of all ranks."""
    n = len(content.run.processes)
    found: dict[int, set[int]] = {index: set() for index in range(n)}
    for edge in content.run.profile.edges():
        if edge.messages and edge.source in found and edge.target >= 0:
            found[edge.source].add((edge.target - content.run.processes[edge.source].rank) % max(content.run.ranks, 1))
    return {index: tuple(sorted(distances)) for index, distances in found.items()}


def open_subject(path: Path, step: str | None = None) -> Subject:
    """Raises what leadline.open does."""
    import leadline

    recording: Any = leadline.open(path, step=step)
    return subject_of(recording.content, str(path))

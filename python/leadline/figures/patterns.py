"""The patterns of a run, with the places they are found in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from leadline import _core
from leadline.figures.loops import lumps_steps, main_loop, named_loop
from leadline.figures.paths import common_routines, short_place, without_main
from leadline.figures.run import Run, Site

# Of the evidence, numbers that stand for something else: processes, and loops of the run.
PROCESSES = {"root", "master", "writer", "reader"}
# How many messages could be one, where they are not as many each time.
BOUNDS = {(True, False): "up to ", (False, True): "at least ", (True, True): "about "}
# Calls that follow one another and could be one.
CONSECUTIVE = ("consecutive_exchanges", "consecutive_reductions", "consecutive_broadcasts")


@dataclass(frozen=True)
class PatternEntry:
    """One pattern.

    routines: what all its call sites have in common, outermost first, without main.   files: names, of I/O only.
    messages, n_bytes: of the whole run.   steps: those of the main loop, 0 if the pattern lies outside it or they
    cannot be told apart.
    evidence: see docs/read/patterns.md; processes are rank labels, a loop is its number in the section of loops.
    """

    name: str
    sites: tuple[Site, ...]
    routines: tuple[str, ...]
    files: tuple[str, ...]
    ranks: int
    messages: int
    n_bytes: int
    steps: int
    time_s: float
    share: float
    evidence: dict[str, Any]

    @property
    def messages_per_step(self) -> float | None:
        return self.messages / self.steps if self.steps else None

    @property
    def bound(self) -> str:
        """What stands before the number of messages together."""
        told = self.evidence
        return BOUNDS.get((told.get("together_at_most", False), told.get("together_at_least", False)), "")

    @property
    def bytes_per_step(self) -> float | None:
        return self.n_bytes / self.steps if self.steps else None


def patterns_of(run: Run, found: list[_core.Pattern], time_s: float) -> list[PatternEntry]:
    """Most time first. time_s: what shares are of."""
    by_member = {member: site for site in run.sites + run.file_sites for member in site.members}
    loop = main_loop(run, run.profile.iterations())
    lumped = loop is not None and lumps_steps(run, loop.number)
    steps = 0 if loop is None or lumped else loop.iterations  # on the median rank
    entries = [_entry(run, pattern, by_member, steps, time_s) for pattern in found]
    if lumped:  # what several steps send may have been seen as one row
        for entry in entries:
            if "loop" in entry.evidence and "together" in entry.evidence:
                entry.evidence["together_at_most"] = True
    return entries


SENDING = re.compile("send|put|get|accumulate|reduce|bcast|start", re.IGNORECASE)


def _calls_apart(sites: Sequence[Site]) -> dict[str, Any]:
    """Where calls that follow one another part: the routine that makes them, and its places, in order of their lines.

    called_in: None if the paths have nothing in common.   called_at: "ocean/step.f90:384", as far as lines are known.
    A single place makes them in a loop.
    """
    moving = [site for site in sites if SENDING.search(site.function)] or list(sites)
    if len(sites) == 1:
        place = short_place(sites[0].location)
        return {"called_in": sites[0].routine, "called_at": [place] if place else []}
    for frames in zip(*(site.path for site in moving), strict=False):
        routines = {frame.full for frame in frames}
        lines = {(frame.file, frame.line) for frame in frames}
        if len(routines) > 1:
            break
        if len(lines) > 1:
            ordered = sorted(frames, key=lambda frame: (frame.file, frame.line))
            places = dict.fromkeys(place for place in map(short_place, ordered) if place)
            return {"called_in": frames[0].routine, "called_at": list(places)}
    return {"called_in": None, "called_at": []}


def _in_use(run: Run, sites: Sequence[Site]) -> Sequence[Site]:
    """Without those that only create persistent requests, wherever in the program that is."""
    creating = {function.name for function in run.profile.functions if function.cls.endswith("_init")}
    return [site for site in sites if site.function not in creating] or sites


def _entry(run: Run, pattern: _core.Pattern, by_member: dict[int, Site], steps: int, time_s: float) -> PatternEntry:
    sites = tuple(dict.fromkeys(by_member[member] for member in pattern.sites if member in by_member))
    evidence: dict[str, Any] = dict(pattern.evidence)
    for name in PROCESSES & evidence.keys():
        evidence[name] = run.label(evidence[name])
    if "loop" in evidence:
        loop = named_loop(run, evidence["loop"])
        evidence |= {"loop_routine": loop.routine, "loop_file": loop.file or None, "loop_line": loop.line or None}
    if pattern.name in CONSECUTIVE:
        evidence |= _calls_apart(sites)
    return PatternEntry(
        name=pattern.name,
        sites=sites,
        routines=tuple(without_main(common_routines(_in_use(run, sites)))),
        files=tuple(pattern.files),
        ranks=pattern.ranks,
        messages=pattern.messages,
        n_bytes=pattern.bytes,
        steps=steps if pattern.in_main_loop else 0,
        time_s=pattern.time_ns * 1e-9,
        share=pattern.time_ns * 1e-9 / time_s if time_s > 0 else 0.0,
        evidence=evidence,
    )

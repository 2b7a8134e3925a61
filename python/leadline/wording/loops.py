"""Where loops and their iterations are, which loops calls do not show, and why a run has no main loop."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.figures.iterations import Iterations
from leadline.figures.loops import NamedLoop
from leadline.figures.run import Run
from leadline.text import format as fmt

READ = ("x86_64", "amd64")  # architectures whose machine code the recorder reads, as Python names them
MISSING = {
    "none": "no loop takes 10 % of the time or more",
    "apart": "ranks have different main loops or numbers of iterations",
    "small": "few calls are made in the loops that take 10 % of the time or more",
    "commands": "the loop that takes most of the time reads the commands of an input",
    "files": "the loops that take 10 % of the time or more only make file calls",
    "few": "the most expensive loop has fewer than three iterations",
}


def place_of(loop: NamedLoop) -> str:
    """ "step.f90:212 in advance", as much of it as is known."""
    place = f"{loop.file.rsplit('/', 1)[-1]}:{loop.line} in " if loop.file and loop.line else ""
    return f"{place}{loop.routine}"


def loop_at(loop: NamedLoop) -> str:
    """ "the loop at step.f90:212 in advance", as much of it as is known."""
    return f"the loop {'at' if loop.file and loop.line else 'in'} {place_of(loop)}"


def anchor_of(found: Iterations) -> str:
    """The call that delimits iterations where their loop is unknown: "MPI_Allreduce in step (model.c:41)"."""
    anchor = found.anchor
    if anchor is None:
        return "a call at an unknown location"
    place = anchor.location.place() if anchor.location is not None else ""
    inside = f" in {anchor.routine}" if anchor.path else ""
    return f"{anchor.function}{inside}" + (f" ({place})" if place else "")


def why_no_loops(run: Run) -> str:
    """Words that complete a sentence; "" where loops can be found."""
    architecture = (run.description.get("machine") or {}).get("architecture")
    if not isinstance(architecture, str) or architecture in READ:
        return ""
    return f"Leadline finds loops in the code of x86-64 only, and this is {architecture}"


def why_no_main_loop(run: Run) -> str:
    """Words that complete a sentence."""
    if why := why_no_loops(run):
        return why
    return MISSING.get(run.profile.iterations().missing, MISSING["none"])


def restarting(loop: NamedLoop) -> str:
    """ "its call sequence restarts 10 times, after every 70 iterations of its inner loop"; "" if not."""
    if not loop.restarts:
        return ""
    one = loop.restart_iterations == 1
    iterations = "iteration" if one else fmt.plural(loop.restart_iterations, "iteration")
    after = f", after every {iterations} of its inner loop" if loop.restart_iterations else ""
    return f"its call sequence restarts {loop.restarts:,} times{after}"


def or_others(others: Sequence[NamedLoop]) -> str:
    """ "or: update.cpp:299 in run, 300 ×, 98 %", the next best candidates for the main loop; "" without any. The share
    of loops within one another is given once."""
    words = []
    for loop in others:
        text = f"{place_of(loop)}, {loop.bound}{fmt.short_count(loop.iterations)} ×{loop.on_one_path}"
        inside = any(each.number == loop.inside for each in others)
        words.append(f"in it {text}" if inside else f"{text}, {100 * loop.share:.0f} %")
    return f"or: {'; '.join(words)}" if words else ""

"""A trace is missing, or ends before its program did, and nobody is known to have ended it."""

from __future__ import annotations

from leadline.figures.content import Content
from leadline.figures.ending import ended_in_call
from leadline.findings.finding import About, Evidence, Fact, Rule
from leadline.text import format as fmt


def facts(content: Content) -> Fact | None:
    run = content.run
    if run.complete:
        return None
    missing = run.ranks - len(run.processes)
    cut = sum(not process.complete for process in run.processes)
    # A run that goes on, was ended by somebody or by an error, or ended at its start, is reported as such.
    at_start = content.ended_at_start.all_ranks
    is_said = content.still_running or content.interruption or content.aborts or at_start or bool(ended_in_call(run))
    if missing <= 0 and cut and is_said:
        return None
    cut_short = tuple(run.label(index) for index in run.order if not run.processes[index].complete)
    evidence = {
        "ranks": run.ranks,
        "ranks_recorded": len(run.processes),
        "traces_cut": 0 if is_said else cut,
        "files_cut": 0 if is_said else sum(not run.processes[index].complete and run.cut(index) for index in run.order),
    }
    return Fact(evidence, About(ranks=cut_short))


def _cut(traces: int, files: int) -> str:
    """If the end of a file is missing, the program may have ended all the same."""
    if files >= traces:
        return f"{fmt.plural(traces, 'trace file is', 'trace files are')} truncated or damaged"
    ends = f"{fmt.plural(traces - files, 'trace ends', 'traces end')} before the program did"
    return f"{ends}, {files} {'is' if files == 1 else 'are'} truncated or damaged" if files else ends


def sentence(content: Content, found: Evidence) -> str:
    parts = []
    missing, cut = found["ranks"] - found["ranks_recorded"], found["traces_cut"]
    if missing > 0:
        parts.append(f"{missing} of {fmt.plural(found['ranks'], 'rank')} left no readable trace")
    if cut:
        parts.append(_cut(cut, found["files_cut"]))
    code = content.run.description.get("exit_code")
    why = f" (exit code {code})" if cut and code else ""
    said = f"Incomplete: {' and '.join(parts)}{why}." if parts else "Incomplete: a trace cannot be read."
    if content.run.ends_apart:
        said += " For waiting and advice, copy the whole run directory again, or record again."
    return said


RULE = Rule(
    id="incomplete",
    order=9,
    severity="warning",
    section="missing",
    facts=facts,
    sentence=sentence,
    in_verdict=True,
)

"""Sentences about what is not replayed as it was."""

from __future__ import annotations

from leadline.figures.run import Run
from leadline.text import format as fmt

LAST_IS_APART = (
    "The last recorded iteration is unlike all others, and is taken to be the last one only. If there is one like it "
    "after every few, the run takes up to the upper end of the interval: record some of them."
)


def on_extrapolation(replayed: int, steps: int) -> str:
    return (
        f"{replayed:,} of the {steps:,} iterations are replayed; the others take what one of the last "
        f"{replayed // 2:,} takes in the mean."
    )


def on_differences(differences: dict[str, int], run: Run) -> list[str]:
    texts = {
        "lost": "sequences of calls were recorded without their order and are omitted",
        "varying": "calls have unknown partners and sizes, so they take as long as in the run",
        "unknown": "messages and collective calls have an unknown partner or communicator and are omitted",
        "wildcards": "distinct nonblocking MPI_ANY_SOURCE receives are replayed as if posted at their wait",
        "one_sided": "one-sided calls take as long as in the run",
        "threads": "threads other than the first are omitted",
        "untimed": "times, of calls and of the computation before them, were not kept and are the means of their kind",
    }
    notes = [f"{differences[name]:,} {text}." for name, text in texts.items() if differences[name]]
    if run.description.get("state") == "imported":
        notes.append(
            "The archive does not say whether ranks shared cores: if they did, waits for a core are replayed as "
            "computation, and gains are not what they seem."
        )
    waited = [p.conditions.waited_ns for p in run.processes if p.conditions.waited_ns >= 0]
    busiest = max(waited, default=0) * 1e-9
    if busiest > 0.01 * run.duration_s:
        notes.append(
            f"One rank waited {fmt.percent(busiest / run.duration_s)} of the run for a core that was busy with other "
            "work: such waits are replayed as computation."
        )
    return notes

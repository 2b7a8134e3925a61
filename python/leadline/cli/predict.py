"""leadline predict: what a recorded run would take under other conditions."""

from __future__ import annotations

import sys
from typing import Any

import click

from leadline.cli.reporting import open_run, step_option, working
from leadline.cli.run_argument import run_argument, run_or_newest
from leadline.errors import UsageError
from leadline.text import format as fmt
from leadline.text import printing
from leadline.text.screen import folded
from leadline.wording.loops import place_of

SCHEMA = 1


@click.command("predict")
@click.option(
    "--steps",
    type=click.IntRange(min=1),
    metavar="N",
    envvar="LEADLINE_STEPS",
    help="Predict for N iterations of the main loop. An iteration need not be a time step of the program: see --step.  "
    "[default: as recorded]",
)
@click.option(
    "--network",
    metavar="FILE",
    envvar="LEADLINE_NETWORK",
    help="Replay on this network.  [default: costs as recorded, on one host]",
)
@click.option(
    "--ideal", is_flag=True, envvar="LEADLINE_IDEAL", help="Assume that messages and collectives take no time."
)
@click.option(
    "--compute",
    type=float,
    default=1.0,
    metavar="F",
    envvar="LEADLINE_COMPUTE",
    help="Multiply computation between calls by F.",
)
@click.option("--json", "as_json", is_flag=True, envvar="LEADLINE_JSON", help="Print the figures as JSON.")
@step_option
@run_argument
def command(
    steps: int | None,
    network: str | None,
    ideal: bool,
    compute: float,
    as_json: bool,
    step: str | None,
    directory: str | None,
) -> int:
    """Predict how long the run in DIR would take with another number of iterations, another network, or faster or
    slower computation.

    By default DIR is the newest run under leadline-runs.

    The unchanged run is replayed first; how far that replay is from the recorded times is part of the result.
    """
    if not 0 <= compute <= 1e6:
        raise UsageError(f"--compute {compute:g}: expected a number from 0 to 1,000,000")
    with working("replaying"):
        run = open_run(run_or_newest(directory), step)
        from leadline import network as networks
        from leadline.predict import Change, predict, why_spoiled

        if reason := why_spoiled(run):
            raise UsageError(f"no prediction can be made from this run. {reason}")
        given = networks.read(network).network if network else None
        found = predict(run, Change(steps or 0, given, compute, ideal))
    if as_json:
        printing.write_json(data_of(found), sys.stdout)
        return 0
    screen = printing.console()
    width = screen.width if sys.stdout.isatty() else sys.maxsize
    for line in lines_of(found):
        screen.print("\n".join(folded(line, width)), markup=False, highlight=False, soft_wrap=True)
    return 0


def data_of(found: Any) -> dict[str, Any]:
    latencies, overheads, gaps, n_bytes = found.sensitivities
    return {
        "schema": SCHEMA,
        "base": _figures(found.base),
        "predicted": _figures(found.predicted),
        "error_of_base": found.error_of_base,
        "recorded": found.recorded_s,
        "steps_recorded": found.steps_recorded,
        "steps": found.steps,
        "sensitivities": {"latency": latencies, "overhead": overheads, "gap": gaps, "gap_bytes": n_bytes},
        "notes": found.notes,
        "assumptions": found.assumptions,
    }


def _figures(figures: Any) -> dict[str, Any]:
    seconds, low, high = figures.iteration or (None, None, None)
    return {
        "seconds": figures.seconds,
        "low": figures.low,
        "high": figures.high,
        "iteration": {"seconds": seconds, "low": low, "high": high},
        "phases": figures.phases_s,
        "messages": figures.messages,
    }


def lines_of(found: Any) -> list[str]:
    change = fmt.change(found.ratio) if found.predicted is not found.base else "nothing was changed"
    lines = [
        f"predicted: {fmt.seconds(found.predicted.seconds)} "
        f"({fmt.seconds(found.predicted.low)} to {fmt.seconds(found.predicted.high)}), {change}",
        f"replayed as recorded: {fmt.seconds(found.base.seconds)}",
    ]
    if found.loop is not None:
        lines.append(f"main loop: {place_of(found.loop)}, {fmt.plural(found.steps_recorded, 'iteration')} recorded")
    if found.predicted.iteration and found.base.iteration:
        each = fmt.seconds(found.predicted.iteration[0])
        lines.append(
            f"per iteration: predicted {each} ({fmt.plural(found.steps, 'iteration')}), replayed as recorded "
            f"{fmt.seconds(found.base.iteration[0])} ({found.steps_recorded:,})"
        )
    names = {"whole": "the whole run", "initialisation": "before the main loop", "loop": "the main loop"}
    names["finalisation"] = "after it"
    told = [
        f"{names[name]} {fmt.change(1 + error)}" for name, error in found.error_of_base.items() if error is not None
    ]
    lines.append(f"error of the replay against the recorded times: {', '.join(told)}")
    return [*lines, *found.notes, *found.assumptions]

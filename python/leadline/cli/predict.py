"""leadline predict: what a recorded run would take under other conditions."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from leadline.cli.predicted_paths import path_data, path_lines, tolerance_data, tolerance_lines
from leadline.cli.predicted_ranks import ranks_data, ranks_lines
from leadline.cli.predicted_steps import replayed_steps_data, replayed_steps_lines
from leadline.cli.reporting import open_run, step_option, working
from leadline.cli.run_argument import RunType, run_or_newest
from leadline.cli.saying import say, shown
from leadline.errors import UsageError
from leadline.text import format as fmt
from leadline.text import printing
from leadline.text.screen import folded
from leadline.text.visible import visible
from leadline.wording.loops import place_of

SCHEMA = 1
COLLECTIVE = "=collective"


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
    "--ranks",
    type=click.IntRange(min=2),
    metavar="N",
    envvar="LEADLINE_RANKS",
    help="Predict for N ranks, from runs of the program on two or more other numbers of ranks: DIR DIR…",
)
@click.option(
    "--grid",
    metavar="PXxPY[xPZ]",
    envvar="LEADLINE_GRID",
    help="With --ranks: how the N ranks are arranged, the dimension first in which ranks are farthest apart.  "
    "[default: as in the runs]",
)
@click.option(
    "--network",
    metavar="FILE|PRESET",
    envvar="LEADLINE_NETWORK",
    help="Replay on the network of this file, or on a preset, such as gigabit or infiniband-hdr.  "
    "[default: costs as recorded, on one host]",
)
@click.option(
    "--place",
    type=click.Path(path_type=Path),
    metavar="FILE",
    envvar="LEADLINE_PLACE",
    help="With a network: ranks run on the hosts that FILE names, a line RANK HOST or FIRST-LAST HOST for each.",
)
@click.option(
    "--ideal", is_flag=True, envvar="LEADLINE_IDEAL", help="Assume that messages and collectives take no time."
)
@click.option(
    "--compute",
    multiple=True,
    metavar="[SITES=]F",
    envvar="LEADLINE_COMPUTE",
    help="Multiply computation between calls by F: all of it, or that before the calls of a routine or loop.",
)
@click.option(
    "--pack",
    multiple=True,
    metavar="SITES[=K]",
    envvar="LEADLINE_PACK",
    help="Messages that a loop sends one by one become one for each partner, or one for each K iterations.",
)
@click.option(
    "--merge",
    multiple=True,
    metavar="SITES",
    envvar="LEADLINE_MERGE",
    help="Exchanges in a row that have the same partners become one; so do collective calls of one kind.",
)
@click.option(
    "--join",
    multiple=True,
    metavar="SITES",
    envvar="LEADLINE_JOIN",
    help="Messages one after another to the same partner become one.",
)
@click.option(
    "--gather",
    multiple=True,
    metavar="SITES",
    envvar="LEADLINE_GATHER",
    help="Messages of all ranks to one become a gather.",
)
@click.option(
    "--distribute",
    multiple=True,
    metavar="SITES",
    envvar="LEADLINE_DISTRIBUTE",
    help="Messages of one rank to all others become a broadcast, or a scatter if their sizes differ.",
)
@click.option(
    "--alltoall",
    multiple=True,
    metavar="SITES",
    envvar="LEADLINE_ALLTOALL",
    help="Messages of all ranks to all others become an all-to-all.",
)
@click.option(
    "--sparse",
    multiple=True,
    metavar="SITES",
    envvar="LEADLINE_SPARSE",
    help="MPI_Alltoallv becomes messages between the ranks that have data for each other.",
)
@click.option(
    "--without-idle",
    "without_idle",
    multiple=True,
    metavar="SITES",
    envvar="LEADLINE_WITHOUT_IDLE",
    help="Ranks without data in the collective calls there do not make them.",
)
@click.option(
    "--nonblocking",
    multiple=True,
    metavar="SITES",
    envvar="LEADLINE_NONBLOCKING",
    help="Blocking sends and receives of an exchange become nonblocking, with one wait at its end.",
)
@click.option(
    "--overlap",
    multiple=True,
    metavar="SITES",
    envvar="LEADLINE_OVERLAP",
    help="The same, and ranks wait for these messages only before their next call.",
)
@click.option(
    "--without",
    multiple=True,
    metavar="SITES",
    envvar="LEADLINE_WITHOUT",
    help="The collective calls there, such as barriers, are not made.",
)
@click.option(
    "--io",
    "files",
    multiple=True,
    metavar="SITES=F|collective",
    envvar="LEADLINE_IO",
    help="File calls there take F of their time; or all ranks share what one moves for all.",
)
@click.option(
    "--relax",
    multiple=True,
    metavar="SITES",
    envvar="LEADLINE_RELAX",
    help="Synchronous sends there (MPI_Ssend, …) become standard ones.",
)
@click.option(
    "--poll-once",
    "poll_once",
    multiple=True,
    metavar="SITES",
    envvar="LEADLINE_POLL_ONCE",
    help="Polls in a row there that find nothing (MPI_Test, MPI_Iprobe, …) become one.",
)
@click.option(
    "--collective",
    multiple=True,
    metavar="OP=ALGORITHM",
    envvar="LEADLINE_COLLECTIVE",
    help="With a network: the algorithm of a collective operation.  [default: as MPICH chooses]",
)
@click.option("--balance", is_flag=True, envvar="LEADLINE_BALANCE", help="All ranks compute equally long.")
@click.option(
    "--noise",
    type=click.Choice(["none"]),
    envvar="LEADLINE_NOISE",
    help="Computation takes its median over the iterations.",
)
@click.option(
    "--eager",
    type=click.IntRange(min=0),
    metavar="BYTES",
    envvar="LEADLINE_EAGER",
    help="Only messages longer than that wait for their receiver.",
)
@click.option(
    "--tolerance",
    is_flag=True,
    envvar="LEADLINE_TOLERANCE",
    help="Also give how much later messages may arrive until the run takes 1, 2 and 5 % more time.",
)
@click.option(
    "--longest-path",
    "longest_path",
    is_flag=True,
    envvar="LEADLINE_LONGEST_PATH",
    help="Also give which computation is on the longest path, and so makes the run longer.",
)
@click.option(
    "--timeline",
    is_flag=True,
    envvar="LEADLINE_TIMELINE",
    help="Draw an iteration as replayed, before and after the change.",
)
@click.option(
    "-o",
    "--output",
    metavar="RUN",
    help="Also write the prediction as a run, for summary, report, compare and export; RUN must not exist.",
)
@click.option("--json", "as_json", is_flag=True, envvar="LEADLINE_JSON", help="Print the figures as JSON.")
@step_option
@click.argument("directories", metavar="[DIR…]", nargs=-1, type=RunType())
def command(
    steps: int | None,
    ranks: int | None,
    grid: str | None,
    network: str | None,
    place: Path | None,
    ideal: bool,
    compute: tuple[str, ...],
    pack: tuple[str, ...],
    merge: tuple[str, ...],
    join: tuple[str, ...],
    gather: tuple[str, ...],
    distribute: tuple[str, ...],
    alltoall: tuple[str, ...],
    sparse: tuple[str, ...],
    without_idle: tuple[str, ...],
    nonblocking: tuple[str, ...],
    overlap: tuple[str, ...],
    without: tuple[str, ...],
    files: tuple[str, ...],
    relax: tuple[str, ...],
    poll_once: tuple[str, ...],
    collective: tuple[str, ...],
    balance: bool,
    noise: str | None,
    eager: int | None,
    tolerance: bool,
    longest_path: bool,
    timeline: bool,
    output: str | None,
    as_json: bool,
    step: str | None,
    directories: tuple[str, ...],
) -> int:
    """Predict how long the run in DIR would take with another number of iterations, another network, other computation
    or other messages; or, from several runs, on another number of ranks.

    SITES is FILE:LINE or ROUTINE[:LINE], as the report names loops and calls.

    By default DIR is the newest run under leadline-runs.

    The unchanged run is replayed first; how far that replay is from the recorded times is part of the result.
    """
    factor, parts = _computation(compute)
    algorithms = tuple(_algorithm(each) for each in collective)
    extents = _extents(grid, ranks)
    if len(directories) > 1 and ranks is None:
        raise UsageError(
            "several runs are for --ranks; other predictions are of one run", hint="leadline predict DIR DIR --ranks N"
        )
    if timeline and ranks is not None:
        raise UsageError("--timeline is for predictions on as many ranks as were recorded")
    if tolerance and (ranks is not None or ideal):
        what = "with messages that take time" if ideal else "on as many ranks as were recorded"
        raise UsageError(f"--tolerance is for predictions {what}")
    if longest_path and ranks is not None:
        raise UsageError("--longest-path is for predictions on as many ranks as were recorded")
    if output is not None and ranks is not None:
        raise UsageError("-o is for predictions on as many ranks as were recorded")
    with working("replaying"):
        from leadline import network as networks
        from leadline.predict import (
            AnyChange,
            Balance,
            Change,
            Computation,
            Distribute,
            ExchangeAll,
            ExchangeFew,
            Files,
            Gather,
            Join,
            LeaveOutIdle,
            Merge,
            Nonblocking,
            NoNoise,
            Overlap,
            Pack,
            PollOnce,
            Relax,
            Replays,
            Without,
            check_algorithms,
            hosts_in,
            own_network,
            predict_ranks,
            why_spoiled,
            write_run,
        )

        given = networks.named(network).network if network else None
        hosts = hosts_in(place) if place is not None else ()
        check_algorithms(algorithms)
        runs = [open_run(run_or_newest(each), step) for each in directories or (None,)]
        run = runs[-1]
        for one in runs:
            if reason := why_spoiled(one):
                which = f"the run on {one.ranks} ranks" if len(runs) > 1 else "this run"
                raise UsageError(f"no prediction can be made from {which}. {reason}")
        program: list[AnyChange] = [Computation(sites, each) for sites, each in parts]
        program += [Pack(*_packing(each)) for each in pack]
        program += [Merge(sites) for sites in merge]
        program += [Join(sites) for sites in join]
        program += [Gather(sites) for sites in gather]
        program += [Distribute(sites) for sites in distribute]
        program += [ExchangeAll(sites) for sites in alltoall]
        program += [ExchangeFew(sites) for sites in sparse]
        program += [LeaveOutIdle(sites) for sites in without_idle]
        program += [Nonblocking(sites) for sites in nonblocking]
        program += [Overlap(sites) for sites in overlap]
        program += [Without(sites) for sites in without]
        program += [Files(*_of_its_time(each)) for each in files if not each.endswith(COLLECTIVE)]
        shared = [_made_collective(run, each, ranks) for each in files if each.endswith(COLLECTIVE)]
        program += [change for changes, _ in shared for change in changes]
        program += [Relax(sites) for sites in relax]
        program += [PollOnce(sites) for sites in poll_once]
        program += [Balance()] if balance else []
        program += [NoNoise()] if noise else []
        own = own_network(run) if algorithms and given is None and ranks is None else None
        given = own.network if own else given
        change = Change(
            steps or 0, given, factor, ideal, eager, tuple(program), algorithms, hosts=hosts, base_too=own is not None
        )
        scaled = replays = None
        if ranks is not None:
            scaled = predict_ranks(runs, ranks, change, extents)
            found = scaled.whole
        else:
            replays = Replays(run)
            found = replays.predict(change)
        found.assumptions += [own.sentence] if own else []
        found.assumptions += [said for _, said in shared]
        tolerated = replays.tolerance(change) if tolerance and replays is not None else None
        on_path = replays.longest_path(change) if longest_path and replays is not None else None
        if output is not None and replays is not None:
            calls = write_run(replays, change, found, Path(output), _options_given())
            say(f"{shown(Path(output))}: a predicted run, {fmt.plural(calls, 'call')}")
    if as_json:
        data = data_of(found)
        if tolerated is not None:
            data["latency"] = tolerance_data(tolerated)
        if on_path is not None:
            data["longest_path"] = path_data(on_path)
        if timeline and replays is not None:
            data["timeline"] = replayed_steps_data(replays, change)
        printing.write_json(data | ranks_data(scaled) if scaled is not None else data, sys.stdout)
        return 0
    from rich.text import Text

    screen = printing.console()
    width = screen.width if sys.stdout.isatty() else sys.maxsize
    more_lines = tolerance_lines(tolerated) if tolerated is not None else []
    more_lines += path_lines(on_path) if on_path is not None else []
    for line in [*(ranks_lines(scaled) if scaled is not None else ()), *lines_of(found), *more_lines]:
        screen.print("\n".join(folded(line, width)), markup=False, highlight=False, soft_wrap=True)
    if timeline and replays is not None:
        for pieces in replayed_steps_lines(replays, change, screen.width):
            screen.print(Text.assemble(*((visible(text), style) for text, style in pieces)), soft_wrap=True)
    return 0


def _options_given() -> list[str]:
    """The options as people would write them, without those that say where results go."""
    context = click.get_current_context()
    words = []
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        if not isinstance(parameter, click.Option) or parameter.name in (
            "output",
            "as_json",
            "timeline",
            "tolerance",
            "longest_path",
        ):
            continue
        option = parameter.opts[-1]
        if parameter.is_flag:
            words += [option] if value else []
            continue
        several = value if isinstance(value, tuple) else [value]
        words += [word for each in several if each is not None for word in (option, str(each))]
    return words


def _computation(given: Sequence[str]) -> tuple[float, list[tuple[str, float]]]:
    """The factor of all computation, and those of single routines and loops."""
    factor, parts = 1.0, []
    for each in given:
        sites, _, number = each.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if not 0 <= value <= 1e6:
            raise UsageError(f"--compute {each}: expected a number from 0 to 1,000,000, or SITES=NUMBER")
        if sites:
            parts.append((sites, value))
        else:
            factor = value
    return factor, parts


def _extents(given: str | None, ranks: int | None) -> tuple[int, ...]:
    if given is None:
        return ()
    if ranks is None:
        raise UsageError("--grid is for --ranks")
    parts = given.split("x")
    if not all(part.isdigit() and int(part) for part in parts) or len(parts) > 3:
        raise UsageError(f"--grid {given}: expected numbers of ranks such as 8x4 or 4x4x2")
    return tuple(map(int, parts))


def _of_its_time(given: str) -> tuple[str, float]:
    sites, _, number = given.rpartition("=")
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not sites or not 0 <= value <= 1e6:
        raise UsageError(f"--io {given}: expected SITES=F, with a number from 0 to 1,000,000, or SITES=collective")
    return sites, value


def _made_collective(run: Any, given: str, ranks: int | None) -> tuple[list[Any], str]:
    from leadline.advice.kinds.parallel_io import made_collective
    from leadline.figures.content import Content

    if ranks is not None:
        raise UsageError(f"--io {given} is for predictions on as many ranks as were recorded")
    return made_collective(Content(run), given.removesuffix(COLLECTIVE))


def _algorithm(given: str) -> tuple[str, str]:
    operation, _, algorithm = given.partition("=")
    if not operation or not algorithm:
        raise UsageError(f"--collective {given}: expected OP=ALGORITHM")
    return operation, algorithm


def _packing(given: str) -> tuple[str, int]:
    sites, _, number = given.rpartition("=")
    if not sites:
        return given, 0
    if not number.isdigit() or int(number) < 2:
        raise UsageError(f"--pack {given}: expected SITES or SITES=K, with K iterations from 2 on")
    return sites, int(number)


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
        "lumped": found.lumped,
        "sensitivities": {"latency": latencies, "overhead": overheads, "gap": gaps, "gap_bytes": n_bytes},
        "changes": [asdict(made) for made in found.made],
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
    change = fmt.change(found.ratio) if found.predicted != found.base else "nothing was changed"
    lines = [
        f"predicted: {fmt.seconds(found.predicted.seconds)} "
        f"({fmt.seconds(found.predicted.low)} to {fmt.seconds(found.predicted.high)}), {change}",
        f"replayed as recorded: {fmt.seconds(found.base.seconds)}",
    ]
    if found.loop is not None:
        bound = "at least " if found.loop.at_least else found.loop.bound
        recorded = f"{bound}{fmt.plural(found.steps_recorded, 'iteration')} recorded"
        several = ", each of which may be several" if found.lumped else ""
        lines.append(f"main loop: {place_of(found.loop)}, {recorded}{several}")
    if found.predicted.iteration and found.base.iteration and not found.lumped:
        each = fmt.seconds(found.predicted.iteration[0])
        lines.append(
            f"per iteration: predicted {each} ({fmt.plural(found.steps, 'iteration')}), replayed as recorded "
            f"{fmt.seconds(found.base.iteration[0])} ({found.steps_recorded:,})"
        )
    for made in found.made:
        counts = (
            f": {fmt.plural(made.calls_before, 'call')} become {made.calls_after:,}, "
            f"{fmt.plural(made.messages_before, 'message')} become {made.messages_after:,}"
        )
        lines.append(made.text + (counts if made.calls_before else ""))
    names = {"whole": "the whole run", "initialisation": "before the main loop", "loop": "the main loop"}
    names["finalisation"] = "after it"
    told = [
        f"{names[name]} {fmt.change(1 + error)}" for name, error in found.error_of_base.items() if error is not None
    ]
    if (error := found.error_from_loop_on) is not None:
        told.append(f"from the main loop on {fmt.change(1 + error)}")
    lines.append(f"error of the replay against the recorded times: {', '.join(told)}")
    return [*lines, *found.notes, *found.assumptions]

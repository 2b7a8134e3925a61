"""leadline tune: finds algorithms, or a protocol, that are faster here than the MPI library's own choice."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from leadline.cli.arrivals import arrival_option, dims_option
from leadline.cli.reporting import say_owner
from leadline.cli.saying import say, shown
from leadline.errors import UsageError
from leadline.operations import measured, operations
from leadline.text import format as fmt
from leadline.text.durations import seconds_of
from leadline.text.printing import write_json


@click.command("tune")
@click.option(
    "--operations",
    metavar="A,B",
    envvar="LEADLINE_OPERATIONS",
    help="Operations to tune.  [default: all; those with neighbours only with --dims]",
)
@click.option("--sizes", metavar="BYTES,...", envvar="LEADLINE_SIZES", help="Message sizes, for example 8,64Ki,1M.")
@click.option(
    "-n",
    "--ranks",
    metavar="RANKS,...",
    default="2",
    show_default=True,
    envvar="LEADLINE_RANKS",
    help="Numbers of ranks, for example 2,4.",
)
@click.option("--mpi", "library", metavar="LIBRARY", envvar="LEADLINE_MPI", help="MPI library, as for leadline bench.")
@click.option("--algorithms", metavar="A,B", envvar="LEADLINE_ALGORITHMS", help="Algorithms to try.  [default: all]")
@click.option(
    "--from",
    "--trace",
    "trace",
    type=click.Path(path_type=Path),
    metavar="RUN",
    envvar="LEADLINE_TRACE",
    help="Tune only the collectives that RUN used, with its MPI library.",
)
@arrival_option
@dims_option
@click.option(
    "--guidelines",
    is_flag=True,
    envvar="LEADLINE_GUIDELINES",
    help="Tune only where the library breaks a guideline (leadline bench --guidelines).",
)
@click.option(
    "--launcher",
    metavar="WORDS",
    default="",
    envvar="LEADLINE_LAUNCHER",
    help="Launcher to use instead of the library's mpiexec, e.g. 'srun -n {ranks}'.",
)
@click.option(
    "--launches",
    type=click.IntRange(2),
    default=4,
    show_default=True,
    envvar="LEADLINE_LAUNCHES",
    help="Launches of the benchmark.",
)
@click.option(
    "--rounds",
    type=click.IntRange(5),
    default=150,
    show_default=True,
    envvar="LEADLINE_ROUNDS",
    help="Samples per algorithm, size and launch.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    default=1.0,
    show_default=True,
    envvar="LEADLINE_SECONDS",
    help="Time limit per launch for each group of four algorithms and one size.",
)
@click.option(
    "--refine",
    "refinements",
    type=click.IntRange(0),
    default=6,
    show_default=True,
    envvar="LEADLINE_REFINE",
    help="Number of extra sizes used to locate each crossover.",
)
@click.option(
    "--for",
    "limit",
    metavar="DURATION",
    envvar="LEADLINE_FOR",
    help="Time for everything, for example 10m: what does not fit stays with the library, and is named.",
)
@click.option(
    "--network",
    metavar="FILE|PRESET",
    envvar="LEADLINE_TUNE_NETWORK",
    help="Measure only what the model of this network gives a time near the least (leadline calibrate makes one).",
)
@click.option(
    "--nodes",
    type=click.IntRange(1),
    metavar="N",
    envvar="LEADLINE_TUNE_NODES",
    help="With --network and --launcher: the number of nodes that the ranks are on.",
)
@click.option("--seed", type=int, default=1, show_default=True, envvar="LEADLINE_SEED", help="Random seed.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    envvar="LEADLINE_TUNED",
    help="Write the table to FILE.  [default: print it]",
)
@click.option(
    "--json",
    "json_",
    is_flag=True,
    envvar="LEADLINE_JSON",
    help="Print rules, rejected algorithms and measurements as JSON.",
)
@click.option(
    "--protocol",
    is_flag=True,
    envvar="LEADLINE_PROTOCOL",
    help="Tune the point-to-point protocol instead: run COMMAND with each setting.",
)
@click.option(
    "--time",
    "pattern",
    metavar="REGEX",
    envvar="LEADLINE_TIME",
    help="With --protocol: REGEX whose first group is the time in COMMAND's output.",
)
@click.argument("program", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND [ARGS]...]")
def command(program: tuple[str, ...], protocol: bool, pattern: str | None, **asked: Any) -> int:
    """Measure the algorithms of collectives and write a table for `leadline apply`.

    A rule is written only if an algorithm was faster than the library default in every launch, and then again in fresh
    launches. With --protocol, COMMAND is run with each setting in turn, and its own time decides.
    """
    from leadline.bench.output import check_folder

    if asked["output"] is not None and asked["output"].exists():
        raise UsageError(f"{asked['output']} already exists", hint="choose another name")
    if asked["output"] is not None:
        check_folder(asked["output"])  # before minutes of measuring
    if protocol and asked["network"] is not None:
        raise UsageError("--protocol measures every setting: it does not take --network")
    if protocol:
        return _protocol(program, pattern, asked)
    if program:
        raise UsageError("a COMMAND needs --protocol", hint="to tune a run's calls: --from RUN")
    if pattern is not None:
        raise UsageError("--time needs --protocol")
    return _algorithms(asked)


def _algorithms(asked: dict[str, Any]) -> int:
    from leadline.bench.asking import algorithms_by_operation, parse_size
    from leadline.bench.grid import parse_dims, require_grids
    from leadline.cli.workload import default_library, library_for, library_of_launcher
    from leadline.runs.progress import ProgressLine
    from leadline.tuning.arriving import chosen as arrivals_of
    from leadline.tuning.calls import library_of_run, of_run
    from leadline.tuning.savings import of_rules
    from leadline.tuning.savings_output import headline
    from leadline.tuning.table import ALGORITHMS, write
    from leadline.tuning.tune import SIZES, Wanted, tune

    limit_s = seconds_of(asked["limit"]) if asked["limit"] else 0.0
    if limit_s and asked["guidelines"]:
        raise UsageError("--for and --guidelines cannot be combined")
    grids = parse_dims(asked["dims"]) if asked["dims"] else {}
    default = operations() if grids or asked["trace"] is not None else measured()
    chosen = tuple(dict.fromkeys(asked["operations"].split(",") if asked["operations"] else default))
    for operation in chosen:
        if operation not in ALGORITHMS:
            raise UsageError(f"unknown operation {operation!r}", hint=f"available: {', '.join(operations())}")
    ranks = tuple(sorted({_whole(word) for word in asked["ranks"].split(",")}))
    if asked["trace"] is not None:
        say_owner(asked["trace"])
    calls = tuple(of_run(asked["trace"], grids, say)) if asked["trace"] is not None else ()
    if asked["trace"] is not None and not any(call.operation in chosen for call in calls):
        raise UsageError(f"{asked['trace']} calls none of {','.join(chosen)}: nothing to tune")
    require_grids(grids, [call.processes for call in calls] or ranks)
    most = max([call.processes for call in calls] or ranks)
    algorithms = algorithms_by_operation(asked["algorithms"].split(","), chosen) if asked["algorithms"] else None
    library = asked["library"] or (library_of_run(asked["trace"]) if calls else None)
    library = library or library_of_launcher(asked["launcher"].split()) or default_library("c++", most)
    wanted = Wanted(
        library=library_for(library),
        operations=chosen,
        sizes=tuple(sorted({parse_size(word) for word in asked["sizes"].split(",")})) if asked["sizes"] else SIZES,
        ranks=ranks,
        calls=calls,
        launches=asked["launches"],
        rounds=asked["rounds"],
        seconds=asked["seconds"],
        refinements=asked["refinements"],
        algorithms=algorithms,
        launcher=asked["launcher"],
        seed=asked["seed"],
        guidelines=asked["guidelines"],
        limit_s=limit_s,
        grids=grids,
        model=_model(asked),
    )
    points = [(name, size, n) for name in chosen for n in wanted.counts for size in wanted.sizes_of(name, n)]
    wanted = replace(wanted, arrivals=arrivals_of(asked["arrival"], asked["trace"], points, say))
    if calls:
        distinct = sum(call.operation in chosen for call in calls)
        say(f"tuning {distinct} distinct calls of {asked['trace']} with {library}")
    with ProgressLine(say) as line:
        found = tune(wanted, line.note, line.show)
    saved = of_rules(found, [call for call in calls if call.operation in chosen]) if calls else None
    if saved is not None and saved.savings:
        say(headline(saved, "these rules"))
    text = write(found.table)
    if asked["output"] is not None:
        asked["output"].write_text(text)
        say(f"wrote {fmt.plural(len(found.table.rules), 'rule')} to {shown(asked['output'])}")
    if asked["json_"]:
        write_json(_document(found, saved), sys.stdout)
    elif asked["output"] is None:
        sys.stdout.write(text)
    return 0


def _model(asked: dict[str, Any]) -> Any:
    """None without --network. Raises UsageError."""
    from leadline.bench.bounds import Model
    from leadline.network.file import named
    from leadline.network.topology import check_places

    if asked["network"] is None:
        if asked["nodes"] is not None:
            raise UsageError("--nodes needs --network")
        return None
    if asked["launcher"] and asked["nodes"] is None:
        raise UsageError("--network with --launcher needs --nodes: the model has to know where the ranks are")
    network = named(asked["network"]).network
    nodes = asked["nodes"] or 1
    check_places(nodes, network)
    return Model(network, 0, nodes)


def _document(found: Any, saved: Any) -> dict[str, Any]:
    """saved: of a recorded run's calls; None without one."""
    from leadline.tuning.guidelines import with_repairs

    return {
        "schema": 1,
        "evidence": found.table.evidence,
        "rules": [
            {"operation": rule.operation, "range": rule.range, "algorithm": rule.name, "evidence": rule.evidence}
            for rule in found.table.rules
        ],
        "dropped": [
            {
                "operation": lost.operation,
                "bytes": lost.n_bytes,
                "processes": lost.processes,
                "algorithm": lost.algorithm,
            }
            for lost in found.lost
        ],
        **({} if found.modelled.model is None else {"left_out": found.modelled.document()}),
        **({} if found.broken is None else {"violations": with_repairs(found.broken, found.kept)}),
        **({} if saved is None else {key: saved.document()[key] for key in ("native_us", "saved_us", "calls")}),
        "without_time": [
            {"operation": operation, "bytes": n_bytes, "processes": processes}
            for operation, n_bytes, processes in found.without_time
        ],
        "rows": found.rows,
        "again": found.again,
        "written": found.written,
        "in_a_row": found.in_a_row,
    }


def _protocol(program: tuple[str, ...], pattern: str | None, asked: dict[str, Any]) -> int:
    from leadline.runs.progress import ProgressLine
    from leadline.tuning.protocol import print_found, tune_protocol

    if not program:
        raise UsageError("--protocol needs a COMMAND", hint="leadline tune --protocol -- COMMAND")
    with ProgressLine(say) as line:
        tuned = tune_protocol(program, launches=asked["launches"], pattern=pattern, say=line.note, progress=line.show)
    found = tuned.document
    if asked["output"] is not None:
        asked["output"].write_text(json.dumps(found, indent=1) + "\n")
    if asked["json_"]:
        write_json(found, sys.stdout)
    else:
        print_found(found)
    tuned.interruption.end_if_any()
    return 0


def _whole(word: str) -> int:
    if not word.isdigit() or int(word) < 2:
        raise UsageError(f"{word!r}: expected a number of ranks", hint="expected 2 or more, e.g. -n 2,4")
    return int(word)

"""leadline bench: measures the cost of messages and collectives here, and which algorithm is the fastest."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from leadline import mpi
from leadline.bench.asking import COLLECTIVES, OPERATIONS, PARTS, POINT_TO_POINT
from leadline.cli.arrivals import arrival_option, dims_option
from leadline.errors import UsageError
from leadline.operations import operations
from leadline.text.printing import write_json
from leadline.text.suggestions import available

FAILED = 7
GIVEN = {ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT}
STUDY_SETTINGS = ("launches", "rounds", "seconds", "seed")
FROM_TAKES = {
    *("run", "operation", "algorithms", "library", "launcher", "timeout_s", "repeat", "skew_us", "buffers", "nodes"),
    *("json_", "root", "dims", "arrival", "start", *STUDY_SETTINGS),
}
STUDY_TAKES = {"study", "full", "json_", "library", "timeout_s", *STUDY_SETTINGS}


@click.command("bench", epilog=f"OPERATION is one of {', '.join(OPERATIONS)}.")
@click.argument("operation", required=False)
@click.option(
    "--algorithms",
    metavar="A,B|all",
    envvar="LEADLINE_ALGORITHMS",
    help="Algorithms to compare, e.g. chain:segment=64Ki.  [default: all]",
)
@click.option("--sizes", metavar="BYTES,...", envvar="LEADLINE_SIZES", help="Message sizes, for example 8,64Ki,1M.")
@click.option(
    "-n",
    "--ranks",
    type=click.IntRange(1),
    envvar="LEADLINE_RANKS",
    default=2,
    help="Number of ranks (processes).  [default: 2]",
)
@click.option(
    "--mpi",
    "library",
    metavar="LIBRARY",
    envvar="LEADLINE_MPI",
    help=(
        f"MPI library: {', '.join(mpi.NAMES)}, a release, e.g. mpich@4.1.3, or the path of an mpiexec. [default: "
        "that of --launcher, else mpich up to 4 ranks, then openmpi]"
    ),
)
@click.option(
    "--launches",
    type=click.IntRange(1),
    envvar="LEADLINE_LAUNCHES",
    default=5,
    help="Launches of the benchmark.  [default: 5]",
)
@click.option(
    "--rounds",
    type=click.IntRange(1),
    envvar="LEADLINE_ROUNDS",
    default=50,
    help="Samples per algorithm, size and launch.  [default: 50]",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    envvar="LEADLINE_SECONDS",
    default=2.5,
    show_default=True,
    help="Time limit per size and launch.",
)
@click.option(
    "--repeat",
    type=click.IntRange(0),
    default=0,
    envvar="LEADLINE_REPEAT",
    help="Back-to-back operations per sample; 0 = automatic.",
)
@click.option(
    "--skew",
    "skew_us",
    type=click.FloatRange(0),
    default=0.0,
    envvar="LEADLINE_SKEW",
    help="Random start skew per rank, up to this many µs.",
)
@click.option(
    "--late",
    metavar="RANK:US,...",
    envvar="LEADLINE_LATE",
    help="Ranks that arrive late, each by so many µs, for example 1:500.",
)
@arrival_option
@click.option(
    "--start",
    type=click.Choice(["announced", "barrier"]),
    default="announced",
    show_default=True,
    envvar="LEADLINE_START",
    help="Start of a sample: an announced instant of compared clocks, or after a barrier.",
)
@click.option(
    "--buffers",
    type=click.Choice(["reused", "written"]),
    default="reused",
    show_default=True,
    envvar="LEADLINE_BUFFERS",
    help="Buffer state: 'written' writes the buffers before each operation.",
)
@click.option(
    "--root",
    type=click.IntRange(0),
    default=0,
    envvar="LEADLINE_ROOT",
    help="Root rank of rooted operations.  [default: 0]",
)
@click.option(
    "--nodes",
    type=click.IntRange(0),
    default=0,
    envvar="LEADLINE_NODES",
    help="Number of nodes assumed by two-level algorithms.",
)
@dims_option
@click.option(
    "--network",
    metavar="FILE|PRESET",
    envvar="LEADLINE_BENCH_NETWORK",
    help="Also give the times of Leadline's algorithms by the model of this network (leadline calibrate makes one).",
)
@click.option(
    "--seed",
    type=int,
    default=1,
    envvar="LEADLINE_SEED",
    help="Random seed (order of algorithms, bootstrap).  [default: 1]",
)
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(1),
    envvar="LEADLINE_TIMEOUT",
    help="Time limit per launch, in seconds.",
)
@click.option(
    "--launcher",
    metavar="WORDS",
    envvar="LEADLINE_LAUNCHER",
    help="Launcher to use instead of the library's mpiexec, e.g. 'mpiexec -n {ranks} -hosts a,b'.",
)
@click.option(
    "--from",
    "run",
    type=click.Path(path_type=Path),
    metavar="RUN",
    envvar="LEADLINE_FROM",
    help="Measure the collectives that RUN called, with its MPI library, and say what faster algorithms would save.",
)
@click.option(
    "--guidelines",
    is_flag=True,
    envvar="LEADLINE_GUIDELINES",
    help="Compare with the library's other operations that do the same together, other sizes and one rank more.",
)
@click.option(
    "--study",
    metavar="intel-mpi|wrf",
    envvar="LEADLINE_STUDY",
    help="Repeat a published study. --mpi may list several libraries (A,B). 'wrf' only re-reads published tables.",
)
@click.option(
    "--full",
    is_flag=True,
    envvar="LEADLINE_FULL",
    help="With --study: also run cases that need more cores than this machine has, or that take long.",
)
@click.option("--json", "json_", is_flag=True, envvar="LEADLINE_JSON", help="Print results and settings as JSON.")
@click.option(
    "--parquet",
    type=click.Path(path_type=Path),
    metavar="FILE",
    envvar="LEADLINE_PARQUET",
    help="Write every sample to a Parquet FILE (needs Polars or pyarrow).",
)
@click.option(
    "--csv",
    "csv_",
    type=click.Path(path_type=Path),
    metavar="FILE",
    envvar="LEADLINE_CSV",
    help="Write every sample to a CSV FILE.",
)
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    metavar="FILE",
    envvar="LEADLINE_PLOT",
    help="Write a plot (FILE.svg, .png, .pdf) or a page with plot and table (FILE.html). Needs matplotlib.",
)
@click.pass_context
def command(
    context: click.Context,
    operation: str | None,
    algorithms: str | None,
    sizes: str | None,
    ranks: int,
    library: str | None,
    launches: int,
    rounds: int,
    seconds: float,
    repeat: int,
    skew_us: float,
    late: str | None,
    arrival: str | None,
    start: str,
    buffers: str,
    root: int,
    nodes: int,
    dims: str,
    network: str | None,
    seed: int,
    timeout_s: float | None,
    launcher: str | None,
    run: Path | None,
    guidelines: bool,
    study: str | None,
    full: bool,
    json_: bool,
    parquet: Path | None,
    csv_: Path | None,
    plot: Path | None,
) -> int:
    """Measure the cost of messages or of a collective, with every algorithm and with the library default.

    Times and ratios have confidence intervals. The exit code is 0, or 7 if a result was wrong or a launch failed.
    """
    from leadline.bench import measure, output
    from leadline.bench import plot as drawing
    from leadline.bench import samples as files
    from leadline.bench.asking import sizes_for
    from leadline.bench.grid import parse_dims, require_grids
    from leadline.bench.guidelines import more_ranks, violations
    from leadline.cli.arrivals import arrivals_for
    from leadline.cli.bench_from import bench_from
    from leadline.cli.saying import say
    from leadline.cli.workload import default_library, library_for, library_of_launcher
    from leadline.network.file import named
    from leadline.network.topology import check_places
    from leadline.runs.progress import ProgressLine
    from leadline.tuning.arriving import TOGETHER

    given = [name for name in context.params if context.get_parameter_source(name) in GIVEN]
    if study is not None:
        published = study == "wrf"  # measures nothing
        if others := sorted(set(given) - ({"study", "json_", "plot"} if published else STUDY_TAKES)):
            words = ", ".join(name if name == "operation" else option_of(context, name) for name in others)
            what = (
                "--study wrf measures nothing: it re-reads published tables"
                if published
                else "a study sets operations and sizes itself"
            )
            raise UsageError(f"{what}; it does not take {words}")
        if published:
            return read_study(plot, json_=json_)
        return run_study(study, library, context, full=full, json_=json_, timeout_s=timeout_s)
    if full:
        raise UsageError("--full needs --study")
    if run is not None:
        if others := sorted(set(given) - FROM_TAKES):
            words = ", ".join(option_of(context, name) for name in others)
            raise UsageError(f"--from measures what the run called; it does not take {words}")
        if operation is not None and operation not in COLLECTIVES:
            raise UsageError(f"--from measures collectives, not {operation}", hint=available(operation, COLLECTIVES))
        how = {
            name: context.params[name]
            for name in (*STUDY_SETTINGS, "repeat", "skew_us", "start", "buffers", "root", "nodes")
        }
        if skew_us and arrival is None:
            arrival = TOGETHER
        return bench_from(
            run,
            operation,
            library,
            launcher,
            arrival,
            parse_dims(dims) if dims else {},
            json_=json_,
            algorithms=algorithms,
            timeout_s=timeout_s,
            **how,
        )
    if operation is None:
        raise UsageError("name the operation to measure", hint=f"one of {', '.join(OPERATIONS)}")
    if operation not in OPERATIONS:  # before a library is installed
        raise UsageError(f"unknown operation {operation!r}", hint=available(operation, OPERATIONS))
    if guidelines and algorithms is not None:
        raise UsageError("--guidelines sets the algorithms itself: it does not take --algorithms")
    if guidelines and operation in POINT_TO_POINT:
        raise UsageError(f"--guidelines needs a collective, not {operation}")
    if (late or arrival) and operation in POINT_TO_POINT:
        raise UsageError(f"--late and --arrival need a collective, not {operation}")
    grids = parse_dims(dims) if dims else {}
    has_neighbours = operation in COLLECTIVES and operations()[operation].for_neighbours
    if grids and not has_neighbours:
        raise UsageError(f"--dims is for neighbourhood collectives, not {operation}")
    require_grids(grids, [ranks])
    given_sizes = sizes.split(",") if sizes is not None else None
    if network is not None and operation in POINT_TO_POINT:
        raise UsageError(f"--network needs a collective, not {operation}")
    model = None if network is None else named(network).network
    check_places(max(nodes, 1), model)
    arrivals = arrivals_for(operation, sizes_for(operation, given_sizes), ranks, late, arrival)
    given_launcher = shlex.split(launcher) if launcher else None
    library = library or library_of_launcher(given_launcher or []) or default_library("c++", ranks)
    if plot is not None:
        drawing.check(plot)  # before minutes of measuring
    if parquet is not None:
        output.check_folder(parquet)
        files.parquet_writer()
    if csv_ is not None:
        output.check_folder(csv_)
    one_more, why_not = more_ranks(operation, ranks, given_launcher) if guidelines else (0, "")
    with ProgressLine(say) as line:
        found = measure(
            operation,
            algorithms=PARTS if guidelines else algorithms,
            sizes=given_sizes,
            ranks=ranks,
            library=library_for(library),
            launches=launches,
            rounds=rounds,
            seconds=seconds,
            repeat=repeat,
            skew_us=skew_us,
            arrivals=arrivals,
            start=start,
            buffers=buffers,
            root=root,
            nodes=nodes,
            dims=grids.get(ranks, ()),
            network=model,
            seed=seed,
            timeout_s=timeout_s,
            launcher=given_launcher,
            more_ranks=one_more,
            keep=True,
            progress=line.show,
        )
    if why_not:
        say(why_not)
    if parquet is not None:
        files.write_parquet(found, parquet)
    if csv_ is not None:
        files.write_csv(found, csv_)
    if plot is not None:
        drawing.write_plot(found, plot)
    if json_:
        more_rows = output.on_more_ranks(found)
        broken = {"violations": violations(found.rows, more_rows), "rows_on_more_ranks": more_rows}
        print_json({**found.document(), **(broken if guidelines else {})})
    else:
        output.print_tables(found)
        if guidelines:
            output.print_violations(found)
    found.interruption.end_if_any()
    more = found.on_more_ranks
    return FAILED if found.wrong or found.failed or (more and (more.wrong or more.failed)) else 0


def print_json(document: dict[str, Any]) -> None:
    write_json(document, sys.stdout)


def option_of(context: click.Context, name: str) -> str:
    """The option as it is written on the command line."""
    return next(max(each.opts, key=len) for each in context.command.params if each.name == name)


def read_study(plot: Path | None, *, json_: bool) -> int:
    """The WRF tables: what they say, and the study's figures in the file `plot`."""
    from leadline.profiles import virtual_clusters

    found = virtual_clusters.tables()
    if plot is not None:
        virtual_clusters.draw(found, plot)
    if json_:
        print_json(virtual_clusters.document(found))
    else:
        click.echo(virtual_clusters.text(found))
    return 0


def run_study(
    name: str, libraries: str | None, context: click.Context, *, full: bool, json_: bool, timeout_s: float | None
) -> int:
    from leadline.bench import study
    from leadline.cli.saying import say
    from leadline.cli.workload import library_for
    from leadline.runs.progress import ProgressLine

    chosen = [library_for(word) for word in (libraries or "intel").split(",")]
    # The study's defaults are smaller than those of one operation.
    given = {name: context.params[name] for name in STUDY_SETTINGS if context.get_parameter_source(name) in GIVEN}
    with ProgressLine(say) as line:
        found = study.run(name, chosen, full=full, timeout_s=timeout_s, progress=line.show, **given)
    if json_:
        print_json(found.document())
    else:
        study.print_study(found)
    found.interruption.end_if_any()
    return FAILED if found.failed or any(each.wrong for each in found.measurements) else 0

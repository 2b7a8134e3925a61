"""The command line of ./dev bench."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

import leadline
import leadline.mpi
from bench.agreement import measure_agreement
from bench.analysis import FULL_CALLS, measure_analysis
from bench.cases import BY_NAME, CASES, MEMORY_CASES, SHIM_CASES, SIZE_STEPS, Case
from bench.measure import CaseCost, Clock, measure_case, measure_memory, measure_size
from bench.page import measure_page
from bench.pop import measure_pop
from bench.program import Program
from bench.table import markdown_costs, print_costs, print_memory, print_sizes
from bench.tunings import measure_tunings
from leadline.errors import LeadlineError
from leadline.launch import shim
from leadline.launch.recorder import require_library

ROOT = Path(__file__).resolve().parents[2]
DEFAULT_PARTS = ("cost", "shim", "memory", "size", "page")
PARTS = (*DEFAULT_PARTS, "analysis", "agreement", "pop", "tunings")


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(prog="./dev bench", description="What recording costs, with call paths, on two ranks.")
    p.add_argument(
        "parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)} (default: the first {len(DEFAULT_PARTS)})"
    )
    p.add_argument("--case", action="append", choices=list(BY_NAME), help="only this case; may be repeated")
    p.add_argument("--mpi", action="append", choices=leadline.mpi.NAMES, help="default: mpich and openmpi")
    p.add_argument("--pairs", type=int, default=7, metavar="N", help="recorded launches of each case (default: 7)")
    p.add_argument("--quick", action="store_true", help="3 pairs, one library, no long runs")
    p.add_argument("--clock", choices=["wall", "cpu"], default="wall", help="cpu: where other programs run too")
    p.add_argument(
        "--ranks", type=int, default=2, metavar="N", help="one core each (default: 2); 1: the ring is a loop"
    )
    p.add_argument(
        "--tuned-ranks", type=int, action="append", metavar="N", help="of the tunings; may be repeated (default: 2)"
    )
    p.add_argument("--recorder", type=Path, help="the libleadline.so to measure (default: the one that was built)")
    p.add_argument("--json", type=Path, metavar="FILE", help="write all figures, each launch's too")
    p.add_argument(
        "--markdown", type=Path, metavar="FILE", help="write the costs as a table for docs/record/performance.md"
    )
    return p


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    if unknown := set(options.parts) - set(PARTS):
        parser().error(f"no such part: {', '.join(sorted(unknown))}")
    try:
        return measure(options)
    except LeadlineError as error:
        print(f"bench: {error}", file=sys.stderr)
        return error.exit_code


def measure(options: argparse.Namespace) -> int:
    parts = options.parts or list(DEFAULT_PARTS)
    pairs = 3 if options.quick else options.pairs
    recorder = options.recorder.resolve() if options.recorder else require_library()
    clock: Clock = "wall_ns" if options.clock == "wall" else "cpu_ns"
    names = options.mpi or (["mpich"] if options.quick else ["mpich", "openmpi"])
    programs = (
        []
        if not set(parts) & {*DEFAULT_PARTS, "analysis"}
        else [
            Program.build(leadline.mpi.find(name), recorder, ROOT / "build" / "bench", options.ranks) for name in names
        ]
    )
    console = Console(width=None if sys.stdout.isatty() else 170)
    machine = describe_machine()
    console.print(f"{machine['cpu']}, {machine['cores']} cores, load {machine['load']:.2f} at the start; {pairs} pairs")
    if machine["load"] > 0.5:
        console.print("The machine is busy: the figures will be too high and scatter. --clock cpu helps in part.")
    report: dict[str, Any] = {
        "schema": 1,
        "machine": machine,
        "clock": options.clock,
        "ranks": options.ranks,
        "pairs": pairs,
    }
    if "cost" in parts:
        # All cases with the first library, the main ones with the others.
        main = [(program, case) for case in chosen(options) for i, program in enumerate(programs) if not i or case.main]
        costs = run_costs(main, pairs, clock)
        print_costs(console, costs, options.clock)
        report["cost"] = [c.as_json() for c in costs]
        if options.markdown:
            options.markdown.write_text(markdown_costs(costs))
    if "shim" in parts:
        shimmed = [replace(program, shim=shim.require_library()) for program in programs]
        costs = run_costs([(program, case) for case in SHIM_CASES for program in shimmed], pairs, clock)
        console.print("The shim, collectives that it leaves alone and one that it serves:", style="bold")
        print_costs(console, costs, options.clock)
        report["shim"] = [c.as_json() for c in costs]
    if "memory" in parts:
        rows = [measure_memory(program, case, 3) for program in programs for case in MEMORY_CASES]
        print_memory(console, rows)
        report["memory"] = [vars(row) | {"added_kb": row.added_kb} for row in rows]
    if "size" in parts:
        steps = SIZE_STEPS[:1] if options.quick else SIZE_STEPS
        sizes = [measure_size(program, n) for program in programs for n in steps]
        print_sizes(console, sizes)
        report["size"] = [vars(size) for size in sizes]
    if "page" in parts:
        report["page"] = measure_page(console)
    if "analysis" in parts:
        report["analysis"] = measure_analysis(console, programs[0], pairs, FULL_CALLS[1 if options.quick else -1])
    if "agreement" in parts:
        report["agreement"] = measure_agreement(console, pairs)
    if "pop" in parts:
        report["pop"] = measure_pop(console, pairs)
    if "tunings" in parts:
        report |= measure_tunings(console, names, options.tuned_ranks or [2], pairs)
    report["load_at_end"] = os.getloadavg()[0]
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n")
    return 0


def chosen(options: argparse.Namespace) -> list[Case]:
    return [BY_NAME[name] for name in options.case] if options.case else list(CASES)


def run_costs(work: Sequence[tuple[Program, Case]], pairs: int, clock: Clock) -> list[CaseCost]:
    """Says what it measures, since that takes minutes."""
    costs = []
    begin = time.monotonic()
    for done, (program, case) in enumerate(work):
        left = (time.monotonic() - begin) / done * (len(work) - done) if done else 0
        said = f"{done}/{len(work)} {case.name} {program.library.name} {left:4.0f} s left "
        print(f"\r{said}" if sys.stderr.isatty() else said, end="" if sys.stderr.isatty() else "\n", file=sys.stderr)
        costs.append(measure_case(program, case, pairs, clock))
    if sys.stderr.isatty():
        print("\r" + " " * 60 + "\r", end="", file=sys.stderr)
    return costs


def describe_machine() -> dict[str, Any]:
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        ]
        cpu = names[0] if names else cpu
    return {
        "cpu": cpu,
        "cores": len(os.sched_getaffinity(0)),
        "kernel": platform.release(),
        "load": os.getloadavg()[0],
        "date": time.strftime("%Y-%m-%dT%H:%M:%S"),
    }

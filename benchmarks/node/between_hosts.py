"""python benchmarks/node/between_hosts.py [--hosts N] [--each N] [--rate MBIT] [--operations A,B] [--sizes N,N]
       [--seconds S] DIR

Algorithms between hosts with slow links: how the model of `leadline bench --network` ranks them, and how they rank when
they are measured. The hosts are network namespaces of this machine, whose links have a limited rate in both directions,
with some ranks of Open MPI on each. A network is calibrated between the first two; then every algorithm of each
operation is measured and modelled. It prints for each operation Kendall's tau (b) between the two rankings, the regret
of taking the algorithm that the model says is best, and how much faster the best multi-level algorithm is than the best
flat one. It needs root. DIR must be outside of /tmp, which each host has for itself.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import statistics
import sys
from pathlib import Path
from typing import Any

from leadline.bench import measure
from leadline.calibration import calibration_of, launch_all
from leadline.mpi import find
from leadline.network import write

TESTS = Path(__file__).resolve().parents[2] / "tests"
sys.path.insert(0, str(TESTS))

from jobs import hosts, links  # noqa: E402

BURST = "8kb"  # with more, a message alone would be faster than several
Rows = list[dict[str, Any]]


def launcher_of(made: hosts.Hosts, directory: Path, each: int) -> list[str]:
    """Words before the program, with {ranks}: the first ranks are on the first host, and so on."""
    library = find("openmpi")
    options = library.kind.over_hosts.words(
        script=str(links.remote_shell(made, directory)),
        here=made.login.address,
        hosts=[f"{node.address}:{each}" for node in made.nodes],
        network=f"{hosts.NETWORK}.0/24",
    )
    options[options.index("--map-by") + 1] = "slot"
    if each > 1:
        options[options.index("tcp,self")] = "sm,tcp,self"
    inside = ["nsenter", "-t", str(made.login.process), "-u", "-n", "--"]
    return [*inside, str(library.launch(2)[0]), *options, "-n", "{ranks}"]


def tau_b(pairs: list[tuple[float, float]]) -> float | None:
    """Kendall's tau of two rankings, ties counted as tau-b has them. None: one of them has nothing but ties."""
    agree, one, other = 0, 0, 0
    for (a, b), (c, d) in itertools.combinations(pairs, 2):
        signs = (a > c) - (a < c), (b > d) - (b < d)
        agree += signs[0] * signs[1]
        one += signs[0] != 0
        other += signs[1] != 0
    return agree / math.sqrt(one * other) if one and other else None


def compared(rows: Rows) -> dict[str, Any] | None:
    """Of the rows of one size: those that were measured and modelled."""
    both = [row for row in rows if row["median_us"] is not None and row["model_us"] is not None]
    if len(both) < 2:
        return None
    best = min(row["median_us"] for row in both)
    chosen = min(both, key=lambda row: row["model_us"])
    flat = [row["median_us"] for row in both if not row["algorithm"].startswith("two_level")]
    several = [row["median_us"] for row in both if row["algorithm"].startswith("two_level")]
    return {
        "algorithms": len(both),
        "tau": tau_b([(row["median_us"], row["model_us"]) for row in both]),
        "regret": chosen["median_us"] / best - 1,
        "chosen": chosen["algorithm"],
        "best": min(both, key=lambda row: row["median_us"])["algorithm"],
        "multi_level": min(flat) / min(several) if flat and several else None,
    }


def report(found: dict[str, Rows]) -> None:
    print("| operation | bytes | algorithms | tau | regret | model's best | measured best | flat / multi-level |")
    print("|---|---|---|---|---|---|---|---|")
    taus, regrets = [], []
    for operation, rows in found.items():
        for n_bytes in sorted({row["bytes"] for row in rows}):
            of = compared([row for row in rows if row["bytes"] == n_bytes])
            if of is None:
                continue
            taus += [of["tau"]] if of["tau"] is not None else []
            regrets.append(of["regret"])
            tau = "–" if of["tau"] is None else f"{of['tau']:.2f}"
            levels = "–" if of["multi_level"] is None else f"{of['multi_level']:.2f}"
            print(
                f"| {operation} | {n_bytes:,} | {of['algorithms']} | {tau} | {of['regret']:.1%} | `{of['chosen']}` | "
                f"`{of['best']}` | {levels} |"
            )
    if regrets:
        print(f"\ntau: median {statistics.median(taus):.2f}, least {min(taus):.2f}; ", end="")
        print(f"regret: median {statistics.median(regrets):.1%}, worst {max(regrets):.1%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[3])
    parser.add_argument("directory", type=Path, help="for the network and the rows; new")
    parser.add_argument("--hosts", type=int, default=4)
    parser.add_argument("--each", type=int, default=2, help="ranks on each host")
    parser.add_argument("--rate", type=int, default=50, help="of each link, in Mbit/s")
    parser.add_argument("--operations", default="bcast,reduce,allreduce,allgather,gather,barrier")
    parser.add_argument("--sizes", default="64,16384,131072")
    parser.add_argument("--seconds", type=float, default=4.0, help="for each size of an operation")
    arguments = parser.parse_args()
    if not hosts.are_possible():
        raise SystemExit("hosts cannot be made here: it needs root and virtual network cables")
    arguments.directory.mkdir(parents=True)
    directory, library = arguments.directory.resolve(), find("openmpi")
    os.environ |= {**library.kind.over_hosts.environment, "OMPI_MCA_mpi_yield_when_idle": "1"}
    found: dict[str, Rows] = {}
    with hosts.made(arguments.hosts) as made:
        for number, node in enumerate(made.nodes, 1):
            node.run(["ip", "-6", "addr", "flush", "dev", "eth0"])
            links.limit(node, "eth0", f"{arguments.rate}mbit", BURST)
            links.limit(made.login, f"w{number}", f"{arguments.rate}mbit", BURST)
        words = launcher_of(made, directory, arguments.each)
        some = str(min(2, arguments.hosts) * arguments.each)
        launches = launch_all([word.replace("{ranks}", some) for word in words], library, launches=1, seconds=20)
        described = calibration_of(launches).described
        (directory / "net.toml").write_text(write(described))
        for operation in arguments.operations.split(","):
            measured = measure(
                operation,
                sizes=[0] if operation == "barrier" else arguments.sizes.split(","),
                ranks=arguments.hosts * arguments.each,
                library=library,
                launches=1,
                rounds=15,
                seconds=arguments.seconds,
                launcher=words,
                nodes=arguments.hosts,
                network=described.network,
                timeout_s=200,
            )
            found[operation] = measured.rows
            (directory / "rows.json").write_text(json.dumps(found, indent=1) + "\n")
    print(f"{arguments.hosts} hosts, {arguments.each} ranks on each, {arguments.rate} Mbit/s, Open MPI\n")
    report(found)


if __name__ == "__main__":
    main()

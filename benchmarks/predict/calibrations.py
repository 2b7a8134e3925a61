"""python benchmarks/predict/calibrations.py [--mpi NAME] [--launches N] DIR

How far two calibrations of one machine are apart, and how far off a calibrated network is for messages that it has not
seen: two calibrations between two ranks of this host, and then `leadline bench p2p` in launches of its own, of sizes
that no calibration measures. Prints a row of Markdown. The machine must be idle.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

from leadline import _core
from leadline.network.file import Described, read

LEADLINE = [sys.executable, "-m", "leadline"]
# Between the powers of two, and the sizes of the Intel MPI study.
SIZES = (24, 100, 1_000, 3_000, 10_000, 24_000, 72_000, 100_000, 400_000, 1_000_000)


def leadline(*words: str) -> str:
    done = subprocess.run([*LEADLINE, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout


def overlapping(one: Described, other: Described) -> tuple[int, int]:
    """Figures whose intervals overlap, and all that both have."""
    both = one.intervals.keys() & other.intervals.keys()
    pairs = [(one.intervals[key], other.intervals[key]) for key in both]
    return sum(a[0] <= b[1] and b[0] <= a[1] for a, b in pairs), len(pairs)


def one_way_us(network: _core.Network, n_bytes: int) -> float:
    """Of a message to a rank that waits for it, as a ping-pong has it."""
    distance = next(name for name in _core.network_distances if network.own(name).pieces)
    link = network.own(distance)
    piece = max((each for each in link.pieces if each.from_bytes <= n_bytes), key=lambda each: each.from_bytes)
    ns = piece.message_ns(n_bytes)
    if n_bytes > link.eager_bytes:
        ns += link.handshake_ns if link.handshake_ns >= 0 else 2 * piece.latency_ns
    return float(ns) / 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[2])
    parser.add_argument("directory", type=Path, help="for the networks and results; new")
    parser.add_argument("--mpi", default="mpich")
    parser.add_argument("--launches", type=int, default=3)
    arguments = parser.parse_args()
    arguments.directory.mkdir(parents=True)
    from leadline.mpi import find

    library = find(arguments.mpi)
    if library is None:
        raise SystemExit(f"{arguments.mpi} is not installed")
    networks = []
    for number in (1, 2):
        kept = arguments.directory / f"network-{number}.toml"
        leadline("calibrate", "-o", str(kept), "--", *map(str, library.launch(2)))
        networks.append(read(kept))
    predicted = {n: one_way_us(networks[0].network, n) for n in SIZES}
    (arguments.directory / "predicted.json").write_text(json.dumps(predicted) + "\n")  # before anything is measured
    sizes = ",".join(map(str, SIZES))
    words = ["p2p", "--algorithms", "blocking", "--sizes", sizes, "--launches", str(arguments.launches)]
    data = json.loads(leadline("bench", *words, "--mpi", arguments.mpi, "--json"))
    measured = {row["bytes"]: row["median_us"] for row in data["rows"] if row["median_us"]}
    (arguments.directory / "measured.json").write_text(json.dumps(measured) + "\n")
    errors = {n: predicted[n] / measured[n] - 1 for n in SIZES if n in measured}
    alike, all_of = overlapping(*networks)
    each = ", ".join(f"{n:,}: {error:+.1%}" for n, error in errors.items())
    median = statistics.median(map(abs, errors.values()))
    print(f"| {arguments.mpi} | {alike} of {all_of} intervals overlap | median {median:.1%} | {each} |")


if __name__ == "__main__":
    main()

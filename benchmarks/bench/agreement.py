"""Whether leadline bench measures what NetPIPE and the Intel MPI Benchmarks measure, run alternately with it.

Each is asked for what it reports in its own way, and leadline's samples are put together in that way:
NetPIPE 3.7 reports the fastest of its trials, IMB-MPI1 the mean of operations in a row (of the slowest rank).
"""

from __future__ import annotations

import itertools
import re
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import leadline.mpi
from leadline.bench import Measurement, interval, measure
from leadline.errors import MissingPrerequisite

SIZES = (8, 64, 1024, 8192, 65536, 262144, 1048576)
TRIALS = 7  # of NetPIPE
IMB_ITERATIONS = 200
TIMEOUT_S = 300
SECONDS = 0.5  # of each size in each launch of ours
IMB_LINE = re.compile(r"^\s+(\d+)\s+\d+\s+([\d.]+)\s+([\d.]+)(?:\s+([\d.]+))?\s*$")
TOO_NOISY = 0.25  # from which nothing can be said
BENCHMARKS = {"p2p": "PingPong", "bcast": "Bcast", "allreduce": "Allreduce"}


@dataclass
class Agreement:
    """One size. ours, theirs: µs, one value for each launch, run alternately."""

    peer: str
    operation: str
    n_bytes: int
    ours: list[float] = field(default_factory=list)
    theirs: list[float] = field(default_factory=list)

    @property
    def noise(self) -> float:
        """How far two launches of one program are apart: the greater median of the two programs, as a share."""
        return max(_apart(self.ours), _apart(self.theirs))

    def as_json(self) -> dict[str, Any]:
        ratio = interval([[a / b for a, b in zip(self.ours, self.theirs, strict=True)]])
        return {
            "peer": self.peer,
            "operation": self.operation,
            "bytes": self.n_bytes,
            "ours_us": statistics.median(self.ours),
            "theirs_us": statistics.median(self.theirs),
            "ratio": None if ratio is None else ratio.as_dict(),
            "noise": self.noise,
            "agrees": self.agrees,
            "ours_all_us": self.ours,
            "theirs_all_us": self.theirs,
        }

    @property
    def agrees(self) -> bool | None:
        """None: launches of one program differ too much to tell."""
        if self.noise > TOO_NOISY:
            return None
        ratio = interval([[a / b for a, b in zip(self.ours, self.theirs, strict=True)]])
        if ratio is None:
            return False
        inside = ratio.low is not None and ratio.high is not None and ratio.low <= 1 <= ratio.high
        return inside or abs(ratio.median - 1) <= self.noise


def _apart(values: Sequence[float]) -> float:
    return statistics.median(abs(a / b - 1) for a, b in itertools.pairwise(values)) if len(values) > 1 else 0


def measure_agreement(console: Console, launches: int) -> list[dict[str, Any]]:
    """Everything that is here; what is not is said. Returns a row for each size."""
    found: list[Agreement] = []
    for part in (netpipe, imb):
        try:
            found += part(launches)
        except MissingPrerequisite as error:
            console.print(f"agreement: skipped: {error}" + (f" ({error.hint})" if error.hint else ""))
    if found:
        print_agreement(console, found, launches)
    return [each.as_json() for each in found]


def print_agreement(console: Console, found: Sequence[Agreement], launches: int) -> None:
    table = Table(title=f"leadline bench beside NetPIPE and IMB, {launches} launches each, alternately", box=None)
    for name in ("peer", "operation", "bytes", "ours µs", "theirs µs", "ours / theirs", "noise", "agree"):
        table.add_column(name, justify="left" if name in {"peer", "operation"} else "right", no_wrap=True)
    for each in found:
        row = each.as_json()
        ratio = row["ratio"]
        table.add_row(
            each.peer, each.operation, f"{each.n_bytes:,}", f"{row['ours_us']:.3g}", f"{row['theirs_us']:.3g}",
            f"{ratio['median']:.3f} ({_figure(ratio['low'])}–{_figure(ratio['high'])})", f"± {100 * each.noise:.1f} %",
            {True: "yes", False: "no", None: "too noisy"}[each.agrees],
        )  # fmt: skip
    console.print(table)


def _figure(value: float | None) -> str:
    return "?" if value is None else f"{value:.3f}"


def netpipe(launches: int) -> list[Agreement]:
    """Point to point with Debian's Open MPI."""
    program = shutil.which("NPopenmpi")
    if program is None:
        raise MissingPrerequisite("NetPIPE is not installed", hint="as root: apt-get install netpipe-openmpi")
    library = leadline.mpi.find("debian-openmpi")

    def theirs() -> dict[int, float]:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "netpipe"
            words = [*library.launch(2), program, "-u", str(max(SIZES)), "-o", str(out)]
            _output(words, library)
            lines = [line.split() for line in out.read_text().splitlines()]
        return {int(words[0]): float(words[2]) * 1e6 for words in lines}

    def ours() -> dict[int, float]:
        found = measure(
            "p2p", algorithms="blocking", sizes=SIZES, library=library, launches=1, rounds=4 * TRIALS, seconds=SECONDS
        )
        return _by_size(found, "blocking", _fastest_of_trials)

    return _alternate("NetPIPE", "p2p", ours, theirs, launches)


def imb(launches: int) -> list[Agreement]:
    """Point to point and collectives with Intel MPI."""
    library = leadline.mpi.find("intel")
    program = library.mpiexec.parent / "IMB-MPI1"
    if not program.exists():
        raise MissingPrerequisite(f"IMB-MPI1 is not at {program}")
    found = []
    for operation, benchmark in BENCHMARKS.items():

        def theirs(benchmark: str = benchmark) -> dict[int, float]:
            with tempfile.TemporaryDirectory() as folder:
                lengths = Path(folder) / "lengths"
                lengths.write_text("".join(f"{size}\n" for size in SIZES))
                options = ["-msglen", str(lengths), "-iter", str(IMB_ITERATIONS), "-red_data_type", "double"]
                lines = _output([*library.launch(2), str(program), benchmark, *options], library).splitlines()
            matches = [match for line in lines if (match := IMB_LINE.match(line))]
            # PingPong has one time and a rate; collectives the least, the most and the mean of the ranks.
            return {int(match[1]): float(match[3] if match[4] else match[2]) for match in matches}

        def ours(operation: str = operation) -> dict[int, float]:
            base = "blocking" if operation == "p2p" else "native"
            found = measure(
                operation,
                algorithms=base,
                sizes=SIZES,
                library=library,
                launches=1,
                rounds=10,
                seconds=SECONDS,
                repeat=IMB_ITERATIONS,
            )
            return _by_size(found, base, statistics.median)

        found += _alternate("IMB-MPI1", operation, ours, theirs, launches)
    return found


def _alternate(
    peer: str,
    operation: str,
    ours: Callable[[], dict[int, float]],
    theirs: Callable[[], dict[int, float]],
    launches: int,
) -> list[Agreement]:
    found = {size: Agreement(peer, operation, size) for size in SIZES}
    for number in range(launches):
        pair = (ours(), theirs()) if number % 2 == 0 else tuple(reversed((theirs(), ours())))
        for size, each in found.items():
            if size in pair[0] and size in pair[1]:
                each.ours.append(pair[0][size])
                each.theirs.append(pair[1][size])
    return [each for each in found.values() if each.ours]


def _by_size(found: Measurement, algorithm: str, summary: Callable[[Sequence[float]], float]) -> dict[int, float]:
    times: dict[int, list[float]] = {}
    for sample in found.samples():
        if sample["algorithm"] == algorithm and sample["time_us"] is not None:
            times.setdefault(sample["bytes"], []).append(sample["time_us"])
    return {size: summary(values) for size, values in times.items()}


def _fastest_of_trials(values: Sequence[float]) -> float:
    groups = [values[start : start + TRIALS] for start in range(0, len(values), TRIALS)]
    return statistics.median(min(group) for group in groups)


def _output(words: Sequence[str], library: leadline.mpi.Library) -> str:
    done = subprocess.run(
        words,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        env=library.env(),
        timeout=TIMEOUT_S,
    )
    if done.returncode != 0:
        raise MissingPrerequisite(f"{words[-1]} ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout

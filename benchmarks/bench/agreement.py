"""Whether leadline bench measures what NetPIPE and the Intel MPI Benchmarks measure, run alternately with it.

Each is asked for what it reports in its own way, and leadline's samples are put together in that way:
NetPIPE 3.7 reports the fastest of its trials, IMB-MPI1 the mean of operations in a row (of the slowest rank).
Where they still differ, METHODS says what is not the same.
"""

from __future__ import annotations

import itertools
import re
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import leadline.mpi
from leadline.bench import Interval, Measurement, interval, measure
from leadline.errors import LeadlineError, MissingPrerequisite
from leadline.runs.execute import execute
from leadline.runs.launch import Launch
from leadline.runs.order import Order, turns
from leadline.statistics.median import median

SIZES = (8, 64, 1024, 8192, 65536, 262144, 1048576)
TRIALS = 7  # of NetPIPE
IN_A_ROW = 200  # operations, whose mean is a sample: with NetPIPE, IMB and ours
TIMEOUT_S = 60.0  # of one program
LONGEST_S = 320.0  # after which no launch is begun
METHODS = {
    "NetPIPE": "it sends from the buffer that it has just received into, so lines go back and forth; ours from one"
    " of its own, as IMB does. With one buffer for both our times are NetPIPE's at every size",
    "IMB-MPI1": "it reads the clock before and after each operation, ours once for all in a row, to the end on the last"
    " rank; and one series of them is its figure, which one interruption may lengthen, ours the mean of ten",
}
VERDICTS = ("agree", "differ", "too noisy", "too few launches")
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

    @property
    def ratio(self) -> Interval | None:
        """Ours by theirs, of launches that follow one another."""
        return interval([[a / b for a, b in zip(self.ours, self.theirs, strict=True)]])

    @property
    def verdict(self) -> str:
        """Too noisy means that launches of one program differ too much to decide; with one launch that is not known."""
        ratio = self.ratio
        if ratio is None or len(self.ours) < 2:
            return "too few launches"
        if self.noise > TOO_NOISY:
            return "too noisy"
        inside = ratio.low is not None and ratio.high is not None and ratio.low <= 1 <= ratio.high
        return "agree" if inside or abs(ratio.median - 1) <= self.noise else "differ"

    def as_json(self) -> dict[str, Any]:
        ratio = self.ratio
        return {
            "peer": self.peer,
            "operation": self.operation,
            "bytes": self.n_bytes,
            "ours_us": median(self.ours) if self.ours else None,
            "theirs_us": median(self.theirs) if self.theirs else None,
            "ratio": None if ratio is None else ratio.as_dict(),
            "noise": self.noise,
            "verdict": self.verdict,
            "ours_all_us": self.ours,
            "theirs_all_us": self.theirs,
        }


def _apart(values: Sequence[float]) -> float:
    return median(abs(a / b - 1) for a, b in itertools.pairwise(values)) if len(values) > 1 else 0


def measure_agreement(console: Console, launches: int) -> list[dict[str, Any]]:
    """Everything that is here; what is not is said. Returns a row for each size."""
    pairs: list[Pair] = []
    for part in (netpipe, imb):
        try:
            pairs += part()
        except MissingPrerequisite as error:
            console.print(f"agreement: skipped: {error}" + (f" ({error.hint})" if error.hint else ""))
    if not pairs:
        return []
    began = time.monotonic()
    done = 0
    for turn in turns(pairs, launches):
        if time.monotonic() - began > LONGEST_S:
            break
        pair = turn.candidate
        try:
            pair.launch(turn.round)
        except LeadlineError as error:
            console.print(f"agreement: {pair.peer} {pair.operation}, launch {turn.round + 1} left out: {error}")
        done += 1
    if done < launches * len(pairs):
        console.print(
            f"agreement: ended after {LONGEST_S:.0f} s with {done} of {launches * len(pairs)} pairs of launches"
        )
    found = [each for pair in pairs for each in pair.found.values()]
    print_agreement(console, found, launches)
    return [each.as_json() for each in found]


def print_agreement(console: Console, found: Sequence[Agreement], launches: int) -> None:
    title = (
        f"leadline bench beside NetPIPE and IMB, 2 ranks, {launches} launches each, alternately. Noise: how far"
        f" two launches of one program are apart; too noisy from {100 * TOO_NOISY:.0f} %"
    )
    table = Table(title=title, box=None, title_justify="left")
    for name in ("peer", "operation", "bytes", "ours µs", "theirs µs", "ours / theirs", "noise", "verdict"):
        table.add_column(name, justify="left" if name in {"peer", "operation", "verdict"} else "right", no_wrap=True)
    for each in found:
        row = each.as_json()
        ratio = row["ratio"]
        figures = ["–"] * 4
        if ratio is not None:
            shown = f"{ratio['median']:.3f} ({_figure(ratio['low'])}–{_figure(ratio['high'])})"
            figures = [f"{row['ours_us']:.3g}", f"{row['theirs_us']:.3g}", shown, f"± {100 * each.noise:.1f} %"]
        table.add_row(each.peer, each.operation, f"{each.n_bytes:,}", *figures, row["verdict"])
    console.print(table)
    for peer in dict.fromkeys(each.peer for each in found if each.verdict == "differ"):
        console.print(f"Where {peer} differs: {METHODS[peer]}.")
    verdicts = [each.verdict for each in found]
    console.print("; ".join(f"{verdict}: {verdicts.count(verdict)} of {len(found)}" for verdict in VERDICTS))


def _figure(value: float | None) -> str:
    return "?" if value is None else f"{value:.3f}"


@dataclass
class Pair:
    """One operation, measured by the peer and by us. ours, theirs: start one launch, and return µs by size."""

    peer: str
    operation: str
    ours: Callable[[], dict[int, float]]
    theirs: Callable[[], dict[int, float]]
    found: dict[int, Agreement] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.found = {size: Agreement(self.peer, self.operation, size) for size in SIZES}

    def launch(self, number: int) -> None:
        """Launches of both, in an order that alternates. Raises LeadlineError if one fails or does not end in time."""
        both = [
            turn for turn in turns([self.ours, self.theirs], number + 1, Order.BACK_AND_FORTH) if turn.round == number
        ]
        times = {turn.candidate: turn.candidate() for turn in both}
        ours, theirs = times[self.ours], times[self.theirs]
        for size, each in self.found.items():
            if size in ours and size in theirs:
                each.ours.append(ours[size])
                each.theirs.append(theirs[size])


def netpipe() -> list[Pair]:
    """Point to point with Debian's Open MPI."""
    program = shutil.which("NPopenmpi")
    if program is None:
        raise MissingPrerequisite("NetPIPE is not installed", hint="as root: apt-get install netpipe-openmpi")
    library = leadline.mpi.find("debian-openmpi")

    def theirs() -> dict[int, float]:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "netpipe"
            # No sizes 3 bytes off, and as many round trips in each trial of each size: seconds instead of a minute.
            options = ["-p", "0", "-n", str(IN_A_ROW), "-u", str(max(SIZES)), "-o", str(out)]
            _output("NetPIPE", [*library.launch(2), program, *options], library)
            return netpipe_times(out.read_text())

    def ours() -> dict[int, float]:
        return _by_size(_measured("p2p", "blocking", library, rounds=TRIALS), "blocking", min)

    return [Pair("NetPIPE", "p2p", ours, theirs)]


def netpipe_times(text: str) -> dict[int, float]:
    """µs by bytes, from lines of bytes, Mbit/s and seconds one way."""
    lines = [line.split() for line in text.splitlines()]
    return {int(words[0]): float(words[2]) * 1e6 for words in lines if len(words) == 3}


def imb() -> list[Pair]:
    """Point to point and collectives with Intel MPI."""
    library = leadline.mpi.find("intel")
    program = library.mpiexec.parent / "IMB-MPI1"
    if not program.exists():
        raise MissingPrerequisite(f"IMB-MPI1 is not at {program}")
    pairs = []
    for operation, benchmark in BENCHMARKS.items():

        def theirs(benchmark: str = benchmark) -> dict[int, float]:
            with tempfile.TemporaryDirectory() as folder:
                lengths = Path(folder) / "lengths"
                lengths.write_text("".join(f"{size}\n" for size in SIZES))
                options = ["-msglen", str(lengths), "-iter", str(IN_A_ROW), "-iter_policy", "off"]
                # One root, and no barrier between operations: they follow one another as ours do.
                options += ["-red_data_type", "double", "-root_shift", "off", "-sync", "off"]
                return imb_times(_output("IMB-MPI1", [*library.launch(2), str(program), benchmark, *options], library))

        def ours(operation: str = operation) -> dict[int, float]:
            base = "blocking" if operation == "p2p" else "native"
            return _by_size(_measured(operation, base, library, rounds=10), base, statistics.fmean)

        pairs.append(Pair("IMB-MPI1", operation, ours, theirs))
    return pairs


def imb_times(text: str) -> dict[int, float]:
    """µs by bytes: PingPong has one time and a rate; collectives the least, the most and the mean of the ranks."""
    matches = [match for line in text.splitlines() if (match := IMB_LINE.match(line))]
    return {int(match[1]): float(match[3] if match[4] else match[2]) for match in matches}


def _measured(operation: str, base: str, library: leadline.mpi.Library, *, rounds: int) -> Measurement:
    return measure(
        operation,
        algorithms=base,
        sizes=SIZES,
        library=library,
        launches=1,
        rounds=rounds,
        seconds=SECONDS,
        repeat=IN_A_ROW,
        timeout_s=TIMEOUT_S,
    )


def _by_size(found: Measurement, algorithm: str, summary: Callable[[Sequence[float]], float]) -> dict[int, float]:
    times: dict[int, list[float]] = {}
    for sample in found.samples():
        if sample["algorithm"] == algorithm and sample["time_us"] is not None:
            times.setdefault(sample["bytes"], []).append(sample["time_us"])
    return {size: summary(values) for size, values in times.items()}


def _output(name: str, words: Sequence[str], library: leadline.mpi.Library) -> str:
    """The program's output. Raises MeasurementFailed if it fails or does not end in time."""
    return execute(Launch(name, tuple(words), library.env(), limit_s=TIMEOUT_S, merged=True)).required().output

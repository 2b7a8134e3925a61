"""What other tools' profiles have in common: how often each function was called, and for how long."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from leadline import own_files
from leadline.errors import LeadlineError, UsageError

MOST = 1e30  # of calls, or of a time in any unit; products of these are finite
MOST_BYTES = 256 << 20  # of one file; profiles are small, and a wrong path is often a huge file


class UnreadableProfile(LeadlineError):
    """A profile of another tool is damaged, or is not a profile."""

    exit_code = 4


@dataclass(frozen=True)
class Row:
    """One function on one rank, or on all of them.

    rank: None if the source gives only the sum over all ranks.   calls_error: how far calls may be off, because the
    source rounded it; infinite if it does not count them.   Times in seconds.   exclusive: without the functions it
    called.   time_error_s: how far either time may be off, because the source rounded it.   throttled: the source
    itself says that it stopped measuring the function.
    """

    function: str
    rank: int | None
    calls: float
    inclusive_s: float
    exclusive_s: float
    calls_error: float = 0.0
    throttled: bool = False
    time_error_s: float = 0.0


@dataclass(frozen=True)
class CallSite:
    """Where an MPI function is called, all ranks together. Errors are as of Row.

    path: the routines that lead to it, outermost first; as many as the source has.   line: of the call; 0: unknown.
    n_bytes: sent, or moved to and from files; None: unknown.
    """

    function: str
    path: tuple[str, ...]
    line: int
    calls: float
    time_s: float
    calls_error: float = 0.0
    time_error_s: float = 0.0
    n_bytes: float | None = None
    bytes_error: float = 0.0


@dataclass(frozen=True)
class Profile:
    """source: the file or folder.   format: which reader read it.   tool: what made it, with its version if known.
    ranks: how many ranks the rows cover.

    sites: empty if the source has none.   depth: how many routines of a call path the source has; None: all.
    all_sites: whether those are all call sites that were called.
    application_s, in_mpi_s: by rank, between the start and the end of MPI; the key None is the sum of all ranks.
    span_error_s: how far the difference of the two may be off on a rank.
    environment: what the source says of where it was made, by the titles of `leadline compare`.
    notes: what the source does not have, in sentences.
    """

    source: str
    format: str
    ranks: int
    rows: tuple[Row, ...]
    tool: str = "TAU"
    sites: tuple[CallSite, ...] = ()
    depth: int | None = None
    all_sites: bool = True
    application_s: Mapping[int | None, float] = field(default_factory=dict)
    in_mpi_s: Mapping[int | None, float] = field(default_factory=dict)
    span_error_s: float = 0.0
    environment: Mapping[str, str] = field(default_factory=dict)
    program: str = ""
    arguments: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()

    def calls(self, function: str) -> float:
        return math.fsum(row.calls for row in self.rows if row.function == function)

    def exclusive_s(self, function: str) -> float:
        """Summed over the ranks."""
        return math.fsum(row.exclusive_s for row in self.rows if row.function == function)

    def us_per_call(self, function: str) -> float | None:
        """Inclusive time of a call; None without calls."""
        calls = self.calls(function)
        inclusive_s = math.fsum(row.inclusive_s for row in self.rows if row.function == function)
        return inclusive_s / calls * 1e6 if calls else None

    @property
    def functions(self) -> list[str]:
        return list(dict.fromkeys(row.function for row in self.rows))

    @property
    def mpi_functions(self) -> list[str]:
        return [name for name in self.functions if name.startswith("MPI_")]

    @property
    def mpi_s(self) -> float:
        """Time in MPI functions, summed over the ranks."""
        return math.fsum(self.exclusive_s(name) for name in self.mpi_functions)


def text_lines(path: Path) -> list[str]:
    """Raises UnreadableProfile if it is not text, UsageError if it cannot be opened."""
    try:
        if not path.is_file():
            raise UsageError(f"{path} is not a file")
        if path.stat().st_size > MOST_BYTES:
            raise UnreadableProfile(f"{path} has {path.stat().st_size:,} bytes: too large for a profile")
        text = own_files.read_named(path, MOST_BYTES).decode().replace("\r\n", "\n").replace("\r", "\n")
        return text.removesuffix("\n").split("\n")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise UnreadableProfile(f"{path}: byte {error.start:,} is not valid text") from error


def number(text: str, place: str) -> float:
    """A number from 0 to MOST. Raises UnreadableProfile."""
    try:
        found = float(text) if "_" not in text else math.nan
    except ValueError:
        found = math.nan
    if not 0 <= found <= MOST:
        raise UnreadableProfile(f"{place}: {text[:40]!r} is not a number of calls or a time")
    return found


def rounding(text: str) -> float:
    """Half a unit of the last digit of a number such as 1.79768E+06; 0 for one that has all of its digits."""
    mantissa, exponent, power = text.upper().partition("E")
    if not exponent or not power.lstrip("+-").isdecimal():
        return 0.0
    return _half(mantissa, int(power))


def last_digit(text: str) -> float:
    """Half a unit of the last digit of any number: 0.05 for 1.2, 5 for 1.79768E+06."""
    mantissa, exponent, power = text.upper().partition("E")
    return _half(mantissa, int(power) if exponent and power.lstrip("+-").isdecimal() else 0)


def _half(mantissa: str, power: int) -> float:
    exponent = power - len(mantissa.partition(".")[2])
    return 0.5 * 10.0**exponent if -300 < exponent < 300 else 0.0


# TAU_THROTTLE_NUMCALLS and TAU_THROTTLE_PERCALL, as they are unless the user sets them.
THROTTLE_CALLS = 100_000
THROTTLE_US = 10


@dataclass(frozen=True)
class Cut:
    """A count that ends where TAU stops measuring. ranks: on how many ranks it did."""

    function: str
    ranks: int
    calls: float


def cut_counts(profile: Profile) -> Iterator[Cut]:
    """Functions that TAU stopped measuring: past 100,000 calls on a rank that take less than 10 µs each.

    The call that exceeds the limit is still counted. So such a function has 100,001 calls on each rank where it was
    stopped, and its row of a sum over ranks a multiple of that.
    """
    if not profile.tool.startswith("TAU"):
        return
    for row in profile.rows:
        most = 1 if row.rank is not None else profile.ranks
        times = round(row.calls / (THROTTLE_CALLS + 1))
        fits = abs(row.calls - times * (THROTTLE_CALLS + 1)) <= row.calls_error
        quick = row.calls > 0 and row.inclusive_s / row.calls * 1e6 < THROTTLE_US
        if row.throttled or (1 <= times <= most and fits and quick):
            yield Cut(row.function, max(times, 1), row.calls)

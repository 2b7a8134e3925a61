"""The possible requests: operations, sizes, and algorithms with their parameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from leadline import _core
from leadline.errors import UsageError
from leadline.operations import operations
from leadline.text.sizes import parse

EXCHANGES = ("blocking", "nonblocking", "persistent", "sendrecv", "bcast")
COLLECTIVES = tuple(operations())
POINT_TO_POINT = ("p2p", "latency", "netpipe")
OPERATIONS = (*POINT_TO_POINT, *COLLECTIVES)
PARTS = "parts"  # in place of names: all that the operation has
# One does nothing, the other writes behind its buffer: their rows are void.
CHECKS_CHECKS = ("nothing", "beyond")
MOST_BYTES = 1 << 31  # counts are of C's int
PERTURBATION = 3

DEFAULT_SIZES = {
    "p2p": (1, 8, 64, 512, 4096, 32768, 262144, 1048576, 4194304),
    "latency": (0,),
    **{
        name: (8, 64, 512, 4096, 32768, 262144, 1048576) if operation.has_data else (0,)
        for name, operation in operations().items()
    },
}


@dataclass(frozen=True)
class Algorithm:
    """One algorithm of src/collectives."""

    operation: str
    name: str
    needs_commutative: bool
    takes_segments: bool
    takes_radix: bool


def portfolio() -> list[Algorithm]:
    """All of them, in the portfolio's order."""
    return [Algorithm(*found) for found in _core.collective_algorithms()]


@dataclass(frozen=True)
class Candidate:
    """A measured algorithm, as in `chain:segment=65536`. segment_bytes, radix: 0 if not given."""

    name: str
    segment_bytes: int = 0
    radix: int = 0

    def __str__(self) -> str:
        segment = f":segment={self.segment_bytes}" if self.segment_bytes else ""
        return f"{self.name}{segment}{f':radix={self.radix}' if self.radix else ''}"


def parse_size(word: str) -> int:
    """Bytes of "8", "64k", "64Ki", "1M" (leadline.text.sizes). Raises UsageError."""
    size = parse(word)
    if not isinstance(size, int):
        raise UsageError(f"{word!r}: expected a size in bytes", hint="e.g. 0, 8, 64k, 64Ki, 1M")
    if size > MOST_BYTES:
        raise UsageError(f"{word} is too large: the limit is {MOST_BYTES} bytes per message")
    return size


def sizes_for(operation: str, given: Iterable[int | str] | None) -> list[int]:
    """The sizes to measure, ascending: what was given, else the operation's own."""
    if given is None:
        return netpipe_sizes(1 << 22) if operation == "netpipe" else list(DEFAULT_SIZES[operation])
    sizes = {parse_size(word) if isinstance(word, str) else word for word in given}
    if not sizes or any(size < 0 for size in sizes):
        raise UsageError("no message sizes given", hint="--sizes 8,64Ki,1M")
    if operation == "netpipe":
        return netpipe_sizes(max(sizes))
    for size in sorted(sizes):
        if operation in COLLECTIVES and not operations()[operation].has_data and size:
            raise UsageError(f"{operation} has no data", hint="leave --sizes out")
        if not is_measurable(operation, size):
            raise UsageError(
                f"{operation}: size {size} B is not a multiple of 8 (data type double)", hint="use multiples of 8"
            )
    return sorted(sizes)


def is_measurable(operation: str, n_bytes: int) -> bool:
    """Whether the size can be measured: sums are of doubles (src/bench/contents.hpp)."""
    if operation in POINT_TO_POINT:
        return True
    if not operations()[operation].has_data:
        return n_bytes == 0
    return not operations()[operation].reduces or n_bytes % 8 == 0


def netpipe_sizes(most: int) -> list[int]:
    """1, 2, 3, 4, 6, 8, 12, …: each with its neighbours 3 bytes away, which a buffer's end treats differently."""
    centres = [base * step for base in (1 << i for i in range(31)) for step in (2, 3)]
    wanted = {1, most}
    for centre in (size for size in centres if size <= most):
        wanted |= {centre - PERTURBATION, centre, centre + PERTURBATION} if centre > 2 * PERTURBATION else {centre}
    return sorted(size for size in wanted if 0 < size <= most)


def candidates_for(operation: str, given: str | Sequence[str] | None, known: Sequence[Algorithm]) -> list[Candidate]:
    """The base, then the requested algorithms. given: names with parameters, "all", or None for the default.

    known: the algorithms that the program lists. Raises UsageError for an unknown name or parameter.
    """
    if operation in POINT_TO_POINT:
        return _exchanges(operation, given)
    algorithms = {algorithm.name: algorithm for algorithm in known if algorithm.operation == operation}
    found = [Candidate("native")]
    for word in _words(given, "all"):
        if word == "all":
            found += [Candidate(name) for name in algorithms]
        elif word == PARTS:
            found += [Candidate(name) for name in operations()[operation].parts]
        elif word in operations()[operation].parts:
            found.append(Candidate(word))
        else:
            found.append(_parse(word, algorithms, operation))
    return list(dict.fromkeys(found))


def algorithms_by_operation(words: Sequence[str], operations: Sequence[str]) -> dict[str, list[str]]:
    """For each of the collectives, those of these names (with parameters, as for candidates_for) that it takes, without
    the base.

    Raises UsageError for a name that none of them takes.
    """
    known = portfolio()
    found: dict[str, list[str]] = {operation: [] for operation in operations}
    for word in words:
        problems = []
        for operation, names in found.items():
            try:
                names += [str(candidate) for candidate in candidates_for(operation, [word], known)[1:]]
            except UsageError as error:
                problems.append(error)
        if len(problems) == len(found):
            raise problems[0]
    return {operation: list(dict.fromkeys(names)) for operation, names in found.items()}


def _words(given: str | Sequence[str] | None, default: str) -> list[str]:
    words = [default] if given is None else [given] if isinstance(given, str) else given
    return [part for word in words for part in word.split(",") if part]


def _exchanges(operation: str, given: str | Sequence[str] | None) -> list[Candidate]:
    able = [name for name in EXCHANGES if not (operation == "latency" and name == "bcast")]
    found = [Candidate("blocking")]
    for word in _words(given, "blocking" if operation == "netpipe" else "all"):
        if word == "all":
            found += [Candidate(name) for name in able]
        elif word in able:
            found.append(Candidate(word))
        else:
            raise UsageError(f"{operation} does not support {word!r}", hint=f"available: {', '.join(able)}")
    return list(dict.fromkeys(found))


def _parse(word: str, algorithms: dict[str, Algorithm], operation: str) -> Candidate:
    name = _name_in(word, algorithms)
    parameters = [part for part in word[len(name) + 1 :].split(":") if part]
    if name in ("native", *CHECKS_CHECKS):
        if parameters:
            raise UsageError(f"{name} takes no parameters, got {word!r}")
        return Candidate(name)
    if name not in algorithms:
        raise UsageError(
            f"{operation} has no algorithm {name!r}", hint=f"available: native, {', '.join(algorithms) or 'no others'}"
        )
    segment = radix = 0
    for parameter in parameters:
        key, _, value = parameter.partition("=")
        if key == "segment" and algorithms[name].takes_segments:
            segment = parse_size(value)
        elif key == "radix" and algorithms[name].takes_radix and value.isdigit() and int(value) > 1:
            radix = int(value)
        else:
            raise UsageError(f"{name} has no parameter {word!r}", hint=_parameters(algorithms[name]))
    return Candidate(name, segment, radix)


def _name_in(word: str, algorithms: dict[str, Algorithm]) -> str:
    """The longest name that `word` begins with, because some contain a colon: two_level:over=ring:segment=64Ki."""
    known = [name for name in algorithms if word == name or word.startswith(f"{name}:")]
    return max(known, key=len, default=word.partition(":")[0])


def _parameters(algorithm: Algorithm) -> str:
    able = ["segment=BYTES"] * algorithm.takes_segments + ["radix=N, N ≥ 2"] * algorithm.takes_radix
    return f"{algorithm.name} takes {' and '.join(able) or 'no parameters'}"

"""The questions that a library can be asked about itself (tuning/probing.py asks them), and its answers."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Point:
    operation: str
    n_bytes: int
    processes: int


@dataclass
class Answer:
    """The answer for one point. entered: routines, in order; errors: the library's messages, one for each failed rank.

    errors_of_errant: those of ranks that sent more than they should, and may have chosen for that size.
    times_us: of one operation, on the rank where it took longest, for each block of them.
    """

    entered: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    errors_of_errant: list[str] = field(default_factory=list)
    times_us: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Memory:
    """Where malloc took a block from.   mapped: from the system, for it alone.   returned: to the system when it was
    freed, from the heap.   large_pages: the system was advised to give large ones."""

    mapped: bool
    returned: bool
    large_pages: bool


@dataclass
class Answers:
    """variables, controls: values in rank 0, None if unset or unknown. points: those that were reached.

    eager: bytes; -1 if no message at all is sent before it is received; None if this was not asked.
    copied: bytes of the longest message whose send ends while its receiver is in no call, likewise; None: unknown, too.
    memory: of rank 0, None if it was not asked for.   hints: that MPI-IO says it uses for a file.
    """

    size: int = 0
    variables: dict[str, str | None] = field(default_factory=dict)
    controls: dict[str, str | None] = field(default_factory=dict)
    points: dict[Point, Answer] = field(default_factory=dict)
    eager: int | None = None
    copied: int | None = None
    memory: Memory | None = None
    hints: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Wrong:
    """A rule that was not obeyed. routines: those seen instead of the wanted one; "" if the library named none.

    points: bytes and processes of each try.   where: the same in words.   general: a complete sentence, for use if
    nothing better is known.
    """

    routines: tuple[str, ...]
    points: tuple[tuple[int, int], ...]
    where: str
    general: str

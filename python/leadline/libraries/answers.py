"""What a library can be asked about itself (tuning/probing.py asks), and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Point:
    operation: str
    n_bytes: int
    processes: int


@dataclass
class Answer:
    """Of one point. entered: routines, in order; errors: what the library said, a text for each rank that failed.

    errors_of_errant: of ranks that sent more than they should, and may have chosen for that size.
    times_us: of one operation, on the rank where it took longest, for each block of them.
    """

    entered: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    errors_of_errant: list[str] = field(default_factory=list)
    times_us: list[float] = field(default_factory=list)


@dataclass
class Answers:
    """variables, controls: values in rank 0, None where unset or unknown. points: those that were reached.

    eager: bytes; -1 where no message at all is sent before it is received; None where it was not asked for.
    """

    size: int = 0
    variables: dict[str, str | None] = field(default_factory=dict)
    controls: dict[str, str | None] = field(default_factory=dict)
    points: dict[Point, Answer] = field(default_factory=dict)
    eager: int | None = None


@dataclass(frozen=True)
class Wrong:
    """A rule that was not obeyed. routines: those seen instead of the one wanted, "" where none was told.

    where: the points, in words.   general: all of it in one sentence, to be said where nothing better is known.
    """

    routines: tuple[str, ...]
    where: str
    general: str

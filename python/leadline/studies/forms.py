"""The forms of opatm that the study measures: as it was, each change alone, and all together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Form:
    id: str
    title: str
    options: tuple[str, ...]


BEFORE = Form("before", "original", ("--segments", "none", "--io", "serial"))
PACKED = Form("packed", "one segment", ("--segments", "1", "--io", "serial"))
GATHERED = Form("gathered", "collectives", ("--segments", "none", "--io", "gathered"))
PARALLEL = Form("parallel", "parallel I/O", ("--segments", "none", "--io", "parallel"))
AFTER = "after"  # the last of the forms


def forms(ways: Sequence[str]) -> tuple[Form, ...]:
    """ways: of reading and writing files that there are."""
    parallel = "parallel" in ways
    io = "parallel" if parallel else "gathered"
    after = Form(AFTER, "all, segments auto" if parallel else "both, segments auto", ("--segments", "auto", "--io", io))
    return (BEFORE, PACKED, GATHERED, *((PARALLEL,) if parallel else ()), after)


def with_segments(n: int) -> Form:
    return Form(f"segments-{n}", f"{n} segments" if n > 1 else "one segment", ("--segments", str(n), "--io", "serial"))

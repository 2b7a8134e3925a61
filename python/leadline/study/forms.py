"""The forms of opatm that the study measures: as it was, each change alone, and all together."""

from __future__ import annotations

from dataclasses import dataclass

# The same data each way; what a build cannot do is not measured, and the study says why.
IO = ("serial", "gathered", "parallel")


@dataclass(frozen=True)
class Form:
    id: str
    title: str
    options: tuple[str, ...]


BEFORE = Form("before", "as it was", ("--segments", "none", "--io", "serial"))
FORMS = (
    BEFORE,
    Form("packed", "one segment", ("--segments", "1", "--io", "serial")),
    Form("gathered", "collectives", ("--segments", "none", "--io", "gathered")),
    Form("after", "both, segments auto", ("--segments", "auto", "--io", "gathered")),
)
AFTER = FORMS[-1]


def with_segments(n: int) -> Form:
    return Form(f"segments-{n}", f"{n} segments" if n > 1 else "one segment", ("--segments", str(n), "--io", "serial"))

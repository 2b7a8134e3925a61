"""Puts the names and figures of recorded calls into the templates."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from leadline import toml
from leadline.advice.sketches.comments import in_comment
from leadline.advice.sketches.languages import Language, language_of
from leadline.advice.sketches.recorded import RecordedCall
from leadline.text import format as fmt

if TYPE_CHECKING:
    from leadline.advice.candidate import Candidate

FOLDER = Path(__file__).parent
MOST_CALLS = 4  # that a sketch names
DOUBLE = 8  # bytes


@dataclass(frozen=True)
class Sketch:
    language: Language
    text: str

    def as_data(self) -> dict[str, str]:
        return {"language": self.language.name, "text": self.text}


def pitfalls_of(kind: str) -> tuple[str, ...]:
    """What can go wrong with a change of this kind, sentences."""
    return tuple(_about(kind)["pitfalls"])


def why_none(kind: str) -> str:
    """Why proposals of this kind, or those that no variant fits, have no sketch; "" if all have one."""
    about = _about(kind)
    return str(about.get("no_sketch") or about.get("other_functions") or "")


def sketch_of(candidate: Candidate, calls: Sequence[RecordedCall], language: Language | None = None) -> Sketch | None:
    """calls: those of the candidate's sites.   language: None: that of the program's source."""
    about = _about(candidate.kind)
    name = str(about.get("template", candidate.kind))
    if "no_sketch" in about:
        return None
    if candidate.shape:
        name += f".{candidate.shape}"
    if "variants" in about:
        fitting = [about["variants"][call.site.function] for call in calls if call.site.function in about["variants"]]
        if not fitting:
            return None
        name += f".{fitting[0]}"
    language = language or language_of([call.site for call in calls])
    template = Template((FOLDER / f"{name}.{language.template}.in").read_text(encoding="utf-8"))
    return Sketch(language, template.substitute(_values(candidate, calls, language)))


def _values(candidate: Candidate, calls: Sequence[RecordedCall], language: Language) -> dict[str, str]:
    """What templates may ask for."""
    together = candidate.together
    doubles = sum(max(call.bytes_each // DOUBLE, 1) for call in calls)
    return {
        "calls": "\n".join(f"{language.comment}   {line}" for line in _told(calls)),
        "together": str(together or 1),
        "segments": str(candidate.segments),
        "left": "one" if candidate.segments == 1 else str(candidate.segments),
        "together_note": "as recorded" if together else "unknown: how many messages become one",
        "doubles": str(max(doubles, 1)),
        "doubles_note": "as recorded, if they have 8 bytes" if calls else "unknown: of all calls together",
    }


def _told(calls: Sequence[RecordedCall]) -> list[str]:
    lines = [_line(call) for call in calls[:MOST_CALLS]]
    more = len(calls) - len(lines)
    return [*lines, f"and {fmt.plural(more, 'more call')}"] if more > 0 else lines or ["unknown calls"]


def _line(call: RecordedCall) -> str:
    """ "MPI_Isend in exchange, halo.c:41: 1,200 calls, 1,200 messages, 800 B each"."""
    where = call.site.location
    place = f", {in_comment(where.place())}" if where is not None and where.file else ""
    figures = [fmt.plural(call.calls, "call")]
    if call.messages:
        figures.append(fmt.plural(call.messages, "message"))
    if call.bytes_each:
        figures.append(f"{fmt.size(call.bytes_each)} each")
    routine = in_comment(call.site.routine)
    return f"{in_comment(call.site.function)} in {routine}{place}: {', '.join(figures)}"


@functools.cache
def _about(kind: str) -> dict[str, Any]:
    """KIND.toml. Of a kind that has none, nothing is known."""
    file = FOLDER / f"{kind}.toml"
    if not file.is_file():
        return {"pitfalls": [], "no_sketch": "nobody has written one"}
    return toml.parsed(file.read_text(encoding="utf-8"))

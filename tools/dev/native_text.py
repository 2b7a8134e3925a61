"""The strings and the comments of C, C++, JavaScript and Fortran, told apart by a lexer that knows nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator

Found = tuple[int, str, bool]  # line, text, whether it is a comment

LIKE_C = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      |(?P<include>^[ \t]*\#[ \t]*include[^\n]*)
      |(?P<string>R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)
      |(?P<letter>'(?:\\.|[^'\\\n])*')
      |(?P<regex>(?<=[(=,:])\s*/(?![/*])(?:\\.|\[[^\]\n]*\]|[^/\\\n])+/)""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
LIKE_FORTRAN = re.compile(r"""(?P<comment>![^\n]*)|(?P<string>"(?:""|[^"\n])*"|'(?:''|[^'\n])*')""")
BETWEEN_PARTS = re.compile(r"(?:\s|//(?=\s)|&|\bPRI[a-z0-9]+)*")


def native_text(source: str, suffix: str) -> Iterator[Found]:
    """Adjacent strings are one text, and so are comments on lines that follow each other."""
    pattern = LIKE_FORTRAN if suffix == ".f90" else LIKE_C
    begin = end = 0
    parts: list[str] = []
    kind = ""
    for match in pattern.finditer(source):
        found = match.lastgroup or ""
        if found not in {"comment", "string"}:
            continue
        between = source[end : match.start()]
        if parts and not (found == kind and _continues(kind, between)):
            yield _line(source, begin), _joined(kind, parts), kind == "comment"
            parts = []
        if not parts:
            begin, kind = match.start(), found
        parts.append(match[0])
        end = match.end()
    if parts:
        yield _line(source, begin), _joined(kind, parts), kind == "comment"


def _line(source: str, at: int) -> int:
    return source.count("\n", 0, at) + 1


def _continues(kind: str, between: str) -> bool:
    if kind == "comment":
        return between.count("\n") == 1 and not between.strip()
    return bool(BETWEEN_PARTS.fullmatch(between))


def _joined(kind: str, parts: list[str]) -> str:
    if kind == "comment":
        return " ".join(part.strip("/*! \n") for part in parts)
    return "".join(part.removeprefix("R")[1:-1].replace("\\n", " ").replace('\\"', '"') for part in parts)

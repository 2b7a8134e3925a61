"""The width of prose in Markdown: a paragraph or an item of a list with a line that is too long is wrapped again.

Tables, code, headings and quotations are left alone, and so is a word that is longer than a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dev.paths import ROOT

WIDTH = 120
PAGES = ("docs", "README.md", "CHANGELOG.md", "CONTRIBUTING.md")

_ITEM = re.compile(r"( *)([*+-]|\d+[.)]) +(?=\S)")
_OTHER = re.compile(r" *(#|>|\||<|\[[^\]]+\]: |!\[|---|===|\*\*\*$)")
# What begins an item or a heading where it stands first on a line.
_BEGINS = re.compile(r"([*+#>|-]+|\d+[.)]|=+)$|#")
_SPACED_CODE = re.compile(r"`[^`]*  [^`]*`")


@dataclass(frozen=True)
class Block:
    """Lines of prose: of a paragraph, or of an item of a list with its marker in `lead`."""

    first: int
    lines: tuple[str, ...]
    lead: str

    @property
    def is_too_wide(self) -> bool:
        return any(len(line) > WIDTH for line in self.lines)

    @property
    def may_be_wrapped(self) -> bool:
        breaks = any(line.endswith(("  ", "\\")) for line in self.lines)
        return not breaks and not _SPACED_CODE.search(" ".join(self.lines))

    def wrapped(self) -> list[str]:
        words: list[str] = []
        for word in " ".join(line.strip() for line in self.lines).removeprefix(self.lead.strip()).split():
            if words and _BEGINS.match(word):
                words[-1] += " " + word
            else:
                words.append(word)
        indent = " " * len(self.lead)
        lines = [self.lead + words[0]]
        for word in words[1:]:
            if len(lines[-1]) + 1 + len(word) <= WIDTH:
                lines[-1] += " " + word
            else:
                lines.append(indent + word)
        return lines


def outdated(*, fix: bool) -> list[str]:
    """A line for each block that is too wide; with `fix`, those are wrapped and not named."""
    found = []
    for path in _pages():
        text = path.read_text()
        new = wrapped(text)
        if new == text:
            continue
        if fix:
            path.write_text(new)
        else:
            name = path.relative_to(ROOT)
            found += [f"{name}:{each.first}: wider than {WIDTH} characters" for each in blocks(text) if _needs(each)]
    return found


def wrapped(text: str) -> str:
    lines = text.split("\n")
    for block in reversed([each for each in blocks(text) if _needs(each)]):
        lines[block.first - 1 : block.first - 1 + len(block.lines)] = block.wrapped()
    return "\n".join(lines)


def blocks(text: str) -> Iterator[Block]:
    """The blocks of prose, in order; `first` counts lines from 1."""
    lead, first, held = "", 0, list[str]()
    fenced = False
    for number, line in enumerate([*text.split("\n"), ""], 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            goes_on = ends_here = False
        else:
            item = _ITEM.match(line)
            ends_here = bool(line.strip()) and not fenced and not _OTHER.match(line)
            indent = len(line) - len(line.lstrip())
            goes_on = ends_here and bool(held) and item is None and indent == len(lead)
        if goes_on:
            held.append(line)
            continue
        if held:
            yield Block(first, tuple(held), lead)
        held = []
        if ends_here and (item is not None or indent == 0):
            lead, first, held = (item[0] if item else ""), number, [line]


def _needs(block: Block) -> bool:
    return block.is_too_wide and block.may_be_wrapped and block.wrapped() != list(block.lines)


def _pages() -> Iterator[Path]:
    for name in PAGES:
        path = ROOT / name
        yield from [path] if path.is_file() else sorted(path.rglob("*.md"))

"""What a terminal gets of a run with hostile names: lines of text, and Leadline's own colours."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from cli.terminal import in_terminal

ONE, TWO = "one\udcff", "two\udcff"
COMMANDS = {
    "summary": (0, ("report", ONE)),
    "tables": (0, ("report", ONE, "--all")),
    "timeline": (0, ("timeline", ONE)),
    "comparison": (0, ("compare", ONE, TWO, "--all")),
    "columns": (0, ("report", ONE, "--table", "io")),
    "page": (0, ("report", ONE, "--html", "page\udcff\x1b[31m.html")),
    "missing run": (2, ("report", "gone\udcff\x1b[31m\u202e")),
    "unknown option": (2, ("report", "--\x1b[31m\udcff")),
    "unknown section": (2, ("report", ONE, "--section", "\x1b[31m\udcff")),
    "unusable table": (2, ("apply", "no\x1b[31m\udcff.toml", "--", "true")),
}
OUR_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
HIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffd]")


def shown(hostile: Path, words: tuple[str, ...], code: int, **environ: str) -> str:
    ended = in_terminal([sys.executable, "-m", "leadline", *words], hostile, columns=200, environ=environ)
    assert ended.code == code, ended.raw
    return ended.raw.replace("\r\n", "\n")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_terminal_is_sent_nothing_but_lines(hostile: Path, name: str) -> None:
    code, words = COMMANDS[name]
    assert HIDDEN.findall(shown(hostile, words, code, TERM="dumb")) == []


def test_colours_are_our_own_and_names_are_shown(hostile: Path) -> None:
    text = shown(hostile, ("report", ONE, "--all"), 0)
    assert OUR_COLOURS.search(text) is not None
    assert HIDDEN.findall(OUR_COLOURS.sub("", text)) == []
    assert r"=2+3 \xff\x1b]0;owned\x07\x1b[31m\u202e<img" in OUR_COLOURS.sub("", text)


def test_commands_that_are_offered_can_be_pasted(hostile: Path) -> None:
    text = shown(hostile, ("report", ONE), 0, TERM="dumb")
    assert r"leadline report $'one\xff' --html" in " ".join(text.split())

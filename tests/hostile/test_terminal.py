"""What a terminal gets of a run with hostile names: lines of text, and Leadline's own colours."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest
from cli.terminal import in_terminal

Commands = Mapping[str, tuple[int | tuple[int, ...], tuple[str, ...]]]
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
# These run one after the other in one process, since most of a command's time is Python's start.
MORE = {
    "collecting": (0, ("collect", ONE)),
    "exporting": (0, ("export", "goal", ONE, "-o", "exported\udcff\x1b[31m")),
    "importing": (2, ("import", "archive\udcff\x1b[31m", "-o", "imported\udcff\x1b[31m")),
    "tuning a run": (2, ("tune", "--trace", ONE, "--operations", "gather")),
    "unknown operation": (2, ("bench", "bcast\udcff\x1b[31m")),
    "unknown library": (2, ("bench", "bcast", "--mpi", "x\udcff\x1b[31m")),
    "unknown algorithm": (2, ("bench", "bcast", "--algorithms", "x\udcff\x1b[31m")),
    "study": (2, ("study", "opatm", "-o", ONE)),
    "workload": (2, ("workload", "run", "x\udcff\x1b[31m")),
    "missing program": (127, ("exec", "./gone\udcff\x1b[31m\u202e")),
    "examined program": (0, ("doctor", "./prog \udcfd\x1b[1m<i>")),
}
# With Open MPI, too: what it brings in are its own settings.
ALSO = ("summary", "tables", "timeline", "comparison", "missing run")
ONE_AFTER_THE_OTHER = """
import json, sys
from leadline.__main__ import main
from leadline.text.printing import guard
guard()
codes = [main(words) for words in json.loads(sys.argv[1])]
sys.stdout.flush()
print("codes:", *codes)
"""
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


def all_shown(folder: Path, commands: Commands, environ: Mapping[str, str] = MappingProxyType({})) -> str:
    """What the terminal was sent. Each command: the code that it ends with, or several possible ones, and its words."""
    words = [sys.executable, "-c", ONE_AFTER_THE_OTHER, json.dumps([words for _, words in commands.values()])]
    ended = in_terminal(words, folder, columns=200, environ={"TERM": "dumb", **environ})
    codes = re.search(r"codes: ([\d ]+)", ended.raw)
    assert codes is not None, ended.raw
    for (name, (expected, _)), code in zip(commands.items(), map(int, codes[1].split()), strict=True):
        assert code in (expected if isinstance(expected, tuple) else (expected,)), f"{name}: {code}\n{ended.raw}"
    return ended.raw.replace("\r\n", "\n")


def test_other_commands_send_nothing_else(hostile: Path) -> None:
    assert HIDDEN.findall(all_shown(hostile, MORE)) == []


def test_open_mpis_runs_send_nothing_else(hostile_openmpi: Path) -> None:
    text = all_shown(hostile_openmpi, {name: COMMANDS[name] for name in ALSO})
    assert HIDDEN.findall(text) == []
    assert r"\x1b]0;owned\x07" in re.sub(r"\s+", "", text)  # wrapped: such a terminal counts as one of 80 columns


def test_colours_are_our_own_and_names_are_shown(hostile: Path) -> None:
    text = shown(hostile, ("report", ONE, "--all"), 0)
    assert OUR_COLOURS.search(text) is not None
    assert HIDDEN.findall(OUR_COLOURS.sub("", text)) == []
    assert r"=2+3 \xff\x1b]0;owned\x07\x1b[31m\u202e<img" in OUR_COLOURS.sub("", text)


def test_commands_that_are_offered_can_be_pasted(hostile: Path) -> None:
    text = shown(hostile, ("report", ONE), 0, TERM="dumb")
    assert r"leadline report $'one\xff' --html" in " ".join(text.split())

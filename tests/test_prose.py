"""./dev lint --fix wraps prose that is too wide, and nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

from dev import prose

LONG = " ".join(["words"] * 40)
LEFT_ALONE = {
    "narrow lines stay as they are": "A line.\nAnother one\nthat is short.\n",
    "a table": f"| a | {LONG} |\n|---|---|\n",
    "code in a fence": f"```\n{LONG}\n```\n",
    "indented code": f"Text:\n\n    {LONG}\n",
    "a heading": f"# {LONG}\n",
    "a quotation": f"> {LONG}\n",
    "a word that is too long": "x" * 200 + "\n",
    "a line with a hard break": f"{LONG}  \n{LONG}\n",
    "code with several spaces": f"`a  b` {LONG}\n",
}


@pytest.mark.parametrize("text", LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_this_is_left_alone(text: str) -> None:
    assert prose.wrapped(text) == text


@pytest.mark.parametrize("lead", ["", "* ", "- ", "10. ", "  * "])
def test_what_is_too_wide_is_wrapped_with_its_indent(lead: str) -> None:
    lines = prose.wrapped(f"{lead}{LONG}\n").rstrip("\n").split("\n")
    assert len(lines) > 1
    assert all(len(line) <= prose.WIDTH for line in lines)
    assert lines[0].startswith(lead + "words")
    assert all(line.startswith(" " * len(lead) + "words") for line in lines[1:])
    assert " ".join(" ".join(lines).split()) == f"{lead}{LONG}".strip()


def test_a_line_never_begins_with_what_would_be_an_item() -> None:
    for marker in ("*", "-", "+", "1.", "#", "|", ">"):
        for words in range(15, 30):
            text = " ".join(["words"] * words) + f" {marker} {LONG}\n"
            assert not any(line.startswith(f"{marker} ") for line in prose.wrapped(text).split("\n"))


def test_items_beside_a_wide_one_stay() -> None:
    text = f"* one\n* {LONG}\n  more\n* three\n\nEnd.\n"
    lines = prose.wrapped(text).split("\n")
    assert (lines[0], lines[-4], lines[-2]) == ("* one", "* three", "End.")
    assert lines[-5].endswith("more")


def test_wrapping_again_changes_nothing() -> None:
    text = prose.wrapped(f"* {LONG} `code` [a link](somewhere.md) {LONG}\n\n{LONG} - {LONG}\n")
    assert prose.wrapped(text) == text

"""Texts from elsewhere as terminals, shells and spreadsheets get them."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest

from leadline.text.printing import console, write_json
from leadline.text.visible import cell, in_shell, visible, visible_lines, without_surrogates


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é ‍ \u00a0", "plain é ‍ \u00a0"),
        ("\x1b[31m\x07\x7f", r"\x1b[31m\x07\x7f"),
        ("\x9b31m\u202e\u2066\u200f\ufeff", r"\u009b31m\u202e\u2066\u200f\ufeff"),
        ("a\udcff\ud800", r"a\xff\ud800"),
        ("two\nlines\r\t", r"two\nlines\r\t"),
        ("\u2028\U000e0041", r"\u2028\U000e0041"),
    ],
)
def test_what_a_terminal_would_obey_is_shown(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert visible(shown) == shown
    assert visible_lines(f"{text}\n".replace("two\nlines", "two lines")).endswith("\n")


@pytest.mark.parametrize(
    "word", ["plain", "two words", "it's", "\x1b[31m", "a\udcff'\\ \n\u202e", "$HOME `id` $(id)", ""]
)
def test_a_word_that_is_pasted_into_a_shell_is_itself(word: str) -> None:
    quoted = in_shell(word)
    assert visible(quoted) == quoted
    done = subprocess.run(["bash", "-c", f"printf %s {quoted}"], capture_output=True, check=True)
    assert done.stdout == word.encode("utf-8", "surrogateescape")


def test_a_cell_is_never_a_formula() -> None:
    assert [cell(text) for text in ("=1+1", "+1", "-cmd", "@SUM(A1)", "\tx", "a=1", "")] == [
        "'=1+1",
        "'+1",
        "'-cmd",
        "'@SUM(A1)",
        r"'\tx",
        "a=1",
        "",
    ]


def test_json_holds_no_lone_surrogates_and_no_control_characters() -> None:
    out = io.StringIO()
    write_json({"a\udcff": ["\x7f\x1b"]}, out, indent=None)
    assert out.getvalue() == '{"a\\\\xff": ["\\u007f\\u001b"]}\n'
    assert without_surrogates("é\udcfe") == r"é\xfe"


def test_markup_in_names_is_text() -> None:
    out, text = io.StringIO(), "[link=file:///x]:warning:[/link]\x1b]8;;x"
    console(file=out, force_terminal=True, width=200).print(text, highlight=False)
    assert r"[link=file:///x]:warning:[/link]\x1b]8;;x" in out.getvalue()


def test_tracebacks_and_warnings_are_shown_too() -> None:
    program = "from leadline.text.printing import guard; guard(); raise ValueError('\\x1b[31m\\udcff')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert b"\x1b" not in done.stderr
    assert rb"ValueError: \x1b[31m\xff" in done.stderr

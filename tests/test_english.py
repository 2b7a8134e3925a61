"""./dev lint finds phrases to avoid in comments, messages and pages, and ./dev sentences finds what is printed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

from dev import english
from dev.sentences import reads_as_words, texts

PYTHON = '''
"""A module anew."""
# It takes 3 ms a
# rank.
LONG = f"{one} of the ranks " f"share {'a core' if few else 'cores'} of {host}"
ARGUMENT = "an_option"


@click.command("draw")
def draw():
    """Draw a step."""
'''
CPP = r"""
#include "an own header"
// What nobody knows,
// said twice.
const char* text = "out of "
                   "memory: \"%s\"\n";  // an own line
const char letter = '"';
"""


@pytest.fixture
def found(tmp_path: Path) -> list[tuple[int, str, bool]]:
    (tmp_path / "a.py").write_text(PYTHON)
    return [tuple(each) for each in texts(tmp_path / "a.py")]


def test_strings_of_python_are_whole_and_comments_apart(found: list[tuple[int, str, bool]]) -> None:
    assert (2, "A module anew.", True) in found
    assert (3, "It takes 3 ms a rank.", True) in found
    assert (5, "{one} of the ranks share {a core | cores} of {host}", False) in found
    assert (11, "Draw a step.", False) in found, "the help of a command is printed"
    assert [text for _, text, comment in found if not comment and reads_as_words(text)] == [
        "{one} of the ranks share {a core | cores} of {host}",
        "Draw a step.",
    ]


def test_adjacent_strings_of_cpp_are_one_text_without_its_comments(tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text(CPP)
    assert [tuple(each) for each in texts(tmp_path / "a.cpp")] == [
        (3, "What nobody knows, said twice.", True),
        (5, 'out of memory: "%s" ', False),
        (6, "an own line", True),
    ]


def test_phrases_are_found_across_lines_in_comments_and_messages(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(PYTHON)
    (tmp_path / "a.cpp").write_text(CPP + "void come_in();\n")
    assert [phrase for _, phrase, _ in english.in_source(tmp_path / "a.py")] == ["anew", "ms a rank"]
    assert [(phrase, instead) for _, phrase, instead in english.in_source(tmp_path / "a.cpp")] == [
        ("nobody knows", "unknown"),
        ("an own", "its own"),
        ("come_in", "enter_call"),
    ]


def test_pages_may_show_code() -> None:
    page = "Divided\nanew.\n\n```\nanew\n```\n`an own` and an\nown `.venv`\n"
    assert [(line, phrase) for line, phrase, _ in english.in_page(page)] == [(7, "an own"), (2, "anew")]


def test_loops_have_iterations_in_messages_only(tmp_path: Path) -> None:
    source = tmp_path / "python" / "a.py"
    source.parent.mkdir()
    source.write_text('# The trips of a loop.\nTEXT = f"{trips} trips of it, after a round trip"\n')
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(english, "ROOT", tmp_path)
        assert [(line, phrase) for line, phrase, _ in english.in_source(source)] == [(2, "trips")]


@pytest.mark.parametrize(
    ("message", "phrase"),
    [
        ("copied 3 recordings", "recordings"),
        ("Compare recorded runs.", "recorded runs"),
        ("threads are left out", "left out"),
        ("faster than the library's own.", "the library's own"),
        ("faster than the library's own in every launch", "the library's own"),
        ("it ran with the library's defaults", "the library's defaults"),
        ("time of all ranks", "time of all ranks"),
        ("Share of all ranks' time", "all ranks' time"),
        ("1.5 times as long as the mean rank", "the mean rank"),
        ("100 samples a second", "samples a second"),
        ("unknown key 'a'; allowed: b", "; allowed:"),
    ],
)
def test_messages_keep_to_the_settled_words(tmp_path: Path, message: str, phrase: str) -> None:
    source = tmp_path / "python" / "a.py"
    source.parent.mkdir()
    source.write_text(f"# {message}\nTEXT = {message!r}\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(english, "ROOT", tmp_path)
        assert [(line, found) for line, found, _ in english.in_source(source)] == [(2, phrase)]
        source.write_text(
            'TEXT = "events of all ranks; built with the library\'s own compiler; the recording is lost"\n'
        )
        assert not list(english.in_source(source))

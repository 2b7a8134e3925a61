"""The line that says what runs: rewritten in a terminal, nothing in a pipe."""

import io

import pytest

from leadline.runs.progress import ProgressLine


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_has_one_line_that_is_gone_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "10")
    stream = Terminal()
    with ProgressLine(lambda text: print(text, file=stream), stream) as line:
        line.show("one")
        line.show("one hundred and two")
        line.note("failed")
        line.show("three")
    assert stream.getvalue() == "\r\x1b[Kone\r\x1b[Kone hundr\r\x1b[Kfailed\n\r\x1b[Kthree\r\x1b[K"


def test_it_is_gone_before_an_error_is_said() -> None:
    stream = Terminal()
    line = ProgressLine(print, stream)

    def fail() -> None:
        with line:
            line.show("one")
            raise ValueError

    with pytest.raises(ValueError):
        fail()
    assert stream.getvalue() == "\r\x1b[Kone\r\x1b[K"


def test_a_pipe_has_messages_only() -> None:
    stream, said = io.StringIO(), []
    with ProgressLine(said.append, stream) as line:
        line.show("one")
        line.note("failed")
    assert (stream.getvalue(), said) == ("", ["failed"])

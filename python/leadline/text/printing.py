"""The one place that prints: whatever reaches standard output or standard error goes through here.

`guard()` replaces both streams by ones that show control characters instead of passing them on, so that print, click,
tracebacks and other libraries' warnings can't send any. What Leadline itself has to say to a terminal (colours, a line
that is rewritten) goes beneath them, after the texts in it were made visible.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TextIO

from leadline.text.visible import strings_in, visible, visible_lines, without_surrogates

if TYPE_CHECKING:
    from rich.console import Console

CLEAR = "\r\x1b[K"
SPELLED = "leadline-spelled"


def _spelled(error: UnicodeError) -> tuple[str | bytes, int]:
    """For an encoding without µ: times are in us there. Any other character is shown by its number."""
    assert isinstance(error, UnicodeEncodeError)
    if error.object[error.start] == "µ":
        return "u", error.start + 1
    error.end = error.start + 1
    return codecs.backslashreplace_errors(error)


codecs.register_error(SPELLED, _spelled)


class GuardedStream(io.TextIOWrapper):
    """Shows what a terminal would obey. `ours` writes the text as it is."""

    def write(self, text: str) -> int:
        super().write(visible_lines(text))
        return len(text)

    def __init__(self, around: io.TextIOWrapper) -> None:
        super().__init__(around.buffer, encoding=around.encoding, errors=SPELLED, line_buffering=around.line_buffering)
        self._around = around  # which would close the buffer if it were collected

    def ours(self, text: str) -> int:
        return super().write(text)


class _Beneath:
    """A stream without its guard, for rich, whose colours are ours."""

    def __init__(self, stream: GuardedStream) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.ours(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def guard() -> None:
    """For this process's standard output and standard error.

    A character that the stream's encoding lacks is shown by its number, too: a report in the locale C is one.
    """
    sys.stdout = _guarded(sys.stdout)
    sys.stderr = _guarded(sys.stderr)


def _guarded(stream: TextIO) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper) or isinstance(stream, GuardedStream):
        return stream  # closed, or replaced by a program that runs us
    stream.flush()
    return GuardedStream(stream)


def console(*, stderr: bool = False, file: IO[str] | None = None, width: int | None = None, **more: Any) -> Console:
    """rich's console, to which every text is text: no markup, no emoji, nothing that a terminal obeys.

    more: of rich's Console.
    """
    from rich.console import Console, ConsoleOptions
    from rich.segment import Segment

    class VisibleConsole(Console):
        def render(self, renderable: Any, options: ConsoleOptions | None = None) -> Any:
            for segment in super().render(renderable, options):
                yield segment if segment.control else Segment(visible_lines(segment.text), segment.style)

    stream = file or (sys.stderr if stderr else sys.stdout)
    to: Any = _Beneath(stream) if isinstance(stream, GuardedStream) else stream
    return VisibleConsole(file=to, width=width, markup=False, emoji=False, **more)


def has_rewritten_lines(stream: TextIO) -> bool:
    """Whether it is a terminal that knows more than lines."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def rewrite_line(stream: TextIO, text: str) -> None:
    """The line of a terminal that the cursor is in; "" clears it."""
    write = stream.ours if isinstance(stream, GuardedStream) else stream.write
    write(f"{CLEAR}{visible(text)}")
    stream.flush()


def write_json(content: Any, out: IO[str], indent: int | None = 1) -> None:
    """With a newline at the end. Everything but ASCII, and DEL, which JSON allows, is escaped."""
    import json

    from leadline.text.json_text import json_text

    if indent is None:
        text = json.dumps(strings_in(content, without_surrogates))
    else:
        text = json_text(content, indent)
    write = out.ours if isinstance(out, GuardedStream) else out.write  # a terminal obeys nothing of this
    write(text.replace("\x7f", "\\u007f") + "\n")


def write_path(path: Path | str) -> None:
    """A path as a line of standard output: exactly its bytes for a program that reads it, shown to a person."""
    if sys.stdout.isatty() or not isinstance(sys.stdout, GuardedStream):
        print(visible(str(path)))
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(os.fsencode(path) + b"\n")
    sys.stdout.buffer.flush()

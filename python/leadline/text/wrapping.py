"""Lines of text that keep a number and its unit together."""

from __future__ import annotations

import re
import textwrap
from typing import Any

_STAYS = "\N{NO-BREAK SPACE}"
_UNIT = re.compile(r"(?<=\d) (?=(?:%|[nmuµ]?s|[kMGTP]?B|[KMGTP]iB|×)(?![\w]))")


def together(text: str) -> str:
    """The text as one word, for `wrapped`."""
    return text.replace(" ", _STAYS)


def wrapped(text: str, width: int, first: str = "", rest: str = "", **options: Any) -> list[str]:
    """first, rest: what the first line and the others begin with.   options: of textwrap.wrap."""
    text = _UNIT.sub(_STAYS, text)
    lines = textwrap.wrap(text, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False, **options)
    return [line.replace(_STAYS, " ") for line in lines]

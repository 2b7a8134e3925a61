"""Names from a record in the comments of source code, which they must not leave."""

from __future__ import annotations

from leadline.text.visible import visible

LONGEST = 72
# A backslash may continue a line (so does ??/), */ and /* end and begin comments (of Fortran's preprocessor, too), and
# Python takes "coding:" and "coding=" in its first lines for the encoding.
_MEANING = {"\\": "|", "*/": "* /", "/*": "/ *", "??": "?_", "coding:": "coding ", "coding=": "coding "}


def in_comment(name: str) -> str:
    """One line that is shown and nothing else; long names lose their begin, where folders are."""
    text = visible(name)
    while any(each in text for each in _MEANING):  # what is replaced may leave another one
        for each, harmless in _MEANING.items():
            text = text.replace(each, harmless)
    return text if len(text) <= LONGEST else f"...{text[3 - LONGEST :]}"

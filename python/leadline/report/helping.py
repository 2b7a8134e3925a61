"""What a finding says and what helps, as one text; help that several findings have in common is said once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from leadline.findings.finding import Finding

SHARE = re.compile(r"^(About )?<?[0-9.]+ %(, including synchronisation)?: ")


def leaders(findings: Sequence[Finding]) -> list[Finding]:
    """Without those that are parts of others."""
    texts = {each.text for each in findings}
    return [each for each in findings if each.part_of not in texts]


def with_help(
    findings: Sequence[Finding], said: str = "", *, among: Sequence[Finding] = ()
) -> Iterator[tuple[Finding, str]]:
    """said: help that has been given before.   among: all findings, of which some may be parts of these."""
    given = {"", said}
    for finding in findings:
        text = finding.text if finding.help in given else f"{finding.text} {finding.help}"
        given.add(finding.help)
        for part in among:
            if part.part_of == finding.text:
                text += f" {_as_part('Same calls' if part.id == 'pattern' else 'Hence', part.text)}"
                text += "" if part.help in given else f" {part.help}"
                given.add(part.help)
        yield finding, text


def _as_part(begin: str, text: str) -> str:
    """A finding's text after the one that it is a part of, with its share, which is within that one's, in brackets."""
    share = SHARE.match(text)
    if share is None:
        return f"{begin}: {text}"
    words = share.group().removesuffix(": ")
    return f"{begin} ({words[:1].lower()}{words[1:]}): {text[share.end() :]}"

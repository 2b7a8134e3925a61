"""What a finding says and what helps, as one text; help that several findings have in common is said once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from leadline.findings.finding import Finding


def with_help(findings: Sequence[Finding], said: str = "") -> Iterator[tuple[Finding, str]]:
    """said: help that has been given before."""
    given = {"", said}
    for finding in findings:
        yield finding, finding.text if finding.help in given else f"{finding.text} {finding.help}"
        given.add(finding.help)

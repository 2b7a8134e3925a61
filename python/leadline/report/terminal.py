"""The whole report on a terminal, or in a file: a verdict, what to look at, then the sections.

Readable at 80 columns and without colour.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from leadline.errors import UsageError
from leadline.figures.content import Content
from leadline.figures.programs import names_of, programs_of
from leadline.figures.run import Run
from leadline.findings import caveat_of
from leadline.findings.finding import Finding
from leadline.report.helping import leaders, with_help
from leadline.report.section import Output, Section
from leadline.report.sections import SECTIONS
from leadline.report.verdict import verdict
from leadline.text import format as fmt
from leadline.text.screen import Screen
from leadline.text.suggestions import available
from leadline.wording import jobs

if TYPE_CHECKING:
    from rich.console import Console

MOST_FINDINGS = 6
FINDINGS = "Findings"
TERMINAL: Output = "terminal"


def print_report(content: Content, findings: Sequence[Finding], console: Console, *, all_sites: bool = False) -> None:
    """Prints the whole report. all_sites: every call site, file and finding, not only the weightiest."""
    out = Screen(console, complete=all_sites)
    out.paragraph(verdict(content, findings), style="bold")
    out.paragraph(about(content))
    _look(findings, out)
    for section in SECTIONS:
        if section.draw is not None:
            section.draw(content, out)


def print_sections(
    content: Content, findings: Sequence[Finding], console: Console, names: Sequence[str], *, all_sites: bool = False
) -> None:
    """Prints the sections with these names: "findings", their ids, titles, or the names of their fields in JSON.

    Raises UsageError if there is no such section.
    """
    for section in [_section(content, name) for name in names]:
        out = Screen(console, complete=all_sites)
        if section is None and not _look(findings, out):
            out.paragraph("No findings beyond the verdict.")
        elif section is not None and section.draw is not None:
            section.draw(content, out)
            if out.empty:
                out.paragraph(f"{section.title}: {section.nothing(content)}.")
        elif section is not None:
            out.paragraph(f"{section.title}: {section.elsewhere[TERMINAL]}.")


def _section(content: Content, name: str) -> Section | None:
    """None: the findings, which every report has and no file of sections/ draws."""
    wanted = name.strip().lower().replace("_", "-").replace(" ", "-")
    if wanted == FINDINGS.lower():
        return None
    for section in SECTIONS:
        if section.id not in section_names():
            continue
        if wanted in (section.id, section.title.lower().replace(" ", "-")):
            return section
    for section in SECTIONS:
        if (
            section.draw is not None
            and section.figures is not None
            and wanted.replace("-", "_") in section.figures(content)
        ):
            return section
    raise UsageError(f"unknown section {name!r}", hint=available(wanted, section_names()))


def section_names() -> list[str]:
    """Those that are shown here, and those that say where they are."""
    here = (section.id for section in SECTIONS if section.draw is not None or TERMINAL in section.elsewhere)
    return [FINDINGS.lower(), *here]


def _look(findings: Sequence[Finding], out: Screen) -> bool:
    """The findings that the verdict does not state; false: there are none."""
    others = [finding for finding in findings if not finding.in_verdict]
    if not others:
        return False
    out.section(FINDINGS)
    if caveat := caveat_of(findings):
        out.paragraph(caveat)
    whole = leaders(others)
    shown = whole if out.complete else whole[:MOST_FINDINGS]
    for finding, text in with_help(shown, among=others):
        out.item(text, style="" if finding.severity == "notice" else "bold")
    if len(shown) < len(whole):
        out.item(f"and {len(whole) - len(shown)} more: --all")
    return True


def about(content: Content) -> str:
    """The program, its ranks and hosts, how long it took, and the library."""
    run = content.run
    hosts = sorted({process.host for process in run.processes if process.host})
    parts = []
    if command := _command(run):
        parts.append(command)
    ranks = fmt.plural(run.ranks, "rank")
    if hosts:
        ranks += f" on {hosts[0]}" if len(hosts) == 1 else f" on {fmt.plural(len(hosts), 'host')}"
    if content.threads > len(content.ranks):
        ranks += f", {content.threads} threads that call MPI"
    parts.append(ranks)
    if batch := jobs.batch_words(run):
        parts.append(batch)
    if not content.ended_at_start.all_ranks:
        ends = "MPI_Finalize" if all(process.finalized for process in run.processes) else "its end"
        parts.append(f"{fmt.seconds(run.duration_s)} from MPI_Init to {ends}")
    parts.append(f"{fmt.plural(content.calls, 'MPI call')}")
    if content.messages:
        parts.append(f"{fmt.plural(content.messages, 'message')} ({fmt.size(content.message_bytes)})")
    if run.library:
        parts.append(fmt.library(run.library))
    return " · ".join(parts)


def _command(run: Run) -> str:
    """The command without its directory, or the names of all programs; what is long is cut. "" if it is unknown."""
    programs = programs_of(run)
    words = programs[0][1] if len(programs) == 1 else []
    return textwrap.shorten(" ".join([" + ".join(names_of(run)), *words]), 60, placeholder=" …")

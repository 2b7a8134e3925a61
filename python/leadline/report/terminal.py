"""The report on a terminal, or in a file: a verdict, then tables. Readable at 80 columns and without colour."""

from __future__ import annotations

import textwrap

from rich.console import Console
from rich.text import Text

from leadline.report import charts, files_text, job, one_sided, tables
from leadline.report import format as fmt
from leadline.report import iterations as loop
from leadline.report.content import Content
from leadline.report.control import regions, settings, variables
from leadline.report.control_tables import region_lines, setting_lines, variable_lines
from leadline.report.verdict import verdict
from leadline.run import Loss, Run

MOST_LOSSES = 12
_RANKS = "ranks' "


def print_report(run: Run, console: Console, *, all_sites: bool = False) -> None:
    """Prints the whole report. all_sites: every call site, not only those with most time."""
    content = Content(run)
    out = Page(console)
    out.paragraph(verdict(content), style="bold")
    out.paragraph(_about(content))
    placed = job.place_lines(run)
    if placed:
        out.section("Where the ranks ran")
        for line in placed:
            out.item(line)
    if not content.ended_at_start.all_ranks:
        out.section("Computation and MPI by rank")
        out.lines(charts.rank_bars(content, out.width))
    out.section("MPI functions", f"all ranks together; %Time of the {content.whose_time or _RANKS}time")
    out.lines(tables.functions(content, out.width))
    out.section("Spread over ranks", "rank with the extreme in brackets")
    out.lines(tables.spread(content, out.width))
    by_routine = tables.routines(content, out.width)
    if by_routine:
        out.section("Routines", "of the program, with all MPI calls made beneath them")
        out.lines(by_routine)
    named = regions(run)
    if named:
        out.section("Named regions", "time from entering to leaving, regions within it included; all ranks together")
        out.lines(region_lines(named, out.width))
    _iterations(out, run)
    said = [*variable_lines(variables(run), out.width), *setting_lines(settings(run), out.width)]
    if said:
        out.section("The MPI library", "its own variables (MPI_T) before MPI_Finalize, and settings in the environment")
        out.lines(said)
    out.section("Call sites", "beneath: over ranks least … median … most (rank)")
    out.lines(tables.sites(content, out.width, all_sites=all_sites))
    if content.messages:
        out.section("Message sizes")
        out.lines(charts.size_histogram(content.sizes, "messages", out.width))
        out.section("Who sends to whom", "bytes of messages, from the rank of the row to that of the column")
        out.lines(charts.matrix(content, charts.SENT, out.width))
    if content.operations:
        _one_sided(out, content)
    if content.files.files:
        out.section("File I/O", "libc's file calls and MPI_File_*, all ranks together")
        out.paragraph(files_text.summary(content))
        out.lines(files_text.files(content, out.width, all_files=all_sites))
    _losses(out, content.losses)
    out.section("Not recorded")
    for entry in content.not_recorded:
        out.item(f"{entry.what}: {entry.why}")
    out.section("Leadline itself")
    out.paragraph(_overhead(content))


def _one_sided(out: Page, content: Content) -> None:
    out.section("One-sided communication", "by size: bytes of an operation one way")
    out.paragraph(f"{one_sided.summary(content)} at targets other than MPI_PROC_NULL.")
    out.lines(charts.size_histogram(content.operation_sizes, "operations", out.width))
    if content.bytes_put:
        out.section("Who puts to whom", "bytes, from the rank of the row to that of the column")
        out.lines(charts.matrix(content, charts.PUT, out.width))
    if content.bytes_got:
        out.section("Who gets from whom", "bytes, by the rank of the row from that of the column")
        out.lines(charts.matrix(content, charts.GOT, out.width))


def print_iterations(run: Run, console: Console) -> None:
    """Only the part about the main loop's iterations."""
    if not _iterations(Page(console), run):
        console.print(f"No main loop: {loop.why_none(run)}.")


def _iterations(out: Page, run: Run) -> bool:
    found = loop.iterations(run)
    if found is not None:
        out.section("Iterations", "time per iteration, from the first to the last")
        out.lines(loop.strip_lines(found, out.width))
    return found is not None


class Page:
    """Writes plain lines that are already laid out; never lets rich wrap or mark them up."""

    def __init__(self, console: Console) -> None:
        self.console_ = console
        self.width = max(40, console.width)

    def section(self, title: str, remark: str = "") -> None:
        self.console_.print()
        text = Text(title, style="bold")
        if remark and len(title) + len(remark) + 2 <= self.width:
            text.append(f"  {remark}", style="dim not bold")
        self.console_.print(text, soft_wrap=True)

    def lines(self, lines: list[tables.Line]) -> None:
        for line in lines:
            text = Text(line) if isinstance(line, str) else Text(line[0], style=line[1])
            self.console_.print(text, soft_wrap=True)

    def paragraph(self, text: str, style: str = "") -> None:
        for line in textwrap.wrap(text, self.width, break_long_words=False, break_on_hyphens=False):
            self.console_.print(Text(line, style=style), soft_wrap=True)

    def item(self, text: str) -> None:
        for line in textwrap.wrap(
            text, self.width, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False
        ):
            self.console_.print(Text(line), soft_wrap=True)


def _about(content: Content) -> str:
    run = content.run
    program = next((p.program for p in run.processes if p.program), "")
    hosts = sorted({process.host for process in run.processes if process.host})
    parts = []
    if program:
        parts.append(_command(program))
    ranks = fmt.plural(run.ranks, "rank")
    if hosts:
        ranks += f" on {hosts[0]}" if len(hosts) == 1 else f" on {fmt.plural(len(hosts), 'host')}"
    if content.threads > len(content.ranks):
        ranks += f", {content.threads} threads that call MPI"
    parts.append(ranks)
    if batch := job.batch_words(run):
        parts.append(batch)
    if not content.ended_at_start.all_ranks:
        parts.append(f"{fmt.seconds(run.duration_s)} from MPI_Init to MPI_Finalize")
    parts.append(f"{fmt.plural(content.calls, 'MPI call')}")
    if run.library:
        parts.append(fmt.library(run.library))
    return " · ".join(parts)


def _command(line: str) -> str:
    """The command without its directory; a long one cut."""
    program, _, arguments = line.partition(" ")
    return textwrap.shorten(f"{program.rsplit('/', 1)[-1]} {arguments}".strip(), 60, placeholder=" …")


def _losses(out: Page, losses: list[Loss]) -> None:
    if not losses:
        return
    out.section("Losses")
    by_code: dict[str, list[Loss]] = {}
    for loss in losses:
        by_code.setdefault(loss.code, []).append(loss)
    for code, alike in list(by_code.items())[:MOST_LOSSES]:
        first = alike[0]
        who = f"rank {first.rank}: " if first.rank is not None and not first.message.startswith("rank") else ""
        more = f" (and {fmt.plural(len(alike) - 1, 'more like this', 'more like this')})" if len(alike) > 1 else ""
        out.item(f"{code}: {who}{first.message.strip()}{more}")


def _overhead(content: Content) -> str:
    calls = content.calls
    own = f"{fmt.seconds(content.own_s)} of the {content.whose_time or _RANKS}time"
    if content.own_share is not None:
        own += f" ({fmt.percent(content.own_share)})"
    if calls:
        own += f", {fmt.seconds(content.own_s / calls)} per call with start and end"
    trace = f"traces of {fmt.size(content.trace_bytes)}"
    if calls:
        trace += f", {content.trace_bytes / calls:.2g} bytes per call"
    return f"Its own measured time: {own}; {trace}."

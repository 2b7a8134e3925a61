"""The first line of a report: the figures in words. It states only what was measured and gives no advice."""

from __future__ import annotations

from collections.abc import Sequence

from leadline import _core
from leadline.figures.content import Content
from leadline.figures.entries import STARTUP
from leadline.figures.paths import chain, chain_key
from leadline.findings import findings_of, times_are_spoiled
from leadline.findings.finding import Finding
from leadline.report.one_sided import summary
from leadline.report.spoiled import spoiled_verdict
from leadline.text import format as fmt
from leadline.wording import endings
from leadline.wording.files import family_words

IO_WORTH_SAYING = 0.01  # of the ranks' time
NEARLY_ALL = 0.9
WAITING_WORTH_SAYING = 0.01
STARTUP_WORTH_SAYING = 0.25  # of the time with start-up


def verdict(content: Content, findings: Sequence[Finding] | None = None, *, traffic: bool = True) -> str:
    """The verdict as one line; see verdict_sentences()."""
    return " ".join(verdict_sentences(content, findings, traffic=traffic))


def verdict_sentences(
    content: Content, findings: Sequence[Finding] | None = None, *, traffic: bool = True
) -> list[str]:
    """States how the time is spent, how much is sent and from where, and whether anything is missing.

    Each is one statement, most important first: a finding may take two sentences to state it.
    findings: those of the content, if they are at hand.   traffic: whether to say what was sent, and from where.

    For example "62 % of the time is MPI; 41 % in trchdf > exchange, most of it MPI_Wait. 252,960 messages ...".
    """
    everything = findings_of(content) if findings is None else findings
    first = [each for each in everything if each.in_verdict]
    if spoiled := spoiled_verdict(content, first):
        return spoiled
    told = [] if times_are_spoiled(first) else [finding for finding in everything if not finding.in_verdict]
    costly = next((finding for finding in told if finding.cost_s is not None), None)
    sentences = [*(finding.text for finding in first), *_time_sentences(content, costly)]
    if content.base_s > 0 and content.io_s >= IO_WORTH_SAYING * content.base_s and not _says_io(content, costly):
        sentences.append(_io_sentence(content))
    if traffic:
        sentences += _traffic(content, first)
    if content.ended_at_start:
        sentences.append(endings.of_a_start(content.ended_at_start))
    return sentences


def _traffic(content: Content, first: Sequence[Finding]) -> list[str]:
    recorded = len(content.run.processes)
    sentences = []
    if content.messages:
        sentences.append(_message_sentence(content, first))
    if content.operations:
        sentences.append(_one_sided_sentence(content))
    elif not content.messages and any(rank.collectives for rank in content.ranks):
        calls = sum(rank.collectives for rank in content.ranks)
        sentences.append(f"No messages; {fmt.plural(calls, 'collective call')} on {fmt.plural(recorded, 'rank')}.")
    return sentences


def _time_sentences(content: Content, costly: Finding | None) -> list[str]:
    """What share MPI has, and the finding that costs most; where none costs anything, the costliest routine."""
    sentence = f"{fmt.percent(content.mpi_share)} of the {content.whose_time}time is MPI"
    if content.startup_s > STARTUP_WORTH_SAYING * content.time_s:
        finalized = all(process.finalized for process in content.run.processes)
        excluded = "MPI_Init and MPI_Finalize" if finalized else "MPI_Init"
        sentence = f"{fmt.percent(content.mpi_share)} of the {content.whose_time}time is MPI ({excluded} excluded)"
    said = costly is not None and costly.id == "file-time" and costly.evidence["all_by_mpi"]
    if content.mpi_io_s >= IO_WORTH_SAYING * content.base_s > 0 and not said:
        sentence += f", {fmt.percent(content.share(content.mpi_io_s))} file I/O in MPI_File_*"
    waiting = content.waiting_s
    if waiting is not None and waiting >= WAITING_WORTH_SAYING * content.base_s > 0:
        about = "about " if content.waits.estimated else ""
        sentence += f", {about}{fmt.percent(content.share(waiting))} waiting for other ranks"
    if costly is not None:
        return [f"{sentence}.", costly.text]
    costs = _costliest(content)
    if costs is not None:
        path, path_s, function, function_s = costs
        share = content.share(path_s)
        if path and share >= 0.001:
            sentence += f"; {fmt.percent(share)} in {path}"
            part = function_s / path_s
            sentence += f", all in {function}" if part > 0.995 else f", mostly in {function}" if part > 0.5 else ""
        elif share >= 0.001:
            sentence += f"; {fmt.percent(share)} in {function}"
    return [f"{sentence}."]


def _says_io(content: Content, costly: Finding | None) -> bool:
    """Whether the finding states the time of file I/O itself, or covers calls that take nearly all of it."""
    if costly is None or "file" not in costly.evidence:
        return False
    return costly.id == "file-time" or costly.evidence.get("share", 0.0) >= NEARLY_ALL * content.share(content.io_s)


def _io_sentence(content: Content) -> str:
    """File I/O outside MPI only, because MPI_File_* counts as MPI. Files are named that take more than half of it."""
    sentence = f"{fmt.percent(content.share(content.io_s))} is file I/O"
    named = [family for family in content.files.families if family.files[0].file and family.inside.calls]
    most = max(named, key=lambda family: family.inside.time_s, default=None)
    if most is not None and most.inside.time_s > content.io_s / 2:
        moved = most.inside
        what = "read" if moved.bytes_read > moved.bytes_written else "written"
        n_bytes = max(moved.bytes_read, moved.bytes_written)
        sentence += (
            f", mostly for {family_words(most)} ({fmt.size(n_bytes)} {what} by {fmt.plural(most.ranks, 'rank')})"
        )
    return sentence + "."


def _costliest(content: Content) -> tuple[str, float, str, float] | None:
    """The chain of routines with most time, without start-up: (chain, seconds, its costliest function, seconds).

    The chain is "" for calls whose path is unknown: then all such calls of the function are one.
    """
    times: dict[tuple[str, ...], dict[str, float]] = {}
    shown: dict[tuple[str, ...], str] = {}
    for entry in content.sites:
        if entry.cls in STARTUP or entry.local or entry.site is None:
            continue
        key = chain_key(entry.site.path) or ("", entry.name)
        functions = times.setdefault(key, {})
        functions[entry.name] = functions.get(entry.name, 0.0) + entry.time_s
        shown[key] = chain(entry.site.path)
    if not times or content.base_s <= 0:
        return None
    key = max(times, key=lambda path: sum(times[path].values()))
    function = max(times[key], key=lambda name: times[key][name])
    return shown[key], sum(times[key].values()), function, times[key][function]


def _one_sided_sentence(content: Content) -> str:
    among = fmt.plural(len(content.run.processes), "rank")
    sentence = f"{summary(content)} between {among}"
    most = max(content.call_paths, key=lambda entry: entry.operations, default=None)
    if most is not None and most.operations:
        sentence += f"; {_of_them(most.operations, content.operations)} from {most.name}"
        sentence += _each(most.operation_sizes, most.operations)
    return sentence + "."


def _of_them(some: int, number: int) -> str:
    """ "all", or "90 % of them"."""
    if some == number:
        return "all"
    return "nearly all" if some > 0.995 * number else f"{fmt.percent(some / number)} of them"


def _each(sizes: _core.Sizes, number: int) -> str:
    """For example ", 1,024 B each"."""
    if sizes.distinct_complete and len(sizes.distinct) == 1:
        return f", {fmt.size(next(iter(sizes.distinct)))} each"
    return f", {fmt.size(sum(sizes.bytes) / number)} on average"


def _message_sentence(content: Content, first: Sequence[Finding]) -> str:
    processes = len(content.run.processes)
    apart = any(finding.id == "separate-processes" for finding in first)
    among = "from each process to itself" if apart else f"between {fmt.plural(processes, 'rank')}"
    sentence = f"{fmt.plural(content.messages, 'message')} ({fmt.size(content.message_bytes)}) {among}"
    most = max(content.call_paths, key=lambda entry: entry.messages, default=None)
    if most is not None and most.messages:
        sentence += f"; {_of_them(most.messages, content.messages)} from {most.name}"
        sentence += _each(most.sizes, most.messages)
    return sentence + "."

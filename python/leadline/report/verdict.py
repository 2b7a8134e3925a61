"""The first line of a report: what the figures say, in words. Only what was measured; no advice."""

from __future__ import annotations

from leadline.report import format as fmt
from leadline.report.content import Content, chain, chain_key

IO_WORTH_SAYING = 0.01  # of the ranks' time
_STARTUP = {"init", "finalize", "abort"}


def verdict(content: Content) -> str:
    """Where the time goes, how much is sent and from where, and whether anything is missing.

    For example "62 % of the time is MPI; 41 % in trchdf > exchange, most of it MPI_Wait. 252,960 messages ...".
    """
    run = content.run
    recorded = len(run.processes)
    sentences = [_time_sentence(content)]
    if content.time_s > 0 and content.io_s >= IO_WORTH_SAYING * content.time_s:
        sentences.append(_io_sentence(content))
    if content.messages:
        sentences.append(_message_sentence(content))
    elif any(rank.category_calls["collective"] for rank in content.ranks):
        calls = sum(rank.category_calls["collective"] for rank in content.ranks)
        sentences.append(f"No messages; {fmt.plural(calls, 'call')} of collectives on {fmt.plural(recorded, 'rank')}.")
    if not run.complete:
        cut = sum(not process.complete for process in run.processes)
        missing = run.ranks - recorded
        parts = []
        if missing:
            parts.append(f"{missing} of {run.ranks} ranks left no trace that can be read")
        if cut:
            parts.append(f"{fmt.plural(cut, 'trace ends', 'traces end')} before the program did")
        sentences.append(f"Incomplete: {' and '.join(parts)}." if parts else "Incomplete.")
    return " ".join(sentences)


def _time_sentence(content: Content) -> str:
    sentence = f"{fmt.percent(content.mpi_share)} of the time is MPI"
    startup = sum(rank.category_s["startup"] for rank in content.ranks)
    if startup > content.mpi_s / 4:
        rest = content.time_s - startup
        sentence += f", {fmt.percent(startup / content.time_s)} its start-up and shut-down"
        if rest > 0:
            sentence += f" (of the time between them {fmt.percent((content.mpi_s - startup) / rest)})"
    costs = _costliest(content)
    if costs is not None:
        path, path_s, function, function_s = costs
        share = path_s / content.time_s
        if path and share >= 0.001:
            sentence += f"; {fmt.percent(share)} in {path}"
            part = function_s / path_s
            sentence += f", all of it {function}" if part > 0.995 else f", most of it {function}" if part > 0.5 else ""
        elif share >= 0.001:
            sentence += f"; {fmt.percent(share)} in {function}"
    return sentence + "."


def _io_sentence(content: Content) -> str:
    """Only what lies outside of MPI: MPI_File_* is MPI."""
    sentence = f"{fmt.percent(content.io_s / content.time_s)} is file I/O"
    most = next((file for file in content.files.files if file.file and not file.opened_by_mpi), None)
    if most is not None:
        name = most.file.rsplit("/", 1)[-1]
        own = most.own
        what = "read" if own.bytes_read > own.bytes_written else "written"
        n_bytes = max(own.bytes_read, own.bytes_written)
        sentence += f", most of it on {name} ({fmt.size(n_bytes)} {what} by {fmt.plural(len(most.ranks), 'rank')})"
    return sentence + "."


def _costliest(content: Content) -> tuple[str, float, str, float] | None:
    """The chain of routines with most time, without start-up: (chain, seconds, its costliest function, seconds).

    The chain is "" for calls whose path is not known: then all such calls of the function are one.
    """
    times: dict[tuple[str, ...], dict[str, float]] = {}
    shown: dict[tuple[str, ...], str] = {}
    for entry in content.sites:
        if entry.cls in _STARTUP or entry.local or entry.site is None:
            continue
        key = chain_key(entry.site.path) or ("", entry.name)
        functions = times.setdefault(key, {})
        functions[entry.name] = functions.get(entry.name, 0.0) + entry.time_s
        shown[key] = chain(entry.site.path)
    if not times or content.time_s <= 0:
        return None
    key = max(times, key=lambda path: sum(times[path].values()))
    function = max(times[key], key=lambda name: times[key][name])
    return shown[key], sum(times[key].values()), function, times[key][function]


def _message_sentence(content: Content) -> str:
    among = fmt.plural(len(content.run.processes), "rank")
    sentence = f"{fmt.plural(content.messages, 'message')} ({fmt.size(content.message_bytes)}) between {among}"
    most = max(content.call_paths, key=lambda entry: entry.messages, default=None)
    if most is not None and most.messages:
        sentence += f"; {fmt.percent(most.messages / content.messages)} of them from {most.name}"
        sizes = most.sizes.distinct
        if most.sizes.distinct_complete and len(sizes) == 1:
            sentence += f", {fmt.size(next(iter(sizes)))} each"
        else:
            sentence += f", {fmt.size(sum(most.sizes.bytes) / most.messages)} on average"
    return sentence + "."

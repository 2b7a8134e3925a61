"""The first line of a report: what the figures say, in words. Only what was measured; no advice."""

from __future__ import annotations

from leadline.report import format as fmt
from leadline.report.content import Content, Entry, short_path

_STARTUP = {"MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Session_init", "MPI_Session_finalize"}


def verdict(content: Content) -> str:
    """ "62 % of the time is MPI; 41 % in trchdf > exchange, most of it MPI_Wait. 252,960 messages (2.27 GB) ..."."""
    run = content.run
    recorded = len(run.processes)
    sentences = [_time_sentence(content)]
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
    startup = sum(entry.time_s for entry in content.functions if entry.name in _STARTUP)
    if content.time_s > 0 and startup > content.mpi_s / 4:
        sentence += f" ({fmt.percent(startup / content.time_s)} start-up and shut-down)"
    path = _costliest_path(content)
    if path is not None and path.share >= 0.001:
        sentence += f"; {fmt.percent(path.share)} in {path.name}"
        function = _main_function(content, path)
        if function is not None:
            name, share = function
            sentence += f", all of it {name}" if share > 0.995 else f", most of it {name}" if share > 0.5 else ""
    elif path is None:
        function_entry = next((e for e in content.functions if e.name not in _STARTUP and not e.local), None)
        if function_entry is not None and function_entry.share >= 0.001:
            sentence += f"; {fmt.percent(function_entry.share)} in {function_entry.name}"
    return sentence + "."


def _costliest_path(content: Content) -> Entry | None:
    """The chain of routines with most time that is not only start-up."""
    working = {
        " > ".join(_routines(entry))
        for entry in content.sites
        if entry.site is not None and entry.site.path and entry.name not in _STARTUP
    }
    return next((entry for entry in content.call_paths if entry.name in working), None)


def _routines(entry: Entry) -> list[str]:
    assert entry.site is not None
    return short_path(entry.site.path)


def _main_function(content: Content, path: Entry) -> tuple[str, float] | None:
    """The MPI function with most of a path's time, and its share of it."""
    times: dict[str, float] = {}
    for entry in content.sites:
        if entry.site is not None and entry.site.path and " > ".join(_routines(entry)) == path.name:
            times[entry.name] = times.get(entry.name, 0.0) + entry.time_s
    if not times or path.time_s <= 0:
        return None
    name = max(times, key=lambda function: times[function])
    return name, times[name] / path.time_s


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

"""`leadline anonymise`: a run with pseudonyms in place of whatever names people, machines, places and programs.

Structure and figures stay. What is written is chosen by lists of what may stay, never by lists of what may not.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from leadline import _core, nodes, own_files
from leadline.anonymise import descriptions, node_file, trace_file
from leadline.anonymise.payloads import Malformed
from leadline.anonymise.pseudonyms import Pseudonyms
from leadline.errors import DamagedTrace, UsageError
from leadline.figures import unfinished
from leadline.figures.run import files_of
from leadline.report import Report, open_report
from leadline.run_directory import JOB, read_json
from leadline.symbols.cache import SymbolCache

_STRUCTURE = re.compile(r"shared-[0-9a-f]{32}\.structure")
_RANK = re.compile(r"\.rank-\d+")
_MOST_BYTES = 1 << 32


@dataclass(frozen=True)
class Written:
    traces: int
    n_bytes: int


def anonymise(source: Path, target: Path, *, keep_source: bool = False) -> Written:
    """Writes the run in `source` into the empty directory `target`. What killed ranks left becomes traces.

    keep_source: names of routines and source files stay.
    Raises DamagedTrace if there is no readable run, UsageError if a rank still runs or its recording is elsewhere,
    OSError.
    """
    report = open_report(source)
    source = report.run.path
    _refuse_unfinished(report)
    names = Pseudonyms(keep_source=keep_source)
    with own_files.Directory(source) as old, own_files.Directory(target) as new:
        copy = _Copy(new, names)
        wanted = set(files_of(source))
        for name in old.names():
            path = f"{source}/{name}"
            if _STRUCTURE.fullmatch(name):
                copy.write(name, copy.rewritten(name, old.read(name, _MOST_BYTES)))
            elif name.endswith(".traces"):
                copy.add_node(name, old.read(name, _MOST_BYTES), _members(path, wanted))
            elif path in wanted and name.endswith(".trace"):
                copy.add(name, old.read(name, _MOST_BYTES))
            elif _RANK.fullmatch(name):
                copy.write(name, b"")
        for file in sorted(file for file in wanted if file.endswith(".live")):
            copy.add(file, _of_killed(Path(file)))
        _write_ends(source, report, copy, names)
        _describe(report, old, new, names)
    _write_symbols(report, target, names)
    return Written(copy.traces, copy.n_bytes)


class _Copy:
    """What is written of traces."""

    def __init__(self, new: own_files.Directory, names: Pseudonyms) -> None:
        self._new, self._names = new, names
        self._given: Counter[str] = Counter()  # names of traces
        self.traces, self.n_bytes = 0, 0

    def write(self, name: str, content: bytes, when_ns: int | None = None) -> None:
        self._new.write(name, content)
        if when_ns is not None:
            self._new.touch(name, when_ns)
        self.n_bytes += len(content)

    def add(self, name: str, data: bytes) -> None:
        """A trace in a file of its own."""
        self.write(*self._trace(name, data))

    def add_node(self, name: str, data: bytes, members: list[tuple[str, int, int]]) -> None:
        """Those traces of a node's file, in one again."""
        traces = [self._trace(trace, data[begin : begin + size]) for trace, begin, size in members]
        if traces:
            host = trace_file.identity_of(traces[0][1]).host
            number = int(self._names.of("node", name).removeprefix("node"))
            self.write(f"{host}-{number:08x}.traces", b"".join(node_file.member(*each) for each in traces))

    def rewritten(self, name: str, data: bytes) -> bytes:
        """Raises DamagedTrace."""
        try:
            return trace_file.rewritten(data, self._names)
        except Malformed as error:
            raise DamagedTrace(f"cannot anonymise {name}: {error or 'damaged'}") from error

    def _trace(self, name: str, data: bytes) -> tuple[str, bytes]:
        content = self.rewritten(name, data)
        try:
            process = trace_file.identity_of(data)
        except Malformed as error:
            raise DamagedTrace(f"cannot anonymise {name}: {error or 'damaged'}") from error
        stem = f"rank-{process.rank:05d}-{self._names.of('host', process.host)}-{process.pid}"
        again = self._given[stem] = self._given[stem] + 1
        self.traces += 1
        return f"{stem}{f'-{again}' if again > 1 else ''}.trace", content


def _members(path: str, wanted: set[str]) -> list[tuple[str, int, int]]:
    """Of a node's file, the traces that count: name, first byte, bytes."""
    members = _core.node_members(path)
    return [(trace, begin, size) for trace, begin, size, _ in members if f"{path}/{trace}" in wanted]


def _of_killed(live: Path) -> bytes:
    """Its trace, as far as it was recorded. Raises DamagedTrace."""
    try:
        chunks = _core.chunks_of_killed(str(live))
    except _core.TraceError as error:
        raise DamagedTrace(f"cannot anonymise {error}") from error
    part = b""
    with contextlib.suppress(OSError):
        part = own_files.read(live.with_suffix(".part"), _MOST_BYTES)
    return trace_file.of_killed(part, chunks)


def _refuse_unfinished(report: Report) -> None:
    run = report.run
    if running := unfinished.running(run):
        raise UsageError(f"{run.path} is still being recorded: ranks that have not ended: {len(running)}")
    elsewhere = [node for node in nodes.on_nodes(run.path) if not node.here]
    if elsewhere and not run.complete:
        raise UsageError(
            f"traces of killed ranks of {run.path} are still on {', '.join(node.host for node in elsewhere[:8])}",
            hint="run leadline collect there first",
        )


def _write_ends(source: Path, report: Report, copy: _Copy, names: Pseudonyms) -> None:
    """When processes that were killed ended, and until when somebody looked."""
    hosts = {nodes.name_in_files(process.host): process.host for process in report.run.processes}
    ends, beats = nodes.read_ends(source)
    for host, beat in beats.items():
        lines = [f"{pid} {end}\n" for (of, pid), end in ends.items() if of == host]
        named = names.of("host", hosts.get(host, host))
        copy.write(f"{named}{nodes.ENDS}", "".join(lines).encode(), beat)


def _describe(report: Report, old: own_files.Directory, new: own_files.Directory, names: Pseudonyms) -> None:
    run, present = report.run, old.names()
    if "run.json" in present:
        content = descriptions.run_json(read_json(old.path / "run.json"), run, names)
        new.write("run.json", _json(content))
        if (status := old.status_of("run.json")) is not None:  # that of a killed command says how long it lived
            new.touch("run.json", status.st_mtime_ns)
    if JOB in present:
        new.write(JOB, _json(descriptions.job_json(read_json(old.path / JOB), names)))


def _json(content: object) -> bytes:
    return (json.dumps(content, indent=2) + "\n").encode()


def _write_symbols(report: Report, target: Path, names: Pseudonyms) -> None:
    _ = report.data  # looks up all addresses that a report shows
    cache = SymbolCache(target)
    descriptions.fill_symbols(cache, report.run, names)
    cache.save()

"""`leadline anonymise`: a run with pseudonyms in place of whatever names people, machines, places and programs.

Structure and figures stay. What is written is chosen by lists of what may stay, never by lists of what may not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from leadline import _core, own_files
from leadline.anonymise import descriptions, trace_file
from leadline.anonymise.payloads import Malformed
from leadline.anonymise.pseudonyms import Pseudonyms
from leadline.errors import DamagedTrace, UsageError
from leadline.report import Report, open_report
from leadline.run_directory import JOB, read_json
from leadline.symbols.cache import SymbolCache

_TRACE = re.compile(r"(rank-(?:\d{5,}|-0001)-)(.+)(-\d+\.trace)", re.DOTALL)
_STRUCTURE = re.compile(r"shared-[0-9a-f]{32}\.structure")
_RANK = re.compile(r"\.rank-\d+")
_MOST_BYTES = 1 << 32


@dataclass(frozen=True)
class Written:
    traces: int
    n_bytes: int


def anonymise(source: Path, target: Path, *, keep_source: bool = False) -> Written:
    """Writes the run in `source` into the empty directory `target`.

    keep_source: names of routines and source files stay.
    Raises DamagedTrace if there is no readable run, UsageError if a rank was killed, OSError.
    """
    report = open_report(source)
    source = report.run.path
    _refuse_killed(source)
    names = Pseudonyms(keep_source=keep_source)
    traces, n_bytes = 0, 0
    with own_files.Directory(source) as old, own_files.Directory(target) as new:
        for name in old.names():
            for trace, data in _traces_of(old, name):
                named, content = _trace(trace, data, names)
                new.write(named, content)
                traces += trace.endswith(".trace")
                n_bytes += len(content)
            if _RANK.fullmatch(name):
                new.write(name, b"")
        _describe(report, old, new, names)
    _write_symbols(report, target, names)
    return Written(traces, n_bytes)


def _traces_of(folder: own_files.Directory, name: str) -> Iterator[tuple[str, bytes]]:
    """The trace or structure of that name, or the traces in a node's file, each with its name: they get files of their
    own, since what is written has no host's name."""
    if _TRACE.fullmatch(name) or _STRUCTURE.fullmatch(name):
        yield name, folder.read(name, _MOST_BYTES)
    if name.endswith(".traces"):
        data = folder.read(name, _MOST_BYTES)
        for trace, begin, size, whole in _core.node_members(str(folder.path / name)):
            if whole:
                yield trace, data[begin : begin + size]


def _refuse_killed(source: Path) -> None:
    """The memory of a killed process is an image that only its readers understand."""
    left = [path.name for path in source.iterdir() if path.suffix in (".live", ".away", ".part")]
    finished = "".join(Path(file).name for file in _core.trace_files(str(source)) if file.endswith(".trace"))
    unfinished = [
        name for name in left if name.endswith(".away") or f"-{name.rpartition('.')[0]}.trace" not in finished
    ]
    if unfinished:
        raise UsageError(
            f"{len(unfinished)} files in {source} are of ranks that were killed or still run",
            hint="only runs whose traces are all finished can be anonymised",
        )


def _trace(name: str, data: bytes, names: Pseudonyms) -> tuple[str, bytes]:
    try:
        content = trace_file.rewritten(data, names)
        host = trace_file.host_of(data)
    except Malformed as error:
        raise DamagedTrace(f"cannot anonymise {name}: {error or 'damaged'}") from error
    parts = _TRACE.fullmatch(name)
    if parts is None:
        return name, content
    return f"{parts[1]}{names.of('host', host or parts[2])}{parts[3]}", content


def _describe(report: Report, old: own_files.Directory, new: own_files.Directory, names: Pseudonyms) -> None:
    run, present = report.run, old.names()
    if "run.json" in present:
        content = descriptions.run_json(read_json(old.path / "run.json"), run, names)
        new.write("run.json", _json(content))
    if JOB in present:
        new.write(JOB, _json(descriptions.job_json(read_json(old.path / JOB), names)))


def _json(content: object) -> bytes:
    return (json.dumps(content, indent=2) + "\n").encode()


def _write_symbols(report: Report, target: Path, names: Pseudonyms) -> None:
    _ = report.data  # looks up all addresses that a report shows
    cache = SymbolCache(target)
    descriptions.fill_symbols(cache, report.run, names)
    cache.save()

"""OTF2 archives. OTF2's library is not made for damaged files, so it reads them in a process of its own."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadline.errors import DamagedTrace, MissingPrerequisite, NoSuchRun
from leadline.interchange.importing.missing import Lack, lacks
from leadline.isolated import module_command
from leadline.json_text import parsed
from leadline.symbols import Location
from leadline.symbols.cache import SymbolCache
from leadline.text.visible import in_shell

# What a reader of an undamaged archive may take: OTF2's library reads about 10 MB of an archive per second.
CPU_S, CPU_S_PER_MB = 120, 2
READER = "leadline.interchange.importing.reader"


@dataclass(frozen=True)
class Imported:
    """anchor: the archive's main file.   creator: what wrote it.   lacks: what could not be imported."""

    anchor: Path
    creator: str
    processes: int
    calls: int
    lacks: tuple[Lack, ...]


def import_archive(path: Path, directory: Path, series: int | None) -> Imported:
    """Writes the archive's processes as traces into the directory, which exists and is empty.

    path: the anchor file (*.otf2), or the folder with it.   series: times of calls that each thread keeps; None: all.
    Raises NoSuchRun if there is no archive, DamagedTrace if it cannot be read, MissingPrerequisite without OTF2.
    """
    anchor = anchor_of(path)
    found = _read(anchor, directory, series)
    build = found["build"]
    cache = SymbolCache(directory)
    for offset, routine, full, file, line in found["symbols"]:
        known = (
            Location(routine, full, found["module"], file, line)
            if file
            else Location(routine, full, found["module"], symbol_offset=0)
        )
        cache.put(found["module"], build, offset, (known,))
    cache.save()
    return Imported(anchor, found["creator"], found["processes"], found["calls"], lacks(found))


def anchor_of(path: Path) -> Path:
    """The main file of an archive. Raises NoSuchRun if there is none, or more than one."""
    if path.is_dir():
        anchors = sorted(path.glob("*.otf2"))
        if len(anchors) == 1:
            return anchors[0]
        if anchors:
            names = ", ".join(anchor.name for anchor in anchors[:4])
            hint = f"give one of them, e.g. {in_shell(str(anchors[0]))}"
            raise NoSuchRun(f"several archives in {path}: {names}", hint=hint)
        raise NoSuchRun(f"no OTF2 archive (*.otf2) in {path}", hint="give the directory that contains the *.otf2 file")
    if not path.exists():
        raise NoSuchRun(
            f"no such file or directory: {path}",
            hint="give an archive's *.otf2 file, or the directory that contains it",
        )
    return path


def _read(anchor: Path, directory: Path, series: int | None) -> dict[str, Any]:
    size = 0
    for file in _files(anchor):
        status = _status(file)
        if status is not None and not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
            raise DamagedTrace(f"cannot read {anchor}: {file} is not a regular file")  # OTF2 would wait for a pipe
        size += status.st_size if status is not None and stat.S_ISREG(status.st_mode) else 0
    module = _module(anchor)
    which = os.fsencode(anchor.absolute()) + f" {size} {anchor.stat().st_mtime_ns}".encode()
    build = hashlib.sha256(which).hexdigest()[:40]
    order = {
        "anchor": str(anchor),
        "directory": str(directory),
        "module": module,
        "build": build,
        "series": series,
        "bytes": size,
        "cpu_s": CPU_S + CPU_S_PER_MB * (size >> 20),
    }
    reader = subprocess.run(
        module_command(READER),
        input=json.dumps(order).encode(),
        capture_output=True,
        check=False,
    )
    answer = _answer(reader.stdout)
    if answer is None:
        raise DamagedTrace(f"cannot read {anchor}: {_end(reader.returncode)}", hint="is the archive damaged?")
    if "missing_library" in answer:
        raise MissingPrerequisite(
            f"OTF2 library not found: {answer['missing_library']}",
            hint="pip install 'leadline[otf2]', or apt-get install otf2-tools",
        )
    if "error" in answer:
        raise DamagedTrace(f"cannot read {anchor}: {answer['error']}")
    return {**answer, "module": module, "build": build}


def _files(anchor: Path) -> list[Path]:
    """The archive's: NAME.otf2, NAME.def and what is in the folder NAME."""
    return [anchor, anchor.with_suffix(".def"), *anchor.with_suffix("").rglob("*")]


def _status(file: Path) -> os.stat_result | None:
    try:
        return file.stat()
    except OSError:
        return None


def _module(anchor: Path) -> str:
    """What reports call the program: the archive, by the name of its folder if that says more."""
    folder = anchor.absolute().parent.name
    return folder if anchor.stem in ("traces", "eztrace_log") and folder else anchor.stem


def _answer(output: bytes) -> dict[str, Any] | None:
    try:
        found = parsed(output)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _end(code: int) -> str:
    """How the reader ended, which gave no answer."""
    if code == -signal.SIGXCPU:
        return "OTF2's library took too long for an archive of this size"
    if code < 0:
        return f"OTF2's library crashed with {signal.Signals(-code).name}"
    return f"OTF2's library failed with exit code {code}"

"""Files that the processes of a run keep on their nodes while they run, and those that killed ones left there.

If the run's directory is on a network file system, live memory is on the node, and HOST.away in the run's directory
says where (docs/record/file-systems.md). A process that ends normally writes its trace into the run's directory and
leaves nothing on the node. The recordings of killed processes are collected by the command that started them, or by
`leadline collect`. HOST.ends has the ends of processes of a node that did not close their traces.

Whoever can write a run's directory can put such files there: they are read as leadline.own_files does, a folder counts
only if it belongs to the owner of the file that names it, and nothing in it is followed if it is a link.
"""

from __future__ import annotations

import contextlib
import glob
import os
import re
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from leadline import _core, own_files
from leadline.own_files import Directory

POINTER, ENDS = ".away", ".ends"
MOST_POINTER_BYTES, MOST_ENDS_BYTES = 1 << 14, 16 << 20
# The recorder allocates what it uses. Copying a larger, sparse file would fill a disk.
MOST_SPARSE_BYTES = 1 << 30
MOST_RECORD_BYTES = 1 << 16
RECORD = re.compile(r"leadline-\d+-[0-9a-f]{16}\.run")
LEAST_NAME_BYTES = 63  # of a host, that a trace keeps: less than the names of files have
PID = re.compile(r"-(\d+)(?:-[0-9a-f]{8}|-\d{1,2})?\.live")  # after the host in the name of live memory


def name_in_files(host: str) -> str:
    """A host's name as it stands in names of files, as in src/host/host_name.hpp; as much of it as traces have, too."""
    return os.fsdecode(os.fsencode(re.sub(r"[/\x00-\x1f\x7f]", "_", host))[:LEAST_NAME_BYTES])


def own_name() -> str:
    """Of this host, in names of files."""
    return re.sub(r"[/\x00-\x1f\x7f]", "_", os.uname().nodename)


@dataclass(frozen=True)
class OnNode:
    """The directory of a run on one node. here: whether it can be read on this machine.

    foreign: it can be read, but is a link or has another owner than the file that names it.
    """

    host: str
    folder: Path
    here: bool
    foreign: bool = False

    def live_files(self) -> list[Path]:
        """The live memory found there; empty if it cannot be read."""
        if not self.here:
            return []
        with contextlib.suppress(OSError), Directory(self.folder, follow=False) as folder:
            return [self.folder / name for name in folder.names() if name.endswith(".live") and _is_own(folder, name)]
        return []


@dataclass
class Collected:
    """The result of collect(). running: files that processes still use.   refused: what is not the run's own."""

    files: int = 0
    n_bytes: int = 0
    running: int = 0
    refused: list[str] = field(default_factory=list)


def on_nodes(directory: Path) -> list[OnNode]:
    """The nodes on which the run has, or had, live memory; directories of other users are left out."""
    return [node for node in _named(directory) if not node.foreign]


def _named(directory: Path) -> list[OnNode]:
    found = []
    with contextlib.suppress(OSError), Directory(directory) as opened:
        for name in opened.names():
            if not name.endswith(POINTER):
                continue
            folder = _named_by(opened, name)
            if folder is None or not folder.is_absolute() or not folder.name.startswith("leadline-"):
                continue
            host = name.removesuffix(POINTER)
            here = host == own_name() and os.access(folder, os.R_OK | os.X_OK)
            foreign = here and not _has_owner_of(folder, opened.status_of(name))
            found.append(OnNode(host, folder, here, foreign))
    return found


def _named_by(directory: Directory, pointer: str) -> Path | None:
    """The folder that a pointer names; None if it cannot be read."""
    with contextlib.suppress(OSError):
        return Path(os.fsdecode(directory.read(pointer, MOST_POINTER_BYTES)).rstrip("\n"))
    return None


def _has_owner_of(folder: Path, pointer: os.stat_result | None) -> bool:
    """Whether a directory, itself and not by a link, belongs to whoever wrote the file that names it."""
    try:
        status = os.lstat(folder)
    except OSError:
        return False
    return pointer is not None and stat.S_ISDIR(status.st_mode) and status.st_uid == pointer.st_uid


def _is_own(folder: Directory, name: str) -> bool:
    """Whether it is a file of the folder's owner, without another name elsewhere, and not mostly holes."""
    status = folder.status_of(name)
    return (
        status is not None
        and stat.S_ISREG(status.st_mode)
        and status.st_nlink == 1
        and status.st_uid == folder.status().st_uid
        and (status.st_size <= MOST_SPARSE_BYTES or status.st_blocks * 512 >= status.st_size // 2)
    )


def runs_in(directory: Path) -> list[Path]:
    """The directory of a run, and those that other jobs of the same command have in it."""
    others = [file.parent for file in directory.glob("*/job.json")]
    return [directory, *sorted(other for other in others if own_files.is_directory(other))]


def collect(directory: Path) -> Collected:
    """Move the recordings of killed processes on this node into the run's directory; also for the runs within it.

    Raises OSError if the directory cannot take them; the others then stay where they are.
    """
    done = Collected()
    for run in runs_in(directory):
        with Directory(run) as opened:
            for node in _named(run):
                if node.foreign:
                    done.refused.append(str(node.folder))
                elif node.host == own_name():
                    _collect(node, opened, done)
    return done


def _collect(node: OnNode, run: Directory, done: Collected) -> None:
    try:
        folder = Directory(node.folder, follow=False)
    except OSError:
        _leave(node, run)
        return
    with folder:
        # What was looked at before may have been replaced since then.
        pointer = run.status_of(f"{node.host}{POINTER}")
        if pointer is None or pointer.st_uid != folder.status().st_uid:
            return
        names = set(folder.names())
        for live in sorted(name for name in names if name.endswith(".live")):
            if is_in_use(node.folder / live):
                done.running += 1
                continue
            _collect_process(folder, live, names, run, done)
        if not done.running:
            for name in sorted(name for name in names if name.endswith(ENDS) and _is_own(folder, name)):
                _take_ends(folder, name, run)
    _leave(node, run)


def _collect_process(folder: Directory, live: str, names: set[str], run: Directory, done: Collected) -> None:
    """The live file last: with it the others count."""
    stem = live.removesuffix(".live")
    part = f"{stem}.part"
    closed = re.compile(rf"rank-.*-{re.escape(stem)}\.trace")
    for name in [part] * (part in names) + [live]:
        if not _is_own(folder, name):
            done.refused.append(str(folder.path / name))
            return
        if not any(closed.fullmatch(other) for other in _traces(run)):
            done.n_bytes += _copy(folder, name, run)
            done.files += name == live
        folder.remove(name)


def _traces(run: Directory) -> Iterator[str]:
    """The names of finished traces, also of those in nodes' files."""
    for name in run.names():
        yield name
        if name.endswith(".traces"):
            yield from (member for member, _, _, whole in _core.node_members(str(run.path / name)) if whole)


def _take_ends(folder: Directory, name: str, run: Directory) -> None:
    """When processes ended, as a keeper noted that was itself killed (keeper.py)."""
    with contextlib.suppress(OSError):
        text, status = folder.read(name, MOST_ENDS_BYTES), folder.status_of(name)
        before = b""
        with contextlib.suppress(OSError):
            before = run.read(name, MOST_ENDS_BYTES)
        run.write(name, before + text)
        if status is not None:
            run.touch(name, status.st_mtime_ns)
        folder.remove(name)


def read_ends(directory: Path) -> tuple[dict[tuple[str, int], int], dict[str, int]]:
    """When processes ended, by (host, process id), and when each host's keeper last lived. Unix times in ns."""
    ends: dict[tuple[str, int], int] = {}
    beats: dict[str, int] = {}
    for folder in folders_here(directory):
        with contextlib.suppress(OSError), Directory(folder) as opened:
            for name in (name for name in opened.names() if name.endswith(ENDS)):
                _read_ends(opened, name, ends, beats)
    return ends, beats


def _read_ends(folder: Directory, name: str, ends: dict[tuple[str, int], int], beats: dict[str, int]) -> None:
    host = name_in_files(name.removesuffix(ENDS))
    with contextlib.suppress(OSError, ValueError):
        lines, status = folder.read(name, MOST_ENDS_BYTES).decode().splitlines(), folder.status_of(name)
        beats[host] = max(status.st_mtime_ns if status is not None else 0, beats.get(host, 0))
        for line in lines:
            pid, end = line.split()
            ends[host, int(pid)] = int(end)


def write_ends(folder: Path, ends: dict[int, int]) -> None:
    """Write the ends of processes of this node."""
    text = "".join(f"{process} {end}\n" for process, end in ends.items())
    with Directory(folder) as opened:
        opened.write(f"{own_name()}{ENDS}", text.encode())


def note_gone(directory: Path, ends: dict[Path, dict[int, int]]) -> None:
    """Note in `ends`, by run, and in the runs' directories which processes of this node left live memory and ended."""
    for run in runs_in(directory):
        _note_gone(run, ends.setdefault(run, {}))


def _note_gone(directory: Path, ends: dict[int, int]) -> None:
    host = own_name()
    seen = len(ends)
    for file in (file for folder in folders_here(directory) for file in folder.glob(f"{glob.escape(host)}-*.live")):
        process = process_of(file)
        if process and process not in ends and not is_in_use(file) and file.exists():
            ends[process] = time.time_ns()
    if len(ends) > seen:
        write_ends(directory, ends)


def folders_here(directory: Path) -> list[Path]:
    """The folders with live memory of the run that this machine can read."""
    return [directory, *(node.folder for node in on_nodes(directory) if node.here)]


def live_of(process: int) -> Path | None:
    """The live memory that a process of ours has mapped; None if it has none, or none that is in a file."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/maps").read_text(errors="surrogateescape").splitlines():
            if line.endswith(".live") and "/" in line:
                return Path(line[line.index("/") :])
    return None


def run_of(live: Path, folder: Path) -> Path | None:
    """The run, `folder` or one of those in it, that live memory belongs to."""
    if not live.parent.name.startswith("leadline-") or (live.parent / "job.json").exists():
        return live.parent
    pointer = f"{own_name()}{POINTER}"
    for run in runs_in(folder):
        with contextlib.suppress(OSError), Directory(run) as opened:
            if _named_by(opened, pointer) == live.parent:
                return run
    return None


def process_of(live: Path) -> int:
    """The process of this node to which the live memory belongs; 0 if it belongs to another node's."""
    host = own_name()
    match = PID.fullmatch(live.name.removeprefix(host)) if live.name.startswith(f"{host}-") else None
    return int(match[1]) if match else 0


def is_in_use(live: Path) -> bool:
    """Whether the process that made the file still has it mapped."""
    process = process_of(live)
    if not process:
        return False
    try:
        return f"/{live.name}\n" in Path(f"/proc/{process}/maps").read_text(errors="surrogateescape")
    except PermissionError:
        return True
    except OSError:
        return False


def _copy(folder: Directory, name: str, run: Directory) -> int:
    """Into the run's directory, whose readers see the whole file or none, and with no more permissions than it had.

    Returns its bytes.
    """
    import shutil  # not above: it imports every kind of archive, and a report imports this file

    with os.fdopen(folder.open(name), "rb") as source:
        status = os.fstat(source.fileno())
        with run.replacing(name, stat.S_IMODE(status.st_mode) & 0o666) as descriptor:
            if status.st_uid != os.geteuid():  # root collects for a user
                with contextlib.suppress(OSError):
                    os.fchown(descriptor, status.st_uid, -1)
            with os.fdopen(descriptor, "wb", closefd=False) as out:
                shutil.copyfileobj(source, out)
    return status.st_size


def _forget(node: OnNode) -> None:
    """Removes what a rank left for the others that came to that folder (src/recorder/job/node_record.hpp)."""
    with contextlib.suppress(OSError), Directory(node.folder.parent) as beside:
        for name in beside.names():
            status = beside.status_of(name) if RECORD.fullmatch(name) else None
            if status is not None and stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid():
                with contextlib.suppress(OSError):
                    if os.fsencode(node.folder) + b"\0" in beside.read(name, MOST_RECORD_BYTES):
                        beside.remove(name)


def _leave(node: OnNode, run: Directory) -> None:
    """Like the recorder, the one that removes the folder also removes the file that points to it, unless a process
    has arrived meanwhile."""
    pointer = f"{node.host}{POINTER}"
    try:
        node.folder.rmdir()
    except FileNotFoundError:
        pass
    except OSError:
        return
    run.remove(pointer)
    _forget(node)
    with contextlib.suppress(OSError):
        if node.folder.exists():
            run.write(pointer, os.fsencode(f"{node.folder}\n"))

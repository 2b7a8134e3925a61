"""Files that the processes of a run keep on their nodes while they run, and those that killed ones left there.

If the run's directory is on a network file system, live memory is on the node, and HOST.away in the run's directory
says where (docs/record/file-systems.md). A process that comes to its end writes its trace into the run's directory and
leaves nothing. The recordings of killed processes are collected by the command that started them, or by `leadline
collect`.
HOST.ends has the ends of processes of a node that did not close their traces.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

POINTER, ENDS = ".away", ".ends"
PID = re.compile(r"-(\d+)(?:-[0-9a-f]{8}|-\d{1,2})?\.live")  # after the host in the name of live memory


@dataclass(frozen=True)
class OnNode:
    """The directory of a run on one node. here: whether it can be read on this machine."""

    host: str
    folder: Path
    here: bool

    def live_files(self) -> list[Path]:
        """The live memory found there; empty if it cannot be read."""
        if not self.here:
            return []
        with contextlib.suppress(OSError):
            return sorted(self.folder.glob("*.live"))
        return []


@dataclass
class Collected:
    """The result of collect(). running: files that processes still use."""

    files: int = 0
    n_bytes: int = 0
    running: int = 0


def on_nodes(directory: Path) -> list[OnNode]:
    """The nodes on which the run has, or had, live memory."""
    found = []
    for pointer in sorted(directory.glob(f"*{POINTER}")):
        with contextlib.suppress(OSError, UnicodeDecodeError):
            host, folder = pointer.name.removesuffix(POINTER), Path(pointer.read_text().rstrip("\n"))
            if not folder.is_absolute() or not folder.name.startswith("leadline-"):
                continue
            here = host == os.uname().nodename[:64] and os.access(folder, os.R_OK | os.X_OK)
            found.append(OnNode(host, folder, here))
    return found


def runs_in(directory: Path) -> list[Path]:
    """The directory of a run, and those that other jobs of the same command have in it."""
    return [directory, *sorted(file.parent for file in directory.glob("*/job.json"))]


def collect(directory: Path) -> Collected:
    """Move the recordings of killed processes on this node into the run's directory; also for the runs within it.

    Raises OSError if the directory cannot take them; the others then stay where they are.
    """
    done = Collected()
    for run in runs_in(directory):
        _collect(run, done)
    return done


def _collect(directory: Path, done: Collected) -> None:
    for node in on_nodes(directory):
        if node.host != os.uname().nodename[:64]:
            continue
        for live in node.live_files():
            if is_in_use(live):
                done.running += 1
                continue
            # The live file last: with it the others count.
            for file in _of_one_process(live):
                if not any(directory.glob(f"rank-*-{_escaped(live.stem)}.trace")):
                    done.n_bytes += _move(file, directory)
                    done.files += file == live
                with contextlib.suppress(FileNotFoundError):
                    file.unlink()
        if not done.running:
            _take_ends(node, directory)
        _leave(node, directory)


def _take_ends(node: OnNode, directory: Path) -> None:
    """When processes ended, as a keeper noted that was itself killed (keeper.py)."""
    for file in node.folder.glob(f"*{ENDS}"):
        with contextlib.suppress(OSError):
            text, when = file.read_text(), file.stat().st_mtime_ns
            target = directory / file.name
            with target.open("a") as out:
                out.write(text)
            os.utime(target, ns=(when, when))
            file.unlink()


def read_ends(directory: Path) -> tuple[dict[tuple[str, int], int], dict[str, int]]:
    """When processes ended, by (host, process id), and when each host's keeper last lived. Unix times in ns."""
    ends: dict[tuple[str, int], int] = {}
    beats: dict[str, int] = {}
    for folder in folders_here(directory):
        for file in folder.glob(f"*{ENDS}"):
            host = file.name.removesuffix(ENDS)
            with contextlib.suppress(OSError, ValueError):
                beats[host] = max(file.stat().st_mtime_ns, beats.get(host, 0))
                for line in file.read_text().splitlines():
                    pid, end = line.split()
                    ends[host, int(pid)] = int(end)
    return ends, beats


def write_ends(folder: Path, ends: dict[int, int]) -> None:
    """Write the ends of processes of this node."""
    text = "".join(f"{process} {end}\n" for process, end in ends.items())
    (folder / f"{os.uname().nodename[:64]}{ENDS}").write_text(text)


def note_gone(directory: Path, ends: dict[Path, dict[int, int]]) -> None:
    """Note in `ends`, by run, and in the runs' directories which processes of this node left live memory and ended."""
    for run in runs_in(directory):
        _note_gone(run, ends.setdefault(run, {}))


def _note_gone(directory: Path, ends: dict[int, int]) -> None:
    host = os.uname().nodename[:64]
    seen = len(ends)
    for file in (file for folder in folders_here(directory) for file in folder.glob(f"{host}-*.live")):
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
    host = os.uname().nodename[:64]
    for pointer in (folder / f"{host}{POINTER}", *folder.glob(f"*/{host}{POINTER}")):
        with contextlib.suppress(OSError):
            if pointer.read_text().rstrip("\n") == str(live.parent):
                return pointer.parent
    return None


def process_of(live: Path) -> int:
    """The process of this node to which the live memory belongs; 0 if it belongs to another node's."""
    host = os.uname().nodename[:64]
    match = PID.fullmatch(live.name.removeprefix(host)) if live.name.startswith(f"{host}-") else None
    return int(match[1]) if match else 0


def is_in_use(live: Path) -> bool:
    """Whether the process that made the file still has it mapped."""
    process = process_of(live)
    if not process:
        return False
    try:
        return f"/{live.name}\n" in Path(f"/proc/{process}/maps").read_text()
    except PermissionError:
        return True
    except OSError:
        return False


def _of_one_process(live: Path) -> Iterator[Path]:
    part = live.with_suffix(".part")
    if part.exists():
        yield part
    yield live


def _move(file: Path, directory: Path) -> int:
    """A reader of the run's directory sees the whole file or none."""
    unfinished = directory / f".{file.name}.collecting"
    try:
        shutil.copyfile(file, unfinished)
        n_bytes = unfinished.stat().st_size
        os.replace(unfinished, directory / file.name)
    except OSError:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise
    return n_bytes


def _leave(node: OnNode, directory: Path) -> None:
    """Like the recorder, the one that removes the folder also removes the file that points to it, unless a process
    has arrived meanwhile."""
    pointer = directory / f"{node.host}{POINTER}"
    try:
        node.folder.rmdir()
    except FileNotFoundError:
        pass
    except OSError:
        return
    with contextlib.suppress(OSError):
        pointer.unlink()
        if node.folder.exists():
            pointer.write_text(f"{node.folder}\n")


def _escaped(stem: str) -> str:
    return re.sub(r"([*?[])", r"[\1]", stem)

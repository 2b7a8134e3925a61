"""A process on each node that outlives the ranks that `leadline exec` became there.

It notes when ranks ended that did not close their traces. Nothing else knows that: live memory has the call that a rank
was in, but not for how long. It also collects what a killed rank left on the node (nodes.py). The first rank of a run
on a node starts it. The others send it their process ids over a socket, which the kernel removes with the process. It
ends with the last rank.

If it cannot be started, or is itself killed, the ranks run as they would without it. The report then says less, and
`leadline collect` is left to the user.
"""

from __future__ import annotations

import contextlib
import glob
import os
import select
import signal
import socket
import time
import zlib
from pathlib import Path
from typing import NoReturn

from leadline import nodes

ANSWER = b"k"
PATIENCE_S = 2.0
BEAT_S = 5.0


def watch(directory: Path) -> None:
    """Have this process watched, which is about to become a rank of the run in `directory`. Never fails."""
    if not hasattr(os, "pidfd_open"):
        return
    with contextlib.suppress(OSError, OverflowError):
        for _ in range(3):  # a keeper may be about to end
            listener = _listen(_address(directory))
            if listener is not None:
                _start(directory, listener, os.getpid())
                return
            if _told(_address(directory)):
                return


def _address(directory: Path) -> str:
    """An abstract socket: of this kernel's network namespace, with no file."""
    name = os.fsencode(directory.absolute())
    return f"\0leadline-{os.getuid()}-{zlib.crc32(name):08x}-{zlib.adler32(name):08x}"


def _listen(address: str) -> socket.socket | None:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(address)
        listener.listen(1024)
    except OSError:
        listener.close()
        return None
    return listener


def _told(address: str) -> bool:
    """Whether the keeper took our process id."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as to:
            to.settimeout(PATIENCE_S)
            to.connect(address)
            to.sendall(f"{os.getpid()}\n".encode())
            return to.recv(1) == ANSWER
    except TimeoutError:
        return True  # it lives, and is slow
    except OSError:
        return False


def _start(directory: Path, listener: socket.socket, rank: int) -> None:
    """A grandchild of ours: the rank must not have a child that its program knows nothing of."""
    child = os.fork()
    if child:
        listener.close()
        os.waitpid(child, 0)
        return
    try:
        os.setsid()  # not of the rank's process group: a launcher may kill that
        if os.fork() == 0:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
                signal.signal(number, signal.SIG_IGN)
            _let_go(listener)
            keeper = Keeper(directory, listener)
            keeper.admit(rank)
            keeper.run()
    finally:
        os._exit(0)


def go_on(folder: str, listener: str, ranks: str, ends: str) -> NoReturn:
    """Go on as the keeper that leadline-exec began (src/exec/keeper.cpp): it bound the socket and admitted ranks.

    ranks: `descriptor:process` of each rank that runs, each with a comma after it; ends: `process:unix_ns` of others.
    """
    try:
        os.chdir("/")
        keeper = Keeper(Path(folder), socket.socket(fileno=int(listener)))
        for descriptor, rank in _pairs(ranks):
            keeper.take(descriptor, rank)
        for rank, unix_ns in _pairs(ends):
            keeper.note_end(rank, unix_ns)
        keeper.run()
    finally:
        os._exit(0)


def _pairs(text: str) -> list[tuple[int, int]]:
    return [(int(one), int(other)) for one, _, other in (pair.partition(":") for pair in text.split(",") if pair)]


def _let_go(listener: socket.socket) -> None:
    """So that nobody waits for the end of a stream that we hold open, and no file system stays busy."""
    os.chdir("/")
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    kept = listener.fileno()
    os.closerange(3, kept)
    os.closerange(kept + 1, 65536)


class Keeper:
    """Waits for the ranks of the runs in one folder on this node."""

    def __init__(self, folder: Path, listener: socket.socket) -> None:
        self._folder = folder
        self._listener = listener
        self._ranks: dict[int, int] = {}  # descriptor of a process: its id
        self._poll = select.poll()
        self._poll.register(listener, select.POLLIN)
        self._host = nodes.own_name()
        self._live: dict[int, Path] = {}  # by rank's process
        self._runs: dict[int, Path] = {}
        self._ends: dict[int, int] = {}

    def admit(self, rank: int) -> None:
        """Watch this process. Nothing to do if it is gone."""
        with contextlib.suppress(ProcessLookupError):
            self.take(os.pidfd_open(rank), rank)

    def take(self, descriptor: int, rank: int) -> None:
        """Watch this process, which a descriptor was opened of."""
        self._ranks[descriptor] = rank
        self._poll.register(descriptor, select.POLLIN)

    def note_end(self, rank: int, unix_ns: int) -> None:
        self._ends[rank] = unix_ns

    def run(self) -> None:
        while self._ranks:
            for descriptor, _ in self._poll.poll(BEAT_S * 1000):
                if descriptor == self._listener.fileno():
                    self._admit()
                else:
                    self._ended(descriptor)
            with contextlib.suppress(OSError):
                self._beat()
        # A process that asks from now on gets no answer, and starts another keeper.
        self._listener.close()
        with contextlib.suppress(OSError):
            self._finish()

    def _admit(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            connection, _ = self._listener.accept()
            with connection:
                connection.settimeout(PATIENCE_S)
                self.admit(int(connection.recv(32)))
                connection.sendall(ANSWER)

    def _ended(self, descriptor: int) -> None:
        self.note_end(self._ranks.pop(descriptor), time.time_ns())
        self._poll.unregister(descriptor)
        os.close(descriptor)

    def _beat(self) -> None:
        """Notes that we are alive, beside live memory: the run's directory may be on a network file system."""
        for rank in self._ranks.values():
            if rank not in self._live and (live := nodes.live_of(rank)) is not None:
                self._live[rank] = live
                run = nodes.run_of(live, self._folder)
                if run is not None:
                    self._runs[rank] = run
        for folder in {live.parent for live in self._live.values()}:
            if folder.is_dir():
                ends = {rank: end for rank, end in self._ends.items() if self._parent(rank) == folder}
                nodes.write_ends(folder, ends)

    def _parent(self, rank: int) -> Path | None:
        return self._live[rank].parent if rank in self._live else None

    def _finish(self) -> None:
        """Keeps the times of those that did not close their traces, and takes away those of the others."""
        for folder in {live.parent for live in self._live.values()}:
            with contextlib.suppress(OSError):
                (folder / f"{self._host}{nodes.ENDS}").unlink()
        runs = set(self._runs.values())
        if set(self._ends) - set(self._runs):  # they were gone before we looked
            runs |= {self._folder, *(path.parent for path in self._folder.glob(f"*/{glob.escape(self._host)}*"))}
        for run in runs:
            with contextlib.suppress(OSError):
                nodes.collect(run)
                left = [
                    m
                    for file in run.glob(f"{glob.escape(self._host)}-*.live")
                    if (m := nodes.process_of(file)) in self._ends
                ]
                if left:
                    nodes.write_ends(run, {rank: self._ends[rank] for rank in left})

"""Several hosts on this machine: namespaces with a name, an address, processes and memory of their own.

What they share is the file system, as nodes share a home directory; /tmp and /dev/shm are each one's own, and so is the
time since the start: a node's clock is 1000 s ahead of the one before it. A host is a
process that sleeps in its namespaces, the first one of its process numbers: the kernel ends everything on the host
with it, so that nothing is left whatever a test did there.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

NETWORK = "10.77.0"
LOGIN = "login"
# Of the invoking shell, what a person would have on a node too.
INHERITED = ("HOME", "LANG", "USER", "LOGNAME", "SHELL", "TERM")
CLOCK_STEP_S = 1000
# What commands on hosts have printed since a test began: see library_faults.py.
SAID: list[str] = []
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(frozen=True)
class Ended:
    """A command that is over."""

    code: int
    out: str
    err: str

    @property
    def everything(self) -> str:
        return f"code {self.code}\n{self.out}\n{self.err}"


@dataclass
class Host:
    """One of the hosts. process: the one that holds its namespaces, as this machine numbers it."""

    name: str
    address: str
    holder: subprocess.Popen[bytes]
    process: int

    def words(self, command: Sequence[str | Path], directory: Path | str = "/") -> list[str]:
        """The words that run a command on the host, in a directory of it."""
        inside = f"cd {shlex.quote(str(directory))} && exec {shlex.join(map(str, command))}"
        enter = ["nsenter", "-t", str(self.process), "-m", "-u", "-i", "-n", "-p", "-T", "--"]
        return [*enter, "/bin/sh", "-c", inside]

    def start(
        self, command: Sequence[str | Path], *, directory: Path | str = "/", environ: Mapping[str, str] | None = None
    ) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.words(command, directory),
            env=environment(environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(
        self,
        command: Sequence[str | Path],
        *,
        directory: Path | str = "/",
        environ: Mapping[str, str] | None = None,
        timeout: float = 120,
    ) -> Ended:
        process = self.start(command, directory=directory, environ=environ)
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise AssertionError(f"{command} took more than {timeout} s: {_so_far(process)}") from None
        SAID.extend((out, err))
        return Ended(process.returncode, out, err)

    def shell(
        self,
        script: str,
        *,
        directory: Path | str = "/",
        environ: Mapping[str, str] | None = None,
        timeout: float = 120,
    ) -> Ended:
        return self.run(["/bin/bash", "-c", script], directory=directory, environ=environ, timeout=timeout)


def _so_far(process: subprocess.Popen[str]) -> str:
    """Its output so far; a process that it left behind may hold its output open for ever."""
    try:
        return "\n".join(process.communicate(timeout=1))
    except subprocess.TimeoutExpired as still:
        return str(still.output)


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    kept = {name: os.environ[name] for name in INHERITED if name in os.environ}
    return {**kept, "PATH": PATH, **(more or {})}


@dataclass
class Hosts:
    """A login host and the nodes behind it. shared: a directory that all of them see."""

    login: Host
    nodes: list[Host]
    shared: Path

    @property
    def all(self) -> list[Host]:
        return [self.login, *self.nodes]


def are_possible() -> bool:
    """Whether hosts can be made here: it needs root, namespaces, and a network of virtual cables."""
    if os.geteuid() != 0 or not all(shutil.which(tool) for tool in ("unshare", "nsenter", "ip", "mount")):
        return False
    script = "ip link add end0 type veth peer name end1 && ip link add wire type bridge && mount -t tmpfs tmpfs /tmp"
    words = [
        "unshare",
        "--mount",
        "--uts",
        "--ipc",
        "--net",
        "--pid",
        "--time",
        "--fork",
        "--mount-proc",
        "sh",
        "-c",
        script,
    ]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


@contextlib.contextmanager
def made(count: int) -> Iterator[Hosts]:
    """The login host and `count` nodes, node1 and so on, for as long as the context lasts."""
    shared = Path(tempfile.mkdtemp(prefix="leadline-hosts-", dir="/var/tmp"))
    names = {LOGIN: f"{NETWORK}.1", **{f"node{i}": f"{NETWORK}.{i + 1}" for i in range(1, count + 1)}}
    known = shared / "hosts"
    known.write_text("127.0.0.1 localhost\n" + "".join(f"{address} {name}\n" for name, address in names.items()))
    started: list[Host] = []
    try:
        for number, (name, address) in enumerate(names.items()):
            started.append(_start(name, address, known, number * CLOCK_STEP_S))
        _connect(started[0], started[1:])
        yield Hosts(started[0], started[1:], shared)
    finally:
        for host in started:
            host.holder.kill()
            host.holder.wait()
        shutil.rmtree(shared, ignore_errors=True)


def _start(name: str, address: str, known: Path, clock_s: int) -> Host:
    setup = " && ".join(
        [
            f"hostname {name}",
            "mount -t tmpfs -o mode=1777 tmpfs /tmp",
            "mount -t tmpfs -o mode=1777 tmpfs /dev/shm",
            f"mount --bind {shlex.quote(str(known))} /etc/hosts",
            "ip link set lo up",
            "echo ready",
            "sleep infinity & wait",  # the shell stays: it is the one to bury orphans
        ]
    )
    spaces = ["--mount", "--uts", "--ipc", "--net", "--pid", "--time"]
    spaces += ["--monotonic", str(clock_s), "--boottime", str(clock_s)]
    holder = subprocess.Popen(
        [
            "setpriv",
            "--pdeathsig",
            "KILL",
            "unshare",
            *spaces,
            "--fork",
            "--kill-child",
            "--mount-proc",
            "sh",
            "-c",
            setup,
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    if holder.stdout.readline() != b"ready\n":
        holder.kill()
        raise AssertionError(f"the host {name} did not start")
    (process,) = Path(f"/proc/{holder.pid}/task/{holder.pid}/children").read_text().split()
    return Host(name, address, holder, int(process))


def _connect(login: Host, nodes: Sequence[Host]) -> None:
    """The login host is the switch."""
    _check(login, f"ip link add wire type bridge && ip addr add {login.address}/24 dev wire && ip link set wire up")
    for number, node in enumerate(nodes, 1):
        _check(login, f"ip link add w{number} type veth peer name eth0 netns {node.process}", outside=True)
        _check(login, f"ip link set w{number} master wire && ip link set w{number} up")
        _check(node, f"ip addr add {node.address}/24 dev eth0 && ip link set eth0 up")


def _check(host: Host, script: str, *, outside: bool = False) -> None:
    if outside:  # names a namespace by a process number of this machine
        words = ["nsenter", "-t", str(host.process), "-n", "--", "sh", "-c", script]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return
    ended = host.run(["sh", "-c", script])
    assert ended.code == 0, ended.everything


def wait_for(what: str, holds: object, *, seconds: float = 60) -> None:
    """Wait until holds() is true; fails with `what` if it never is."""
    assert callable(holds)
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"not within {seconds} s: {what}"
        time.sleep(0.05)

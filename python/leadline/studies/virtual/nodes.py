"""Nodes on this machine: namespaces with a name, an address and shared memory of their own, and links of limited rate
between them. What they share is the file system, as nodes share a home directory, and the cores.

A node is a process that sleeps in its namespaces and ends with this one. MPI's launcher starts ranks on it by a script
that takes the place of ssh.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from leadline.errors import MissingPrerequisite, UsageError
from leadline.mpi import Library

NETWORK = "10.78.0"
SWITCH = "switch"
MOST = 200
TOOLS = ("setpriv", "unshare", "nsenter", "ip", "tc", "mount")
RATE = re.compile(r"\d{1,9}(\.\d{1,3})?[kmgt]?bit")
PIDS, HOSTS, REMOTE = "pids", "hosts", "remote"
SPACES = ("-m", "-u", "-i", "-n")  # those that a node has of its own, as nsenter's options


@dataclass(frozen=True)
class Node:
    name: str
    address: str
    holder: subprocess.Popen[bytes]


def launcher(directory: Path, ranks: int | str) -> str:
    """The file that starts so many ranks, as a launcher whose name is mpiexec's."""
    return str(directory / f"mpiexec-{ranks}")


def checked_rate(rate: str) -> str:
    """As tc takes it. Raises UsageError."""
    if not RATE.fullmatch(rate):
        raise UsageError(f"--rate {rate}: expected bits per second, e.g. 1gbit or 100mbit")
    return rate


def why_impossible() -> str:
    """Why there can be no nodes here; "" if they can be made."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        return f"{', '.join(missing)} not installed"
    if os.geteuid() != 0:
        return "network namespaces need root"
    script = "ip link add end0 type veth peer name end1 && ip link add wire type bridge"
    script += " && tc qdisc add dev end0 root tbf rate 1gbit burst 64kb limit 4mb && mount -t tmpfs tmpfs /dev/shm"
    words = ["unshare", "--mount", "--uts", "--ipc", "--net", "sh", "-c", script]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"this system refuses them: {' '.join(done.stderr.split())[:200]}"


@contextlib.contextmanager
def made(counts: Sequence[int], rate: str, library: Library, directory: Path) -> Iterator[None]:
    """As many nodes as the largest of counts, with a launcher for each of them in the directory.

    Raises MissingPrerequisite where they cannot be made.
    """
    if why := why_impossible():
        raise MissingPrerequisite(f"nodes cannot be made: {why}", hint="--virtual-launcher for real ones")
    directory.mkdir(exist_ok=True)
    names = write_hosts(directory, max(counts))
    with contextlib.ExitStack() as stack:
        nodes = [stack.enter_context(started(name, address, directory / HOSTS)) for name, address in names.items()]
        switch, *others = nodes
        make_bridge(switch)
        _connect(switch, others, checked_rate(rate))
        write_pids(directory, nodes)
        cases = "; ".join(f"{node.address}) host={node.name}" + ";" for node in others)
        remote = [
            f'case "$host" in {cases} esac',
            f"here=$PWD; {entering(directory)} {' '.join(SPACES)} "
            '-- /bin/sh -c "cd \\"$here\\" && export TMPDIR=/dev/shm && $*"',
        ]
        write_launchers(directory, counts, library, switch.address, [node.address for node in others], remote)
        yield


def write_hosts(directory: Path, count: int) -> dict[str, str]:
    """The addresses of the switch and of the nodes, by name; and their file."""
    names = {SWITCH: f"{NETWORK}.1", **{f"node{i}": f"{NETWORK}.{i + 1}" for i in range(1, count + 1)}}
    lines = ["127.0.0.1 localhost", *(f"{address} {name}" for name, address in names.items()), ""]
    (directory / HOSTS).write_text("\n".join(lines))
    return names


def write_pids(directory: Path, nodes: Sequence[Node]) -> None:
    """Of those that launchers and ranks are started in."""
    (directory / PIDS).write_text("".join(f"{each.name} {each.holder.pid}\n" for each in nodes))


@contextlib.contextmanager
def started(name: str, address: str, hosts: Path) -> Iterator[Node]:
    """Its namespaces, to the end of the block."""
    node = _start(name, address, hosts)
    try:
        yield node
    finally:
        node.holder.kill()
        node.holder.wait()


def _start(name: str, address: str, hosts: Path) -> Node:
    setup = [
        f"hostname {name}",
        "mount -t tmpfs -o mode=1777 tmpfs /dev/shm",
        f"mount --bind {shlex.quote(str(hosts.absolute()))} /etc/hosts",
        "ip link set lo up",
        "echo ready",
        "exec sleep infinity",
    ]
    spaces = ["unshare", "--mount", "--uts", "--ipc", "--net"]
    words = ["setpriv", "--pdeathsig", "KILL", *spaces, "sh", "-c", " && ".join(setup)]
    holder = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True)
    assert holder.stdout is not None
    if holder.stdout.readline() != b"ready\n":
        holder.kill()
        holder.wait()
        raise MissingPrerequisite(f"the node {name} cannot be made")
    return Node(name, address, holder)


def limit(rate: str) -> str:
    """For tc qdisc add dev DEVICE."""
    return f"root tbf rate {rate} burst 64kb limit 4mb"


def make_bridge(switch: Node) -> None:
    run_in(switch, f"ip link add wire type bridge && ip addr add {switch.address}/24 dev wire && ip link set wire up")


def _connect(switch: Node, others: Sequence[Node], rate: str) -> None:
    """A cable from the switch to each node, of the same rate in both directions."""
    for number, node in enumerate(others, 1):
        port = f"w{number}"
        run_in(
            switch,
            f"ip link add {port} type veth peer name eth0 netns {node.holder.pid} && ip link set {port} master wire "
            f"&& ip link set {port} up && tc qdisc add dev {port} {limit(rate)}",
        )
        run_in(
            node,
            f"ip addr add {node.address}/24 dev eth0 && ip link set eth0 up && ip -6 addr flush dev eth0 "
            f"&& tc qdisc add dev eth0 {limit(rate)}",
        )


def run_in(node: Node, script: str) -> None:
    """In its network, and with the files and process numbers of this machine."""
    words = ["nsenter", "-t", str(node.holder.pid), "-n", "--", "sh", "-c", script]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise MissingPrerequisite(f"the network of {node.name} cannot be made: {' '.join(done.stderr.split())[:200]}")


def entering(directory: Path) -> str:
    """In the shell: becomes a process in namespaces of $host, which options and words that follow it name."""
    pids = shlex.quote(str((directory / PIDS).absolute()))
    return f'exec nsenter -t "$(awk -v n="$host" \'$1 == n {{ print $2 }}\' {pids})"'


def write_launchers(
    directory: Path,
    counts: Sequence[int],
    library: Library,
    here: str,
    addresses: Sequence[str],
    remote: Sequence[str],
) -> None:
    """For each of counts a launcher, which starts ranks on so many of the addresses from the switch's network, whose
    own address is `here`.   remote: lines of bash that run the words "$@" at the address $host, as ssh does."""
    script = directory.absolute() / REMOTE
    _script(script, ["while [[ $1 == -* ]]; do shift; done", "host=$1; shift", *remote])
    for count in dict.fromkeys(counts):
        words = library.kind.over_hosts.words(
            script=str(script), here=here, hosts=addresses[:count], network=f"{NETWORK}.0/24"
        )
        start = shlex.join([str(library.mpiexec), *words])
        ask = f'[[ $1 == --version ]] && exec {shlex.quote(str(library.mpiexec))} "$@"'
        _script(Path(launcher(directory, count)), [ask, f'host={SWITCH}; {entering(directory)} -u -n -- {start} "$@"'])


def _script(file: Path, lines: Sequence[str]) -> None:
    file.write_text("\n".join(["#!/bin/bash", *lines, ""]))
    file.chmod(0o755)

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
    names = {SWITCH: f"{NETWORK}.1", **{f"node{i}": f"{NETWORK}.{i + 1}" for i in range(1, max(counts) + 1)}}
    lines = ["127.0.0.1 localhost", *(f"{address} {name}" for name, address in names.items()), ""]
    (directory / HOSTS).write_text("\n".join(lines))
    nodes: list[Node] = []
    try:
        for name, address in names.items():
            nodes.append(_start(name, address, directory / HOSTS))
        _connect(nodes, checked_rate(rate))
        (directory / PIDS).write_text("".join(f"{each.name} {each.holder.pid}\n" for each in nodes))
        _write_scripts(nodes, counts, library, directory)
        yield
    finally:
        for node in nodes:
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


def _connect(nodes: Sequence[Node], rate: str) -> None:
    """A switch with a cable to each node, of the same rate in both directions."""
    switch, *others = nodes
    limit = f"root tbf rate {rate} burst 64kb limit 4mb"
    _run(switch, f"ip link add wire type bridge && ip addr add {switch.address}/24 dev wire && ip link set wire up")
    for number, node in enumerate(others, 1):
        port = f"w{number}"
        _run(
            switch,
            f"ip link add {port} type veth peer name eth0 netns {node.holder.pid} && ip link set {port} master wire "
            f"&& ip link set {port} up && tc qdisc add dev {port} {limit}",
        )
        _run(
            node,
            f"ip addr add {node.address}/24 dev eth0 && ip link set eth0 up && ip -6 addr flush dev eth0 "
            f"&& tc qdisc add dev eth0 {limit}",
        )


def _run(node: Node, script: str) -> None:
    """In its network, and with the files and process numbers of this machine."""
    words = ["nsenter", "-t", str(node.holder.pid), "-n", "--", "sh", "-c", script]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise MissingPrerequisite(f"the network of {node.name} cannot be made: {' '.join(done.stderr.split())[:200]}")


def _write_scripts(nodes: Sequence[Node], counts: Sequence[int], library: Library, directory: Path) -> None:
    switch, *others = nodes
    pids = shlex.quote(str((directory / PIDS).absolute()))
    enter = f'exec nsenter -t "$(awk -v n="$host" \'$1 == n {{ print $2 }}\' {pids})"'
    cases = "; ".join(f"{node.address}) host={node.name}" + ";" for node in others)
    remote = directory.absolute() / REMOTE
    _script(
        remote,
        [
            "while [[ $1 == -* ]]; do shift; done",
            f'host=$1; shift; case "$host" in {cases} esac',
            f'here=$PWD; {enter} {" ".join(SPACES)} -- /bin/sh -c "cd \\"$here\\" && export TMPDIR=/dev/shm && $*"',
        ],
    )
    for count in dict.fromkeys(counts):
        words = library.kind.over_hosts.words(
            script=str(remote),
            here=switch.address,
            hosts=[node.address for node in others[:count]],
            network=f"{NETWORK}.0/24",
        )
        start = shlex.join([str(library.mpiexec), *words])
        ask = f'[[ $1 == --version ]] && exec {shlex.quote(str(library.mpiexec))} "$@"'
        _script(Path(launcher(directory, count)), [ask, f'host={SWITCH}; {enter} -u -n -- {start} "$@"'])


def _script(file: Path, lines: Sequence[str]) -> None:
    file.write_text("\n".join(["#!/bin/bash", *lines, ""]))
    file.chmod(0o755)

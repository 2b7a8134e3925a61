"""Slow links between the hosts of hosts.py, and a launcher's way to start ranks on them without ssh."""

from __future__ import annotations

import shlex
from pathlib import Path

from jobs import hosts


def limit(host: hosts.Host, port: str, rate: str, burst: str = "64kb") -> None:
    """What leaves the host there. rate, burst: as tc takes them; as much as a burst passes at once after a pause.

    Raises SystemExit where that cannot be done."""
    ended = host.run(["sh", "-c", f"tc qdisc add dev {port} root tbf rate $0 burst {burst} limit 4mb", rate])
    if ended.code != 0:
        raise SystemExit(f"the rate of the link cannot be limited: {ended.err}")


def remote_shell(made: hosts.Hosts, directory: Path | str) -> Path:
    """A script in place of ssh: HOST COMMAND..., with options before the host left out."""
    lines = ["#!/bin/bash", "while [[ $1 == -* ]]; do shift; done", 'host=$1; shift; case "$host" in']
    for node in made.nodes:
        words = shlex.join(["nsenter", "-t", str(node.process), "-m", "-u", "-i", "-n", "-p", "-T", "--"])
        lines.append(f'{node.address}) exec {words} /bin/sh -c "cd {shlex.quote(str(directory))}; $*";;')
    path = made.shared / "remote"
    path.write_text("\n".join([*lines, "*) exit 1;;", "esac", ""]))
    path.chmod(0o755)
    return path

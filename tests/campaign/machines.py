"""Machines that share no file system: hosts of tests/jobs with files of their own, an sshd each, and slow links.

A node keeps the system's folders, and has nothing of the project, of its user's home or of the login host's: only the
MPI libraries are put back, as a site would have them.
"""

from __future__ import annotations

import contextlib
import shlex
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from jobs import hosts
from jobs.links import limit

from leadline import mpi

ROOT = Path(__file__).resolve().parents[2]
KEPT = "/mnt"  # of the MPI libraries, while the folder that they are in is hidden
HOME = "/root"
LEADLINE = (sys.executable, "-m", "leadline")


@dataclass(frozen=True)
class Machines:
    """folder: of the login host, with ssh's configuration in it."""

    hosts: hosts.Hosts
    folder: Path

    @property
    def config(self) -> Path:
        return self.folder / "config"

    @property
    def known(self) -> Path:
        return self.folder / "known_hosts"

    def start_sshd(self, number: int) -> None:
        node = self.hosts.nodes[number]
        ended = node.shell(f"mkdir -p /run/sshd && /usr/sbin/sshd -f {HOME}/sshd_config")
        assert ended.code == 0, ended.everything

    def campaign(self, *words: str | Path, **more: float) -> hosts.Ended:
        return self.hosts.login.run([*LEADLINE, "campaign", *words], directory=self.folder, **more)  # type: ignore[arg-type]


def why_not() -> str:
    missing = [tool for tool in ("ssh", "ssh-keygen", "tc") if shutil.which(tool) is None]
    if missing or not Path("/usr/sbin/sshd").exists():
        return "needs ssh, sshd and tc"
    return "" if hosts.are_possible() else "needs root and namespaces"


@contextlib.contextmanager
def made(libraries: list[mpi.Library], count: int = 1, rate: str = "20mbit") -> Iterator[Machines]:
    """rate: of the links in both directions."""
    with hosts.made(count) as found:
        folder = found.shared / "login"
        folder.mkdir()
        machines = Machines(found, folder)
        script = f"ssh-keygen -q -t ed25519 -N '' -f {folder}/key"
        assert found.login.shell(script).code == 0
        machines.config.write_text(
            f"Host *\n  IdentityFile {folder}/key\n  UserKnownHostsFile {machines.known}\n"
            "  GlobalKnownHostsFile /dev/null\n  StrictHostKeyChecking no\n"
        )
        for number, node in enumerate(found.nodes, 1):
            _hide(node, libraries, folder, found.shared)
            limit(node, "eth0", rate)
            limit(found.login, f"w{number}", rate)
            machines.start_sshd(number - 1)
            key = node.shell(f"cat {HOME}/host_key.pub").out.split()
            with machines.known.open("a") as known:
                known.write(f"{node.name} {key[0]} {key[1]}\n")
        for node in found.nodes:
            ask = ["ssh", "-F", str(machines.config), node.name, "true"]
            hosts.wait_for("sshd answers", lambda ask=ask: found.login.run(ask).code == 0)
        yield machines


def _hide(node: hosts.Host, libraries: list[mpi.Library], folder: Path, shared: Path) -> None:
    prefixes = {str(each.mpiexec.parent.parent.resolve()) for each in libraries}
    quoted = shlex.quote
    key = (folder / "key.pub").read_text().strip()
    lines = ["set -e", f"mount -t tmpfs tmpfs {KEPT}"]
    for number, prefix in enumerate(prefixes):
        lines += [f"mkdir {KEPT}/{number}", f"mount --bind {quoted(prefix)} {KEPT}/{number}"]
    lines += [f"mount -t tmpfs tmpfs {quoted(str(ROOT))}", f"mount -t tmpfs -o mode=700 tmpfs {HOME}"]
    for number, prefix in enumerate(prefixes):
        lines += [f"mkdir -p {quoted(prefix)}", f"mount --bind {KEPT}/{number} {quoted(prefix)}"]
    lines += [
        f"ssh-keygen -q -t ed25519 -N '' -f {HOME}/host_key",
        f"echo {quoted(key)} > {HOME}/authorized_keys",
        f"mkdir -m 700 {HOME}/.ssh && cp {quoted(str(folder))}/key {HOME}/.ssh/",
        f"printf '%s\\n' 'IdentityFile {HOME}/.ssh/key' 'StrictHostKeyChecking no' 'LogLevel ERROR' "
        f"> {HOME}/.ssh/config",
        f"printf '%s\\n' 'HostKey {HOME}/host_key' 'AuthorizedKeysFile {HOME}/authorized_keys' 'StrictModes no' "
        f"'PermitRootLogin yes' 'PasswordAuthentication no' 'UsePAM no' 'PidFile none' > {HOME}/sshd_config",
        f"mount -t tmpfs tmpfs {quoted(str(shared))}",
    ]
    ended = node.shell("\n".join(lines))
    assert ended.code == 0, ended.everything

"""Nodes that are virtual machines: small QEMU guests under KVM on a switch of the study's own.

A guest has this machine's files, read only, with what it writes in its own memory; the folder of the study is shared.
It boots a kernel of this machine, and sshd starts ranks in it, with keys made for the run. It ends with this process.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from leadline.errors import MissingPrerequisite
from leadline.mpi import Library
from leadline.studies.virtual import initramfs, kernel, nodes
from leadline.studies.virtual.kernel import Kernel

KVM, CPUINFO = Path("/dev/kvm"), Path("/proc/cpuinfo")
QEMU = "qemu-system-x86_64"
TOOLS = (*nodes.TOOLS, "ssh", "ssh-keygen", "insmod", "ldd", "chroot")
PACKAGES = {QEMU: "qemu-system-x86", "insmod": "kmod", "ssh": "openssh-client", "tc": "iproute2"}
MEMORY_MB = 256
BOOT_S = 120.0
LOOK_S = 0.05
READY = "leadline-guest-ready"
# Of the kernel's command line: what the kernel does not know is in the environment of init.
NAME, ADDRESS = "leadline_name", "leadline_address"
FIRST_ROOT, SETUP = "initramfs.cpio", "guest.sh"
KEY, HOST_KEY, KNOWN, SSH, SSHD = "key", "host_key", "known_hosts", "ssh_config", "sshd_config"
MOST_SAID = 300  # characters of why a guest ended


@dataclass(frozen=True)
class Guest:
    """A node with its machine. folder: of the launchers; the study's is the one that it is in."""

    number: int
    name: str
    address: str
    folder: Path

    @property
    def tap(self) -> str:
        return f"g{self.number}"

    @property
    def console(self) -> Path:
        return self.folder / f"{self.name}.log"

    def words(self, found: Kernel) -> list[str]:
        """The command that is the machine."""
        append = f"console=ttyS0 quiet panic=-1 {NAME}={self.name} {ADDRESS}={self.address}"
        return [
            *(QEMU, "-accel", "kvm", "-cpu", "host", "-smp", "1", "-m", str(MEMORY_MB)),
            *("-nodefaults", "-no-user-config", "-no-reboot", "-display", "none"),
            *("-chardev", f"file,id=console,path={_doubled(self.console)}", "-serial", "chardev:console"),
            *("-kernel", str(found.image), "-initrd", str(self.folder / FIRST_ROOT), "-append", append),
            *_share("files", Path("/"), ",readonly=on"),
            *_share("study", self.folder.parent, ""),
            *("-netdev", f"tap,id=link,ifname={self.tap},script=no,downscript=no"),
            *("-device", f"virtio-net-pci,netdev=link,mac=52:54:00:4e:00:{self.number:02x},romfile="),
        ]


def _doubled(path: Path) -> str:
    """As QEMU takes a path with commas among its options."""
    return str(path).replace(",", ",,")


def _share(tag: str, folder: Path, options: str) -> list[str]:
    local = f"local,id={tag},path={_doubled(folder)},security_model=none,multidevs=remap{options}"
    return ["-fsdev", local, "-device", f"virtio-9p-pci,fsdev={tag},mount_tag={tag}"]


def why_impossible(given: Path | None = None) -> str:
    """Why there can be no guests here, with what to install; "" if they can be tried. given: the kernel."""
    if not os.access(KVM, os.R_OK | os.W_OK):
        return f"there is no KVM here: {KVM} is missing, or may not be used"
    if given is None and not {"vmx", "svm"} & set(CPUINFO.read_text().split()):
        return (
            "KVM is here, but the processor's virtualisation is not (neither vmx nor svm in "
            f"{CPUINFO}): usual kernels do not boot in reasonable time; --guest-kernel FILE tries one all the same"
        )
    missing = [tool for tool in (QEMU, *TOOLS) if shutil.which(tool) is None]
    missing += [] if _sshd() else ["sshd"]
    if missing:
        packages = [PACKAGES.get(tool, "openssh-server" if tool == "sshd" else tool) for tool in missing]
        return f"{', '.join(missing)} not installed (apt-get install {' '.join(packages)})"
    if os.geteuid() != 0:
        return "their network needs root"
    try:
        kernel.find(given)
    except kernel.NoKernel as error:
        return f"{error} ({error.hint})" if error.hint else str(error)
    return ""


@contextlib.contextmanager
def made(
    counts: Sequence[int], rate: str, library: Library, directory: Path, given: Path | None = None
) -> Iterator[None]:
    """As many guests as the largest of counts, with a launcher for each of them in the directory; the folder that this
    is in is the one that guests can write to.

    Raises MissingPrerequisite where they cannot be made, or do not start.
    """
    if why := why_impossible(given):
        raise MissingPrerequisite(f"guests cannot be made: {why}")
    _check_memory(max(counts))
    found = kernel.find(given)
    directory = directory.absolute()
    directory.mkdir(exist_ok=True)
    switch_address, *addresses = nodes.write_hosts(directory, max(counts)).values()
    guests = [Guest(i, f"node{i}", address, directory) for i, address in enumerate(addresses, 1)]
    _write_files(directory, found, guests, rate)
    with contextlib.ExitStack() as stack:
        for name in (KEY, HOST_KEY, FIRST_ROOT):
            stack.callback((directory / name).unlink, missing_ok=True)
        switch = stack.enter_context(nodes.started(nodes.SWITCH, switch_address, directory / nodes.HOSTS))
        nodes.make_bridge(switch)
        nodes.write_pids(directory, [switch])
        running = [stack.enter_context(_running(guest, found, switch, rate)) for guest in guests]
        until = time.monotonic() + BOOT_S
        for guest, process in zip(guests, running, strict=True):
            _wait(guest, process, until)
        nodes.write_launchers(directory, counts, library, switch_address, addresses, [_remote(directory)])
        yield


def _check_memory(count: int) -> None:
    for line in Path("/proc/meminfo").read_text().splitlines():
        name, _, rest = line.partition(":")
        if name == "MemAvailable" and int(rest.split()[0]) // 1024 < count * MEMORY_MB:
            raise MissingPrerequisite(
                f"{count} guests of {MEMORY_MB} MiB need more memory than the {int(rest.split()[0]) // 1024} MiB that "
                "are available",
                hint="fewer nodes: -n 2,4",
            )


def _write_files(directory: Path, found: Kernel, guests: Sequence[Guest], rate: str) -> None:
    (directory / FIRST_ROOT).write_bytes(initramfs.made(found, directory / SETUP))
    for name in (KEY, HOST_KEY):
        for file in (directory / name, directory / f"{name}.pub"):
            file.unlink(missing_ok=True)
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "leadline", "-f", str(directory / name)]
        subprocess.run(words, stdin=subprocess.DEVNULL, check=True)
    kind, public = (directory / f"{HOST_KEY}.pub").read_text().split()[:2]
    (directory / KNOWN).write_text("".join(f"{guest.address} {kind} {public}\n" for guest in guests))
    (directory / SSH).write_text(ssh_config(directory))
    (directory / SSHD).write_text(sshd_config(directory))
    (directory / SETUP).write_text(setup(directory, rate))


def ssh_config(directory: Path) -> str:
    """Host keys are those made for the run, or there is no connection."""
    key, known = (_quoted(directory / name) for name in (KEY, KNOWN))
    lines = [
        *("Host *", "User root", f"IdentityFile {key}", "IdentitiesOnly yes", "BatchMode yes"),
        *(f"UserKnownHostsFile {known}", "GlobalKnownHostsFile /dev/null", "StrictHostKeyChecking yes"),
        *("ForwardAgent no", "ConnectTimeout 20", "LogLevel ERROR"),
    ]
    return "\n".join([*lines, ""])


def sshd_config(directory: Path) -> str:
    lines = [
        f"HostKey {_quoted(directory / HOST_KEY)}",
        *(f"AuthorizedKeysFile {_quoted(directory / f'{KEY}.pub')}", "StrictModes no"),
        *("PermitRootLogin prohibit-password", "PasswordAuthentication no", "KbdInteractiveAuthentication no"),
        *("UsePAM no", "UseDNS no", "PidFile none", "LogLevel ERROR"),
    ]
    return "\n".join([*lines, ""])


def _quoted(path: Path) -> str:
    """As ssh and sshd read it: % begins a token."""
    return '"' + str(path).replace("%", "%%") + '"'


def setup(directory: Path, rate: str) -> str:
    """What a guest runs once it has this machine's files: the rest of the system, the network, sshd. A locked password
    of root's would refuse keys, too."""
    study, here = shlex.quote(str(directory.parent)), shlex.quote(str(directory))
    lines = [
        *("#!/bin/sh", "set -e", "export PATH=/usr/sbin:/usr/bin:/sbin:/bin"),
        *("mount -t proc proc /proc", "mount -t sysfs sys /sys", "mount -t devtmpfs dev /dev"),
        *("mkdir -p /dev/pts /dev/shm", "mount -t devpts devpts /dev/pts", "mount -t tmpfs -o mode=1777 shm /dev/shm"),
        *("mount -t tmpfs -o mode=755 run /run", "mkdir -p /run/sshd", "ln -s /proc/self/fd /dev/fd"),
        *(f"mkdir -p {study}", f"mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144,cache=mmap study {study}"),
        *(f'echo "${NAME}" > /proc/sys/kernel/hostname', f"cat {here}/{nodes.HOSTS} > /etc/hosts"),
        "sed -i 's/^root:!*:/root:*:/' /etc/shadow || true",
        *("ip link set lo up", f'ip addr add "${ADDRESS}/24" dev eth0', "ip link set eth0 up"),
        *("ip -6 addr flush dev eth0", f"tc qdisc add dev eth0 {nodes.limit(rate)}"),
        f"{_sshd()} -f {here}/{SSHD}",
        *(f"echo {READY} > /dev/console", "while :; do sleep 1000; done"),
    ]
    return "\n".join([*lines, ""])


def _sshd() -> str:
    return shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin") or ""


def _remote(directory: Path) -> str:
    """ssh hands on no variables: they are written into the command. bash writes them for bash alone to read, and the
    shell that sshd starts may be another one."""
    config = shlex.quote(str(directory / SSH))
    return (
        'command="$(export -p); cd \\"\\$PWD\\" && export TMPDIR=/dev/shm && $*"; '
        "quoted=${command//\\'/\\'\\\\\\'\\'}; "
        f'exec ssh -F {config} "$host" "exec bash -c \'$quoted\'"'
    )


@contextlib.contextmanager
def _running(guest: Guest, found: Kernel, switch: nodes.Node, rate: str) -> Iterator[subprocess.Popen[bytes]]:
    nodes.run_in(
        switch,
        f"ip tuntap add mode tap {guest.tap} && ip link set {guest.tap} master wire && ip link set {guest.tap} up "
        f"&& tc qdisc add dev {guest.tap} {nodes.limit(rate)}",
    )
    guest.console.unlink(missing_ok=True)
    entering = ["setpriv", "--pdeathsig", "KILL", "nsenter", "-t", str(switch.holder.pid), "-n", "--"]
    with guest.console.with_suffix(".err").open("wb") as errors:
        process = subprocess.Popen(
            [*entering, *guest.words(found)],
            stdin=subprocess.DEVNULL,
            stdout=errors,
            stderr=errors,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def _wait(guest: Guest, process: subprocess.Popen[bytes], until: float) -> None:
    """Until ranks can be started in it."""
    while READY not in _said(guest.console):
        over = process.poll() is not None
        if over or time.monotonic() > until:
            errors = _said(guest.console.with_suffix(".err")) or _said(guest.console)
            why = " ".join(errors.split())[-MOST_SAID:] or "it said nothing"
            how = "ended" if over else f"was not ready in {BOOT_S:g} s"
            raise MissingPrerequisite(f"guests cannot be made: {guest.name} {how}: {why}")
        time.sleep(LOOK_S)


def _said(file: Path) -> str:
    try:
        return file.read_text(errors="replace")
    except FileNotFoundError:
        return ""

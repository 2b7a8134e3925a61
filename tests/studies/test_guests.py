"""Guests of leadline study virtual: their kernel, first root and commands; and ranks in real ones, where KVM is."""

from __future__ import annotations

import json
import lzma
import os
import subprocess
import sys
from pathlib import Path

import pytest

from leadline import mpi, workloads
from leadline.errors import MissingPrerequisite, UsageError
from leadline.figures.run import open_run
from leadline.studies.virtual import guests, initramfs, kernel, nodes
from leadline.studies.virtual.guests import Guest
from leadline.studies.virtual.kernel import Kernel, NoKernel
from leadline.studies.virtual.plan import patience

DEPENDENCIES = """\
kernel/net/9p/9pnet.ko.xz:
kernel/net/9p/9pnet_virtio.ko.xz: kernel/drivers/virtio/virtio_ring.ko kernel/net/9p/9pnet.ko.xz
kernel/fs/9p/9p.ko: kernel/net/9p/9pnet.ko.xz kernel/fs/netfs/netfs.ko
kernel/fs/netfs/netfs.ko:
kernel/fs/overlayfs/overlay.ko:
kernel/drivers/virtio/virtio_ring.ko:
kernel/drivers/net/virtio_net.ko: kernel/drivers/virtio/virtio_ring.ko
"""


def installed_kernel(root: Path, version: str, dependencies: str = DEPENDENCIES, builtin: str = "") -> Path:
    modules = root / "usr/lib/modules" / version
    modules.mkdir(parents=True)
    (modules / "modules.dep").write_text(dependencies)
    (modules / "modules.builtin").write_text(
        f"kernel/drivers/virtio/virtio-pci.ko\nkernel/net/sched/sch_tbf.ko\n{builtin}"
    )
    image = root / "boot" / f"vmlinuz-{version}"
    image.parent.mkdir(exist_ok=True)
    image.touch()
    return image


def test_modules_are_loaded_after_those_that_they_need(tmp_path: Path) -> None:
    found = kernel.of(installed_kernel(tmp_path, "6.1.0-9"))
    names = [kernel.plain_name(each) for each in found.modules]
    assert " ".join(names) == "virtio_ring.ko virtio_net.ko 9pnet.ko 9pnet_virtio.ko netfs.ko 9p.ko overlay.ko"


def test_the_newest_kernel_that_can_be_used_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "BOOT", tmp_path / "boot")
    with pytest.raises(NoKernel, match="there is no kernel"):
        kernel.find(None)
    for version in ("6.9.1", "6.10.1"):
        installed_kernel(tmp_path, version)
    installed_kernel(tmp_path, "6.11.1", DEPENDENCIES.replace("9p.ko", "8p.ko"))
    assert kernel.find(None).image.name == "vmlinuz-6.10.1"
    for version in ("6.9.1", "6.10.1"):
        (tmp_path / "boot" / f"vmlinuz-{version}").unlink()
    with pytest.raises(NoKernel, match=r"vmlinuz-6\.11\.1 cannot be used: it has no module 9p"):
        kernel.find(None)
    with pytest.raises(UsageError, match="it has no module 9p"):
        kernel.find(tmp_path / "boot/vmlinuz-6.11.1")
    with pytest.raises(UsageError, match="no such file"):
        kernel.find(tmp_path / "nothing")
    (tmp_path / "boot/vmlinuz-7").touch()
    with pytest.raises(UsageError, match=r"modules\.dep as depmod makes it, are not in .*/usr/lib/modules/7"):
        kernel.find(tmp_path / "boot/vmlinuz-7")


def test_modules_are_unpacked(tmp_path: Path) -> None:
    (tmp_path / "a.ko.xz").write_bytes(lzma.compress(b"module"))
    (tmp_path / "b.ko").write_bytes(b"plain")
    (tmp_path / "c.ko.zst").touch()
    assert kernel.content(tmp_path / "a.ko.xz") == b"module"
    assert kernel.content(tmp_path / "b.ko") == b"plain"
    with pytest.raises(NoKernel, match="compressed in a way"):
        kernel.content(tmp_path / "c.ko.zst")


def entries(archive: bytes) -> dict[str, tuple[int, bytes]]:
    """Mode and content by name, read as the kernel does."""
    found, at = {}, 0
    while True:
        assert archive[at : at + 6] == b"070701"
        fields = [int(archive[at + 6 + 8 * n : at + 14 + 8 * n], 16) for n in range(13)]
        name = archive[at + 110 : at + 110 + fields[11]].rstrip(b"\0").decode()
        begin = (at + 110 + fields[11] + 3) // 4 * 4
        if name == "TRAILER!!!":
            return found
        found[name] = fields[1], archive[begin : begin + fields[6]]
        at = (begin + fields[6] + 3) // 4 * 4


def test_an_archive_has_its_files_and_their_folders() -> None:
    found = entries(initramfs.archive(["dev"], {"lib/a/b.so": (0o755, b"12345"), "init": (0o755, b"x")}))
    assert {name: oct(mode) for name, (mode, _) in found.items()} == {
        **{"dev": "0o40755", "lib": "0o40755", "lib/a": "0o40755"},
        **{"dev/console": "0o20600", "lib/a/b.so": "0o100755", "init": "0o100755"},
    }
    assert found["lib/a/b.so"][1] == b"12345"
    assert [*found].index("lib/a") < [*found].index("lib/a/b.so")


def test_the_first_root_has_tools_with_their_libraries_and_numbered_modules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(initramfs, "PROGRAMS", ("sh",))
    (tmp_path / "one.ko").write_bytes(b"1")
    (tmp_path / "two.ko.xz").write_bytes(lzma.compress(b"2"))
    made = Kernel(tmp_path / "vmlinuz", (tmp_path / "two.ko.xz", tmp_path / "one.ko"))
    found = entries(initramfs.made(made, tmp_path / "it's here"))
    assert found["modules/00-two.ko"][1] == b"2"
    assert found["modules/01-one.ko"][1] == b"1"
    assert found["bin/sh"][1][:4] == b"\x7fELF"
    assert any("libc.so" in name for name in found)
    assert any("ld-linux" in name for name in found)
    assert b"exec chroot /root /bin/sh '" in found["init"][1]
    monkeypatch.setattr(initramfs, "PROGRAMS", ("no-such-tool",))
    with pytest.raises(MissingPrerequisite, match="no-such-tool"):
        initramfs.made(made, tmp_path)


def test_a_guest_reads_this_machine_and_writes_to_the_study_alone(tmp_path: Path) -> None:
    words = Guest(7, "node7", "10.78.0.8", tmp_path / "a,b" / "guests").words(Kernel(tmp_path / "vmlinuz", ()))
    shared = [word for word in words if word.startswith("local,")]
    assert [("path=/," in word, "readonly=on" in word) for word in shared] == [(True, True), (False, False)]
    assert f"path={tmp_path}/a,,b," in shared[1]
    (append,) = (word for word in words if word.startswith("console="))
    assert append.endswith("leadline_name=node7 leadline_address=10.78.0.8")
    assert "kvm" in words
    assert any(word.endswith("mac=52:54:00:4e:00:07,romfile=") for word in words)


def test_keys_of_hosts_are_checked(tmp_path: Path) -> None:
    config = guests.ssh_config(tmp_path / "100 %").splitlines()
    assert "StrictHostKeyChecking yes" in config
    assert f'UserKnownHostsFile "{tmp_path}/100 %%/known_hosts"' in config
    assert "PasswordAuthentication no" in guests.sshd_config(tmp_path)


def test_variables_and_directory_go_with_a_command(tmp_path: Path) -> None:
    """By a stand-in for ssh that runs the words in a shell without variables, as sshd does."""
    stand_in = tmp_path / "bin" / "ssh"
    stand_in.parent.mkdir()
    stand_in.write_text(f'#!/bin/bash\nshift 2; echo "$1" > {tmp_path}/host; shift\nexec env -i /bin/sh -c "$*"\n')
    stand_in.chmod(0o755)
    here = tmp_path / "a $dir"
    here.mkdir()
    script = f"host=10.78.0.2\n{guests._remote(tmp_path)}\n"
    env = {"PATH": f"{stand_in.parent}:{os.environ['PATH']}", "ODD": "a'b\"c $d `e` \\f\ng"}
    words = ["bash", "-c", script, "remote", "sh", "-c", '\'printf "%s|%s|%s" "$ODD" "$PWD" "$TMPDIR"\'']
    done = subprocess.run(words, cwd=here, env=env, capture_output=True, text=True, check=True)
    assert done.stdout == f"{env['ODD']}|{here}|/dev/shm"
    assert (tmp_path / "host").read_text() == "10.78.0.2\n"


def test_more_guests_than_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guests, "MEMORY_MB", 1 << 30)
    with pytest.raises(MissingPrerequisite, match="2 guests of 1073741824 MiB need more memory"):
        guests._check_memory(2)


def test_environments_are_two_that_there_are(tmp_path: Path) -> None:
    for text in ("direct", "direct,direct", "direct,cloud", "direct,links,guests"):
        words = ["study", "virtual", "--environments", text, "-o", str(tmp_path / "out")]
        done = subprocess.run(
            [sys.executable, "-m", "leadline", *words], capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 2
        assert "expected two of direct, links, guests" in done.stderr


def emulated(guest: Guest, found: Kernel) -> list[str]:
    """Without KVM, much more slowly."""
    words = COMMAND(guest, found)
    words[words.index("kvm")], words[words.index("host")] = "tcg", "max"
    return words


COMMAND = Guest.words


@pytest.mark.ci
@pytest.mark.parametrize("library", ["mpich", "openmpi"])
def test_ranks_run_in_guests_that_leave_nothing(library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under KVM where the processor has it, else in QEMU's emulation. TEST_GUEST_KERNEL names a kernel that is not
    installed."""
    given = Path(os.environ["TEST_GUEST_KERNEL"]) if "TEST_GUEST_KERNEL" in os.environ else None
    if not guests.KVM.exists() or "neither vmx nor svm" in guests.why_impossible():
        monkeypatch.setattr(guests, "KVM", Path("/dev/null"))
        monkeypatch.setattr(guests, "CPUINFO", tmp_path / "cpuinfo")
        (tmp_path / "cpuinfo").write_text("svm")
        monkeypatch.setattr(Guest, "words", emulated)
        monkeypatch.setattr(guests, "BOOT_S", 500.0)
    if why := guests.why_impossible(given):
        pytest.skip(f"guests cannot be made here: {why}")
    if library not in {each.name for each in mpi.available()}:
        pytest.skip(f"the MPI library {library} is not installed")
    found = mpi.find(library)
    wrf = workloads.build(workloads.find("wrf"), found)
    env = {**found.env(), **found.kind.over_hosts.environment, **patience(found.kind)}
    out = tmp_path / "study" / "guests"
    out.parent.mkdir()
    with guests.made([2], "1gbit", found, out, given):
        words = [nodes.launcher(out, 2), "-n", "2", str(wrf), "--grid", "11x13x3", "--steps", "1"]
        command = [sys.executable, "-m", "leadline", "run", "--quiet", "-o", str(out.parent / "run"), "--", *words]
        subprocess.run(command, env=env, check=True, timeout=400, capture_output=True)
        assert (out / guests.KEY).stat().st_mode & 0o077 == 0
    assert sorted(process.host for process in open_run(out.parent / "run").processes) == ["node1", "node2"]
    assert not [name for name in (guests.KEY, guests.HOST_KEY, guests.FIRST_ROOT) if (out / name).exists()]
    assert subprocess.run(["pgrep", "-f", str(out)], stdout=subprocess.DEVNULL, check=False).returncode == 1


@pytest.mark.ci
@pytest.mark.parametrize("library", ["mpich", "openmpi"])
def test_the_study_runs_in_guests(library: str, tmp_path: Path) -> None:
    if why := guests.why_impossible():
        pytest.skip(f"guests cannot be made here: {why}")
    if library not in {each.name for each in mpi.available()}:
        pytest.skip(f"the MPI library {library} is not installed")
    out = tmp_path / "out"
    words = f"study virtual --environments links,guests --mpi {library} -n 2 --repeats 2 --small --json".split()
    done = subprocess.run(
        [sys.executable, "-m", "leadline", *words, "-o", str(out)],
        capture_output=True,
        text=True,
        timeout=800,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["runs"] == {"planned": 4, "finished": 4, "failed": 0}
    assert found["sides"] == {"physical": "links", "virtual": "virtual"}
    assert {(table["side"], table["nodes"]) for table in found["tables"]} == {("physical", 2), ("virtual", 2)}
    (one, *_) = out.glob("runs/wrf-2-*-guests-*-1")
    assert sorted(process.host for process in open_run(one).processes) == ["node1", "node2"]

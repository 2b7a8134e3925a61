"""The first root of a guest, as a cpio archive in memory: a shell and a few tools of this machine with their libraries,
modules, and a script that takes this machine's files as the second root.
"""

from __future__ import annotations

import re
import shlex
import shutil
import stat
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

from leadline.errors import MissingPrerequisite
from leadline.studies.virtual import kernel

PROGRAMS = ("sh", "mount", "mkdir", "insmod", "chroot")
FOLDERS = ("proc", "sys", "dev", "modules", "files", "over", "root")
CONSOLE = (5, 1)
# The machine's files are only read; what the guest writes to them is in its own memory.
INIT = """#!/bin/sh
export PATH=/bin
mount -t devtmpfs dev /dev
for module in /modules/*; do
  [ -f "$module" ] && insmod "$module"
done
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144,ro,cache=loose files /files
mount -t tmpfs -o mode=755 tmpfs /over
mkdir /over/upper /over/work
mount -t overlay -o lowerdir=/files,upperdir=/over/upper,workdir=/over/work overlay /root
exec chroot /root /bin/sh {script}
"""


def made(found: kernel.Kernel, script: Path) -> bytes:
    """script: what goes on in the second root. Raises MissingPrerequisite."""
    init = INIT.replace("{script}", shlex.quote(str(script)))
    files: dict[str, tuple[int, bytes]] = {"init": (0o755, init.encode())}
    for name in PROGRAMS:
        path = shutil.which(name)
        if path is None:
            raise MissingPrerequisite(f"guests need {name}, which is not installed")
        files[f"bin/{name}"] = (0o755, Path(path).read_bytes())
        for library in libraries_of(path):
            files[library.lstrip("/")] = (0o755, Path(library).read_bytes())
    for place, module in enumerate(found.modules):
        files[f"modules/{place:02}-{kernel.plain_name(module)}"] = (0o644, kernel.content(module))
    return archive(FOLDERS, files)


def libraries_of(program: str) -> list[str]:
    """What the loader opens, and the loader itself, by the names that are looked up."""
    done = subprocess.run(["ldd", program], capture_output=True, text=True, check=False)
    return re.findall(r"(?:=> |^\s+)(/\S+) \(0x", done.stdout, flags=re.MULTILINE)


def archive(folders: Iterable[str], files: dict[str, tuple[int, bytes]]) -> bytes:
    """In the kernel's format "newc". files: by name, permissions and content; the folders they are in are added."""
    parents = {str(parent) for name in files for parent in PurePosixPath(name).parents} - {"."}
    out = bytearray()
    for number, name in enumerate(sorted({*folders, *parents}), 1):
        out += _entry(number, name, stat.S_IFDIR | 0o755)
    out += _entry(0, "dev/console", stat.S_IFCHR | 0o600, device=CONSOLE)
    for number, (name, (permissions, content)) in enumerate(files.items(), 100_000):
        out += _entry(number, name, stat.S_IFREG | permissions, content)
    return bytes(out + _entry(0, "TRAILER!!!", 0))


def _entry(number: int, name: str, mode: int, content: bytes = b"", device: Sequence[int] = (0, 0)) -> bytes:
    path = name.encode() + b"\0"
    fields = (number, mode, 0, 0, 1, 0, len(content), 0, 0, *device, len(path), 0)
    head = b"070701" + b"".join(b"%08x" % each for each in fields) + path
    return _padded(head) + _padded(content)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)

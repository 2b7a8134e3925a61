"""The kernel that guests boot, and its modules that a first root needs: found on this machine, never shipped."""

from __future__ import annotations

import gzip
import lzma
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from leadline.errors import MissingPrerequisite, UsageError

BOOT = Path("/boot")
NEEDED = ("virtio_pci", "virtio_net", "9pnet_virtio", "9p", "overlay", "sch_tbf")
HINT = "apt-get install linux-image-amd64, or --guest-kernel FILE, a vmlinuz with its modules in ../lib/modules"


@dataclass(frozen=True)
class Kernel:
    """modules: files, in the order in which they are loaded."""

    image: Path
    modules: tuple[Path, ...]


class NoKernel(MissingPrerequisite):
    """Why there is none."""


def find(given: Path | None) -> Kernel:
    """given: the image; None: the newest in /boot that can be used. Raises NoKernel; of what is given, UsageError."""
    if given is not None:
        if not given.is_file():
            raise UsageError(f"--guest-kernel {given}: no such file")
        try:
            return of(given)
        except NoKernel as error:
            raise UsageError(f"--guest-kernel {given}: {error}") from error
    why = f"there is no kernel for them in {BOOT}"
    for image in sorted(BOOT.glob("vmlinuz-*"), key=_version, reverse=True):
        try:
            return of(image)
        except NoKernel as error:
            why = f"{image} cannot be used: {error}"
    raise NoKernel(why, hint=HINT)


def of(image: Path) -> Kernel:
    """Raises NoKernel."""
    folder = _modules_of(image)
    files, inside = _dependencies(folder), _names((folder / "modules.builtin").read_text().split())
    order: dict[Path, None] = {}
    for name in NEEDED:
        if name in inside:
            continue
        if name not in files:
            raise NoKernel(f"it has no module {name}")
        own, *others = files[name]
        order.update(dict.fromkeys([*reversed(others), own]))
    return Kernel(image, tuple(folder / each for each in order))


def content(module: Path) -> bytes:
    """Without its compression. Raises NoKernel."""
    packed = module.read_bytes()
    match module.suffix:
        case ".ko":
            return packed
        case ".xz":
            return lzma.decompress(packed)
        case ".gz":
            return gzip.decompress(packed)
    raise NoKernel(f"{module.name} is compressed in a way that is not read here")


def plain_name(module: Path) -> str:
    return f"{module.name.partition('.ko')[0]}.ko"


def _modules_of(image: Path) -> Path:
    version = image.name.removeprefix("vmlinuz-") if image.name.startswith("vmlinuz-") else image.parent.name
    around = image.absolute().parent.parent
    places = [around / "lib/modules", around / "usr/lib/modules", Path("/lib/modules")]
    for place in places:
        if all((place / version / name).is_file() for name in ("modules.dep", "modules.builtin")):
            return place / version
    looked = ", ".join(dict.fromkeys(str(place / version) for place in places))
    raise NoKernel(f"its modules, with modules.dep as depmod makes it, are not in {looked}")


def _dependencies(folder: Path) -> dict[str, list[Path]]:
    """Of each module, its file and those that it needs, the last of which is loaded first."""
    found = {}
    for line in (folder / "modules.dep").read_text().splitlines():
        own, _, others = line.partition(":")
        found[_name(own)] = [Path(own), *map(Path, others.split())]
    return found


def _names(paths: list[str]) -> set[str]:
    return {_name(path) for path in paths}


def _name(path: str) -> str:
    return Path(path).name.partition(".ko")[0].replace("-", "_")


def _version(image: Path) -> list[tuple[int, str]]:
    """Numbers as numbers: 6.10 is newer than 6.9."""
    return [*_parts(image.name)]


def _parts(name: str) -> Iterator[tuple[int, str]]:
    for part in re.findall(r"\d+|[a-z]+", name):
        yield (int(part), "") if part.isdecimal() else (-1, part)

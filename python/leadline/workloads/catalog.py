"""The workloads, and how each is built: a folder with a workload.toml."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from leadline import compiled_in, toml
from leadline.errors import MissingPrerequisite, UsageError

DESCRIPTION = "workload.toml"
MPI_HEADER = Path("mpi.h")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)', re.MULTILINE)


@dataclass(frozen=True)
class Workload:
    """One program in source.

    language: "c++" or "fortran".   sources, include: absolute paths.   flags: for compiling and linking.
    shared: those of `sources` without mpi.h, which are compiled once for all libraries with the same compiler.
    link: words for the linker, after the objects.   headers: those outside of the folders of the sources.
    merged: compiled as two units, the shared sources and the others. That is done sooner, but inlines more: for a
    program whose call paths nobody looks at.
    """

    name: str
    folder: Path
    summary: str
    language: str
    sources: tuple[Path, ...]
    include: tuple[Path, ...]
    flags: tuple[str, ...]
    shared: tuple[Path, ...] = ()
    link: tuple[str, ...] = ()
    headers: tuple[Path, ...] = ()
    merged: bool = False

    @property
    def inputs(self) -> list[Path]:
        """Every file whose change means building again."""
        folders = {path.parent for path in self.sources}
        return sorted({path for folder in folders for path in folder.iterdir() if path.is_file()} | {*self.headers})


def sources_root() -> Path:
    """The sources: an installed package's copy, or workloads/ of a source tree."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "share" / "workloads"
    if installed.is_dir():
        return installed
    in_tree = package.parents[1] / "workloads"
    if in_tree.is_dir():
        return in_tree
    raise MissingPrerequisite(
        f"cannot find the workloads' sources in {installed}",
        hint="build the source tree (./dev build) or reinstall Leadline",
    )


def names() -> list[str]:
    return sorted(path.parent.name for path in sources_root().glob(f"*/{DESCRIPTION}"))


def find(name: str) -> Workload:
    """Raises UsageError for an unknown name."""
    if name not in names():
        raise UsageError(f"unknown workload {name!r}", hint=f"available: {', '.join(names())}")
    folder = sources_root() / name
    content = toml.load(folder / DESCRIPTION)
    sources = tuple((folder / source).resolve() for source in content["sources"])
    include = tuple((folder / path).resolve() for path in content.get("include", ()))
    for part in compiled_in.PARTS:
        if content.get(part, False):
            sources += tuple(sorted(compiled_in.sources(part).glob("[a-z]*.c")))
            include += (compiled_in.sources(part),)
    return Workload(
        name=name,
        folder=folder,
        summary=content["summary"],
        language=content["language"],
        sources=sources,
        include=include,
        flags=tuple(content.get("flags", ())),
        shared=_without_mpi(sources, include) if content["language"] == "c++" else (),
        link=tuple(content.get("link", ())),
    )


def _without_mpi(sources: Iterable[Path], include: tuple[Path, ...]) -> tuple[Path, ...]:
    """The `sources` in C++ that do not use mpi.h, neither directly nor through a file they include."""
    in_cpp = [source for source in sources if source.suffix != ".c"]
    return tuple(source for source in in_cpp if MPI_HEADER not in _included(source, include))


def _included(source: Path, include: tuple[Path, ...]) -> set[Path]:
    """Every file that `source` includes, directly or not: those beside it or in `include`, others by name only."""
    found: set[Path] = set()
    left = [source]
    while left:
        path = left.pop()
        for name in INCLUDE.findall(path.read_text()):
            places = [(folder / name).resolve() for folder in (path.parent, *include)]
            file = next((place for place in places if place.is_file()), None)
            if file is not None and file not in found:
                left.append(file)
            found.add(file or Path(name))
    return found

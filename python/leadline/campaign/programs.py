"""What a cell starts: a workload, a program as it is, or one built for its library in a copy of its own tree."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from leadline import mpi, own_files, workloads
from leadline.campaign.plan import SLUG, Cell, Program
from leadline.errors import LeadlineError, MissingPrerequisite, UsageError
from leadline.launch.executable import inspect
from leadline.launch.loading import family
from leadline.mpi import Library
from leadline.run_directory import stem
from leadline.runs.execute import execute
from leadline.runs.launch import Launch

BUILD_LIMIT_S = 3600.0
NOT_COPIED = (".git", ".hg", ".svn")


def kind_of(name: str) -> str:
    """The kind of the library of that name, without installing it. Raises UsageError for an unknown name."""
    if name in mpi.DEBIAN:
        return mpi.DEBIAN[name].name
    try:
        return mpi.release(name).kind.name
    except UsageError:
        return mpi.find(name).kind.name


def library_for(name: str, say: Callable[[str], None]) -> Library:
    """One from PyPI is installed if it is missing. Raises UsageError and MissingPrerequisite."""
    try:
        return mpi.find(name)
    except MissingPrerequisite:
        try:
            mpi.release(name)
        except UsageError:
            raise MissingPrerequisite(f"MPI library {name} is not installed") from None
    say(f"installing the MPI library {name} from PyPI into {mpi.home()}")
    return mpi.install(name)


@dataclass(frozen=True)
class Start:
    """words: the program's, without its launcher. why_not: why it cannot be started with this library, or ""."""

    words: tuple[str, ...] = ()
    directory: Path = Path()
    environment: Mapping[str, str] = field(default_factory=dict)
    why_not: str = ""


@dataclass(frozen=True)
class Tree:
    """What a program needs on another machine. names: what is copied of root.   words: the program's, a relative first
    one from root on.   loads: it takes whatever library the loader finds.   why_not: why it cannot be carried."""

    root: Path = Path()
    names: tuple[str, ...] = (".",)
    words: tuple[str, ...] = ()
    loads: bool = True
    why_not: str = ""


class Programs:
    """Finds and builds each program for each library once."""

    def __init__(self, directory: Path, say: Callable[[str], None]) -> None:
        self._builds = directory / "builds"
        self._out = directory
        self._say = say
        self._libraries: dict[str, Library | str] = {}
        self._starts: dict[tuple[Program, str], Start] = {}
        self._trees: dict[tuple[Program, str], Tree] = {}

    def library(self, name: str) -> Library | str:
        """A library from PyPI is installed if it is missing. A text: why it cannot be had."""
        if name not in self._libraries:
            try:
                self._libraries[name] = library_for(name, self._say)
            except LeadlineError as error:
                self._libraries[name] = str(error)
        return self._libraries[name]

    def start(self, cell: Cell) -> Start:
        key = cell.program, cell.library
        if key not in self._starts:
            library = self.library(cell.library)
            if isinstance(library, str):
                self._starts[key] = Start(why_not=library)
            else:
                try:
                    self._starts[key] = self._start(cell.program, library)
                except (LeadlineError, OSError) as error:
                    self._starts[key] = Start(why_not=str(error))
        return self._starts[key]

    def tree(self, program: Program, name: str, there: Library) -> Tree:
        """For a machine's library of that name: what is built is built here, with the library of the same name."""
        key = program, there.name
        if key not in self._trees:
            try:
                self._trees[key] = self._tree(program, name, there)
            except (LeadlineError, OSError) as error:
                self._trees[key] = Tree(why_not=str(error))
        return self._trees[key]

    def _tree(self, program: Program, name: str, there: Library) -> Tree:
        here = self.library(name) if program.workload or program.build else there
        if isinstance(here, str):
            return Tree(why_not=f"cannot be built here: {here}")
        if program.workload:
            executable = workloads.build(workloads.find(program.workload), here)
            return Tree(executable.parent, (executable.name,), (f"./{executable.name}", *program.arguments))
        root = self._built(program, here) if program.build else program.directory
        first = os.path.normpath(program.command[0]) if "/" in program.command[0] else program.command[0]
        if first.startswith("../"):
            return Tree(why_not=f"{program.command[0]} is not in {program.directory}, which is what is copied")
        if "/" in program.command[0] and not Path(first).is_absolute():
            first = f"./{first}"
            if not os.access(root / first, os.X_OK):
                return Tree(why_not=f"not found, or not executable: {root / first}")
            if why := _why_not(str(root / first), there):
                return Tree(why_not=why)
        return Tree(root, (".",), (first, *program.command[1:]))

    def _start(self, program: Program, library: Library) -> Start:
        if program.workload:
            executable = workloads.build(workloads.find(program.workload), library)
            return Start((str(executable), *program.arguments), program.directory)
        directory = self._built(program, library) if program.build else program.directory
        first = program.command[0]
        if "/" in first and not Path(first).is_absolute():
            first = str(Path(os.path.normpath(directory / first)))
        if shutil.which(first) is None:
            return Start(why_not=f"not found, or not executable: {first}")
        words = (first, *program.command[1:])
        if program.build:
            return Start(words, directory)
        return Start(words, directory, _loading(library), _why_not(first, library))

    def _built(self, program: Program, library: Library) -> Path:
        """The copy of the program's tree, built for the library. Raises MissingPrerequisite if the build fails."""
        told = json.dumps([str(program.directory), program.build, str(library.mpicc), library.version])
        digest = hashlib.sha256(told.encode(errors="surrogateescape")).hexdigest()[:8]
        names = f"{stem(program.name)}-{stem(library.name)}"[:SLUG]
        tree = self._builds / f"{names}-{digest}"
        mark = tree.with_name(f"{tree.name}.built")
        if mark.exists():
            return tree
        shutil.rmtree(tree, ignore_errors=True)
        out = self._out.resolve()

        def skipped(folder: str, names: list[str]) -> list[str]:
            return [name for name in names if name in NOT_COPIED or Path(folder, name).resolve() == out]

        shutil.copytree(program.directory, tree, symlinks=True, ignore=skipped)
        tools = {"mpicc": library.mpicc, "mpicxx": library.mpicxx, "mpifort": library.mpifort, "library": library.name}
        if library.mpifort is None and any("{mpifort}" in word for word in program.build):
            raise MissingPrerequisite(f"{library.name} has no Fortran compiler")
        words = tuple(word.format(**{name: str(tool) for name, tool in tools.items()}) for word in program.build)
        self._say(f"building {program.name} for {library.name}")
        outcome = execute(Launch("build", words, library.env(), tree, BUILD_LIMIT_S, merged=True))
        if not outcome.ok:
            raise MissingPrerequisite(f"build failed: {outcome.explained}")
        with own_files.replacing(mark) as out_file:
            out_file.write(told + "\n")
        return tree


def _loading(library: Library) -> dict[str, str]:
    """For a program that was linked with another library of the same ABI family: the loader takes this one."""
    before = library.env().get("LD_LIBRARY_PATH", "")
    return {"LD_LIBRARY_PATH": f"{library.libdir}:{before}".rstrip(":")}


def _why_not(program: str, library: Library) -> str:
    """Why a binary cannot run with the library; "" if it can, or if that is unknown (a script)."""
    found = inspect(program)
    linked = family(found.mpi_library) if found is not None and found.mpi_library else None
    if linked is None or linked.name == library.family:
        return ""
    return f"{Path(program).name} is linked for {linked.title}: it cannot run with {library.name} without a build"

"""Mistakes in a command that can be seen before it runs: another library's launcher, too many ranks for the cores.

What cannot be known for certain is left to the report: a program behind a script, ranks on other hosts, variables that
the command itself sets.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from leadline.launch import loading
from leadline.launch.launcher import Launcher, program_start, programs_of
from leadline.launch.program import program_word
from leadline.launchers import LauncherKind

OPENMP = re.compile(r"lib(gomp|iomp5|omp)\.so")
ELSEWHERE = (
    "SLURM_JOB_ID",
    "PBS_JOBID",
    "LSB_JOBID",
    "LOADL_STEP_ID",
    "HYDRA_HOST_FILE",
    "PRTE_MCA_prte_default_hostfile",
)


@dataclass(frozen=True)
class Mistake:
    """code: as a finding of the report is called, if that would tell the same.   subject: a word for `doctor`."""

    code: str
    subject: str
    message: str
    hint: str


def mistakes_of(
    command: Sequence[str], launcher: Launcher | None, environ: Mapping[str, str] | None = None
) -> list[Mistake]:
    """Those that are certain; the worst first. environ: of the command, by default ours."""
    environ = os.environ if environ is None else environ
    word = program_word(command, launcher)
    path = Path(word) if word is not None and "/" in word else None
    if path is None and word is not None:
        found = next((Path(folder, word) for folder in _search(environ) if Path(folder, word).is_file()), None)
        path = found
    libraries, missing = loading.loaded(path) if path is not None and loading.interpreter_of(path) else ([], [])
    if any("LD_LIBRARY_PATH" in word for word in command):  # the ranks' loader may find others than ours
        libraries, missing = [], []
    found_mistakes = []
    if path is not None and libraries:
        name = PurePath(path).name
        found_mistakes += [
            *_not_found(name, missing),
            *_two_libraries(name, libraries),
            *_wrong_launcher(name, libraries, launcher),
        ]
    return [*found_mistakes, *_too_many(command, libraries, launcher, environ)]


def _search(environ: Mapping[str, str]) -> list[str]:
    return [folder for folder in environ.get("PATH", os.defpath).split(os.pathsep) if folder]


def _not_found(program: str, missing: Sequence[str]) -> list[Mistake]:
    for name in missing:
        family = loading.family(name)
        if family is not None:
            return [
                Mistake(
                    "library-not-found",
                    "library",
                    f"{program} was built for {family.title}, whose {name} the loader does not find",
                    "load the module, or set the LD_LIBRARY_PATH, that it was built with",
                )
            ]
    return []


def _two_libraries(program: str, libraries: Sequence[str]) -> list[Mistake]:
    files = {os.path.realpath(name): name for name in loading.all_mpi_of(libraries)}
    families = {family.name for name in files.values() if (family := loading.family(name)) is not None}
    if len(families - {"mpi5"}) < 2:  # that of the standard's ABI may call the one that it stands for
        return []
    return [
        Mistake(
            "two-libraries",
            "library",
            f"{program} loads two MPI libraries: {' and '.join(sorted(files.values()))}",
            "build the program, and every library that it uses, with one of them",
        )
    ]


def _wrong_launcher(program: str, libraries: Sequence[str], launcher: Launcher | None) -> list[Mistake]:
    file = loading.mpi_library_of(libraries)
    family = loading.family(file) if file else None
    if launcher is None or family is None or family.name == "mpi5" or launcher.kind.starts in {"", family.name}:
        return []
    if any(launcher.kind.serves.search(PurePath(name).name) for name in libraries):
        return []
    return [
        Mistake(
            "wrong-launcher",
            "launcher",
            f"{launcher.path} belongs to {launcher.kind.title}, but {program} uses {_title(file)} ({file}): each rank "
            "would be a job of its own, or fail in MPI_Init",
            f"start it with {_launcher_beside(file) or f'the mpiexec of {_title(file)}'}",
        )
    ]


def _title(file: str) -> str:
    from leadline.libraries import of_file  # slow to import, and only needed for a message

    library = of_file(Path(file).resolve())
    family = loading.family(file)
    return library.title if library is not None else family.title if family is not None else file


def _launcher_beside(library: str) -> str:
    """The mpiexec of the installation that the library belongs to: lib/libmpi.so and bin/mpiexec."""
    for folder in list(Path(library).parents)[:3]:
        mpiexec = folder / "bin" / "mpiexec"
        if folder.name not in {"", "usr"} and os.access(mpiexec, os.X_OK):
            return str(mpiexec)
    return ""


def _too_many(
    command: Sequence[str], libraries: Sequence[str], launcher: Launcher | None, environ: Mapping[str, str]
) -> list[Mistake]:
    if launcher is None or any(name in environ for name in ELSEWHERE):
        return []
    ranks = ranks_here(command[launcher.index + 1 :], launcher.kind)
    if ranks is None:
        return []
    threads = _threads(environ) if any(OPENMP.search(name) for name in libraries) else 1
    cores = len(os.sched_getaffinity(0))
    if ranks * threads <= cores:
        return []
    what = f"{ranks} ranks" if threads == 1 else f"{ranks} {'rank' if ranks == 1 else 'ranks'} of {threads} threads"
    return [
        Mistake(
            "oversubscribed",
            "cores",
            f"{what} on {cores} {'core' if cores == 1 else 'cores'}: they take turns, so every time will include waits "
            "for a core and not be the program's own",
            f"for figures of the program, use {cores} at most, or a larger machine",
        )
    ]


def ranks_here(words: Sequence[str], kind: LauncherKind) -> int | None:
    """How many ranks the words after a launcher ask for; None if that, or whether all run on this host, is not said."""
    if not kind.counts or kind.options is None:
        return None
    ranks = 0
    for context in programs_of(words):
        end, at, asked = program_start(context, kind), 0, None
        while at < end:
            count = kind.options.takes(context, at)
            if count is None:
                return None
            name, assigned, value = context[at].lstrip("-").partition("=")
            if name in kind.hosts:
                return None
            if name in kind.counts:
                number = value if assigned else "".join(context[at + 1 : at + 2])
                asked = int(number) if number.isdecimal() else None
            at += count
        if asked is None:
            return None
        ranks += asked
    return ranks


def _threads(environ: Mapping[str, str]) -> int:
    first = environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return int(first) if first.isdecimal() and int(first) > 0 else 1

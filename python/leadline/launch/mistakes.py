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
from leadline.launch.program import program_file
from leadline.launchers import LauncherKind
from leadline.launchers.variables import batch_variables
from leadline.text.visible import in_shell

OPENMP = re.compile(r"lib(gomp|iomp5|omp)\.so")
# Where one of these is set, or the id of a batch job, ranks may run on other hosts.
HOST_FILES = (
    "HYDRA_HOST_FILE",
    "OMPI_MCA_orte_default_hostfile",
    "PRTE_MCA_prte_default_hostfile",
)


def _may_run_elsewhere(environ: Mapping[str, str]) -> bool:
    ids = (batch.id for batch in batch_variables().values())
    return any(name in environ for name in (*HOST_FILES, *ids))


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
    """Those that are certain, the worst first. environ: of the command, by default ours."""
    environ = os.environ if environ is None else environ
    path = program_file(command, launcher, environ)
    libraries, missing = loading.loaded(path, environ) if path is not None else ([], [])
    if any("LD_LIBRARY_PATH" in word for word in command):  # the ranks' loader may find other libraries than ours
        libraries, missing = [], []
    found = []
    if path is not None and libraries:
        found += [
            *_not_found(path.name, missing),
            *_two_libraries(path.name, libraries),
            *_wrong_launcher(path.name, libraries, launcher),
            *_replaced(path, libraries, environ),
        ]
    return [*found, *_too_many(command, libraries, launcher, environ)]


def _replaced(path: Path, libraries: Sequence[str], environ: Mapping[str, str]) -> list[Mistake]:
    """Built with one library, and given another of the same ABI by the environment."""
    if not environ.get("LD_LIBRARY_PATH"):
        return []
    here = loading.mpi_library_of(libraries)
    without, _ = loading.loaded(path, {name: value for name, value in environ.items() if name != "LD_LIBRARY_PATH"})
    built_with = loading.mpi_library_of(without)
    if not here or not built_with or os.path.realpath(here) == os.path.realpath(built_with):
        return []
    from leadline.launch.executable import run_path_of  # reads the file's sections: slow to import, rarely needed

    # Found in the system's folders only, it need not be the one that the program was linked with.
    if os.path.realpath(os.path.dirname(built_with)) not in map(os.path.realpath, run_path_of(path)):
        return []
    return [
        Mistake(
            "replaced-library",
            "library",
            f"{path.name} was linked against {_title(built_with)} ({built_with}), but LD_LIBRARY_PATH selects "
            f"{_title(here)} ({here}), which is what will be measured",
            "if unintended, unload the module that sets LD_LIBRARY_PATH",
        )
    ]


def _not_found(program: str, missing: Sequence[str]) -> list[Mistake]:
    for name in missing:
        family = loading.family(name)
        if family is not None:
            return [
                Mistake(
                    "library-not-found",
                    "library",
                    f"{program} was built for {family.title}, but the loader cannot find {name}",
                    "load the module it was built with, or set LD_LIBRARY_PATH accordingly",
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
            "rebuild it and all its libraries with one MPI",
        )
    ]


def _wrong_launcher(program: str, libraries: Sequence[str], launcher: Launcher | None) -> list[Mistake]:
    file = loading.mpi_library_of(libraries)
    family = loading.family(file) if file else None
    if launcher is None or family is None or family.name == "mpi5" or launcher.kind.starts in {"", family.name}:
        return []
    if any(launcher.kind.serves.search(PurePath(name).name) for name in libraries):
        return []
    beside = _launcher_beside(file)
    return [
        Mistake(
            "wrong-launcher",
            "launcher",
            f"{launcher.path} belongs to {launcher.kind.title}, but {program} uses {_title(file)} ({file}): ranks "
            "would start as separate jobs or fail in MPI_Init",
            f"start it with {in_shell(beside) if beside else f'the mpiexec of {_title(file)}'}",
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
    if launcher is None or _may_run_elsewhere(environ) or _has_hosts(launcher):
        return []
    ranks = ranks_here(command[launcher.index + 1 :], launcher.kind)
    if ranks is None:
        return []
    threads = _threads(environ) if any(OPENMP.search(name) for name in libraries) else 1
    cores = len(os.sched_getaffinity(0))
    if ranks * threads <= cores:
        return []
    what = f"{ranks} ranks" if threads == 1 else f"{ranks} {'rank' if ranks == 1 else 'ranks'} × {threads} threads"
    return [
        Mistake(
            "oversubscribed",
            "cores",
            f"{what} on {cores} {'core' if cores == 1 else 'cores'}: all times will include waiting for a core",
            f"for undisturbed times, use at most {cores} {'ranks' if threads == 1 else 'threads in all'}",
        )
    ]


def _has_hosts(launcher: Launcher) -> bool:
    """Whether a file of the launcher's installation says on which hosts it starts ranks."""
    prefix = Path(launcher.path).resolve().parents[1]
    for name in launcher.kind.host_files:
        try:
            lines = (prefix / name).read_text(errors="replace").splitlines()
        except OSError:
            continue
        if any(line.strip() and not line.lstrip().startswith("#") for line in lines):
            return True
    return False


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

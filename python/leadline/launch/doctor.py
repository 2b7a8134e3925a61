"""Examines whether recording will work on this machine, or for one command. Runs nothing of the user's."""

from __future__ import annotations

import dataclasses
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from leadline import __version__, mpi
from leadline.errors import MissingPrerequisite
from leadline.launch.executable import Executable, inspect
from leadline.launch.explain import judge
from leadline.launch.launcher import Launcher, find_launcher
from leadline.launch.mistakes import mistakes_of
from leadline.launch.program import program_word
from leadline.launch.recorder import library_path
from leadline.launch.sanitizers import runtime_in_front, runtime_wanted
from leadline.launchers import OTHER, srun
from leadline.launchers.variables import batch_variables
from leadline.masking import masked_words
from leadline.sampling import refusal
from leadline.text.visible import in_shell


@dataclass(frozen=True)
class Check:
    """One thing looked at. answer: yes, no, depends or note; needed: whether recording fails without it."""

    subject: str
    answer: str
    finding: str
    hint: str = ""
    needed: bool = False

    def as_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)


def examine_machine() -> list[Check]:
    return [
        Check("leadline", "note", f"{__version__}, Python {platform.python_version()} at {sys.executable}"),
        *_recorder(),
        _analysis(),
        *_libraries(),
        _launchers(),
        *_batch_job(),
        *_compilers(),
        _clock(),
        _ptrace(),
        _samples(),
        _space(),
    ]


def examine_command(words: Sequence[str]) -> list[Check]:
    """Say what would happen to `words` under leadline record."""
    return [*_recorder(), *_launcher(words), *_batch_job(), *_program(words), *_mistakes(words)]


def _mistakes(words: Sequence[str]) -> Iterator[Check]:
    """With these mistakes the calls would still be recorded, but not as the job that was meant."""
    for mistake in mistakes_of(words, find_launcher(words)):
        if mistake.code == "library-not-found":  # which the program's own check says
            continue
        answer = "depends" if mistake.code in {"oversubscribed", "replaced-library"} else "no"
        yield Check(mistake.subject, answer, mistake.message, mistake.hint, needed=answer == "no")


def _recorder() -> Iterator[Check]:
    path = library_path()
    if not path.is_file():
        yield Check("recorder", "no", f"not found at {path}", "in a source tree: ./dev build", needed=True)
        return
    problem = _loading_problem(path)
    if problem:
        yield Check("recorder", "no", f"cannot load {path}: {problem}", needed=True)
        return
    yield Check("recorder", "yes", f"{path}, needs {', '.join(_needed(path)) or 'nothing'}")


def _loading_problem(path: Path) -> str:
    """The loader's message when it preloads the library into `true`; "" if there is none."""
    true = shutil.which("true") or "/bin/true"
    environ = {"PATH": os.environ.get("PATH", ""), "LD_PRELOAD": str(path)}
    done = subprocess.run(
        [true], env=environ, capture_output=True, text=True, errors="surrogateescape", check=False, timeout=20
    )
    return done.stderr.strip() or (f"exit code {done.returncode}" if done.returncode else "")


def _needed(path: Path) -> list[str]:
    try:
        with path.open("rb") as file:
            dynamic: Any = ELFFile(file).get_section_by_name(".dynamic")
            return [tag.needed for tag in dynamic.iter_tags("DT_NEEDED")] if dynamic else []
    except (ELFError, OSError):
        return []


def _analysis() -> Check:
    try:
        import leadline._core  # noqa: F401
    except ImportError as error:
        return Check(
            "reports", "no", f"cannot import the native module: {error}", "in a source tree: ./dev build", True
        )
    return Check("reports", "yes", "the native module is installed")


def _libraries() -> Iterator[Check]:
    try:
        found = {library.name: library for library in mpi.available()}
    except MissingPrerequisite as error:
        yield Check("MPI libraries", "no", str(error), error.hint or "")
        return
    for name in mpi.NAMES:
        library = found.get(name)
        if library is None:
            yield Check(f"MPI {name}", "note", "not installed (only needed for the bundled workloads)")
        else:
            fortran = "C, C++, Fortran" if library.mpifort else "C, C++"
            yield Check(f"MPI {name}", "yes", f"{library.version} at {library.mpiexec}, {fortran}")


def _launchers() -> Check:
    here = []
    for name in ("mpiexec", "srun", "aprun", "jsrun", "flux"):
        launcher = find_launcher([name])
        if launcher is not None:
            here.append(f"{launcher.path} ({launcher.kind.name} {launcher.version})".replace(" )", ")"))
    return Check("launchers", "note", ", ".join(here) if here else "none on PATH")


def _batch_job() -> Iterator[Check]:
    for batch in batch_variables().values():
        if not batch.ambiguous and os.environ.get(batch.id):
            yield Check("batch job", "note", f"{batch.title} job {os.environ[batch.id]}")
    value = os.environ.get(srun.VARIABLE)
    if value is not None and not srun.passes_all(value):
        yield Check(
            "environment",
            "depends",
            f"srun exports only {value} ({srun.VARIABLE}); Leadline adds what it needs",
            "srun --export=NONE in a script still blocks the recorder: use srun … leadline exec ./app there",
        )


def _compilers() -> Iterator[Check]:
    for name, purpose in (("g++", "only for building workloads"), ("gfortran", "only for Fortran tests")):
        path = shutil.which(name)
        yield Check(name, "yes" if path else "note", path or f"not found ({purpose})")


def _clock() -> Check:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return Check("clock", "note", "cannot read /proc/cpuinfo: using clock_gettime")
    flags = next((line.split() for line in text.splitlines() if line.startswith("flags")), [])
    if "constant_tsc" in flags and "nonstop_tsc" in flags:
        virtual = ", in a virtual machine" if "hypervisor" in flags else ""
        return Check("clock", "yes", f"invariant TSC{virtual}: used as the clock")
    return Check("clock", "note", "TSC is not invariant: using clock_gettime")


def _ptrace() -> Check:
    path = Path("/proc/sys/kernel/yama/ptrace_scope")
    scope = path.read_text().strip() if path.exists() else "0"
    words = "ptrace not needed" if scope == "0" else f"ptrace not needed (restricted here: scope {scope})"
    return Check("ptrace", "note", f"recording {words}")


def _samples() -> Check:
    refused = refusal()
    return Check("samples", "note" if refused else "yes", f"--sample: {refused or 'the system allows it'}")


def _space() -> Check:
    free = shutil.disk_usage(".").free
    cores = len(os.sched_getaffinity(0))
    return Check("machine", "note", f"{cores} cores, {free / 1e9:.1f} GB free in the current directory")


def _launcher(words: Sequence[str]) -> Iterator[Check]:
    launcher = find_launcher(words)
    if launcher is None:
        yield Check("launcher", "note", "no launcher: the program starts directly")
    elif launcher.kind is not OTHER:
        yield Check("launcher", "yes", f"{_named(launcher)}, {launcher.kind.described}")
    else:
        hint = f"if ranks are not recorded, try: {in_shell(launcher.path)} … leadline exec ./app"
        yield Check(
            "launcher",
            "depends",
            f"unknown launcher {_named(launcher)}: recorded only if it passes the environment to the ranks",
            hint,
        )


def _named(launcher: Launcher) -> str:
    return f"{launcher.path} {launcher.version}".strip()


def _program(words: Sequence[str]) -> Iterator[Check]:
    launcher = find_launcher(words)
    word = program_word(words, launcher)
    program = inspect(word) if word is not None else None
    if program is None:
        yield Check("program", "no", f"no executable in this command: {' '.join(masked_words(words))}", needed=True)
        return
    verdict = judge(program)
    yield Check("program", verdict.answer, verdict.reason, verdict.hint, needed=True)
    yield from _details(program)


def _details(program: Executable) -> Iterator[Check]:
    if program.kind == "script" and program.interpreter:
        interpreter = inspect(program.interpreter[0])
        answer = judge(interpreter) if interpreter else None
        if answer is not None and answer.answer == "no" and interpreter is not None and interpreter.static:
            yield Check("interpreter", "no", answer.reason, answer.hint, needed=True)
        else:
            yield Check("interpreter", "note", " ".join(program.interpreter))
    if program.kind == "elf":
        yield from _sanitizer(program)
        layers = f"; Fortran layers: {', '.join(program.fortran_layers)}" if program.fortran_layers else ""
        yield Check(
            "file",
            "note",
            f"ELF {program.bits}-bit {program.machine}, {'static' if program.static else 'dynamic'}{layers}",
        )


def _sanitizer(program: Executable) -> Iterator[Check]:
    """A program that does not start unless its sanitizer's run-time library is preloaded first."""
    name = runtime_wanted(program.path)
    found = runtime_in_front(program.path) if name else ""
    if found:
        yield Check("sanitizer", "note", f"{found} is preloaded before Leadline's own library, as it must be")
    elif name:
        yield Check(
            "sanitizer",
            "no",
            f"{name} must be preloaded before Leadline's own library, but it was not found, or LD_PRELOAD cannot name "
            "it",
            "add its directory, without spaces or colons, to LD_LIBRARY_PATH; or build without the sanitizer",
            needed=True,
        )

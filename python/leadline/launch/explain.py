"""Explains why a program was not, or would not be, recorded."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from leadline.launch.executable import Executable, inspect, native_architecture
from leadline.launch.launcher import Launcher
from leadline.launch.program import program_word
from leadline.launchers import OTHER
from leadline.masking import masked_words
from leadline.run_directory import JOB
from leadline.text.visible import in_shell

INTERPRETERS = (
    "python",
    "pypy",
    "julia",
    "bash",
    "sh",
    "dash",
    "zsh",
    "ksh",
    "perl",
    "ruby",
    "Rscript",
    "lua",
    "octave",
)
WITHOUT_ENVIRONMENT = re.compile(
    r"""--export[= ](?:NONE|NIL)\b
    | \b(?:unset|env\s+-u|env\s+--unset[= ])\s*LD_PRELOAD\b | \benv\s+(?:-i\b|--ignore-environment\b|-\s)
    | \bLD_PRELOAD=(?!\S*\$\{?LD_PRELOAD)\S*""",
    re.VERBOSE,
)
INSIDE = "in the script, start the program with leadline exec"
MACHINES = {"EM_386": "32-bit x86", "EM_X86_64": "x86-64", "EM_AARCH64": "64-bit ARM", "EM_ARM": "32-bit ARM"}


@dataclass(frozen=True)
class Verdict:
    """Whether a program's MPI calls would be recorded: "yes", "no", or "depends"; and why, in words."""

    answer: str
    reason: str
    hint: str = ""


def judge(program: Executable) -> Verdict:
    """Say what would happen to `program` with the recorder preloaded."""
    if program.kind == "script":
        interpreter = " ".join(program.interpreter) or "an unknown interpreter"
        return Verdict(
            "depends", f"{program.path} is a script run by {interpreter}: MPI programs that it starts are recorded"
        )
    if program.kind != "elf":
        return Verdict("no", f"{program.path} is neither a program for Linux (ELF) nor a script")
    return _obstacle(program) or _mpi_verdict(program)


def _obstacle(program: Executable) -> Verdict | None:
    if (program.bits, program.machine) != native_architecture():
        bits, machine = native_architecture()
        theirs = MACHINES.get(program.machine, program.machine)
        ours = MACHINES.get(machine, machine)
        return Verdict(
            "no",
            f"{program.path} is built for another architecture ({theirs}, {program.bits}-bit); "
            f"the recorder is for {ours}, {bits}-bit",
        )
    if program.static:
        what = "including MPI" if program.contains_mpi else "so nothing can be preloaded into it"
        return Verdict("no", f"{program.path} is statically linked, {what}", "link it with the shared MPI library")
    if program.privileged:
        return Verdict(
            "no",
            f"{program.path} runs with another user's or extra rights (set-user-id, set-group-id or capabilities), "
            "so the loader ignores LD_PRELOAD",
            "record a copy of it without them",
        )
    if program.unresolved:
        return Verdict(
            "no",
            f"{program.path} cannot be loaded here: {', '.join(program.unresolved)} not found",
            "load the module that it was built with, or set LD_LIBRARY_PATH as it was then",
        )
    return None


def _mpi_verdict(program: Executable) -> Verdict:
    if program.contains_mpi and not program.mpi_library:
        return Verdict(
            "no",
            f"the MPI library is linked statically into {program.path}, so its calls cannot be seen",
            "link it with the shared MPI library",
        )
    if not program.mpi_library:
        if program.path.name.startswith(INTERPRETERS):
            return Verdict(
                "depends",
                f"{program.path.name} is not an MPI program; if it loads MPI or starts MPI programs, they are recorded",
            )
        return Verdict("no", f"{program.path} is not linked with any MPI library: it is not an MPI program")
    if program.family == "unknown":
        return Verdict(
            "no",
            f"{program.path} uses an unknown MPI library: {program.mpi_library}",
            "known are libmpi.so.12 and libmpich.so.12 (MPICH's ABI family), libmpi.so.40 (Open MPI), libmpi_abi.so",
        )
    layers = f", Fortran through {', '.join(program.fortran_layers)}" if program.fortran_layers else ""
    return Verdict("yes", f"{program.path} uses {program.family}: {program.mpi_library}{layers}")


def judge_word(word: str) -> Verdict:
    """Like judge(), for a word of a command line."""
    program = inspect(word)
    if program is None:
        return Verdict("no", f"{word} is not an executable file")
    return judge(program)


def why_nothing(command: Sequence[str], launcher: Launcher | None, directory: Path) -> Verdict:
    """Why a command that has run left no trace in `directory`."""
    word = program_word(command, launcher)
    if word is None:
        return Verdict("no", f"this command names no program to record: {' '.join(masked_words(command))}")
    verdict = judge_word(word)
    if verdict.answer == "no":
        return verdict
    if any(directory.rglob(JOB)):
        return Verdict(
            "no",
            f"the ranks of {PurePath(word).name} used MPI, but left no recording: they did not reach MPI_Init "
            "(calls that only ask, such as MPI_Get_version, MPI_Wtime and MPI_T, leave none)",
            f"if they did reach it, their messages on standard error say why nothing could be written to {directory}",
        )
    if verdict.answer == "depends":
        return _of_script(word, verdict)
    hint = f"if its ranks ran on other nodes or as another user, {directory} must exist and be writable for them too"
    if launcher is not None and launcher.kind is OTHER:
        instead = f"{in_shell(PurePath(launcher.path).name)} … leadline exec {in_shell(word)} …"
        hint = f"Leadline does not know the launcher {launcher.path}; try: {instead}"
    if launcher is None:  # on this host, with the recorder preloaded: nothing else could have prevented the recording
        return Verdict("no", f"{word} is an MPI program, but it did not reach MPI_Init")
    return Verdict(
        "no",
        f"{word} is an MPI program, but its ranks left nothing in {directory}: they ended before MPI_Init, or ran "
        "without the recorder, or could not write there",
        hint,
    )


def _of_script(word: str, verdict: Verdict) -> Verdict:
    name = PurePath(word).name
    option = keeps_environment_back(word)
    if option:
        return Verdict(
            "no",
            f"{name} starts its programs with {option}, which keeps the recorder out",
            INSIDE,
        )
    return Verdict(
        "no",
        f"as far as could be recorded, neither {name} nor anything it started called MPI",
        verdict.hint or f"if something did, its environment had lost LD_PRELOAD: {INSIDE}",
    )


def keeps_environment_back(script: str | Path) -> str:
    """The words in a script by which its programs get no LD_PRELOAD, or another one; "" if there are none, or if this
    is not a script."""
    try:
        found = WITHOUT_ENVIRONMENT.search(Path(script).read_text(errors="replace"))
    except OSError:
        return ""
    return found.group().strip() if found else ""

"""Explains why a program was not, or would not be, recorded."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from leadline import own_files
from leadline.launch.executable import Executable, inspect, native_architecture
from leadline.launch.launcher import Launcher, is_program
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
# A script's own recording, which goes into a directory of its own.
OWN_RECORDING = re.compile(
    r"""^[^#\n]*\b(?P<words>leadline\s+(?:run|record)\b | leadline(?:\s+|-)exec\b(?=[^\n]*\s(?:-o|--output)))""",
    re.VERBOSE | re.MULTILINE,
)
NOT_STARTED = {
    126: "a program that it tried to start could not be executed",
    127: "a program that it tried to start, or a shared library of one, was not found",
}
INSIDE = "in the script: leadline exec ./app"
MOST_OF_A_SCRIPT = 1 << 20  # bytes
MACHINES = {"EM_386": "32-bit x86", "EM_X86_64": "x86-64", "EM_AARCH64": "64-bit ARM", "EM_ARM": "32-bit ARM"}


@dataclass(frozen=True)
class Verdict:
    """Whether a program's MPI calls would be recorded: "yes", "no", or "depends"; and why, in words.

    elsewhere: they were recorded by a command of the program's own, in another directory.
    """

    answer: str
    reason: str
    hint: str = ""
    elsewhere: bool = False


def judge(program: Executable) -> Verdict:
    """Say what would happen to `program` with the recorder preloaded."""
    if program.kind == "script":
        interpreter = " ".join(program.interpreter) or "an unknown interpreter"
        return Verdict(
            "depends", f"{program.path} is a script run by {interpreter}: MPI programs it starts are recorded"
        )
    if program.kind != "elf":
        return Verdict("no", f"{program.path}: not an ELF program and not a script")
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
        what = "including MPI" if program.contains_mpi else "so LD_PRELOAD cannot work"
        return Verdict("no", f"{program.path} is statically linked, {what}", "link MPI dynamically")
    if program.privileged:
        return Verdict(
            "no",
            f"{program.path} is setuid, setgid or has capabilities, so the loader ignores LD_PRELOAD",
            "record a copy without these rights",
        )
    if program.unresolved:
        return Verdict(
            "no",
            f"{program.path} cannot start: {', '.join(program.unresolved)} not found",
            "load the module it was built with, or set LD_LIBRARY_PATH accordingly",
        )
    return None


def _mpi_verdict(program: Executable) -> Verdict:
    if program.contains_mpi and not program.mpi_library:
        return Verdict(
            "no",
            f"{program.path} links MPI statically: its calls cannot be recorded",
            "link MPI dynamically",
        )
    if not program.mpi_library:
        if program.path.name.startswith(INTERPRETERS):
            return Verdict(
                "depends",
                f"{program.path.name} is not an MPI program itself; MPI programs it starts are recorded",
            )
        if program.loads_libraries:
            return Verdict(
                "depends",
                f"{program.path} does not link an MPI library; if it loads one (dlopen), its calls are recorded",
            )
        return Verdict("no", f"{program.path} does not link an MPI library: not an MPI program")
    if program.family == "unknown":
        return Verdict(
            "no",
            f"{program.path} uses an unsupported MPI library: {program.mpi_library}",
            "supported: libmpi.so.12, libmpich.so.12 (MPICH ABI), libmpi.so.40 (Open MPI), libmpi_abi.so",
        )
    layers = f", Fortran through {', '.join(program.fortran_layers)}" if program.fortran_layers else ""
    return Verdict("yes", f"{program.path} uses {program.family}: {program.mpi_library}{layers}")


def judge_word(word: str) -> Verdict:
    """Like judge(), for a word of a command line."""
    program = inspect(word)
    if program is None:
        return Verdict("no", f"{word}: not executable")
    return judge(program)


def why_nothing(
    command: Sequence[str], launcher: Launcher | None, directory: Path, exit_code: int | None = None
) -> Verdict:
    """Why a command that has run left no trace in `directory`."""
    word = program_word(command, launcher)
    if word is None:
        return Verdict("no", f"no executable in this command: {' '.join(masked_words(command))}")
    elsewhere = _own_output(command)
    if elsewhere and Path(elsewhere).absolute() != directory.absolute():
        return Verdict("no", f"`leadline exec` in this command records to {elsewhere}, not to {directory}")
    verdict = judge_word(word)
    if verdict.answer == "no":
        return verdict
    if exit_code in NOT_STARTED and not any(directory.rglob(JOB)):
        name = PurePath(word).name
        return Verdict("no", f"{name} ended with exit code {exit_code}: {NOT_STARTED[exit_code]}")
    if any(directory.rglob(JOB)):
        return Verdict(
            "no",
            f"{PurePath(word).name}: no rank reached MPI_Init, so nothing was recorded "
            "(MPI_Get_version, MPI_Wtime and MPI_T do not count)",
            f"if some rank did, its messages on stderr say why {directory} could not be written",
        )
    if verdict.answer == "depends":
        return _of_script(word, verdict)
    hint = f"{directory} must exist and be writable on every node and for the ranks' user"
    if launcher is not None and launcher.kind is OTHER:
        instead = f"{in_shell(PurePath(launcher.path).name)} … leadline exec {in_shell(word)} …"
        hint = f"unknown launcher {launcher.path}; try: {instead}"
    if launcher is None:  # on this host, with the recorder preloaded: nothing else could have prevented the recording
        return Verdict("no", f"{word} is an MPI program that ended before MPI_Init")
    failed = bool(exit_code)
    tool = PurePath(launcher.path).name
    if failed:
        hint = f"if {tool} says above what is wrong, mend that first; otherwise: {hint}"
    return Verdict(
        "no",
        f"{word} is an MPI program, but its ranks left nothing in {directory}: "
        f"{f'{tool} did not start them, or they' if failed else 'they'} ended before MPI_Init, or ran without the "
        "recorder, or could not write there",
        hint,
    )


def _own_output(command: Sequence[str]) -> str | None:
    """The directory in `mpiexec -n 4 leadline exec -o DIR ./app`; None if the command says none."""
    for i, word in enumerate(command[:-1]):
        name = PurePath(word).name
        is_native = name == "leadline-exec"
        if is_native or (name == "leadline" and command[i + 1] == "exec"):
            for option, value in itertools.pairwise(command[i + (1 if is_native else 2) :]):
                if option in {"-o", "--output"}:
                    return value
                if option.startswith("--output="):
                    return option.removeprefix("--output=")
                if option == "--" or is_program(option):
                    break
    return None


def _of_script(word: str, verdict: Verdict) -> Verdict:
    name = PurePath(word).name
    own = _words_in(word, OWN_RECORDING)
    if own:
        return Verdict(
            "no", f"{name} records its programs itself with `{own}`, into a directory of its own", elsewhere=True
        )
    option = keeps_environment_back(word)
    if option:
        return Verdict(
            "no",
            f"{name} starts its programs with {option}, which blocks LD_PRELOAD",
            INSIDE,
        )
    return Verdict(
        "no",
        f"neither {name} nor its children called MPI where Leadline could see it",
        verdict.hint or f"if one did, LD_PRELOAD was removed from its environment; {INSIDE}",
    )


def keeps_environment_back(script: str | Path) -> str:
    """The words in a script by which its programs get no LD_PRELOAD, or another one; "" if there are none, or if this
    is not a script."""
    return _words_in(script, WITHOUT_ENVIRONMENT)


def _words_in(script: str | Path, pattern: re.Pattern[str]) -> str:
    """What the pattern finds in a script: its group `words` if it has one. "": nothing, or there is no such script."""
    try:
        text = own_files.read_named(Path(script), MOST_OF_A_SCRIPT).decode(errors="replace")
    except OSError:
        return ""
    found = pattern.search(text)
    return found.group("words" if "words" in pattern.groupindex else 0).strip() if found else ""

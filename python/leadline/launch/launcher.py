"""Which launcher a command starts, and how that launcher gives an environment variable to its ranks."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from leadline.launch import srun_export
from leadline.launch.launcher_options import end_of_options
from leadline.launch.wrappers import WRAPPERS, command_start, with_variables

# Names that start ranks. The name only says that it is one; `--version` says which.
LAUNCHER_NAME = re.compile(r"(?:mpiexec|mpirun)(?:[._-].*)?|orterun|prterun|prun|oshrun|srun|aprun|jsrun|ibrun|flux")


@dataclass(frozen=True)
class Launcher:
    """The launcher found in a command. kind: hydra, openmpi, srun, aprun, jsrun, or other."""

    kind: str
    path: str
    version: str
    index: int

    @property
    def hands_on(self) -> bool:
        """Whether words_for_ranks has it give variables to its ranks; those of others inherit the environment."""
        return self.kind in {"hydra", "openmpi", "aprun", "jsrun"}

    def environment(self, variables: Mapping[str, str]) -> dict[str, str]:
        """What of these variables goes into its own environment, too.

        Open MPI's gives to programs that its ranks spawn what it has itself, not what it gave to the ranks; but it must
        not be preloaded with anything (src/host/spawning.hpp).
        """
        if not self.hands_on:
            return dict(variables)
        if self.kind != "openmpi":
            return {}
        return {name: value for name, value in variables.items() if name != "LD_PRELOAD"}


def find_launcher(words: Sequence[str], search_path: str | None = None) -> Launcher | None:
    """The launcher that `words` starts, behind any wrapper; None where it starts a program directly.

    search_path: what to use for PATH.
    """
    index = command_start(words)
    if index >= len(words) or not LAUNCHER_NAME.fullmatch(PurePath(words[index]).name):
        return None
    path = shutil.which(words[index], path=search_path)
    if path is None:
        return None
    kind, version = _recognise(path)
    return Launcher(kind, path, version, index)


def _recognise(path: str) -> tuple[str, str]:
    import subprocess  # slow to import, and not needed where no launcher is in the command

    try:
        done = subprocess.run(
            [path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=15
        )
        text = done.stdout + done.stderr
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        text = ""
    found = re.search(r"\d+\.\d+(?:\.\d+)?\w*", text)
    return _kind(text, PurePath(path).name), found.group() if found else ""


def _kind(version_text: str, name: str) -> str:
    text = version_text.lower()
    if "hydra" in text or "intel(r) mpi" in text:
        return "hydra"
    if any(word in text for word in ("open mpi", "openrte", "open-mpi", "prrte", "prte")):
        return "openmpi"
    if text.startswith("slurm"):
        return "srun"
    return name if name in {"aprun", "jsrun"} else "other"


def words_for_ranks(words: Sequence[str], launcher: Launcher, variables: dict[str, str], preload: str) -> list[str]:
    """`words` with what makes the launcher give `variables` to every rank, here and on other nodes.

    A launcher that is not known gets nothing: its ranks inherit the environment, or are not recorded.
    preload: the value of LD_PRELOAD without any preload of the user's.
    """
    before, tool = list(words[: launcher.index]), words[launcher.index]
    rest = _programs_with_variables(list(words[launcher.index + 1 :]), launcher.kind, variables, preload)
    if launcher.kind == "hydra":
        rest, theirs = _options_changed(rest, launcher.kind, _take_pairs, preload)
        given = [word for name, value in {**variables, **theirs}.items() for word in ("-genv", name, value)]
    elif launcher.kind == "openmpi":
        rest, theirs = _options_changed(rest, launcher.kind, _take_assignment, preload)
        given = [word for name, value in {**variables, **theirs}.items() for word in ("-x", f"{name}={value}")]
        rest = _after_each_colon(rest, given)
    elif launcher.kind == "srun":
        rest, given = srun_export.with_variables(_contexts(rest), variables, preload), []
    elif launcher.kind == "aprun":
        given = [word for name, value in variables.items() for word in ("-e", f"{name}={value}")]
    elif launcher.kind == "jsrun":
        given = [word for name, value in variables.items() for word in ("-E", f"{name}={value}")]
    else:
        given = []
    return [*before, tool, *given, *rest]


def prepared(
    command: Sequence[str],
    launcher: Launcher | None,
    environ: Mapping[str, str],
    variables: dict[str, str],
    preload: str,
) -> tuple[list[str], dict[str, str]]:
    """`command` and its environment such that `variables` come to every rank it starts, behind whatever script.

    launcher: the one in the command. preload: the value of LD_PRELOAD without any preload of the user's.
    """
    words = list(command) if launcher is None else words_for_ranks(command, launcher, variables, preload)
    words = with_variables(words, variables, preload)
    own = variables if launcher is None else launcher.environment(variables)
    # Another mpiexec starts its own processes with srun, and needs nothing of ours.
    passed = {} if launcher is not None and launcher.hands_on else srun_export.environment(environ, variables)
    return words, {**environ, **own, **passed}


def program_start(words: Sequence[str], kind: str = "other") -> int:
    """The index at which the options of a launcher of this kind end: of the word that is a program or runs one.

    After an option that is not known it is the first word that can be executed. Equals len(words) where there is none.
    """
    start, known = end_of_options(words, kind)
    if known:
        return start
    for index in range(start, len(words)):
        if PurePath(words[index]).name in WRAPPERS or is_program(words[index]):
            return index
    return len(words)


def with_program(words: Sequence[str], program: Sequence[str], kind: str = "other") -> list[str]:
    """The words after a launcher, `-n 1 ./a : -n 2 env X=1 ./b`, with another program in place of each.

    program: with its arguments. Wrappers stay, for what they set is the program's too.
    """
    contexts = []
    for context in _contexts(words):
        start = program_start(context, kind)
        contexts.append([*context[: start + command_start(context[start:])], *program])
    return _joined(contexts)


def is_program(word: str) -> bool:
    path = None if word.startswith("-") else shutil.which(word)
    return path is not None and os.path.isfile(path)


def _contexts(words: Sequence[str]) -> list[list[str]]:
    """The programs of `mpiexec -n 1 ./a : -n 2 ./b`, each with the options before it."""
    contexts: list[list[str]] = [[]]
    for word in words:
        if word == ":":
            contexts.append([])
        else:
            contexts[-1].append(word)
    return contexts


def _joined(contexts: Sequence[Sequence[str]]) -> list[str]:
    out = list(contexts[0])
    for context in contexts[1:]:
        out += [":", *context]
    return out


def _programs_with_variables(words: Sequence[str], kind: str, variables: dict[str, str], preload: str) -> list[str]:
    """`mpiexec -n 4 env LD_PRELOAD=theirs ./app`: the ranks' own `env` must not take ours away."""
    contexts = []
    for context in _contexts(words):
        start = program_start(context, kind)
        contexts.append([*context[:start], *with_variables(context[start:], variables, preload)])
    return _joined(contexts)


def _after_each_colon(words: Sequence[str], given: Sequence[str]) -> list[str]:
    """Open MPI 4 gives a variable to one of several programs only."""
    first, *others = _contexts(words)
    return _joined([first, *([*given, *context] for context in others)])


Taken = tuple[list[str], dict[str, str]]


def _options_changed(words: Sequence[str], kind: str, change: Callable[[list[str], str], Taken], preload: str) -> Taken:
    """What `change` makes of the launcher's own options, and the variables it took from them: not of a program's."""
    contexts, theirs = [], {}
    for context in _contexts(words):
        start = program_start(context, kind)
        options, found = change(list(context[:start]), preload)
        contexts.append([*options, *context[start:]])
        theirs.update(found)
    return _joined(contexts), theirs


def _take_pairs(words: list[str], preload: str) -> Taken:
    """Hydra: `-genv LD_PRELOAD theirs` becomes ours:theirs for all; `-env`, of one program of several, stays there."""
    theirs: dict[str, str] = {}
    out: list[str] = []
    index = 0
    while index < len(words):
        option, following = words[index].lstrip("-"), words[index + 1 : index + 3]
        name, assigned, value = (following or [""])[0].partition("=")
        if option not in {"genv", "env"} or name != "LD_PRELOAD" or (not assigned and len(following) < 2):
            out.append(words[index])
            index += 1
            continue
        value = f"{preload}:{value if assigned else following[1]}"
        if option == "genv":
            theirs["LD_PRELOAD"] = value
        else:
            out += [words[index], "LD_PRELOAD", value]
        index += 2 if assigned else 3
    return out, theirs


def _take_assignment(words: list[str], preload: str) -> Taken:
    """Open MPI: `-x LD_PRELOAD=theirs` becomes ours:theirs; `-x LD_PRELOAD` alone means the environment's, as we do."""
    theirs: dict[str, str] = {}
    out: list[str] = []
    index = 0
    while index < len(words):
        following = words[index + 1] if index + 1 < len(words) else ""
        if words[index] in {"-x", "--x"} and following.partition("=")[0] == "LD_PRELOAD":
            value = following.partition("=")[2]
            if value:
                theirs["LD_PRELOAD"] = f"{preload}:{value}"
            index += 2
            continue
        out.append(words[index])
        index += 1
    return out, theirs

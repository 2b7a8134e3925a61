"""Which launcher a command starts, and how that launcher gives an environment variable to its ranks."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from leadline.launch.wrappers import WRAPPERS, command_start, with_variables
from leadline.launchers import OTHER, LauncherKind, kind_and_version, srun

# Names that start ranks. The name only says that it is one; `--version` says which.
LAUNCHER_NAME = re.compile(r"(?:mpiexec|mpirun)(?:[._-].*)?|orterun|prterun|prun|oshrun|srun|aprun|jsrun|ibrun|flux")


@dataclass(frozen=True)
class Launcher:
    """The launcher found in a command."""

    kind: LauncherKind
    path: str
    version: str
    index: int


def find_launcher(words: Sequence[str], search_path: str | None = None) -> Launcher | None:
    """The launcher that `words` starts, behind any wrapper; None if it starts a program directly.

    search_path: used as PATH.
    """
    index = command_start(words)
    if index >= len(words) or not LAUNCHER_NAME.fullmatch(PurePath(words[index]).name):
        return None
    path = shutil.which(words[index], path=search_path)
    if path is None:
        return None
    kind, version = kind_and_version(path)
    return Launcher(kind, path, version, index)


def words_for_ranks(words: Sequence[str], launcher: Launcher, variables: dict[str, str], preload: str) -> list[str]:
    """`words` with what makes the launcher give `variables` to every rank, here and on other nodes.

    An unknown launcher gets nothing: its ranks inherit the environment, or are not recorded. preload: the value of
    LD_PRELOAD without any preload of the user's.
    """
    kind = launcher.kind
    before, tool = list(words[: launcher.index]), words[launcher.index]
    rest = _programs_with_variables(list(words[launcher.index + 1 :]), kind, variables, preload)
    rest, theirs = _options_changed(rest, kind, preload)
    given = kind.given({**variables, **theirs})
    first, *others = kind.passing(programs_of(rest), variables, preload)
    if kind.repeats_for_each_program:
        others = [[*given, *context] for context in others]
    return [*before, tool, *given, *_joined([first, *others])]


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
    own = variables if launcher is None else launcher.kind.environment(variables)
    # Another mpiexec starts its own processes with srun, and needs nothing of ours.
    passed = {} if launcher is not None and launcher.kind.hands_on else srun.environment(environ, variables)
    return words, {**environ, **own, **passed}


def program_start(words: Sequence[str], kind: LauncherKind = OTHER) -> int:
    """The index of the word at which the options of such a launcher end: a program, or a word that runs one.

    After an unknown option, it is the first word that can be executed. Equals len(words) if there is none.
    """
    start, known = kind.options.end_of(words) if kind.options is not None else (0, False)
    if known:
        return start
    for index in range(start, len(words)):
        if PurePath(words[index]).name in WRAPPERS or is_program(words[index]):
            return index
    return len(words)


def with_program(words: Sequence[str], program: Sequence[str], kind: LauncherKind = OTHER) -> list[str]:
    """The words after a launcher, `-n 1 ./a : -n 2 env X=1 ./b`, with each program replaced by another.

    program: with its arguments. Wrappers stay, because their settings are for the program, too.
    """
    contexts = []
    for context in programs_of(words):
        start = program_start(context, kind)
        contexts.append([*context[: start + command_start(context[start:])], *program])
    return _joined(contexts)


def is_program(word: str) -> bool:
    path = None if word.startswith("-") else shutil.which(word)
    return path is not None and os.path.isfile(path)


def programs_of(words: Sequence[str]) -> list[list[str]]:
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


def _programs_with_variables(
    words: Sequence[str], kind: LauncherKind, variables: dict[str, str], preload: str
) -> list[str]:
    """`mpiexec -n 4 env LD_PRELOAD=theirs ./app`: the ranks' own `env` must not take ours away."""
    contexts = []
    for context in programs_of(words):
        start = program_start(context, kind)
        contexts.append([*context[:start], *with_variables(context[start:], variables, preload)])
    return _joined(contexts)


def _options_changed(words: Sequence[str], kind: LauncherKind, preload: str) -> tuple[list[str], dict[str, str]]:
    """The launcher's own options without a preload of the user's, and the variables taken: not of a program's."""
    contexts, theirs = [], {}
    for context in programs_of(words):
        start = program_start(context, kind)
        options, found = kind.take_preload(list(context[:start]), preload)
        contexts.append([*options, *context[start:]])
        theirs.update(found)
    return _joined(contexts), theirs

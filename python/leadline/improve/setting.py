"""A setting that can be tried, and a command with some of them. A *candidate* is one that has not been decided."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from leadline.errors import UsageError
from leadline.launch.launcher import find_launcher, program_start
from leadline.launchers.places import host_name
from leadline.libraries.rule import Table
from leadline.libraries.sending import Candidate
from leadline.tuning.probing import Subject, words_with

RANKS = "ranks"  # the kind of other numbers of ranks
HEAP, LARGE_PAGES = "heap", "large pages"


@dataclass(frozen=True)
class Setting:
    """kind: the candidate's file; only one of each kind is kept.   what: in words.   risk: what may go wrong.

    variables: for every rank.   files: contents, by the variable that is to name the file.
    files_for_more: as Settings has them.   without: variables that are taken away.   options: of the launcher.
    without_options: the launcher's that are taken away, each with its values.
    table: rules; of the library's own algorithms, or for the shim.   by_shim: which of the two.
    option_files: contents of files, by the word that stands for the file's path in options.
    places: by rank, "HOST:CPUS", where it then runs; hosts: their names, which {host0} and so on in files stand for.
    controls: values that the library's own variables (MPI_T) then have, by name.
    hints: that MPI-IO then says it uses for a file.   memory: what malloc then does with a long block.
    sent: how its effect on messages is seen, where the library shows it.   share: the most that it could save, as the
    record has it.
    """

    name: str
    kind: str
    what: str
    risk: str
    share: float
    variables: Mapping[str, str] = field(default_factory=dict, hash=False)
    files: Mapping[str, str] = field(default_factory=dict, hash=False)
    files_for_more: Mapping[int, Mapping[str, str]] = field(default_factory=dict, hash=False, compare=False)
    without: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    without_options: tuple[tuple[str, ...], ...] = ()
    table: Table | None = field(default=None, hash=False, compare=False)
    by_shim: bool = False
    option_files: Mapping[str, str] = field(default_factory=dict, hash=False)
    places: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    controls: Mapping[str, str] = field(default_factory=dict, hash=False)
    hints: Mapping[str, str] = field(default_factory=dict, hash=False)
    memory: str = ""  # HEAP, LARGE_PAGES
    sent: Candidate | None = field(default=None, hash=False, compare=False)

    @property
    def weight(self) -> int:
        """How many things it changes."""
        changed = (self.variables, self.files, self.without, self.options, self.without_options)
        return sum(map(len, changed)) + (0 if self.table is None else len(self.table.rules))

    def goes_with(self, other: Setting) -> bool:
        """Whether both can be set: not two of a kind, not both without the same, nor what the other takes away."""
        mine, theirs = {**self.variables, **self.files}, {**other.variables, **other.files}
        differ = any(theirs.get(name, value) != value for name, value in mine.items())
        taken = set(self.without) & {*theirs, *other.without} or set(other.without) & set(mine)
        both = set(self.without_options) & set(other.without_options)
        return self.kind != other.kind and not differ and not taken and not both


def variables_of(settings: Sequence[Setting], folder: Path) -> dict[str, str]:
    """The variables of all; their files are written into the folder, which has to stay."""
    found: dict[str, str] = {}
    for setting in settings:
        found |= setting.variables
        for variable, text in setting.files.items():
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / f"{setting.name}-{variable.lower()}"
            path.write_text(_with_hosts(text, setting.hosts))
            found[variable] = str(path)
    return found


def laid_out(setting: Setting, folder: Path) -> Setting:
    """With the files that its options name, written into the folder, which has to stay."""
    options = list(setting.options)
    for word, text in setting.option_files.items():
        folder.mkdir(parents=True, exist_ok=True)
        path = folder.absolute() / f"{setting.name}-{word.strip('{}')}"
        path.write_text(_with_hosts(text, setting.hosts))
        options = [option.replace(word, str(path)) for option in options]
    return replace(setting, options=tuple(options))


def _with_hosts(text: str, hosts: Sequence[str]) -> str:
    for number, host in enumerate(hosts):
        text = text.replace(host_name(number), host)
    return text


def command_with(
    command: Sequence[str], environ: Mapping[str, str], settings: Sequence[Setting], variables: Mapping[str, str]
) -> tuple[list[str], dict[str, str]]:
    """The command with the settings, and its environment.   variables: of variables_of."""
    without = {name for setting in settings for name in setting.without} - set(variables)
    left = {name: value for name, value in environ.items() if name not in without}
    options = [word for setting in settings for word in setting.options]
    words = with_options(command, options, left, [gone for setting in settings for gone in setting.without_options])
    launcher = find_launcher(words, left.get("PATH"))
    return words_with(Subject(tuple(words), launcher, Path(), None, left), dict(variables))


def with_options(
    command: Sequence[str], options: Sequence[str], environ: Mapping[str, str], gone: Sequence[Sequence[str]] = ()
) -> list[str]:
    """The command with options of its launcher, in place of those of the same name that it has.

    gone: options with their values that are taken away. Raises UsageError if it has no launcher to take them.
    """
    if not options and not gone:
        return list(command)
    launcher = find_launcher(command, environ.get("PATH"))
    if launcher is None:
        raise UsageError(f"{command[0]} is no launcher, whose options could be changed")
    before, rest = list(command[: launcher.index + 1]), list(command[launcher.index + 1 :])
    kind = launcher.kind
    start = program_start(rest, kind)
    names = {word.lstrip("-") for word in options if re.match("--?[a-z]", word)}
    if names & kind.counts:
        names |= kind.counts
    own, at = rest[:start], 0
    kept: list[str] = []
    while at < len(own):
        taken = next((len(words) for words in gone if own[at : at + len(words)] == list(words)), 0)
        name, _, _ = own[at].lstrip("-").partition("=")
        if taken or (own[at].startswith("-") and name in names):
            at += taken or (kind.options.takes(own, at) if kind.options is not None else None) or 2
        else:
            kept.append(own[at])
            at += 1
    return [*before, *options, *kept, *rest[start:]]


def count_option(command: Sequence[str], environ: Mapping[str, str]) -> str:
    """The launcher's option for the number of ranks, as the command has it; "" if it has none, or several programs."""
    launcher = find_launcher(command, environ.get("PATH"))
    if launcher is None or launcher.kind.options is None:
        return ""
    words = command[launcher.index + 1 :]
    found, at, end = [], 0, program_start(words, launcher.kind)
    while at < end and words[at].startswith("-"):
        if words[at].lstrip("-") in launcher.kind.counts:
            found.append(words[at])
        at += launcher.kind.options.takes(words, at) or 1
    return found[0] if len(found) == 1 and ":" not in words else ""

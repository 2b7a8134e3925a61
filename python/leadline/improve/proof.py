"""Whether a setting takes effect in the ranks, before the program is run with it.

The probe is started as the program will be, with the setting: the library's own variables are read back (MPI_T), a
limit is seen in what a send does, an algorithm in the library's routines or in an error that names them, a binding in
the cores that ranks may use, places of ranks in the host and the CPUs of each, hints in what MPI-IO says of a file that
it opened (MPI_File_get_info), settings of malloc in where a block comes from. What Leadline's shim did is seen in the
program's own runs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from leadline.improve.places import places_of
from leadline.improve.setting import LARGE_PAGES, RANKS, Setting, command_with, variables_of
from leadline.launch.launcher import find_launcher, with_program
from leadline.launchers import OTHER
from leadline.libraries.answers import Answers
from leadline.libraries.settings import Settings
from leadline.placing.topology import list_of
from leadline.runs.execute import execute
from leadline.runs.launch import Launch
from leadline.text import format as fmt
from leadline.tuning.probing import TIME_LIMIT_S, ProbeFailed, Subject, ask, subject
from leadline.tuning.protocol import tried
from leadline.tuning.proving import prove

ASK_S = 60.0
BINDING = "binding"  # the kind of settings that are seen in the ranks' cores
BLOCK = 8 << 20  # of malloc: several large pages, and less than the threshold that is set
CORES = re.compile(r"leadline-cores (\S+)")


def why_without_effect(
    setting: Setting,
    command: Sequence[str],
    environ: Mapping[str, str],
    ranks: int,
    folder: Path,
    limit_s: float = TIME_LIMIT_S,
) -> str:
    """Why it has no effect, or cannot be set; "" if it takes effect.   folder: for files that it names.   limit_s: for
    messages of the probe, which a setting can make get stuck."""
    if setting.places:
        return _placed(setting, command, environ)
    words, left = command_with(command, environ, [setting], {})
    about = subject(words, left)
    if setting.kind == BINDING or _only_places(setting, about):
        return _binding(setting, command, environ, variables_of([setting], folder))
    try:
        if setting.kind == RANKS:
            return _number(setting, about) or _reached(setting, about, dict(setting.variables))
        if setting.by_shim:
            return ""  # seen in the program's own run
        if setting.table is not None:
            return _algorithm(setting, about, ranks, folder)
        if setting.sent is not None:
            return tried(about, setting.sent, limit_s).why
        return _reached(setting, about, variables_of([setting], folder))
    except ProbeFailed as error:
        return str(error)


def _only_places(setting: Setting, about: Subject) -> bool:
    """Whether all it does is to leave out options that say where ranks run."""
    places = about.launcher.kind.places if about.launcher is not None else frozenset()
    gone = [option[0].lstrip("-") for option in setting.without_options]
    return bool(gone) and places.issuperset(gone) and not setting.without


def _number(setting: Setting, about: Subject) -> str:
    """Whether so many ranks start."""
    size = ask(about, {}).size
    return "" if setting.options[1:] == (str(size),) else f"{size} ranks start with it"


def _algorithm(setting: Setting, about: Subject, ranks: int, folder: Path) -> str:
    assert setting.table is not None
    library = about.library
    assert library is not None  # settings for a table come from a library
    errant: dict[int, dict[str, str]] = {}
    for more, files in setting.files_for_more.items():
        for variable, text in files.items():
            path = folder / f"{setting.name}-{more}-{variable.lower()}"
            path.write_text(text)
            errant.setdefault(more, {})[variable] = str(path)
    told = Settings(set=list(setting.table.rules)).told
    proofs = prove(about, library, told, variables_of([setting], folder), ranks, errant)
    return next((proof.why for proof in proofs if not proof.effective), "")


def _reached(setting: Setting, about: Subject, variables: dict[str, str]) -> str:
    """Whether the ranks have the variables, and not those that are taken away."""
    kind = about.launcher.kind if about.launcher is not None else OTHER
    gone = [kind.variable_set_by(option) for option in setting.without_options]
    names = [*variables, *setting.without, *(name for name in gone if name)]
    block = BLOCK if setting.memory else 0
    found = ask(about, variables, named=names, controls=[*setting.controls], memory=block, hints=bool(setting.hints))
    for name in names:
        if found.variables.get(name) != variables.get(name):
            return f"{name} is {found.variables.get(name) or 'not set'} in the ranks despite the setting"
    return _other_controls(setting, found) or _other_hints(setting, found) or _other_memory(setting, found)


def _other_controls(setting: Setting, found: Answers) -> str:
    for name, wanted in setting.controls.items():
        if found.controls.get(name) != wanted:
            return f"{name} is {found.controls.get(name) or 'unknown'} in the ranks despite the setting"
    return ""


def _other_hints(setting: Setting, found: Answers) -> str:
    if setting.hints and not found.hints:
        return "MPI-IO names no hints for a file that is opened"
    for name, wanted in setting.hints.items():
        if found.hints.get(name) != wanted:
            return f"MPI-IO uses {name}={found.hints.get(name, '(none)')} for a file that is opened, not {wanted}"
    return ""


def _other_memory(setting: Setting, found: Answers) -> str:
    size = fmt.size(BLOCK)
    if not setting.memory:
        return ""
    if found.memory is None:
        return "the ranks did not say where their memory comes from"
    if setting.memory == LARGE_PAGES:
        return "" if found.memory.large_pages else f"malloc of {size} asks for no large pages in the ranks"
    kept = not found.memory.mapped and not found.memory.returned
    return "" if kept else f"malloc of {size} still gives its memory back to the system in the ranks"


def _placed(setting: Setting, command: Sequence[str], environ: Mapping[str, str]) -> str:
    """Whether each rank is on its host and may use its CPUs, and no others."""
    found = places_of(command, environ, [setting])
    now = list(zip(found.host_of, found.cpus_of, strict=True))
    if len(now) != len(setting.places):
        return f"{len(now)} ranks start with it, not {len(setting.places)}"
    for rank, (place, (host, cpus)) in enumerate(zip(setting.places, now, strict=True)):
        number, _, listed = place.partition(":")
        wanted = setting.hosts[int(number)]
        if (host, list_of(cpus)) != (wanted, listed):
            return f"rank {rank} runs on CPU {list_of(cpus)} of {host} with it, not on {listed} of {wanted}"
    return ""


def _binding(setting: Setting, command: Sequence[str], environ: Mapping[str, str], variables: Mapping[str, str]) -> str:
    """Whether ranks may use other cores than without it."""
    before, after = _cores(command, environ, [], {}), _cores(command, environ, [setting], variables)
    if not after:
        return "the launcher starts no rank with it"
    return "" if before != after else f"the ranks' cores are the same with it: {', '.join(after)}"


def _cores(
    command: Sequence[str], environ: Mapping[str, str], settings: list[Setting], variables: Mapping[str, str]
) -> list[str]:
    """The cores that each rank may use, as the system writes them."""
    words, left = command_with(command, environ, settings, variables)
    launcher = find_launcher(words, left.get("PATH"))
    if launcher is None:
        return []
    ask_cores = 'echo "leadline-cores $(sed -n "s/^Cpus_allowed_list:[[:space:]]*//p" /proc/self/status)"'
    before, rest = words[: launcher.index + 1], words[launcher.index + 1 :]
    argv = (*before, *with_program(rest, ["/bin/sh", "-c", ask_cores], launcher.kind))
    found = execute(Launch("the ranks' cores", argv, left, limit_s=ASK_S, merged=True))
    return sorted(CORES.findall(found.output)) if found.ok else []

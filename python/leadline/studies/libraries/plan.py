"""The campaign of the study, as the TOML file that `leadline campaign` takes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from leadline.campaign.plan import Setting
from leadline.libraries import LIBRARIES

# The problems: those of the workloads' own defaults, or ones that take seconds.
FULL: dict[str, tuple[str, ...]] = {"vh1": (), "gtc": (), "pop": (), "s3d": (), "unexpected": ()}
SMALL: dict[str, tuple[str, ...]] = {
    "vh1": ("--grid", "32x32x32", "--steps", "4"),
    "gtc": ("--particles", "100000", "--steps", "4"),
    "pop": ("--grid", "96x96x10", "--steps", "3"),
    "s3d": ("--grid", "20x20x20", "--steps", "3"),
    "unexpected": ("--rounds", "20"),
}
# Parts of the programs, by the names in their output.
PHASES = {"pop": ("baroclinic", "barotropic"), "unexpected": ("posted", "unexpected", "sending")}
DEFAULT = Setting()
# A library's two ways to send, by the names of its candidates: Open MPI's PMLs. CM needs an MTL; that with the provider
# for TCP works on any machine.
WAYS = {"OB1": "ob1", "CM": "cm-tcp"}
# The algorithm of coll/tuned for every MPI_Allreduce, under pop: the paper's four.
ALGORITHMS = {"linear": 1, "tree reduce and broadcast": 2, "recursive doubling": 3, "ring": 4}


@dataclass(frozen=True)
class Wanted:
    """What is asked for. small: problems that take seconds, not minutes.   record: whether runs are recorded."""

    libraries: tuple[str, ...]
    ranks: tuple[int, ...]
    repeats: int
    small: bool
    record: bool


def two_ways() -> tuple[str, ...]:
    """The kinds of libraries that have both."""
    return tuple(kind.name for kind in LIBRARIES if {*WAYS.values()} <= {each.name for each in kind.candidates()})


def ways() -> list[Setting]:
    known = {each.name: each.variables for kind in LIBRARIES for each in kind.candidates() if kind.name in two_ways()}
    return [Setting(name, known[candidate], libraries=two_ways()) for name, candidate in WAYS.items()]


def settings() -> list[Setting]:
    return [DEFAULT, *ways(), *map(_allreduce, ALGORITHMS)]


def _allreduce(name: str) -> Setting:
    variables = {
        **ways()[0].environment,
        "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
        "OMPI_MCA_coll_tuned_allreduce_algorithm": str(ALGORITHMS[name]),
        "OMPI_MCA_coll_tuned_priority": "100",  # above components for one node, which would take the call
    }
    return Setting(f"allreduce {name}", variables, libraries=two_ways(), programs=("pop",))


def candidates(libraries: Sequence[tuple[str, str]]) -> list[tuple[str, Setting]]:
    """Of messages alone. libraries: each with its kind."""
    return [
        (name, setting)
        for name, kind in libraries
        for setting in (DEFAULT, *ways())
        if setting.fits(name, kind, "") and (kind not in two_ways() or setting is not DEFAULT)
    ]


def toml_of(wanted: Wanted, kinds: Sequence[str]) -> str:
    """kinds: of the libraries. One with two ways runs with each, never by its own choice, which is one of them."""
    out = [
        "# Made by leadline study libraries.",
        'name = "libraries"',
        f"libraries = {_list(wanted.libraries)}",
        f"ranks = {json.dumps(list(wanted.ranks))}",
        f"repeats = {wanted.repeats}",
        f"record = {json.dumps(wanted.record)}",
        "timeout = 900",
        "time = ': ([0-9.]+) s \\('",
    ]
    for name, arguments in (SMALL if wanted.small else FULL).items():
        out += ["", "[[program]]", f"workload = {_quoted(name)}"]
        out += [f"arguments = {_list(arguments)}"] if arguments else []
        if name in PHASES:
            parts = ", ".join(f"{phase} = '\\b{phase} ([0-9.]+) s'" for phase in PHASES[name])
            out.append(f"parts = {{ {parts} }}")
    chosen = [name for name, kind in zip(wanted.libraries, kinds, strict=True) if kind in two_ways()]
    for setting in settings() if chosen else [DEFAULT]:
        out += ["", "[[setting]]", f"name = {_quoted(setting.name)}"]
        for key, words in (("libraries", setting.libraries), ("programs", setting.programs)):
            out += [f"{key} = {_list(words)}"] if words else []
        variables = ", ".join(f"{name} = {_quoted(value)}" for name, value in setting.environment.items())
        out += [f"environment = {{ {variables} }}"] if variables else []
    if chosen:
        out += ["", "[[exclude]]", f"library = {_list(chosen)}", 'setting = "default"']
    return "\n".join(out) + "\n"


def _quoted(word: str) -> str:
    return json.dumps(word, ensure_ascii=False).replace("\x7f", "\\u007f")


def _list(words: Sequence[str]) -> str:
    return f"[{', '.join(map(_quoted, words))}]"

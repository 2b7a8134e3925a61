"""The TOML file of a campaign. What is wrong in it is said in one line: the file, the key, and what it may be."""

from __future__ import annotations

import os
import re
import shlex
import string
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from leadline import toml, workloads
from leadline.campaign.batch.system import SYSTEMS
from leadline.campaign.machines.machine import FOLDER, FOLDERS, HOST, Machine, located
from leadline.campaign.machines.machine import NAME as MACHINE
from leadline.campaign.plan import Batch, Exclude, Input, Plan, Program, Recording, Setting
from leadline.errors import UsageError
from leadline.text.suggestions import available
from leadline.text.visible import visible

T = TypeVar("T")

NO_WORDS: tuple[str, ...] = ()
NO_RANKS: tuple[int, ...] = ()
NO_VALUES: tuple[str | int, ...] = ()
NO_VARIABLES: dict[str, str] = {}
DEFAULT_LIBRARIES: tuple[str, ...] = ("mpich",)
MOST_RANKS = 1 << 20
MOST_REPEATS = 10_000
TIMEOUT_S = 600.0
BUILD_WORDS = ("mpicc", "mpicxx", "mpifort", "library")
LAUNCHER = 'words with {ranks}, e.g. "srun --mpi=pmi2 -n {ranks}"'
NAME = re.compile(r"[^\x00-\x1f\x7f/]{1,80}")
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
DIMENSIONS = ("program", "library", "ranks", "setting", "input")


class Reader:
    """A table of the file. Each key is taken once; what is left in the end is unknown."""

    def __init__(self, file: Path, where: str, content: Mapping[str, Any], origin: Path | None = None) -> None:
        self.file, self.where, self.content = file, where, dict(content)
        self.origin, self.must_exist = origin or file.parent, origin is None
        self._known: list[str] = []

    def refuse(self, key: str, expected: str) -> UsageError:
        given = visible(repr(self.content.get(key)))
        got = f", got {given if len(given) <= 60 else given[:57] + '...'}" if key in self.content else ""
        return UsageError(f"{self.file}: {self.where}{key}: expected {expected}{got}")

    def take(self, key: str, default: T, read: Callable[[Any], T | None], expected: str) -> T:
        """read: None for a value that is none of those expected."""
        self._known.append(key)
        if key not in self.content:
            return default
        try:
            found = read(self.content[key])
        except (TypeError, ValueError):
            found = None
        if found is None:
            raise self.refuse(key, expected)
        return found

    def end(self) -> None:
        unknown = [key for key in self.content if key not in self._known]
        if unknown:
            raise UsageError(
                f"{self.file}: unknown key {self.where}{visible(unknown[0])}",
                hint=available(unknown[0], sorted(self._known)),
            )

    def tables(self, key: str) -> list[Reader]:
        """An array of tables, [[key]]."""
        nothing: list[dict[str, Any]] = []
        found = self.take(key, nothing, _tables, f"tables, each begun with [[{key}]]")
        return [self.inner(f"[[{key}]] {number}: ", each) for number, each in enumerate(found, 1)]

    def inner(self, where: str, content: Mapping[str, Any]) -> Reader:
        return Reader(self.file, where, content, None if self.must_exist else self.origin)


def read(file: Path, origin: Path | None = None, name: str | None = None) -> Plan:
    """origin: where relative paths begin, which then need not exist; by default the file's folder.

    name: if the file has none; by default the file's. Raises UsageError.
    """
    top = Reader(file, "", toml.load(file), origin)
    name = top.take("name", name or file.stem, _name, "a name without slashes, of at most 80 characters")
    ranks = top.take("ranks", NO_RANKS, _many(_whole(1, MOST_RANKS)), "a list of whole numbers from 1 on, e.g. [2, 4]")
    libraries = top.take(
        "libraries", DEFAULT_LIBRARIES, _many(_text), 'a list of names or paths, e.g. ["mpich", "openmpi"]'
    )
    repeats = top.take("repeats", 5, _whole(1, MOST_REPEATS), f"a whole number from 1 to {MOST_REPEATS}")
    difference = top.take("difference", 0.05, _number(0.0, 10.0), "a number above 0, e.g. 0.05")
    common = _common(top, _Common())
    programs = tuple(_program(each, common) for each in top.tables("program"))
    launcher = top.take("launcher", NO_WORDS, _launcher, LAUNCHER)
    settings = tuple(_setting(each, launcher) for each in top.tables("setting")) or (Setting(launcher=launcher),)
    inputs = tuple(_input(each) for each in top.tables("input")) or (Input(),)
    machines = tuple(_machine(each) for each in top.tables("machine"))
    excluded = top.tables("exclude")
    batch = _batch(top)
    top.end()
    if not programs:
        raise UsageError(f"{file}: no [[program]]", hint='add one: [[program]] with command = ["./app"]')
    if not ranks:
        raise UsageError(f"{file}: no ranks", hint="add the numbers of ranks: ranks = [2, 4]")
    for what, names in (
        ("[[program]]", [each.name for each in programs]),
        ("[[setting]]", [each.name for each in settings]),
        ("[[input]]", [each.name for each in inputs]),
        ("[[machine]]", [each.name for each in machines]),
        ("libraries", libraries),
        ("ranks", ranks),
    ):
        _refuse_twice(file, what, names)
    _refuse_unknown_there(file, libraries, machines)
    known: dict[str, list[Any]] = {
        "program": [each.name for each in programs],
        "library": [*libraries, *(located(name, machines)[1].partition("@")[0] for name in libraries)],
        "ranks": [*ranks],
        "setting": [each.name for each in settings],
        "input": [each.name for each in inputs],
    }
    excludes = tuple(_exclude(each, known) for each in excluded)
    return Plan(
        name, file, programs, libraries, ranks, settings, inputs, excludes, repeats, difference, machines, batch
    )


@dataclass(frozen=True)
class _Common:
    """What the file says for all programs, and a program may say differently."""

    recording: Recording = Recording.YES
    timeout_s: float = TIMEOUT_S
    time: str = ""
    scaling: str = "strong"


def _common(table: Reader, else_: _Common) -> _Common:
    return _Common(
        table.take("record", else_.recording, _recording, 'true, false or "alternate"'),
        table.take("timeout", else_.timeout_s, _number(0.0, 1e7), "a number of seconds above 0"),
        table.take("time", else_.time, _pattern, "a regular expression whose first group is the time in seconds"),
        table.take("scaling", else_.scaling, _scaling, '"strong" or "weak"'),
    )


def _program(table: Reader, common: _Common) -> Program:
    command = table.take("command", NO_WORDS, _words, 'words, e.g. ["./app", "-x"]; no shell reads them')
    workload = table.take("workload", "", _workload, f"one of {', '.join(workloads.names())}")
    arguments = table.take("arguments", NO_WORDS, _words, 'words for the workload, e.g. ["--steps", "3"]')
    directory = table.take("directory", ".", _text, "a path")
    build = table.take("build", NO_WORDS, _build, f"words, in which {{mpicc}} is one of {', '.join(BUILD_WORDS)}")
    if bool(command) == bool(workload):
        raise UsageError(f"{table.file}: {table.where}expected command or workload, and not both")
    if arguments and not workload:
        raise UsageError(f"{table.file}: {table.where}arguments: a command has its own words")
    if build and workload:
        raise UsageError(f"{table.file}: {table.where}build: a workload is built by Leadline itself")
    default = workload or Path(command[0]).name
    name = table.take("name", default, _name, "a name without slashes, of at most 80 characters")
    parts = table.take("parts", NO_VARIABLES, _parts, "names with regular expressions, as for time")
    own = _common(table, common)
    table.end()
    place = Path(os.path.abspath(table.origin / directory))
    if not place.is_dir() and table.must_exist:
        raise UsageError(f"{table.file}: {table.where}directory: no such directory: {place}")
    return Program(
        name=name,
        command=command,
        workload=workload,
        arguments=arguments,
        directory=place,
        build=build,
        time=own.time,
        parts=tuple(parts.items()),
        recording=own.recording,
        timeout_s=own.timeout_s,
        scaling=own.scaling,
    )


def _setting(table: Reader, launcher: tuple[str, ...]) -> Setting:
    name = table.take("name", "", _name, "a name without slashes, of at most 80 characters")
    environment = table.take(
        "environment", NO_VARIABLES, _environment, 'names with values, e.g. { OMPI_MCA_pml = "ob1" }'
    )
    options = table.take("options", NO_WORDS, _words, 'words for the launcher, e.g. ["--bind-to", "core"]')
    libraries = table.take("libraries", NO_WORDS, _many(_text), 'names of libraries, e.g. ["openmpi"]')
    programs = table.take("programs", NO_WORDS, _many(_text), 'names of programs, e.g. ["pop"]')
    own = table.take("launcher", launcher, _launcher, LAUNCHER)
    table.end()
    if not name:
        raise UsageError(f"{table.file}: {table.where}no name")
    return Setting(name, environment, options, libraries, programs, own)


def _input(table: Reader) -> Input:
    name = table.take("name", "", _name, "a name without slashes, of at most 80 characters")
    arguments = table.take("arguments", NO_WORDS, _words, 'words, e.g. ["--grid", "64x64"]')
    programs = table.take("programs", NO_WORDS, _many(_text), 'names of programs, e.g. ["pop"]')
    table.end()
    if not name:
        raise UsageError(f"{table.file}: {table.where}no name")
    return Input(name, arguments, programs)


def _machine(table: Reader) -> Machine:
    no_hosts: tuple[str, ...] = ()
    name = table.take("name", "", _fits(MACHINE), "a name of letters and digits, e.g. alpha")
    hosts = table.take("hosts", no_hosts, _many(_fits(HOST)), 'a list of hosts as ssh takes them, e.g. ["me@alpha"]')
    folder = table.take("folder", FOLDERS, _fits(FOLDER), "a path of letters, digits and ._+@-, without ..")
    libraries = table.take(
        "libraries",
        NO_VARIABLES,
        _paths,
        'names with paths of mpiexec there, e.g. { mpich = "/opt/mpich/bin/mpiexec" }',
    )
    config = table.take("ssh_config", "", _text, "the path of a file as ssh -F takes it")
    table.end()
    if not name or not hosts or not libraries:
        raise UsageError(f"{table.file}: {table.where}expected name, hosts and libraries")
    return Machine(name, hosts, folder, libraries, Path(os.path.abspath(table.origin / config)) if config else None)


def _batch(top: Reader) -> Batch | None:
    """The table [batch]."""
    found: dict[str, Any] = top.take("batch", {}, lambda value: value if isinstance(value, dict) else None, "a table")
    if "batch" not in top.content:
        return None
    table = top.inner("[batch] ", found)
    system = table.take("system", "", lambda value: value if value in SYSTEMS else None, f"one of {', '.join(SYSTEMS)}")
    shared = table.take("job", False, {"run": False, "ranks": True}.get, '"run" or "ranks": what has a job')
    options = table.take("options", NO_WORDS, _options, 'words, e.g. ["-q", "short", "-l", "select={ranks}"]')
    time_s = table.take("time", 0.0, _number(0.0, 1e8), "a number of seconds above 0")
    table.end()
    if not system:
        raise UsageError(f"{table.file}: {table.where}no system", hint=", ".join(SYSTEMS))
    return Batch(system, shared, options, time_s)


def _options(value: Any) -> tuple[str, ...] | None:
    words = _words(value)
    return words if words is not None and _fields(words) <= {"ranks"} else None


def _fits(pattern: re.Pattern[str]) -> Callable[[Any], str | None]:
    def read(value: Any) -> str | None:
        fits = isinstance(value, str) and pattern.fullmatch(value) and ".." not in value.split("/")
        return value if fits else None

    return read


def _paths(value: Any) -> dict[str, str] | None:
    fits = isinstance(value, dict) and all(isinstance(path, str) and path.startswith("/") for path in value.values())
    return value if fits and value and not any("\0" in path for path in value.values()) else None


def _refuse_unknown_there(file: Path, libraries: Iterable[str], machines: tuple[Machine, ...]) -> None:
    for name in libraries:
        machine, there = located(name, machines)
        if machine is not None and there not in machine.libraries:
            raise UsageError(
                f"{file}: libraries: {machine.name} has no {visible(there)}",
                hint=available(there, sorted(machine.libraries)),
            )


def _exclude(table: Reader, known: Mapping[str, list[Any]]) -> Exclude:
    values: dict[str, tuple[str | int, ...]] = {}
    for dimension in DIMENSIONS:
        found = table.take(dimension, NO_VALUES, _several, "a value of that dimension, or a list of values")
        for value in found:
            if value not in known[dimension]:
                raise UsageError(
                    f"{table.file}: {table.where}{dimension}: unknown {visible(str(value))}",
                    hint=available(str(value), map(str, known[dimension])),
                )
        if found:
            values[dimension] = found
    table.end()
    if not values:
        raise UsageError(f"{table.file}: {table.where}empty: it would exclude all", hint=", ".join(DIMENSIONS))
    return Exclude(values)


def _refuse_twice(file: Path, what: str, names: Iterable[Any]) -> None:
    seen: set[Any] = set()
    for name in names:
        if name in seen:
            raise UsageError(f"{file}: {what}: {visible(str(name))} is there twice")
        seen.add(name)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value and "\0" not in value else None


def _name(value: Any) -> str | None:
    return value if isinstance(value, str) and NAME.fullmatch(value) and value.strip(". ") else None


def _words(value: Any) -> tuple[str, ...] | None:
    """A list of words; or a text of words, quoted as a shell would take them, which no shell reads."""
    if isinstance(value, str):
        value = shlex.split(value)
    if (
        not isinstance(value, list)
        or not value
        or not all(isinstance(word, str) and "\0" not in word for word in value)
    ):
        return None
    return tuple(value) if value[0] else None


def _build(value: Any) -> tuple[str, ...] | None:
    words = _words(value)
    return words if words is not None and _fields(words) <= {*BUILD_WORDS} else None


def _launcher(value: Any) -> tuple[str, ...] | None:
    words = _words(value)
    return words if words is not None and {"ranks"} <= _fields(words) <= {"ranks", "hosts"} else None


def _fields(words: tuple[str, ...]) -> set[str]:
    """What stands in braces."""
    return {field for word in words for _, field, _, _ in string.Formatter().parse(word) if field is not None}


def _many(read: Callable[[Any], T | None]) -> Callable[[Any], tuple[T, ...] | None]:
    def of(value: Any) -> tuple[T, ...] | None:
        found = [read(each) for each in value] if isinstance(value, list) else []
        kept = tuple(each for each in found if each is not None)
        return kept if kept and len(kept) == len(found) else None

    return of


def _several(value: Any) -> tuple[str | int, ...] | None:
    values = value if isinstance(value, list) else [value]
    fits = all(isinstance(each, str | int) and not isinstance(each, bool) for each in values)
    return tuple(values) if values and fits else None


def _whole(least: int, most: int) -> Callable[[Any], int | None]:
    return lambda value: value if type(value) is int and least <= value <= most else None


def _number(above: float, most: float) -> Callable[[Any], float | None]:
    return lambda value: float(value) if type(value) in (int, float) and above < value <= most else None


def _recording(value: Any) -> Recording | None:
    return {True: Recording.YES, False: Recording.NO, "alternate": Recording.ALTERNATE}.get(value)


def _scaling(value: Any) -> str | None:
    return value if value in ("strong", "weak") else None


def _pattern(value: Any) -> str | None:
    try:
        return value if isinstance(value, str) and (not value or re.compile(value).groups >= 1) else None
    except re.error:
        return None


def _parts(value: Any) -> dict[str, str] | None:
    if not isinstance(value, dict):
        return None
    return value if all(_name(name) and each and _pattern(each) for name, each in value.items()) else None


def _workload(value: Any) -> str | None:
    return value if value in workloads.names() else None


def _environment(value: Any) -> dict[str, str] | None:
    if not isinstance(value, dict):
        return None
    found = {key: str(each) for key, each in value.items() if type(each) in (str, int, float)}
    fits = len(found) == len(value) and all(VARIABLE.fullmatch(key) and "\0" not in each for key, each in found.items())
    return found if fits else None


def _tables(value: Any) -> list[dict[str, Any]] | None:
    return value if isinstance(value, list) and all(isinstance(each, dict) for each in value) else None

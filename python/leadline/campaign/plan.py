"""What a campaign measures: its dimensions, and the cells that they make."""

from __future__ import annotations

import enum
import hashlib
import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from leadline.campaign.machines.machine import Machine, located

SLUG = 60  # characters of a name that is made from a cell's


class Recording(enum.Enum):
    """Whether runs are recorded. ALTERNATE: each repeat is run both ways, so that the cost of recording is known."""

    YES = "yes"
    NO = "no"
    ALTERNATE = "alternate"

    @property
    def ways(self) -> tuple[bool, ...]:
        return {Recording.YES: (True,), Recording.NO: (False,), Recording.ALTERNATE: (False, True)}[self]


@dataclass(frozen=True)
class Program:
    """command: its words, without the launcher; () for a workload that comes with Leadline.   arguments: of a workload.
    directory: where it runs; with a build, the tree that is copied.   build: words, with {mpicc} and the like in them.

    time: a pattern whose first group is the time in seconds in its output; "": the whole run is timed.
    parts: patterns of the times of its parts, by name.
    scaling: "strong" or "weak".
    """

    name: str
    command: tuple[str, ...] = ()
    workload: str = ""
    arguments: tuple[str, ...] = ()
    directory: Path = Path()
    build: tuple[str, ...] = ()
    time: str = ""
    parts: tuple[tuple[str, str], ...] = ()
    recording: Recording = Recording.YES
    timeout_s: float = 0.0
    scaling: str = "strong"


@dataclass(frozen=True)
class Setting:
    """environment: for every rank.   options: of the launcher.   libraries, programs: that it is for; empty: all.

    launcher: words with {ranks}, instead of the library's own mpiexec; (): that one.
    """

    name: str = "default"
    environment: Mapping[str, str] = field(default_factory=dict, hash=False)
    options: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    launcher: tuple[str, ...] = ()

    def fits(self, library: str, kind: str, program: str) -> bool:
        fits = not self.libraries or library in self.libraries or kind in self.libraries
        return fits and (not self.programs or program in self.programs)


@dataclass(frozen=True)
class Input:
    """arguments: behind the program's words.   programs: that it is for; empty: all."""

    name: str = "default"
    arguments: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Exclude:
    """The values of each dimension that it names; a cell with one of each is not run."""

    values: Mapping[str, tuple[str | int, ...]] = field(hash=False)

    def covers(self, cell: Cell, kind: str) -> bool:
        found = {**cell.names, "library": cell.library}
        return all(
            found[name] in values or (name == "library" and kind in values) for name, values in self.values.items()
        )


@dataclass(frozen=True)
class Cell:
    """One configuration, which is run as often as there are repeats.   machine: where; None: here."""

    program: Program
    library: str
    ranks: int
    setting: Setting
    input: Input
    machine: Machine | None = None

    @property
    def names(self) -> dict[str, str | int]:
        """The dimensions, as they are shown, kept and excluded by."""
        return {
            "program": self.program.name,
            "input": self.input.name,
            "ranks": self.ranks,
            "library": self.library,
            "setting": self.setting.name,
        }

    @cached_property
    def id(self) -> str:
        """Differs if anything differs that the times depend on; also the beginning of the names of its directories."""
        program, setting = self.program, self.setting
        defined = [
            *(self.names.items()),
            (program.command, program.workload, program.arguments, program.build),
            (program.time, program.parts, str(program.directory)),
            (sorted(setting.environment.items()), setting.options, self.input.arguments),
            *([setting.launcher] if setting.launcher else []),
            *([(self.machine.hosts, sorted(self.machine.libraries.items()))] if self.machine else []),
        ]
        digest = hashlib.sha256(json.dumps(defined, default=str).encode(errors="surrogateescape")).hexdigest()[:8]
        words = [str(word) for name, word in self.names.items() if word != "default" or name == "program"]
        return f"{re.sub(r'[^A-Za-z0-9._+@-]', '_', '-'.join(words)).lstrip('.-')[:SLUG]}-{digest}"

    @property
    def candidate(self) -> str:
        """What is compared with the others of the same program, input and number of ranks."""
        return candidate_name(self.library, self.setting.name)

    @property
    def label(self) -> str:
        inputs = "" if self.input.name == "default" else f" {self.input.name}"
        return f"{self.program.name}{inputs}, {self.ranks} {'rank' if self.ranks == 1 else 'ranks'}, {self.candidate}"


def candidate_name(library: str, setting: str) -> str:
    return library if setting == "default" else f"{library} {setting}"


@dataclass(frozen=True)
class Batch:
    """system: "pbs" or "slurm".   shared: one job for all runs of a number of ranks; otherwise one for each run.
    options: of the command that submits, with {ranks} in them.   time_s: of a job; 0: as long as its runs may take.
    """

    system: str
    shared: bool = False
    options: tuple[str, ...] = ()
    time_s: float = 0.0


@dataclass(frozen=True)
class Plan:
    """file: where it was read from.   difference: that the repeats should be able to show, relative."""

    name: str
    file: Path
    programs: tuple[Program, ...]
    libraries: tuple[str, ...]
    ranks: tuple[int, ...]
    settings: tuple[Setting, ...] = (Setting(),)
    inputs: tuple[Input, ...] = (Input(),)
    excludes: tuple[Exclude, ...] = ()
    repeats: int = 5
    difference: float = 0.05
    machines: tuple[Machine, ...] = ()
    batch: Batch | None = None

    def cells(self, kind_of: Callable[[str], str]) -> list[Cell]:
        """In the order of the file, by number of ranks. kind_of: the name of a library's kind."""
        kinds = {library: kind_of(located(library, self.machines)[1]) for library in self.libraries}
        return [
            cell for cell in self._all(kinds) if not any(e.covers(cell, kinds[cell.library]) for e in self.excludes)
        ]

    def _all(self, kinds: Mapping[str, str]) -> Iterator[Cell]:
        programs = itertools.product(self.ranks, self.programs, self.inputs)
        for (ranks, program, given), library, setting in itertools.product(programs, self.libraries, self.settings):
            if setting.fits(library, kinds[library], program.name) and (
                not given.programs or program.name in given.programs
            ):
                yield Cell(program, library, ranks, setting, given, located(library, self.machines)[0])

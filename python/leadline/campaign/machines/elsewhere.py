"""Runs of a campaign on its machines: what is carried there, a launch, and what came back as an outcome."""

from __future__ import annotations

import math
import os
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from leadline import own_files, run_directory
from leadline.campaign.machines import script
from leadline.campaign.machines.carry import Task
from leadline.campaign.machines.machine import Machine, located
from leadline.campaign.machines.packing import packed
from leadline.campaign.plan import Cell
from leadline.campaign.programs import Programs, Tree, kind_of
from leadline.errors import MissingPrerequisite
from leadline.isolated import module_command
from leadline.launch.recorder import require_library
from leadline.libraries import LIBRARIES
from leadline.mpi import FROM_PYPI, Library, release
from leadline.runs.execute import execute
from leadline.runs.launch import Launch
from leadline.runs.outcome import Ending, Outcome, signal_named
from leadline.symbols.module import BINARIES

COPYING_LIMIT_S = 24 * 3600.0
PATIENCE_S = 300.0  # for a connection; once a machine was given up, runs after that do not wait for it
RECORDER = ("leadline-exec", "libleadline.so")
FOLDER = ".machines"  # in the campaign's
NANOSECONDS = 1e9
MACHINE = {"CPU": "cpu", "Cores": "cores", "Kernel": "kernel", "Governor": "governor"}  # titles, and names in run.json


def library_there(machine: Machine, name: str) -> Library:
    """As its mpiexec's path tells; nothing of it need be here. Raises UsageError for an unknown name."""
    wanted = kind_of(name)
    kind = next(each for each in LIBRARIES if each.name == wanted)
    mpiexec = Path(machine.libraries[name])
    prefix = mpiexec.parent.parent
    version = release(name).version if name.partition("@")[0] in FROM_PYPI else ""
    tools = kind.tools(prefix, version, abi=False)
    return Library(
        f"{machine.name}:{name}",
        kind,
        kind.family,
        tools.mpicc,
        tools.mpicxx,
        None,
        mpiexec,
        prefix / "lib",
        tools.environ,
    )


@dataclass
class Elsewhere:
    """token: the campaign's.   say: is told what is copied."""

    directory: Path
    token: str
    programs: Programs
    say: Callable[[str], None]
    _archives: dict[tuple[Any, ...], Path] = field(default_factory=dict)
    _there: set[tuple[str, str]] = field(default_factory=set)  # machines, and the folders that they have
    _met: dict[str, Machine] = field(default_factory=dict)
    _given_up: set[str] = field(default_factory=set)

    def launch(
        self, cell: Cell, name: str, *, recorded: bool, env: Mapping[str, str], library: Library
    ) -> Launch | str:
        """env: of this machine's processes.   A text: why it cannot be started."""
        machine = cell.machine
        assert machine is not None
        tree = self.programs.tree(cell.program, located(cell.library, [machine])[1], library)
        if tree.why_not:
            return tree.why_not
        place = f"{script.TREES}/{self._packed(tree).name.partition('.')[0]}"
        sent = [(self._packed(tree), place), *([(self._recorder(), script.TOOLS)] if recorded else [])]
        if why := self._carried(machine, sent, env):
            return why
        words = self._words(cell, library, tree, place, recorded=recorded)
        there = script.There(
            base=self._base(machine),
            name=name,
            tree=place,
            words=words,
            environment=dict(library.environ) | _loading(library, tree) | dict(cell.setting.environment),
            limit_s=cell.program.timeout_s,
            mark=self._mark(machine),
            mpiexec=str(library.mpiexec),
            ranks=math.ceil(cell.ranks / len(machine.hosts)),
            sharing=tuple(library.kind.oversubscribing()),
        )
        into = self.back(name)
        shutil.rmtree(into, ignore_errors=True)
        task = replace(self._task(machine), script=script.text(there), into=str(into))
        limit_s = 4 * cell.program.timeout_s + PATIENCE_S + COPYING_LIMIT_S
        return Launch(cell.label, self._command(task), env, None, limit_s)

    def _words(self, cell: Cell, library: Library, tree: Tree, place: str, *, recorded: bool) -> list[str]:
        machine = cell.machine
        assert machine is not None
        hosts = ",".join(host.rpartition("@")[2] for host in machine.hosts)
        launcher = [word.format(ranks=cell.ranks, hosts=hosts) for word in cell.setting.launcher]
        if not launcher:
            launcher = [str(library.mpiexec), script.SHARING, "-n", str(cell.ranks)]
        program = [_there(tree.words[0], place), *tree.words[1:], *cell.input.arguments]
        if recorded:
            program = [f"{script.BASE}/{script.TOOLS}/{RECORDER[0]}", "-o", f"{script.OWN}/{script.RUN}", *program]
        if len(machine.hosts) > 1:  # not every launcher hands its own environment on to other hosts
            given = {script.VARIABLE: self._mark(machine)} | _loading(library, tree) | dict(cell.setting.environment)
            program = ["env", *(f"{name}={value}" for name, value in given.items()), *program]
        return [*launcher, *cell.setting.options, *program]

    def back(self, name: str) -> Path:
        """What came back of a run."""
        return self.directory / FOLDER / f"{name}.back"

    def outcome(self, done: Outcome, cell: Cell, name: str, place: Path | None) -> tuple[Outcome, dict[str, str]]:
        """What became of the program there, and facts of the machine.   place: for what was recorded."""
        assert cell.machine is not None
        if not done.ok:
            self._given_up.add(cell.machine.name)
            self._there = {each for each in self._there if each[0] != cell.machine.name}
            return done, {}
        back = self.back(name)
        facts = _facts(own_files.read_text(back / script.FACTS))
        state, code, begin, end = own_files.read_text(back / script.STATUS).split()
        out, err = (own_files.read(back / each, 1 << 40).decode(errors="replace") for each in (script.OUT, script.ERR))
        found = replace(
            done,
            ending=Ending.DONE if code == "0" else Ending.FAILED,
            exit_code=int(code),
            signal=signal_named(int(code)) if int(code) > 128 else None,
            begin_unix_ns=int(begin),
            wall_s=(int(end) - int(begin)) / NANOSECONDS,
            output=out,
            errors=err,
        )
        if state == script.TIMED_OUT:
            found = replace(found, ending=Ending.TIMED_OUT, exit_code=None, limit_s=math.ceil(cell.program.timeout_s))
        if place is not None:
            shutil.rmtree(place, ignore_errors=True)
            (back / script.RUN).rename(place)
            self._describe(place, cell, found, facts)
            self._report(place, cell)
        shutil.rmtree(back)
        return found, facts

    def _describe(self, place: Path, cell: Cell, found: Outcome, facts: Mapping[str, str]) -> None:
        """As `leadline run` does, with the machine that the program ran on."""
        described = run_directory.describe(
            list(cell.program.command or (cell.program.workload,)),
            keep_secrets=False,
            launcher=None,
            machine={name: facts.get(title) for title, name in MACHINE.items()},
        )
        over = {"state": "finished", "exit_code": found.exit_code, "duration_s": found.wall_s}
        run_directory.write_description(place, {**described, **over})

    def _report(self, place: Path, cell: Cell) -> None:
        """The program is not where it ran, but what was copied there is here."""
        machine = cell.machine
        assert machine is not None
        name = located(cell.library, [machine])[1]
        tree = self.programs.tree(cell.program, name, library_there(machine, name))
        env = {**os.environ, BINARIES: str((tree.root / tree.words[0]).parent)}
        for options in (["--html"], ["--json"]):
            done = execute(Launch("report", tuple(module_command("leadline", "report", str(place), *options)), env))
        if done.ok:
            with own_files.replacing(place / "report.json") as out:
                out.write(done.output)
        else:
            self.say(f"{place.name} has no report: {' '.join(done.last_lines(1)) or done.reason}")

    def clear(self, env: Mapping[str, str]) -> None:
        """Once all runs are finished, nothing is left on the machines. One that cannot be reached is said."""
        for machine in self._met.values():
            task = replace(self._task(machine), clear=True)
            done = execute(Launch("clear", self._command(task), env, None, COPYING_LIMIT_S))
            if not done.ok:
                self.say(f"{machine.name}: {self._base(machine)} is still there: {' '.join(done.last_lines())}")

    def _carried(self, machine: Machine, archives: list[tuple[Path, str]], env: Mapping[str, str]) -> str:
        """Why they are not there; "" if they are."""
        missing = [(str(file), folder) for file, folder in archives if (machine.name, folder) not in self._there]
        if not missing:
            return ""
        size = sum(Path(file).stat().st_size for file, _ in missing)
        self.say(f"copying {size / 1e6:.1f} MB to {', '.join(machine.hosts)}")
        task = replace(self._task(machine), archives=missing)
        self._met[machine.name] = machine
        done = execute(Launch("copy", self._command(task), env, None, COPYING_LIMIT_S))
        if not done.ok:
            self._given_up.add(machine.name)
            return " ".join(done.last_lines(1)) or done.reason
        self._given_up.discard(machine.name)
        self._there |= {(machine.name, folder) for _, folder in missing}
        return ""

    def _task(self, machine: Machine) -> Task:
        return Task(
            hosts=machine.hosts,
            base=self._base(machine),
            mark=self._mark(machine),
            config=str(machine.config or ""),
            patience_s=0.0 if machine.name in self._given_up else PATIENCE_S,
        )

    def _command(self, task: Task) -> tuple[str, ...]:
        (self.directory / FOLDER).mkdir(exist_ok=True)
        file = self.directory / FOLDER / "task.json"
        with own_files.replacing(file) as out:
            out.write(task.text())
        return tuple(module_command("leadline.campaign.machines.carry", str(file)))

    def _base(self, machine: Machine) -> str:
        return f"{machine.folder.rstrip('/')}/{self.token}"

    def _mark(self, machine: Machine) -> str:
        return f"{self.token}-{machine.name}"

    def _packed(self, tree: Tree) -> Path:
        key = tree.root, tree.names
        if key not in self._archives:
            place = self.directory / FOLDER / "archives"
            self._archives[key] = packed(tree.root, tree.names, place, without=self.directory)
        return self._archives[key]

    def _recorder(self) -> Path:
        folder = require_library().parent
        if any(not (folder / name).is_file() for name in RECORDER):
            raise MissingPrerequisite(f"no {RECORDER[0]} in {folder}")
        return self._packed(Tree(folder, RECORDER))


def _there(program: str, place: str) -> str:
    """Within the tree that was copied; an absolute path, or a name to be looked for, is the machine's."""
    if program.startswith("/") or "/" not in program:
        return program
    return f"{script.BASE}/{place}/{program}"


def _loading(library: Library, tree: Tree) -> dict[str, str]:
    """The loader takes the library there: the program was linked with one that is here."""
    first = library.environ.get("LD_LIBRARY_PATH", "")
    folders = [first, str(library.libdir), f"{library.libdir}64"]
    return {"LD_LIBRARY_PATH": ":".join(each for each in folders if each)} if tree.loads else {}


def _facts(text: str) -> dict[str, str]:
    """Under titles, besides `load` and `stolen`. A machine's word is shown, and never obeyed."""
    found: dict[str, str] = {}
    ticks: list[list[int]] = []
    for line in text.splitlines():
        name, _, value = line.partition("=")
        if name == "ticks":
            ticks.append([int(word) for word in re.findall(r"\d+", value)[:8]])
        elif value.strip():
            found[name] = value.strip()[:200]
    if len(ticks) == 2 and all(len(each) == 8 for each in ticks):
        total = sum(ticks[1]) - sum(ticks[0])
        found["stolen"] = str((ticks[1][7] - ticks[0][7]) / max(total, 1))
    return found


def described(facts: Mapping[str, str], library: Library, settings: Mapping[str, str]) -> dict[str, str | None]:
    """As `conditions.facts` describes this machine."""
    known: dict[str, str | None] = {name: value for name, value in facts.items() if name not in ("load", "stolen")}
    known["MPI library"] = f"{library.kind.title} {facts.get('MPI library', '')}".strip()
    known["Library path"] = str(library.libdir)
    return known | {name: settings[name] for name in sorted(settings)}


__all__ = ["Elsewhere", "described", "library_there"]

"""A recorded run: its processes, its profile, its call sites by routine, and its losses."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from leadline import _core, nodes
from leadline.errors import DamagedTrace
from leadline.figures.traces import Traces
from leadline.figures.worlds import World, display_order, labels_of, worlds_of
from leadline.run_directory import JOB, read_description, read_json, require, runs_in, well_formed
from leadline.symbols import Location, ModuleProblem, Symbolizer, call_path, reaches_start
from leadline.symbols.cache import SymbolCache
from leadline.symbols.resolve import WITHOUT_MODULE
from leadline.text.ranks import rank_list
from leadline.text.visible import in_shell

MOST_RANKS = 10_000_000
NEARLY_ALL = 0.9  # of the longest rank's time
CONTEXT_BEGIN = 1  # of the profile's contexts; 0: what lies further out is unknown


@dataclass(frozen=True)
class Loss:
    """Something that is missing from the recording. rank: the label of the process, None for the run as a whole."""

    code: str
    amount: int
    message: str
    rank: str | None = None


@dataclass(frozen=True)
class Site:
    """A call site as people see it: call sites of the trace with equal function and source path are one.

    path: outermost first, empty if unknown.   whole: whether the path goes back to the start of the program or
    thread; it does not if unwind tables are missing.   members: indices of the profile's sites.
    """

    function: str
    local: bool
    path: tuple[Location, ...]
    whole: bool
    members: tuple[int, ...]

    def __hash__(self) -> int:
        """Of the members alone: hashing whole paths would take much of a report's time."""
        return hash((self.function, self.members))

    @property
    def location(self) -> Location | None:
        """The routine that contains the call."""
        return self.path[-1] if self.path else None

    @property
    def routine(self) -> str:
        return self.path[-1].routine if self.path else "?"


class Places:
    """Maps addresses of a run's modules to routines, files and lines; the results are kept in the run's directory."""

    def __init__(self, modules: list[_core.Module], cache: SymbolCache, started_ns: int) -> None:
        self.symbolizer = Symbolizer()
        self.modules_ = modules
        self.cache_ = cache
        self.started_ns_ = started_ns

    def __call__(self, module: int | None, offset: int) -> tuple[Location, ...]:
        """Logical frames of a return address, innermost first. module None: no module's code."""
        if module is None:
            return WITHOUT_MODULE[offset != 0]
        where = self.modules_[module]
        known = self.cache_.get(where.path, where.build_id, offset)
        if known is None:
            known = self.symbolizer.resolve(where.path, where.build_id, offset, self.started_ns_)
            self.cache_.put(where.path, where.build_id, offset, known)
        return known

    def looked_up(self) -> Iterator[tuple[tuple[str, str, int], tuple[Location, ...]]]:
        """(module's path, build id, offset) and frames of all addresses that are known now, or that a binary that can
        be read has no name for."""
        yield from self.cache_.known()
        yield from self.symbolizer.looked_up()

    def save(self) -> None:
        self.cache_.save()


def _base_s(process: _core.ProcessSummary) -> float:
    startup = _core.CATEGORIES.index("startup")
    return max(process.duration_ns - process.category_ns[startup], 0.0) * 1e-9


class Run:
    """The result of open_run. Processes are numbered as in `profile.processes`."""

    def __init__(
        self,
        path: Path,
        description: dict[str, Any],
        profile: _core.Profile,
        losses: list[Loss],
        others: tuple[Path, ...] = (),
        *,
        step: str | None = None,
        traces: Traces | None = None,
    ) -> None:
        """step: what a person calls its step (ROUTINE, ROUTINE:LINE or a region), None for its main loop."""
        self.path = path
        self.description = description
        self.others = others  # directories of other jobs that the same command started
        self.profile = profile
        self.processes = profile.processes
        self.worlds = worlds_of(self.processes)
        self.labels = labels_of(self.worlds, self.processes)
        self._world_of = {index: world for world in self.worlds for index in world.processes.values()}
        self.order = display_order(self.worlds, len(self.processes))
        self.losses = [*losses, *self._losses_of_processes(), *_missing_ranks(self.worlds)]
        self._symbol_problems: list[ModuleProblem] = []
        self.ends_seen: Any = None  # when processes ended, as figures.unfinished first saw it
        self.step = step
        self.traces = traces or Traces()

    def trace(self, process: int) -> _core.Process:
        """The decoded trace of a process. Raises TraceError if it has disappeared since the run was opened."""
        return self.traces.read(self.processes[process].file)

    @property
    def ranks(self) -> int:
        """How many ranks the run had, recorded or not."""
        in_worlds = sum(len(world.processes) for world in self.worlds)
        return sum(max(w.size, len(w.processes)) for w in self.worlds) + len(self.processes) - in_worlds

    @functools.cached_property
    def base_s(self) -> float:
        """Seconds of the main threads of all ranks, from MPI_Init to MPI_Finalize without these."""
        return sum(map(_base_s, self.processes))

    @functools.cached_property
    def loop_base_s(self) -> float:
        """What shares of loops refer to: the same of ranks whose loops are known. A trace that was cut may have lost
        them, but not the times of its calls."""
        if all(p.complete for p in self.processes):
            return self.base_s
        known = {cell.process for loop in self.profile.loops.all for cell in loop.cells}
        return sum(_base_s(p) for index, p in enumerate(self.processes) if p.complete or index in known)

    @property
    def library(self) -> str:
        """The MPI library as it names itself."""
        return next((p.library for p in self.processes if p.library), "")

    @property
    def predicted(self) -> bool:
        """Whether `leadline predict` wrote it, so that nothing was measured."""
        return bool(self.description.get("state") == "predicted")

    @property
    def complete(self) -> bool:
        """Whether every rank's trace is here and was closed by its process."""
        return (
            self.ranks == len(self.processes)
            and all(p.complete for p in self.processes)
            and not self._lost("unreadable-trace")
        )

    @property
    def ends_apart(self) -> bool:
        """Whether a rank's trace is missing, damaged, or ends long before the others: what these waited for is unknown.
        A damaged trace may have all of its sums, but not the calls in their order."""
        if self._lost("unreadable-trace", "trace-damaged"):
            return True
        if self.complete:
            return False
        least_ns = NEARLY_ALL * max(process.duration_ns for process in self.processes)
        cut = any(not process.complete and process.duration_ns < least_ns for process in self.processes)
        return cut or self.ranks > len(self.processes)

    def cut(self, process: int) -> bool:
        """Whether the end of its trace file is missing or damaged."""
        return any(loss.code == "trace-damaged" and loss.rank == self.label(process) for loss in self.losses)

    def _lost(self, *codes: str) -> bool:
        return any(loss.code in codes for loss in self.losses)

    @property
    def duration_s(self) -> float:
        """Seconds from MPI_Init to MPI_Finalize of the rank that took longest."""
        return max(p.duration_ns for p in self.processes) * 1e-9

    @functools.cached_property
    def shared_bytes(self) -> int:
        """Bytes of the files that hold data shared by ranks that behave alike."""
        folder = self.path if self.path.is_dir() else self.path.parent
        return sum(file.stat().st_size for file in folder.glob("shared-*.structure"))

    @functools.cached_property
    def sites(self) -> list[Site]:
        """Call sites of MPI functions by source path. Reads the binaries' symbols the first time."""
        return [site for site in self._all_sites if site.function not in self._file_functions]

    @functools.cached_property
    def file_sites(self) -> list[Site]:
        """Call sites of libc's file functions."""
        return [site for site in self._all_sites if site.function in self._file_functions]

    @functools.cached_property
    def _file_functions(self) -> set[str]:
        classes = _core.CALL_CLASSES
        return {function.name for function in self.profile.functions if classes[function.cls].event == "libc"}

    @functools.cached_property
    def _all_sites(self) -> list[Site]:
        functions = [function.name for function in self.profile.functions]
        merged: dict[tuple[Any, ...], Site] = {}
        with_members: dict[tuple[Any, ...], list[int]] = {}
        for index, (function, local, path, whole) in enumerate(self._symbolized()):
            key = (function, local, path, whole)
            merged.setdefault(key, Site(functions[function], local, path, whole, ()))
            with_members.setdefault(key, []).append(index)
        return [replace(site, members=tuple(with_members[key])) for key, site in merged.items()]

    def symbol_losses(self) -> list[Loss]:
        """Binaries whose routines could not be determined (after `sites` was read)."""
        _ = self.sites
        return [Loss(problem.code, 1, problem.message) for problem in self._symbol_problems]

    @property
    def unusable_modules(self) -> set[str]:
        """Binaries that are gone, changed or unreadable."""
        _ = self.sites
        return {problem.module for problem in self._symbol_problems}

    def label(self, process: int) -> str:
        """The rank of a process, with its world before it if there are several."""
        return self.labels[process]

    def process_of(self, source: int, world_rank: int) -> int | None:
        """The process with a rank in the same MPI_COMM_WORLD as `source`; None if it was not recorded."""
        world = self._world_of.get(source)
        return None if world is None else world.processes.get(world_rank)

    def _symbolized(self) -> Iterable[tuple[int, bool, tuple[Location, ...], bool]]:
        locate = self.places
        contexts = self.profile.contexts()
        located: dict[int, tuple[Location, ...]] = {}
        paths: dict[int, tuple[tuple[Location, ...], bool]] = {}
        found = []
        for function, local, innermost in self.profile.sites():
            if innermost not in paths:
                frames = []
                at = innermost
                while at > CONTEXT_BEGIN:
                    module, offset, parent = contexts[at]
                    if at not in located:
                        located[at] = locate(module, offset)
                    frames.append(located[at])
                    at = parent
                paths[innermost] = (call_path(frames), at == CONTEXT_BEGIN or reaches_start(frames))
            found.append((function, local, *paths[innermost]))
        locate.save()
        # Frames that are not shown need no names: start-up code of the system's libraries, the interpreter's frames.
        shown = {location.module for _, _, path, _ in found for location in path if not location.resolved}
        self._symbol_problems = [problem for problem in locate.symbolizer.problems() if problem.module in shown]
        return found

    @functools.cached_property
    def places(self) -> Places:
        """The symbols at addresses of the run's modules."""
        started_ns = min((p.start_unix_ns for p in self.processes if p.start_unix_ns > 0), default=0)
        directory = self.path if self.path.is_dir() else self.path.parent
        return Places(self.profile.modules, SymbolCache(directory), started_ns)

    def keep_symbols(self, directory: Path) -> None:
        """Writes the names at the run's addresses into another directory, for traces that have the same modules."""
        _ = self.sites  # looks them up
        cache = SymbolCache(directory)
        for (path, build_id, offset), frames in self.places.looked_up():
            cache.put(path, build_id, offset, frames)
        cache.save()

    def _losses_of_processes(self) -> list[Loss]:
        losses = []
        for index, process in enumerate(self.processes):
            losses += [Loss(loss.code, loss.amount, loss.message, self.labels[index]) for loss in process.losses]
        return losses


def open_run(path: str | Path, *, step: str | None = None) -> Run:
    """Opens a run directory (or one trace file) and reads every process of it.

    step: what a person calls its step: ROUTINE, ROUTINE:LINE or a region; None for its main loop.
    Raises NoSuchRun if there is nothing of that name, and DamagedTrace if no trace is in it, or no readable one. An
    unreadable trace beside readable ones is a loss, and so is a rank without a trace.
    """
    path = Path(path)
    if not os.path.isfile(path):
        require(path)
    runs = runs_in(path) if path.is_dir() else [path]
    if runs and path not in runs:
        path = runs[0]  # whoever was the first to come recorded nothing
    try:
        files = sorted(files_of(path) if path.is_dir() else [os.path.realpath(path)], key=os.path.basename)
    except _core.TraceError as error:
        raise DamagedTrace(f"cannot read {path}: {error}") from error
    elsewhere = [node for node in nodes.on_nodes(path) if not node.here] if path.is_dir() else []
    if not files and elsewhere:
        raise DamagedTrace(f"no trace in {path}: {_said(path, elsewhere)}")
    if not files:
        raise _nothing_in(path)
    profile, traces = _core.Profile(), Traces()
    losses = []
    for file, process in zip(files, traces.read_all(files), strict=True):
        if isinstance(process, _core.TraceError):
            reason = str(process).removeprefix(f"{file}: ")
            losses.append(Loss("unreadable-trace", 1, f"{os.path.basename(file)}: {reason}"))
        elif _took_part(process):
            profile.add(process)
        else:
            losses.append(
                Loss(
                    "never-initialized",
                    1,
                    f"process {process.pid} on {process.host} exited, or called exec, before MPI_Init: not counted",
                )
            )
    if not profile.processes:
        first = losses[0].message
        more = f" (and {len(losses) - 1} more)" if len(losses) > 1 else ""
        if all(loss.code == "never-initialized" for loss in losses):
            raise DamagedTrace(f"nothing recorded in {path}: {first}{more}")
        if path.is_file():
            raise DamagedTrace(f"cannot read {path.parent / first}")
        raise DamagedTrace(
            f"cannot read any trace in {path}: {first}{more}",
            hint="give the directory that leadline record printed, or record again: leadline record -o DIR -- COMMAND",
        )
    description = _description(path)
    losses += _lacks(description)
    run = Run(
        path, description, profile, losses, tuple(other for other in runs if other != path), step=step, traces=traces
    )
    if elsewhere and not run.complete:
        run.losses.append(Loss("on-nodes", len(elsewhere), _said(path, elsewhere)))
    return run


def _nothing_in(path: Path) -> DamagedTrace:
    """Why there is no trace: as far as the command that made the directory said so."""
    found = read_description(path)
    if "not_recorded" in found:
        return DamagedTrace(f"nothing was recorded in {path}: {found['not_recorded']}")
    if found.get("state") == "running":
        return DamagedTrace(f"nothing has been recorded in {path} yet: its command is still running")
    return DamagedTrace(
        f"no trace (*.trace or *.live) in {path}", hint="record a run first: leadline record -o DIR -- COMMAND"
    )


def files_of(path: Path) -> list[str]:
    """The traces in the run's directory, and live memory on this node that has no trace there."""
    files = list(_core.trace_files(str(path)))
    stems = {os.path.basename(file).rpartition(".")[0] for file in files}
    for node in nodes.on_nodes(path):
        files += [str(f) for f in node.live_files() if not any(stem.endswith(f.stem) for stem in stems)]
    return files


def _said(path: Path, elsewhere: list[nodes.OnNode]) -> str:
    """The message that says which nodes hold traces, and the next step."""
    shown = ", ".join(f"{node.host}:{node.folder}" for node in elsewhere[:8])
    more = f" and {len(elsewhere) - 8} more nodes" if len(elsewhere) > 8 else ""
    collecting = f"leadline collect {in_shell(str(path))}"
    return f"traces of killed or running ranks are still on {shown}{more}: run {collecting} on each"


def _took_part(process: _core.Process) -> bool:
    """Whether it called MPI_Init, or any function that is not allowed before MPI_Init."""
    return (
        process.initialized or process.initializing or any(process.tallies(thread) for thread in range(process.threads))
    )


def _description(path: Path) -> dict[str, Any]:
    """run.json, if leadline record started the job; "job": job.json, written by the job's first rank."""
    found = read_description(path)
    job = well_formed(read_json(path / JOB))
    if not found and job and (path.parent / JOB).exists():  # another job that the same command started
        found = {**read_description(path.parent), "command": None}
    return {**found, "job": job}


def _lacks(description: dict[str, Any]) -> list[Loss]:
    """What an imported archive did not have, as leadline import wrote it down."""
    found = description.get("lacks")
    if not isinstance(found, list):
        return []
    return [
        Loss(lack["code"], lack["amount"], lack["message"])
        for lack in found
        if isinstance(lack, dict)
        and isinstance(lack.get("code"), str)
        and isinstance(lack.get("amount"), int)
        and isinstance(lack.get("message"), str)
    ]


def _missing_ranks(worlds: list[World]) -> list[Loss]:
    losses = []
    for number, world in enumerate(worlds):
        size = min(world.size, MOST_RANKS)  # a damaged trace may claim any
        missing = [rank for rank in range(size) if rank not in world.processes]
        if missing:
            of = f" of MPI_COMM_WORLD {number}" if len(worlds) > 1 else ""
            losses.append(
                Loss(
                    "missing-ranks",
                    len(missing),
                    f"{len(missing)} of {world.size} ranks{of} left no trace ({rank_list(missing)}) and are missing "
                    f"from all "
                    "figures. Were they killed before MPI_Init, or did they write to another directory?",
                )
            )
    return losses

"""What a record says about which settings could matter.

Shares are of the ranks' time between MPI_Init and MPI_Finalize.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from leadline.figures.content import Content
from leadline.figures.core_sharing import HostUse, demand
from leadline.figures.run import Run
from leadline.figures.waits import Waits
from leadline.launchers import OTHER, LauncherKind
from leadline.libraries import MpiLibrary
from leadline.libraries.settings_file import SettingsFile
from leadline.operations import measured

COLLECTIVE_FILES = re.compile("^MPI_File_i?(read|write)(_at|_shared)?(_all|_ordered)")
VARIABLE_OPTIONS = ("x", "env", "genv")
OMP_THREADS = "OMP_NUM_THREADS"
OPENMP = re.compile(r"lib(gomp|omp|iomp5|nvomp|cray_omp)\.so")
LONG = 1 << 16  # bytes from which a message is worth a setting for long ones


@dataclass(frozen=True)
class Collective:
    """function: of MPI.   operation: as tables name it; "" if Leadline has no algorithms for it."""

    function: str
    operation: str
    share: float
    calls: int


@dataclass(frozen=True)
class Facts:
    """The record, as far as candidates ask.

    crowding: threads that want a core for each core they may use, where that is most.   bound: whether ranks are bound.
    cores: that ranks may use, of all hosts.   threads: busy ones of a rank, most of all.   openmp: the name of the
    library by which the program makes threads; "" if there is none, or none is known.
    mpi: share in MPI.   messages: in calls of messages and in waiting for them.   waiting: for other ranks; None if
    unknown.   computing: between calls.   sizes: bytes of messages, by power of two (Sizes of the profile).
    nonblocking: whether messages are begun and completed by different calls.
    files: share in collective transfers of files.   set_variables: settings of the library in the environment.
    set_options: settings of the library among the launcher's options, each with its values.
    count_option: the launcher's for the number of ranks, as the command has it; "" if that is unknown.
    settings_file: the user's, that the library reads; None if there is none.   ideal: the most that settings of
    messages and collectives could save, by a replay; None if it says nothing.
    """

    library: MpiLibrary | None
    ranks: int
    launcher: LauncherKind = OTHER
    hosts: int = 1
    crowding: float = 0.5
    bound: bool = False
    cores: float = 1.0
    threads: int = 1
    openmp: str = ""
    mpi: float = 0.0
    messages: float = 0.0
    waiting: float | None = None
    computing: float = 1.0
    sizes: Mapping[int, int] = field(default_factory=dict, hash=False)
    nonblocking: bool = False
    files: float = 0.0
    collectives: tuple[Collective, ...] = ()
    set_variables: Mapping[str, str] = field(default_factory=dict, hash=False)
    set_options: tuple[tuple[str, ...], ...] = ()
    count_option: str = ""
    settings_file: SettingsFile | None = None
    ideal: float | None = None

    @property
    def largest_message(self) -> int:
        """Less than this many bytes; 0 if there are no messages."""
        return max(self.sizes, default=0)

    def longer_than(self, n_bytes: int) -> int:
        """How many messages may be: those whose power of two ends above it."""
        return sum(count for below, count in self.sizes.items() if below > n_bytes)

    def places(self, option: Sequence[str]) -> bool:
        """Whether an option of the launcher says on which cores ranks run."""
        return option[0].lstrip("-") in self.launcher.places

    @property
    def collective_share(self) -> float:
        return sum(each.share for each in self.collectives)


def facts_of(
    run: Run,
    library: MpiLibrary | None,
    launcher: LauncherKind,
    environ: Mapping[str, str],
    options: Sequence[tuple[str, ...]] = (),
    count_option: str = "",
    openmp: str = "",
    settings_file: SettingsFile | None = None,
    ideal: float | None = None,
) -> Facts:
    """options: of the launcher, each with its values, that set something.   count_option, openmp, settings_file, ideal:
    as Facts has them."""
    content = Content(run)
    share = content.share
    by_category = {
        name: sum(rank.category_s[name] for rank in content.ranks) for name in ("point_to_point", "completion")
    }
    names = {f"MPI_{known.function}": name for name, known in measured().items()}
    collective = [each for each in content.functions if each.cls in ("coll", "icoll", "coll_init")]
    uses = content.host_uses
    buckets = enumerate(content.sizes.messages)
    return Facts(
        library,
        run.ranks,
        launcher,
        hosts=len({process.host for process in run.processes}),
        crowding=max((use.threads / use.cores for use in uses if use.cores), default=0.5),
        bound=any(_is_bound(process) for process in run.processes),
        cores=sum(_most_cores(uses).values()) or 1.0,
        threads=max((demand(process) for process in run.processes), default=1),
        openmp=openmp,
        mpi=content.mpi_share,
        messages=share(sum(by_category.values())),
        waiting=_waiting(content.waits, content),
        computing=share(sum(rank.computation_s for rank in content.ranks)),
        sizes={1 << bucket: count for bucket, count in buckets if count > 0},
        nonblocking=any(each.cls in ("isend", "irecv", "start", "startall") for each in content.functions),
        files=sum(each.share or 0 for each in content.functions if COLLECTIVE_FILES.match(each.name)),
        collectives=tuple(
            Collective(each.name, names.get(each.name, ""), each.share or 0.0, each.calls) for each in collective
        ),
        set_variables=settings_in(environ, library),
        set_options=tuple(option for option in options if _is_setting(option, library, launcher)),
        count_option=count_option,
        settings_file=settings_file,
        ideal=ideal,
    )


def openmp_of(libraries: Iterable[str]) -> str:
    """Of the libraries that a program loads, the one by which it makes threads; "" if there is none."""
    names = [library.rpartition("/")[2] for library in libraries]
    return next((name.partition(".so")[0] for name in names if OPENMP.match(name)), "")


def _most_cores(uses: Iterable[HostUse]) -> dict[str, float]:
    found: dict[str, float] = {}
    for use in uses:
        found[use.host] = max(found.get(use.host, 0.0), use.cores)
    return found


def settings_in(environ: Mapping[str, str], library: MpiLibrary | None) -> dict[str, str]:
    """The environment's variables that are settings of the library, without those that it may need to start."""
    if library is None:
        return {}
    return {
        name: value
        for name, value in sorted(environ.items())
        if name.startswith(library.prefixes) and not library.starts_by.fullmatch(name)
    }


def _is_setting(option: Sequence[str], library: MpiLibrary | None, launcher: LauncherKind) -> bool:
    """Whether it is a setting of the library's that may be left out; options for variables may set any other."""
    if library is None:
        return option[0].lstrip("-") not in VARIABLE_OPTIONS
    if library.starts_by.fullmatch(launcher.variable_set_by(option)):
        return False
    return option[0].lstrip("-") not in VARIABLE_OPTIONS or option[1].startswith(library.prefixes)


def _waiting(waits: Waits, content: Content) -> float | None:
    return None if waits.total_s is None else content.share(waits.total_s)


def _is_bound(process: object) -> bool:
    conditions = getattr(process, "conditions")  # noqa: B009 (the core's type has no name to import)
    allowed = sum(count for _, count in conditions.allowed)
    return bool(conditions.known) and 0 < allowed < min(conditions.processors, os.cpu_count() or 1)

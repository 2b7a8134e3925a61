"""Leadline's knowledge of an MPI library: the protocol that mpich.py, openmpi.py and intel.py implement.

A *library* is MPICH, Open MPI or Intel MPI, in any release; leadline.mpi.Library is one that is installed here. Its
*ABI family* says how handles and constants look in memory (api/abi/). Intel MPI is a library of the family mpich, and
of the family mpi5 if a program was built for that.
"""

from __future__ import annotations

import mmap
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from leadline.launchers import LauncherKind
from leadline.libraries.answers import Answer, Answers, Point, Wrong
from leadline.libraries.own import Algorithms, own_algorithms
from leadline.libraries.rule import Rule, Table
from leadline.libraries.sending import Candidate
from leadline.libraries.settings import Settings
from leadline.libraries.settings_file import SettingsFile


@dataclass(frozen=True)
class Tools:
    """The parts of one installation. environ: variables for everything that is launched."""

    mpicc: Path
    mpicxx: Path
    mpifort: Path | None
    mpiexec: Path
    libdir: Path
    environ: dict[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class OverHosts:
    """How its mpiexec starts a rank on each of several hosts, with messages over TCP only.

    options: words with {script}, which starts a command on a host, as ssh does; {here} and {hosts} are addresses of the
    starting host and of the others, with commas; {network} is theirs.   environment: what keeps messages on the link.
    """

    options: str
    environment: dict[str, str] = field(hash=False)

    def words(self, *, script: str, here: str, hosts: Sequence[str], network: str) -> list[str]:
        filled = {"script": script, "here": here, "hosts": ",".join(hosts), "network": network}
        return [word.format(**filled) for word in self.options.split()]


HYDRA_OVER_HOSTS = "-launcher ssh -launcher-exec {script} -localhost {here} -hosts {hosts} -ppn 1"


class MpiLibrary(ABC):
    """One MPI library.

    To add one, add a file to this folder with a subclass and `LIBRARY = ThatClass()`; nothing else lists them. A
    missing method is an error in mypy and when the object is made; a missing fact is an error when the class is made.
    """

    # Its names: as --mpi takes it, and as people write it.
    name: ClassVar[str]
    title: ClassVar[str]
    banner: ClassVar[str]  # MPI_Get_library_version() begins with it
    family: ClassVar[str]  # the ABI family of a program that its mpicc builds, a file in api/abi
    place: ClassVar[int]  # among the libraries, where they are listed; the first is the one used by default
    derived_from: ClassVar[str | None]  # the name of the library it was made from: each of its marks is here, too

    # Where it can be had.
    versions: ClassVar[tuple[str, ...]]  # that PyPI serves, the default first
    abi_since: ClassVar[tuple[int, ...] | None]  # the first version that has a library of the standard ABI, too
    debian_packages: ClassVar[str]  # "" where Debian has none

    # How it runs.
    launcher: ClassVar[LauncherKind]
    shares_cores: ClassVar[bool]  # whether a rank that waits lets another have its core; else it waits busily
    unbound: ClassVar[Mapping[str, str]]  # environment in which it does not bind its ranks to cores
    over_hosts: ClassVar[OverHosts]
    files: ClassVar[tuple[str, ...]]  # the library, from the folder above that of its mpiexec

    # Its settings.
    prefixes: ClassVar[tuple[str, ...]]  # of environment variables that are settings of it or of its launcher
    starts_by: ClassVar[re.Pattern[str]]  # of those, names of variables that say where it is, and where ranks run

    # How it sends, unless told otherwise.
    eager_bytes: ClassVar[int]  # longer messages within a node wait for their receiver
    collective_ns: ClassVar[float] = 50.0  # what a collective call takes beyond its messages
    long_start_ns: ClassVar[float] = 0.0  # what a longer one takes within a node, whatever its size
    copied_bytes: ClassVar[int] = 2**63 - 1  # the sends of longer ones wait until the receiver is in a call

    reads_romio_hints: ClassVar[bool]  # whether its MPI-IO takes the hints of ROMIO, unless told otherwise

    # How it chooses algorithms, and how that is seen.
    routine_form: ClassVar[str]  # the names of its routines: own.own_algorithms
    proof: ClassVar[str]  # how it is seen which routine ran
    unseen: ClassVar[str]  # what to say of a routine that was not seen
    controls: ClassVar[tuple[str, ...]]  # variables of MPI_T that show whether its settings are in effect
    rules_stand_alone: ClassVar[bool]  # whether a rule without effect leaves the others as they are

    def __init_subclass__(cls) -> None:
        missing = [fact for fact in MpiLibrary.__annotations__ if not hasattr(cls, fact)]
        if missing:
            raise TypeError(f"{cls.__module__}.{cls.__name__} does not say: {', '.join(missing)}")

    @abstractmethod
    def is_in(self, content: mmap.mmap, file_name: str) -> bool:
        """Whether a libmpi of this name and content is one of this library, or of one that was derived from it."""

    # Installing.

    def requirements(self, version: str) -> tuple[str, ...]:
        """The packages that pip installs, without dependencies."""
        return (f"{self.name}=={version}",)

    def headers_from(self, version: str) -> str | None:
        """The name of the library whose headers this version uses; None if it has its own."""
        return None

    def complete(self, prefix: Path, version: str, headers: Path) -> None:  # noqa: B027 (most leave nothing)
        """After pip: what the packages leave to be done. headers: a folder of those that headers_from names."""

    @abstractmethod
    def tools(self, prefix: Path, version: str, *, abi: bool) -> Tools:
        """The tools that pip has installed into `prefix`. abi: those of the standard ABI."""

    def environ(self) -> dict[str, str]:
        """The environment that every installation needs."""
        return {}

    # Launching.

    @abstractmethod
    def oversubscribing(self) -> list[str]:
        """Options of its mpiexec for more ranks than cores."""

    # Setting.

    @property
    def algorithms(self) -> Algorithms:
        """Its own that are the same as ours, by operation."""
        return own_algorithms(self.name, self.routine_form)

    @abstractmethod
    def settings(self, table: Table, processes: int, *, fill: bool, file: Path) -> Settings:
        """The table as settings for a job of this many processes. fill: as in settings.only_one. file: its libmpi."""

    def check_of(self, chosen: Candidate) -> str:
        """How somebody sees that a setting of candidates() is in effect, as a line of a comment."""
        if chosen.control is None:
            return ""
        return f"the variable {chosen.control[0]} of MPI_T is {chosen.control[1]}"

    def control_of(self, variable: str) -> str:
        """What an environment variable is called among the library's own variables (MPI_T); "" if that is unknown."""
        return ""

    def settings_file(self, environ: Mapping[str, str]) -> SettingsFile | None:
        """The user's file of settings, below $HOME; None if there is none, or another one takes its place."""
        return None

    @abstractmethod
    def candidates(self) -> list[Candidate]:
        """Settings of how messages are sent, without the default."""

    def binding(self, to: str) -> dict[str, str]:
        """Variables that bind ranks to a core each ("core") or to none ("none"); {} if its launcher has options."""
        return {}

    def placing(self, cpus: Sequence[tuple[int, ...]]) -> dict[str, str]:
        """Variables that bind the ranks of each host to these CPUs; {} if its launcher has options for it."""
        return {}

    @abstractmethod
    def waiting(self) -> list[Candidate]:
        """Settings of how its ranks wait for messages: busily, or leaving their core to others."""

    @abstractmethod
    def copying(self) -> list[Candidate]:
        """Settings of how long messages are copied within a node, beyond those of candidates()."""

    def transports(self, hosts: int, stacks: Set[str]) -> list[Candidate]:
        """Settings of the transport that messages take.   stacks: those that libmpi needs, of "ucx" and "ofi"."""
        return []

    @abstractmethod
    def progress(self) -> list[Candidate]:
        """Settings by which messages go on while the program computes."""

    # Proving.

    @property
    def routines(self) -> re.Pattern[str] | None:
        """Those to be watched; None where it has no symbols: errors tell."""
        return None

    @abstractmethod
    def sizes_asked(self, *, errant: bool) -> int:
        """How many sizes of a rule are asked about, 3 at most; errant: whether some ranks can be set otherwise."""

    @abstractmethod
    def variables(self, operations: Sequence[str]) -> list[str]:
        """The environment variables that its settings for these operations are in."""

    @abstractmethod
    def routine_of(self, point: Point, answer: Answer, wanted: str) -> str:
        """The routine that ran: the wanted one, or another one; "" if that is unknown."""

    @abstractmethod
    def why_not_obeyed(self, rule: Rule, wrong: Wrong, answers: Answers) -> str:
        """The silent failure that explains it; wrong.general if nothing better is known."""


def version_numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))


def tools_beside(prefix: Path, *, abi: bool, environ: dict[str, str]) -> Tools:
    """The tools of a usual installation; the wheels on PyPI have no Fortran layer."""
    binaries = prefix / "bin"
    suffix = "_abi" if abi else ""
    return Tools(
        binaries / f"mpicc{suffix}", binaries / f"mpicxx{suffix}", None, binaries / "mpiexec", prefix / "lib", environ
    )

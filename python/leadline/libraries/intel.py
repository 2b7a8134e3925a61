"""Intel MPI: set by I_MPI_ADJUST_<OPERATION>, algorithms by number with the sizes they are for.

Watching which of its routines run showed: 0 is not "default" but one of the algorithms; a size outside all ranges takes
the last algorithm listed, not the default; and 2021.18 ignores conditions on the number of processes (@). The settings
written here are therefore for the job's number of processes, and every size is in a range.
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Sequence, Set
from pathlib import Path
from typing import ClassVar

from leadline.launchers.hydra import HYDRA
from leadline.libraries import intel_installation
from leadline.libraries.answers import Answer, Answers, Point, Wrong
from leadline.libraries.library import HYDRA_OVER_HOSTS, MpiLibrary, OverHosts, Tools, version_numbers
from leadline.libraries.own import Algorithms, functions, own_algorithms
from leadline.libraries.rule import Rule, Table
from leadline.libraries.sending import Candidate
from leadline.libraries.settings import MOST_BYTES, NotSet, Settings, mention_all, only_one, unable
from leadline.operations import operations

VARIABLE = "I_MPI_ADJUST_{}"
NETWORK = "MPIDI_OFI_coll_select"  # allreduce with I_MPI_ADJUST_ALLREDUCE=1, for one

ROUTINE = "MPIR_{function}_{layer}_{routine}"


def algorithms() -> Algorithms:
    return own_algorithms("intel", ROUTINE)


def settings(table: Table, processes: int, *, fill: bool = False) -> Settings:
    """The settings for a job of this many processes. fill: as in settings.only_one."""
    out = Settings()
    for operation, known in algorithms().items():
        line, not_set = only_one(table, operation, processes, fill)
        out.not_set += not_set
        reasons = {rule: unable(rule, known, "Intel MPI") for _, _, rule in line}
        failed = next((why for why in reasons.values() if why), "")
        if failed:  # a part of the sizes can't be left alone
            out.not_set += [
                NotSet.whole(rule, why or f"of the same variable: {failed}") for rule, why in reasons.items()
            ]
            continue
        if line:
            out.variables[VARIABLE.format(operation.upper())] = ";".join(
                f"{known[rule.algorithm].setting}:{first}-{MOST_BYTES if last is None else last}"
                for first, last, rule in line
            )
            out.set += list(reasons)
    return out


class Intel(MpiLibrary):
    name = "intel"
    title = "Intel MPI"
    banner = "Intel(R) MPI Library"
    family = "mpich"
    place = 2
    derived_from = "mpich"
    # Of every minor version the last release. 2021.19.0 comes without the libfabric it needs for several machines and
    # for processes that start others: it is not the first.
    versions = (
        "2021.18.1", "2021.19.0", "2021.17.2", "2021.16.2", "2021.15.0", "2021.14.2", "2021.13.1", "2021.12.1",
        "2021.11.0", "2021.10.0", "2021.9.0", "2021.8.0", "2021.7.1", "2021.6.0", "2021.5.1", "2021.4.0", "2021.3.1",
        "2021.2.0", "2021.1.1", "2019.4.243", "2019.0", "2018.0.3", "2018.0.0",
    )  # fmt: skip
    abi_since = (2021, 17)
    debian_packages = ""
    launcher = HYDRA
    shares_cores = False
    unbound: ClassVar[dict[str, str]] = {}
    over_hosts = OverHosts(
        HYDRA_OVER_HOSTS.replace(" -localhost {here}", ""),
        {"I_MPI_FABRICS": "ofi", "I_MPI_OFI_PROVIDER": "tcp", "FI_TCP_IFACE": "eth0"},
    )
    files = ("lib/libmpi.so.12", "lib/release/libmpi.so.12")
    prefixes = ("I_MPI_", "FI_", "UCX_", "ROMIO_")
    starts_by = re.compile(
        r"I_MPI_(ROOT|SPAWN|LIBRARY_KIND|SUBSTITUTE_INSTALLDIR|OFI_LIBRARY\w*|PMI\w*|HYDRA_\w*|JOB_\w*|(CC|CXX|F\w*C|F\d+)"
        r"(_\w+)?)|FI_PROVIDER_PATH|FI_TCP_IFACE"
    )
    eager_bytes = 262144  # I_MPI_EAGER_THRESHOLD in the reference of 2018; later releases name none
    reads_romio_hints = True
    routine_form = ROUTINE
    proof = "call into the library's routine observed"
    unseen = "no known routine"
    controls = ()
    rules_stand_alone = False

    def is_in(self, content: mmap.mmap, file_name: str) -> bool:
        return content.find(b"I_MPI_ADJUST_BCAST") >= 0

    def requirements(self, version: str) -> tuple[str, ...]:
        """The newest names one that PyPI has not: it is installed without dependencies."""
        if self.headers_from(version):
            return (f"impi=={version}",)
        return (f"impi-rt=={version}", f"impi-devel=={version}")

    def headers_from(self, version: str) -> str | None:
        """Old ones take those of the default version, whose binary interface is the same."""
        return self.name if version_numbers(version) < (2021,) else None

    def complete(self, prefix: Path, version: str, headers: Path) -> None:
        abi = version_numbers(version) >= self.abi_since
        intel_installation.complete(prefix, headers, abi=abi)

    def tools(self, prefix: Path, version: str, *, abi: bool) -> Tools:
        return intel_installation.tools(prefix, version, abi=abi)

    def oversubscribing(self) -> list[str]:
        return []

    def settings(self, table: Table, processes: int, *, fill: bool, file: Path) -> Settings:
        return mention_all(settings(table, processes, fill=fill), table, processes)

    def check_of(self, chosen: Candidate) -> str:
        return "I_MPI_DEBUG=5 prints the settings that are in effect"

    def candidates(self) -> list[Candidate]:
        found = []
        for limit in (16384, 65536, 1048576):  # releases to 2018; later ones have no eager limit that shows
            for name, where in (("I_MPI_EAGER_THRESHOLD", ""), ("I_MPI_INTRANODE_EAGER_THRESHOLD", (" within a node"))):
                known = f"{'shm-' if where else ''}eager-{limit}"
                what = f"eager up to {limit} bytes{where}"
                found.append(Candidate(known, what, {name: str(limit)}, eager_limit=limit))
        return found

    def binding(self, to: str) -> dict[str, str]:
        """Its Hydra takes -bind-to, and binds by these nevertheless (seen with 2021.18)."""
        return {"I_MPI_PIN": "1", "I_MPI_PIN_PROCESSOR_LIST": "allcores"} if to == "core" else {"I_MPI_PIN": "0"}

    def placing(self, cpus: Sequence[tuple[int, ...]]) -> dict[str, str]:
        if all(len(each) == 1 for each in cpus):
            listed = ",".join(str(cpu) for (cpu,) in cpus)
            return {"I_MPI_PIN": "1", "I_MPI_PIN_PROCESSOR_LIST": listed}
        masks = ",".join(f"{sum(1 << cpu for cpu in each):#x}" for each in cpus)
        return {"I_MPI_PIN": "1", "I_MPI_PIN_DOMAIN": f"[{masks}]"}

    def waiting(self) -> list[Candidate]:
        known = (("2", "yield", "ranks that wait yield their core"), ("3", "sleep", "ranks that wait sleep"))
        return [Candidate(name, what, {"I_MPI_THREAD_YIELD": value}) for value, name, what in known]

    def copying(self) -> list[Candidate]:
        return [Candidate("no-cma", "long messages copied through shared memory (no CMA)", {"I_MPI_SHM_CMA": "0"})]

    def transports(self, hosts: int, stacks: Set[str]) -> list[Candidate]:
        if hosts > 1:
            return []
        return [Candidate("shm", "shared memory alone, without a network", {"I_MPI_FABRICS": "shm"})]

    def progress(self) -> list[Candidate]:
        return [Candidate("async", "a thread of each rank for messages", {"I_MPI_ASYNC_PROGRESS": "1"})]

    def sizes_asked(self, *, errant: bool) -> int:
        return 3

    @property
    def routines(self) -> re.Pattern[str]:
        return re.compile(
            rf"(MPIR|MPIDI_POSIX|MPIDI)_({functions()})_(intra|allcomm)_(?!.*(_auto|_check|_cnt|generic|lut)$)"
            rf"|MPIDI_SHMGR_|{NETWORK}$"  # of a node, by shared memory; of the network layer
        )

    def variables(self, operations: Sequence[str]) -> list[str]:
        return [VARIABLE.format(operation.upper()) for operation in operations]

    def routine_of(self, point: Point, answer: Answer, wanted: str) -> str:
        function = operations()[point.operation].function
        mine = [entered for entered in answer.entered if re.search(f"_{function}_(intra|allcomm)_", entered)]
        return wanted if wanted in mine else mine[0] if mine else next(reversed(answer.entered), "")

    def why_not_obeyed(self, rule: Rule, wrong: Wrong, answers: Answers) -> str:
        variable = VARIABLE.format(rule.operation.upper())
        value = answers.variables.get(variable)
        if value is None:
            return f"{variable} is not set on the ranks; {wrong.general}"
        if NETWORK in wrong.routines:
            return (
                f"{wrong.where}: Intel MPI's network layer handles short messages itself, in code without symbols "
                f"(seen: {NETWORK}, and no routine after it), so the algorithm is unknown"
            )
        if value.strip() == "0":
            return f"{variable} is 0, which selects an algorithm, not the default; {wrong.general}"
        return wrong.general


LIBRARY = Intel()

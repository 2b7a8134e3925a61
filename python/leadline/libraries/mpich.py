"""MPICH: set by selection files if the release has them (since 3.4), otherwise by variables."""

from __future__ import annotations

import mmap
import re
from collections.abc import Sequence, Set
from pathlib import Path
from typing import ClassVar

from leadline.launchers.hydra import HYDRA
from leadline.libraries import mpich_file, mpich_variables
from leadline.libraries.answers import Answer, Answers, Point, Wrong
from leadline.libraries.library import HYDRA_OVER_HOSTS, MpiLibrary, OverHosts, Tools, tools_beside
from leadline.libraries.mpich_variables import CHOICE, NODE
from leadline.libraries.rule import Rule, Table
from leadline.libraries.sending import Candidate
from leadline.libraries.settings import Settings, mention_all
from leadline.operations import operations

NETMOD = "MPIR_CVAR_CH4_NETMOD"
COPIED_ONCE = "MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD"


class Mpich(MpiLibrary):
    name = "mpich"
    title = "MPICH"
    banner = "MPICH"
    family = "mpich"
    place = 0
    derived_from = None
    versions = ("5.0.2", "4.3.2", "4.2.3", "4.1.3", "4.0.3", "3.4.3")
    abi_since = (5, 0)
    debian_packages = "mpich libmpich-dev"
    launcher = HYDRA
    shares_cores = False
    unbound: ClassVar[dict[str, str]] = {}
    over_hosts = OverHosts(HYDRA_OVER_HOSTS, {"FI_PROVIDER": "tcp", "UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "eth0"})
    files = ("lib/libmpi.so.12",)
    prefixes = ("MPIR_CVAR_", "MPICH_", "HYDRA_", "FI_", "UCX_", "ROMIO_")
    starts_by = re.compile(
        r"HYDRA_(?!BINDING|MAPPING|MEMBIND)\w*|MPICH_INTERFACE_HOSTNAME\w*|FI_PROVIDER_PATH|FI_TCP_IFACE"
    )
    collective_ns = 75.0  # of 5.0.2: MPI_Gather on two ranks, and on one, beside a send and a receive; an AMD EPYC
    # Of 5.0.2, one direction: 72 kB took 5.3 to 5.8 us beyond its calls and handshake, 1 MB 56.7 us; an AMD EPYC.
    long_start_ns = 1500.0
    eager_bytes = 8191  # MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD of 5.0.2, as its mpivars prints it, less 1
    reads_romio_hints = True
    routine_form = mpich_variables.ROUTINE
    proof = "reported by the library in an error that Leadline provoked"
    unseen = "no reported routine"
    controls = ()
    rules_stand_alone = False

    def is_in(self, content: mmap.mmap, file_name: str) -> bool:
        return content.find(b"MPIR_CVAR_") >= 0

    def tools(self, prefix: Path, version: str, *, abi: bool) -> Tools:
        return tools_beside(prefix, abi=abi, environ=self.environ())

    def oversubscribing(self) -> list[str]:
        return []

    def settings(self, table: Table, processes: int, *, fill: bool, file: Path) -> Settings:
        own = mpich_file.built_in(file)
        if own is not None:
            return mpich_file.settings(table, own)
        return mention_all(mpich_variables.settings(table, processes, fill=fill), table, processes)

    def control_of(self, variable: str) -> str:
        return variable if variable.startswith("MPIR_CVAR_") else ""

    def candidates(self) -> list[Candidate]:
        return [
            Candidate(
                f"cma-{limit}",
                f"single copy (CMA) from {limit} bytes",
                {COPIED_ONCE: str(limit)},
                (COPIED_ONCE, str(limit)),
            )
            for limit in (0, 16384, 65536)
        ]

    def waiting(self) -> list[Candidate]:
        yields = {"MPIR_CVAR_POLLS_BEFORE_YIELD": "10", "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1"}
        throttle = {"MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1", "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "10"}
        return [
            Candidate("yield", "ranks that wait sleep after ten polls", yields, ("MPIR_CVAR_POLLS_BEFORE_YIELD", "10")),
            Candidate(
                "throttle", "ranks that wait sleep between polls", throttle | yields, (next(iter(throttle)), "1")
            ),
        ]

    def copying(self) -> list[Candidate]:
        name = "MPIR_CVAR_CH4_CMA_ENABLE"
        return [Candidate("no-cma", "long messages copied through shared memory (no CMA)", {name: "0"}, (name, "0"))]

    def transports(self, hosts: int, stacks: Set[str]) -> list[Candidate]:
        found = []
        if hosts > 1 and len(stacks) > 1:  # within a node it has shared memory of its own
            found = [
                Candidate(f"by-{stack}", f"between nodes by {stack.upper()}", {NETMOD: stack}, (NETMOD, stack))
                for stack in sorted(stacks)
            ]
        if stacks == {"ucx"}:
            for limit in (4096, 65536):
                what, variables = f"UCX: rendezvous above {limit} bytes", {"UCX_RNDV_THRESH": str(limit)}
                found.append(Candidate(f"ucx-eager-{limit}", what, variables, eager_limit=limit))
        return found

    def progress(self) -> list[Candidate]:
        name = "MPIR_CVAR_ASYNC_PROGRESS"
        return [Candidate("async", "a thread of each rank for messages", {name: "1"}, (name, "1"))]

    def sizes_asked(self, *, errant: bool) -> int:
        return 2 if errant else 1

    def variables(self, operations: Sequence[str]) -> list[str]:
        names = [form.format(operation.upper()) for operation in operations for form in (CHOICE, NODE)]
        return [mpich_file.GENERAL, mpich_file.DEVICE, *names]

    def routine_of(self, point: Point, answer: Answer, wanted: str) -> str:
        elements = point.n_bytes if point.n_bytes % 8 else point.n_bytes // 8
        # One element more is another choice where there are fewer than processes.
        errors = answer.errors or (answer.errors_of_errant if elements >= point.processes else [])
        text = "\n".join(errors)
        layer = re.search(r"MPIDI_POSIX_mpi_\w*(?:release_gather|ipc_read)\w*", text)
        if layer:  # it stands aside for the first few calls, then no longer
            return layer[0]
        found = re.findall(rf"MPI[RI]\w*_{operations()[point.operation].function}_intra_(?!composition)\w+", text)
        return found[-1] if found else ""

    def why_not_obeyed(self, rule: Rule, wrong: Wrong, answers: Answers) -> str:
        if answers.variables.get(mpich_file.GENERAL) is not None:
            return _why_not_by_file(rule, wrong, answers)
        variable, node = CHOICE.format(rule.operation.upper()), NODE.format(rule.operation.upper())
        value = answers.variables.get(variable)
        if value is None:
            return f"{variable} is not set on the ranks; {wrong.general}"
        if _in_node_layer(wrong):
            given = answers.variables.get(node)
            return (
                f"{node} is {given or 'not set'}, not mpir: within a node MPICH's shared-memory layer decides, and "
                f"{variable}={value} has no effect ({wrong.general})"
            )
        return wrong.general


def _in_node_layer(wrong: Wrong) -> bool:
    return any("POSIX" in routine for routine in wrong.routines)


def _why_not_by_file(rule: Rule, wrong: Wrong, answers: Answers) -> str:
    if _in_node_layer(wrong) and answers.variables.get(mpich_file.DEVICE) is None:
        return (
            f"{mpich_file.DEVICE} is not set on the ranks: within a node MPICH's shared-memory layer decides, and the "
            f"file of {mpich_file.GENERAL} has no effect ({wrong.general})"
        )
    variable = CHOICE.format(rule.operation.upper())
    hidden = answers.variables.get(variable)
    if hidden not in {None, "auto"}:
        return f"{variable}={hidden} overrides the file; {wrong.general}"
    if not any(wrong.routines):
        return f"{wrong.general}; this release does not report its algorithm"
    needs = mpich_file.needs(rule.operation, rule.algorithm)
    return f"{wrong.general}; MPICH's algorithm needs {needs}" if needs else wrong.general


LIBRARY = Mpich()

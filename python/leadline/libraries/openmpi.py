"""Open MPI: set by the rules file of its component coll/tuned, in the text form that 4.1 and 5.0 read.

What fails silently there, and how the files written here avoid it:
  * without coll_tuned_use_dynamic_rules the file is not even looked for; with a name that is no file nothing is said;
  * sizes are searched until one is greater: they must ascend, and calls below the first have no rule, so 0 is first;
  * an algorithm that is forced, also by the user's mca-params.conf, goes before any rule; here it is set to 0;
  * the same of numbers of processes: a job with fewer than the first has no rule. Algorithm 0 means the library's own.
"""

from __future__ import annotations

import mmap
import os
import re
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import ClassVar

from leadline import own_files
from leadline.launchers.openmpi import OPENMPI
from leadline.libraries.answers import Answer, Answers, Point, Wrong
from leadline.libraries.library import MpiLibrary, OverHosts, Tools, tools_beside
from leadline.libraries.openmpi_rules import OWN_CHOICE, RulesFile, parse
from leadline.libraries.own import Algorithms, own_algorithms
from leadline.libraries.rule import Rule, Table
from leadline.libraries.sending import Candidate
from leadline.libraries.settings import MOST_BYTES, NotSet, Settings, pieces, unable
from leadline.libraries.settings_file import SettingsFile, settings_of
from leadline.operations import operations

# Both generations of Open MPI refuse to start as root unless two variables confirm it.
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

SWITCH = "OMPI_MCA_coll_tuned_use_dynamic_rules"
FILE = "OMPI_MCA_coll_tuned_dynamic_rules_filename"
FORCED = "OMPI_MCA_coll_tuned_{operation}_algorithm"
OTHER_FILES, SETTINGS_FILE = "OMPI_MCA_mca_base_param_files", ".openmpi/mca-params.conf"
USES_RULES, RULES_NAME = "coll_tuned_use_dynamic_rules", "coll_tuned_dynamic_rules_filename"
MOST_RULES_BYTES = 16 << 20
ROUTINE = "ompi_coll_base_{operation}_intra_{routine}"


def algorithms() -> Algorithms:
    return own_algorithms("openmpi", ROUTINE)


def collectives() -> dict[str, int]:
    """The number of each operation with a choice in a rules file: as in Open MPI's coll_base_functions.h."""
    known = {name: operation.libraries.get("openmpi") for name, operation in operations().items()}
    numbers = {name: of["number"] for name, of in known.items() if of}
    return dict(sorted(numbers.items(), key=lambda item: item[1]))


def settings(table: Table, processes: int) -> Settings:
    """For any number of processes up to that of the job, `processes`, because parts of it may communicate, too."""
    out = Settings()
    usable: list[Rule] = []
    for rule in table.rules:
        why = "" if rule.algorithm == "native" else unable(rule, algorithms()[rule.operation], "Open MPI")
        if why:
            out.not_set.append(NotSet.whole(rule, why))
        else:
            usable.append(rule)
    able = Table(tuple(usable))
    out.kept = usable
    out.set = [rule for rule in usable if rule.algorithm != "native"]
    if out.set:
        out.files[FILE] = rules_file(able, processes)
        out.variables[SWITCH] = "1"
        out.variables |= {FORCED.format(operation=rule.operation): "0" for rule in out.set}
    return out


def counts_all_blocks(operation: str) -> bool:
    """Whether the sizes of its rules are those of the blocks of all ranks together."""
    return operations()[operation].libraries["openmpi"].get("sizes") == "all_blocks"


def rules_file(table: Table, most_processes: int) -> str:
    """The table as a rules file for up to this many processes. Every rule must be one that algorithms() has."""
    ruled = [name for name in collectives() if any(rule.operation == name for rule in table.rules)]
    out = [f"{len(ruled)}  # collectives"]
    for operation in ruled:
        counts = _numbers_of_processes(table, operation, most_processes)
        out += [f"{collectives()[operation]}  # {operation}", f"{len(counts)}  # numbers of ranks"]
        for processes in counts:
            line = _sizes(table, operation, processes)
            out += [f"{processes}  # ranks or more", f"{len(line)}  # sizes"]
            out += [_line(first, rule) for first, rule in line.items()]
    return "\n".join(out) + "\n"


def _numbers_of_processes(table: Table, operation: str, most: int) -> list[int]:
    """Those from which the sizes differ: with sizes of all blocks every one."""
    if counts_all_blocks(operation):
        return list(range(1, most + 1))
    edges = {1}
    for rule in table.rules:
        if rule.operation == operation:
            edges |= {rule.processes[0], rule.processes[1] + 1}
    return sorted(edge for edge in edges if edge <= MOST_BYTES)


def _sizes(table: Table, operation: str, processes: int) -> dict[int, Rule | None]:
    """The choice by the first size that it is for."""
    found: dict[int, Rule | None] = {}
    blocks = processes if counts_all_blocks(operation) else 1
    for first, _, rule in pieces(table, operation, processes):
        if first * blocks <= MOST_BYTES:
            found[first * blocks] = rule
        elif blocks > 1:  # cannot be expressed: nothing may replace the library's choice there
            found[MOST_BYTES] = None
    return found


def _line(first: int, rule: Rule | None) -> str:
    """Bytes or more; algorithm; fan-out, 0: its own; segment."""
    if rule is None:
        return f"{first} 0 0 0"
    return f"{first} {algorithms()[rule.operation][rule.algorithm].setting} 0 {rule.segment_bytes}"


class OpenMpi(MpiLibrary):
    name = "openmpi"
    title = "Open MPI"
    banner = "Open MPI"
    family = "openmpi"
    place = 1
    derived_from = None
    versions = ("5.0.11", "5.0.10", "5.0.9", "5.0.8", "4.1.8", "4.1.7")
    abi_since = None
    debian_packages = "openmpi-bin libopenmpi-dev"
    launcher = OPENMPI
    shares_cores = True
    unbound: ClassVar[dict[str, str]] = {
        "OMPI_MCA_hwloc_base_binding_policy": "none",
        "PRTE_MCA_hwloc_default_binding_policy": "none",
    }
    over_hosts = OverHosts(
        "--host {hosts} --mca plm_rsh_agent {script} --mca plm_rsh_no_tree_spawn 1 --mca oob_tcp_if_include {network} "
        "--mca btl_tcp_if_include {network} --mca btl tcp,self --mca pml ob1 --map-by node --bind-to none",
        AS_ROOT,
    )
    files = ("lib/libmpi.so.40",)
    prefixes = ("OMPI_MCA_", "PRTE_MCA_", "PMIX_MCA_", "FI_", "UCX_")
    starts_by = re.compile(
        r"(OMPI|PRTE|PMIX)_MCA_(plm|ras|ess|oob|schizo|state|mca|component)_\w*|\w+_(default_)?hostfile|\w+_tmpdir\w*|\w+_if_(in|ex)\w*"
        r"|FI_PROVIDER_PATH|FI_TCP_IFACE"
    )
    # btl_sm_eager_limit of 5.0, as its ompi_info prints it. Above 256 bytes (btl_sm_max_inline_send), messages are
    # handed over in place: their send ends when the receiver makes progress, whether it has posted a receive or not.
    eager_bytes = 4096
    copied_bytes = 256
    # Of 5.0.11: 8 kB took 1.2 to 1.5 us beyond its calls and handshake, 72 kB 4.4 to 5.2 us, 1 MB 56 us; an AMD EPYC.
    long_start_ns = 900.0
    collective_ns = 15.0  # of 5.0.11: MPI_Gather on two ranks, and on one, beside a send and a receive; an AMD EPYC
    reads_romio_hints = False  # it has OMPIO
    routine_form = ROUTINE
    proof = "call into the library's routine observed"
    unseen = "no known routine"
    controls = (USES_RULES, RULES_NAME, "coll_tuned_priority")
    rules_stand_alone = True

    def is_in(self, content: mmap.mmap, file_name: str) -> bool:
        return re.search(r"libmpi\.so\.40", file_name) is not None

    def tools(self, prefix: Path, version: str, *, abi: bool) -> Tools:
        return tools_beside(prefix, abi=abi, environ=self.environ())

    def environ(self) -> dict[str, str]:
        return dict(AS_ROOT) if os.geteuid() == 0 else {}

    def oversubscribing(self) -> list[str]:
        return ["--oversubscribe"]

    def settings(self, table: Table, processes: int, *, fill: bool, file: Path) -> Settings:
        return settings(table, processes)

    def check_of(self, chosen: Candidate) -> str:
        return 'ompi_info --param btl all --level 9 | grep eager_limit   says "data source: environment"'

    def control_of(self, variable: str) -> str:
        prefix = "OMPI_MCA_"
        return variable.removeprefix(prefix) if variable.startswith(prefix) else ""

    def settings_file(self, environ: Mapping[str, str]) -> SettingsFile | None:
        path = Path(environ.get("HOME") or "/") / SETTINGS_FILE
        found = {} if environ.get(OTHER_FILES) else settings_of(path)
        return SettingsFile(path, found, "OMPI_MCA_") if found else None

    def candidates(self) -> list[Candidate]:
        return candidates()

    def waiting(self) -> list[Candidate]:
        yields, how = "OMPI_MCA_mpi_yield_when_idle", "OMPI_MCA_threads_pthreads_yield_strategy"
        return [
            Candidate("yield", "ranks that wait yield their core", {yields: "1"}, ("mpi_yield_when_idle", "1")),
            Candidate("busy", "ranks that wait keep their core", {yields: "0"}, ("mpi_yield_when_idle", "0")),
            Candidate(
                "sleep",
                "ranks that wait sleep between polls",
                {yields: "1", how: "nanosleep"},
                ("threads_pthreads_yield_strategy", "1"),
            ),
        ]

    def copying(self) -> list[Candidate]:
        here, elsewhere = "smsc", "btl_vader_single_copy_mechanism"  # of 5.0, of 4.1, where it is a number

        def by(name: str, what: str, value: str, in_vader: str, number: str, device: str = "") -> Candidate:
            variables = {f"OMPI_MCA_{here}": value, f"OMPI_MCA_{elsewhere}": in_vader}
            shown = ((elsewhere, number),)
            return Candidate(name, what, variables, (here, value), control_elsewhere=shown, device=device)

        return [
            by("no-single-copy", "long messages copied through shared memory (no CMA)", "^cma,knem,xpmem", "none", "3"),
            by("xpmem", "long messages copied once, by XPMEM", "xpmem", "xpmem", "0", "xpmem"),
            by("knem", "long messages copied once, by KNEM", "knem", "knem", "2", "knem"),
        ]

    def transports(self, hosts: int, stacks: Set[str]) -> list[Candidate]:
        # It takes UCX by itself only for the networks that it lists; on one host that may be shared memory.
        variables = {"OMPI_MCA_pml": "ucx", "OMPI_MCA_pml_ucx_tls": "any", "OMPI_MCA_pml_ucx_devices": "any"}
        needs = "PML UCX needs a transport of UCX, but none is usable"
        return [Candidate("ucx", "PML UCX: messages by UCX", variables, ("pml", "ucx"), needs=needs)]

    def progress(self) -> list[Candidate]:
        return []  # no component of 4.1 or 5.0 within a node has a thread of its own

    def sizes_asked(self, *, errant: bool) -> int:
        return 3

    @property
    def routines(self) -> re.Pattern[str]:
        names = "|".join(operations())
        return re.compile(rf"ompi_coll_(base|tuned)_({names})_intra_(?!.*(generic|check|local_count))")

    def variables(self, operations: Sequence[str]) -> list[str]:
        return [SWITCH, FILE]

    def routine_of(self, point: Point, answer: Answer, wanted: str) -> str:
        # A routine that can't do it calls another of the same operation.
        mine = [name for name in answer.entered if name.startswith(f"ompi_coll_base_{point.operation}_intra_")]
        return mine[-1] if mine else ""

    def why_not_obeyed(self, rule: Rule, wrong: Wrong, answers: Answers) -> str:
        switch, file = answers.controls.get(USES_RULES), answers.controls.get(RULES_NAME)
        if switch is None:
            return "coll/tuned is not available on the ranks: its rules cannot be used"
        if not file:
            return f"{RULES_NAME} is empty on the ranks: no rules file"
        try:
            rules = parse(own_files.read_named(Path(file), MOST_RULES_BYTES).decode(errors="replace"))
        except OSError as error:
            return (
                f"the rules file {file} cannot be read ({error.strerror}): Open MPI does not report that and "
                "uses its defaults"
            )
        why = why_not_in(rules, rule, wrong, answers.size)
        if why:
            return f"{file}: {why}"
        if switch == "0":
            return f"{USES_RULES}=0 on the ranks: rules file ignored"
        return wrong.general


def why_not_in(rules: RulesFile, rule: Rule, wrong: Wrong, processes: int) -> str:
    """Why a file cannot have had the rule's effect where it was tried, whether or not the file is used; "" if it could.

    wrong: what was tried.
    """
    collective = collectives()[rule.operation]
    found = rules.problems(collective, processes)
    if found:
        return "; ".join(found)
    wanted = int(algorithms()[rule.operation][rule.algorithm].setting)
    for n_bytes, ranks in wrong.points:
        blocks = ranks if counts_all_blocks(rule.operation) else 1
        named = rules.algorithm(collective, ranks, n_bytes * blocks)
        where = f"{rule.operation} of {n_bytes} bytes on {ranks} ranks"
        if named is None or named == OWN_CHOICE:
            return f"it has no rule for {where}"
        if named != wanted:
            return f"for {where} it names algorithm {named}, but {rule.algorithm} is {wanted}"
    return ""


def candidates() -> list[Candidate]:
    needs = "PML CM needs an MTL, but none is usable (mtl ofi: no matching provider)"
    found = [
        Candidate("ob1", "PML OB1: rendezvous above the eager limit", {"OMPI_MCA_pml": "ob1"}, ("pml", "ob1")),
        Candidate(
            "cm",
            "PML CM over MTL OFI: all messages eager, matched in the provider",
            {"OMPI_MCA_pml": "cm", "OMPI_MCA_mtl": "ofi"},
            ("pml", "cm"),
            needs=needs,
        ),
        Candidate(
            "cm-tcp",
            "PML CM over OFI provider tcp (excluded by Open MPI by default)",
            {"OMPI_MCA_pml": "cm", "OMPI_MCA_mtl": "ofi", "OMPI_MCA_mtl_ofi_provider_include": "tcp"},
            ("pml", "cm"),
            needs=needs,
        ),
    ]
    # Shared memory is btl/sm in 5.0, btl/vader in 4.1: both are set, one is not there. Without the flag "inplace", a
    # message up to the limit is copied, and its send ends before the receiver takes it.
    for limit in (1024, 4096, 16384, 65536):
        variables = {
            "OMPI_MCA_pml": "ob1",
            "OMPI_MCA_btl_sm_eager_limit": str(limit),
            "OMPI_MCA_btl_vader_eager_limit": str(limit),
            "OMPI_MCA_btl_sm_flags": "send",
            "OMPI_MCA_btl_vader_flags": "send,get,put,atomics,fetching-atomics",
        }
        what, control = f"OB1, eager up to {limit} bytes within a node, copied", ("btl_sm_eager_limit", str(limit))
        elsewhere = (("btl_vader_eager_limit", str(limit)),)
        found.append(Candidate(f"eager-{limit}", what, variables, control, limit, elsewhere))
    return found


LIBRARY = OpenMpi()

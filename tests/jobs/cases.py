"""Every way to start a job that is tried under Slurm, as data.

A case is a line of shell with a place for the words of `leadline`, so that it can also run without them. That shows
whether Leadline is the reason if a job fails. For `nodes` nodes it has nodes + 1 ranks.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

# What the words in braces stand for is in test_cases.py.
SRUN = "{srun} -N{nodes} -n{ranks}"
MPIEXEC = "{mpiexec} -n {ranks}"
SCRIPT = "chmod +x {directory}/inner.sh; {run} {directory}/inner.sh"

Worlds = Callable[[int], list[int]]


@dataclass(frozen=True)
class Case:
    """group, name: its row of the table. place: "plain", "salloc" or "sbatch".

    worlds: the sizes of the jobs that it starts, of the number of ranks; each must get a run of its own. spawned: sizes
    of worlds that the last of these starts, which belong to its run. ending: what befalls it: "cancel", "limit",
    "killed", "requeue". local: the traces lie in each node's own /tmp. one_host: it is not spread over all nodes.
    native: libraries (by the begin of their names) with which the line fails without Leadline too, and how; on
    native_from nodes or more.
    limits: those with which it is recorded otherwise, as the documentation says, and how.
    hangs: those that now and then hang in it without Leadline too: it is tried again.
    apply: "" for recordings; "applied" or "native", what must become of a table's rule.
    """

    group: str
    name: str
    place: str
    line: str
    worlds: Worlds = lambda ranks: [ranks]
    options: str = ""
    inner: str = ""
    spawned: tuple[int, ...] = ()
    ending: str = ""
    local: bool = False
    one_host: bool = False
    apply: str = ""
    native: dict[str, str] = field(default_factory=dict)
    native_from: int = 1
    limits: dict[str, str] = field(default_factory=dict)
    hangs: tuple[str, ...] = ()

    @property
    def waits(self) -> bool:
        """Slurm takes a minute or more: such jobs are all submitted before the first is waited for."""
        return self.ending in {"limit", "requeue"}

    @property
    def id(self) -> str:
        return re.sub(r"[^a-z0-9]+", "-", f"{self.group} {self.name}".lower()).strip("-")


def _ways() -> list[Case]:
    found = []
    for place, starters in (("plain", [SRUN]), ("salloc", [SRUN, MPIEXEC]), ("sbatch", [SRUN, MPIEXEC])):
        for starter in starters:
            name = f"{place}, {'srun' if starter == SRUN else 'mpiexec'}"
            found += [
                Case("run", name, place, f"{{run}} {starter} {{app}}"),
                Case("exec", name, place, f"{starter} {{exec}} {{app}}"),
                Case("apply", name, place, f"{{apply}} {starter} {{app}}", apply="applied"),
            ]
    queued = "sbatch {wait} -N{nodes} -n{ranks} -o {directory}/out-0.txt {directory}/inner.sh"
    return [
        *found,
        Case("run", "of salloc", "plain", f"{{run}} salloc -N{{nodes}} -n{{ranks}} {SRUN} {{app}}"),
        Case(
            "run", "of sbatch --wait", "plain", f"{{run}} {queued}".replace("{wait}", "--wait"), inner=f"{SRUN} {{app}}"
        ),
        Case(
            "run",
            "of sbatch",
            "plain",
            f"{{run}} {queued}; while ! [ -e {{directory}}/over ]; do sleep 0.1; done".replace("{wait}", ""),
            inner=f"{SRUN} {{app}}\ntouch {{directory}}/over",
        ),
    ]


def _twice(line: str, joint: str) -> str:
    return f"{line} {joint} {line} {'; wait' if joint == '&' else ''}".replace("& ;", "&")


def _several() -> list[Case]:
    def two(ranks: int) -> list[int]:
        return [ranks, ranks]

    def unlike(ranks: int) -> list[int]:
        return [ranks, ranks - 1]

    overlapping = SRUN.replace("{srun}", "{srun} --overlap")
    exec_ = "{exec} {app}"
    apart = f"{MPIEXEC} {exec_}; {{mpiexec}} -n $(({{ranks}} - 1)) {exec_}"
    mixed = f"{SRUN} {exec_}; {MPIEXEC} {exec_}"
    return [
        Case("array", "exec", "sbatch", f"{SRUN} {exec_}", two, "--array=0-1"),
        Case("array", "exec -o DIR", "sbatch", f"{SRUN} {{exec_here}} {{app}}", two, "--array=0-1"),
        Case("array", "run", "sbatch", f"{{run_task}} {SRUN} {{app}}", two, "--array=0-1"),
        Case("steps at once", "exec", "sbatch", _at_once(f"{overlapping} {exec_}"), two),
        Case("steps at once", "exec -o DIR", "sbatch", _at_once(f"{overlapping} {{exec_here}} {{app}}"), two),
        Case("steps at once", "run of a script", "sbatch", SCRIPT, two, inner=_at_once(f"{overlapping} {{app}}")),
        Case("mpiexecs at once", "exec", "sbatch", _at_once(f"{MPIEXEC} {exec_}"), two),
        Case("mpiexecs at once", "exec -o DIR", "sbatch", _at_once(f"{MPIEXEC} {{exec_here}} {{app}}"), two),
        Case("mpiexecs at once", "run of a script", "sbatch", SCRIPT, two, inner=_at_once(f"{MPIEXEC} {{app}}")),
        Case("two in one script", "exec, mpiexec", "sbatch", apart, unlike),
        Case("two in one script", "exec -o DIR, mpiexec", "sbatch", apart.replace("{exec}", "{exec_here}"), unlike),
        Case("two in one script", "exec, srun and mpiexec", "sbatch", mixed, two),
        Case(
            "two in one script",
            "run of a script, mpiexec",
            "sbatch",
            SCRIPT,
            unlike,
            inner=apart.replace("{exec} ", ""),
        ),
        Case(
            "two in one script", "run of a script, srun", "salloc", SCRIPT, two, inner=f"{SRUN} {{app}}; {SRUN} {{app}}"
        ),
        Case(
            "two in one script", "run and run", "sbatch", f"{{run}} {SRUN} {{app}}; {{run_again}} {SRUN} {{app}}", two
        ),
        # MPICH's shared memory has the step's number for a name: what the first attempt left must not be taken for it.
        Case(
            "put into the queue again",
            "exec",
            "sbatch",
            f"rm -f /dev/shm/mpich_shm_*; {SRUN} {exec_} requeue {{directory}}/seen",
            two,
            "--requeue",
            ending="requeue",
        ),
    ]


def _at_once(line: str) -> str:
    return f"{line} & {line} & wait"


def _parts() -> list[Case]:
    no_spawn = {"openmpi": "Slurm's PMIx cannot spawn", "debian-openmpi": "Slurm's PMIx cannot spawn"}
    prrte = ("openmpi",)  # PMIx_Fence in MPI_Comm_disconnect on three nodes, Open MPI 5.0.11: 1 of 5 jobs
    shared = "export SLURM_OVERLAP=1; "  # what is started by another srun need not wait for the first to end
    exec_ = "{exec} {app}"
    return [
        Case("programs of one step", "exec : exec", "plain", f"{{srun}} -n1 {exec_} : -N{{others}} -n{{ranks}} {exec_}",
             lambda ranks: [ranks + 1], one_host=True),
        Case("programs of one step", "run", "plain", "{run} {srun} -n1 {app} : -N{others} -n{ranks} {app}",
             lambda ranks: [ranks + 1], one_host=True),
        Case("programs of one step", "run, --multi-prog", "plain",
             f"printf '0 {{app}}\\n* {{app}}\\n' > {{directory}}/programs; "
             f"{{run}} {SRUN} --multi-prog {{directory}}/programs"),
        Case("heterogeneous job", "one step, exec", "sbatch", f"{{srun}} --het-group=0,1 {exec_}",
             lambda ranks: [ranks + 1], "-N1 -n1 : -N{others} -n{ranks}", one_host=True),
        Case("heterogeneous job", "one step, run", "sbatch", "{run} {srun} --het-group=0,1 {app}",
             lambda ranks: [ranks + 1], "-N1 -n1 : -N{others} -n{ranks}", one_host=True),
        Case("heterogeneous job", "a step in each part, exec", "sbatch",
             f"{{srun}} --het-group=0 -n1 {exec_} & {{srun}} --het-group=1 -n{{ranks}} {exec_} & wait",
             lambda ranks: [1, ranks], "-N1 -n1 : -N{others} -n{ranks}", one_host=True),
        Case("heterogeneous job", "a step in each part, run of a script", "sbatch", SCRIPT,
             lambda ranks: [1, ranks], "-N1 -n1 : -N{others} -n{ranks}", one_host=True,
             inner="{srun} --het-group=0 -n1 {app} & {srun} --het-group=1 -n{ranks} {app} & wait"),
        Case("heterogeneous job", "mpiexec in the first part, exec", "sbatch", f"{MPIEXEC} {exec_}",
             options="-N{others} -n{ranks} : -N1 -n1", one_host=True),
        # With `srun leadline exec`, too, Slurm starts them in srun's environment, which has nothing of us.
        Case("MPI_Comm_spawn", "srun, run", "sbatch", f"{shared}{{run}} {SRUN} {{app}} spawn", options="-n{more}",
             spawned=(2,), native=no_spawn),
        Case("MPI_Comm_spawn", "mpiexec, exec", "sbatch", f"{shared}{MPIEXEC} {exec_} spawn", options="-n{room}",
             spawned=(2,), one_host=True, hangs=prrte,
             limits={"mpich": "Hydra starts spawned processes in its own environment"}),
        Case("MPI_Comm_spawn", "mpiexec, run", "sbatch", f"{shared}{{run}} {MPIEXEC} {{app}} spawn", options="-n{room}",
             spawned=(2,), one_host=True, hangs=prrte,
             limits={"mpich@4.1": "all are recorded, the spawned processes as a separate job"}),
        Case("srun without --mpi", "run", "plain", "{run} srun -N{nodes} -n{ranks} {app}", lambda ranks: [1] * ranks,
             native={"debian-openmpi": "it ends in MPI_Init", "openmpi@4": "it ends in MPI_Init"}),
    ]  # fmt: skip


def _environments() -> list[Case]:
    found = []
    homeless = {"openmpi": "MPI_Init fails without HOME"}
    set_up = "export PATH=$PATH:/usr/bin {kept}; "
    for label, options in (("NONE", "--export=NONE"), ("a list", "--export=PATH,HOME")):
        for way, line in (
            ("run", f"{{run}} {SRUN} {{app}}"),
            ("exec", f"{SRUN} {{exec}} {{app}}"),
            ("apply", f"{{apply}} {SRUN} {{app}}"),
            ("run, mpiexec", f"{{run}} {MPIEXEC} {{app}}"),
            ("run of a script", SCRIPT),
            ("apply of a script", SCRIPT.replace("{run}", "{apply}")),
        ):
            native = homeless if label == "NONE" else {}
            if "mpiexec" in way and label == "NONE":
                native = {"openmpi": "it cannot start its daemons", "debian-openmpi": "it cannot start its daemons"}
            apply = "applied" if "apply" in way else ""
            found.append(
                Case(f"sbatch --export: {label}", way, "sbatch", set_up + line, options=options,
                     inner=f"{SRUN} {{app}}", apply=apply, native=native, native_from=2 if "mpiexec" in way else 1)
            )  # fmt: skip
        native = homeless if label == "NONE" else {}
        few = SRUN.replace("{srun}", f"{{srun}} {options}")
        found += [
            Case(f"srun --export: {label}", "run", "salloc", f"{{run}} {few} {{app}}", native=native),
            Case(f"srun --export: {label}", "exec", "salloc", f"{few} {{exec}} {{app}}", native=native),
            Case(
                f"srun --export: {label}", "apply", "salloc", f"{{apply}} {few} {{app}}", apply="applied", native=native
            ),
        ]
    return found


def _places() -> list[Case]:
    return [
        Case("a directory that nodes lack", "exec -o", "plain", f"{SRUN} {{exec_local}} {{app}}", local=True),
        Case("a directory that nodes lack", "run -o", "plain", f"{{run_local}} {SRUN} {{app}}", local=True),
        Case("a directory that nodes lack", "apply", "plain",
             f"cd /tmp; {{apply}} {SRUN} -D /var/tmp {{app}}", apply="native"),
        Case("a directory that nodes lack", "apply, LEADLINE_SHARED", "plain",
             f"cd /tmp; LEADLINE_SHARED={{directory}} {{apply}} {SRUN} -D /var/tmp {{app}}", apply="applied"),
    ]  # fmt: skip


def _endings() -> list[Case]:
    found = []
    ended_together = SRUN.replace("{srun}", "{srun} -K")  # else the others wait forever, as they would without us
    for ending, name, argument, options in (
        ("cancel", "scancel", "sleep 120", ""),
        ("limit", "time limit", "sleep 300", "--time=1"),
        ("killed", "a rank is killed", "kill", ""),
    ):
        for way, line in (
            ("exec, srun", f"{ended_together} {{exec}} {{app}}"),
            ("run, srun", f"{{run}} {ended_together} {{app}}"),
            ("exec, mpiexec", f"{MPIEXEC} {{exec}} {{app}}"),
        ):
            found.append(Case(name, way, "sbatch", f"{line} {argument}", options=options, ending=ending))
    return found


CASES = [*_ways(), *_several(), *_parts(), *_environments(), *_places(), *_endings()]

"""Slurm's srun, and what it passes on to its tasks: everything, or what --export or SLURM_EXPORT_ENV names.

`sbatch --export=NONE` sets SLURM_EXPORT_ENV=NONE for everything that the script starts. Recording needs a few variables
of ours in the tasks, so they are added to that list, by name if possible: srun has them in its own environment, and a
value may contain commas, at which srun splits the list.
Source: srun's manual, --export and SLURM_EXPORT_ENV; tried with 22.05.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from leadline.launchers.kind import LauncherKind
from leadline.launchers.options import Options
from leadline.launchers.places import Placing, RankPlace, for_each_host, host_name

VARIABLE = "SLURM_EXPORT_ENV"
NOTHING = ("NONE", "NIL")

OPTIONS = Options(
    gnu=True,
    values=frozenset(
        """
        A account acctg-freq bb bbf bcast-exclude b begin c cpus-per-task comment container container-id cpu-freq
        d dependency deadline delay-boot D chdir export e error epilog gres gres-flags i input jobid J job-name
        L licenses M clusters m distribution mail-type mail-user mcs-label mpi n ntasks ntasks-per-node N nodes
        o output het-group pack-group p partition power priority prolog profile q qos r relative S core-spec signal
        slurmd-debug switches task-epilog task-prolog thread-spec T threads t time time-min W wait wckey
        cluster-constraint C constraint prefer mem mincpus reservation tmp w nodelist x exclude mem-per-cpu
        sockets-per-node cores-per-socket threads-per-core B extra-node-info ntasks-per-core ntasks-per-socket
        ntasks-per-gpu cpus-per-gpu G gpus gpu-bind gpu-freq gpus-per-node gpus-per-socket gpus-per-task mem-per-gpu
        cpu-bind mem-bind hint F nodefile tres-bind tres-per-task export-file open-mode network oom-kill-step segment
        uid gid accel-bind debugger-test resv-ports-count launcher-opts treewidth extra
        """.split()
    ),
    flags=frozenset(
        """
        bcast compress E preserve-env H hold I immediate k no-kill K kill-on-bad-exit l label multi-prog nice
        O overcommit overlap propagate pty quit-on-interrupt Q quiet reboot s oversubscribe send-libs spread-job
        u unbuffered use-min-nodes v verbose X disable-status contiguous Z no-allocate exact exclusive resv-ports
        h help usage V version x11 interactive external stepmgr whole
        """.split()
    ),
)


def with_variables(contexts: Sequence[Sequence[str]], variables: Mapping[str, str], preload: str) -> list[list[str]]:
    """The words after srun, of each program of several, with an --export that passes our variables too.

    preload: the value of LD_PRELOAD without any preload of the user's.
    """
    inherited = os.environ.get(VARIABLE)
    return [_with_export(context, variables, preload, inherited) for context in contexts]


def environment(environ: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """The variables to set for every srun that a script starts, if the environment says that they pass little on."""
    value = environ.get(VARIABLE)
    if value is None or passes_all(value):
        return {}
    kept = [] if value in NOTHING else value.split(",")
    return {VARIABLE: ",".join([*kept, *(name for name in names if name not in kept)])}


def passes_all(value: str) -> bool:
    return value == "" or "ALL" in value.split(",")


def _with_export(
    context: Sequence[str], variables: Mapping[str, str], preload: str, inherited: str | None
) -> list[str]:
    words: list[str] = []
    given, at = inherited, 0
    while at < len(context) and context[at].startswith("-") and context[at] not in {"-", "--"}:
        count = OPTIONS.takes(context, at) or 1
        option = context[at : at + count]
        name, assigned, value = option[0].partition("=")
        if len(name) > 4 and name != "--export-file" and "--export".startswith(name):  # --export, or abbreviated
            given = value if assigned else "".join(option[1:])
        else:
            words += option
        at += count
    rest = list(context[at:])
    if given is None:
        return [*words, *rest]
    return [f"--export={_merged(given, variables, preload)}", *words, *rest]


def _merged(given: str, variables: Mapping[str, str], preload: str) -> str:
    kept = [] if given in NOTHING else [word for word in given.split(",") if word]
    theirs = [word.partition("=")[2] for word in kept if word.startswith("LD_PRELOAD=")]
    kept = [word for word in kept if word.partition("=")[0] not in variables]
    names = [name for name in variables if name != "LD_PRELOAD"]
    # Set for the tasks only, not for srun itself.
    loaded = ":".join([preload, *theirs[-1:]]) if theirs and theirs[-1] else None
    if loaded is not None:
        return ",".join([*kept, f"LD_PRELOAD={loaded}", *names])
    if passes_all(given):
        return given
    return ",".join([*kept, "LD_PRELOAD", *names])


class Srun(LauncherKind):
    name = "srun"
    described = "Slurm: the ranks inherit the environment"
    options = OPTIONS
    places = frozenset({"cpu-bind", "distribution", "m", "hint"})

    def recognises(self, version_text: str, program: str) -> bool:
        # Where there is no configuration, or no controller, it has no version but an error.
        return version_text.startswith(("slurm", "srun: "))

    def binding(self, to: str) -> list[str]:
        return ["--cpu-bind", {"core": "cores"}.get(to, to)]

    def placing(self, places: Sequence[RankPlace], version: str, *, moved: bool) -> Placing | None:
        lists = for_each_host(places)
        if lists is None:
            return None
        masks = (f"{sum(1 << cpu for cpu in cpus):#x}" for cpus in lists)
        options = ("--cpu-bind", f"mask_cpu:{','.join(masks)}")
        if not moved:
            return Placing(options)
        hosts = "".join(f"{host_name(place.host)}\n" for place in places)
        return Placing(("--distribution", "arbitrary", *options), files={"SLURM_HOSTFILE": hosts})

    def passing(self, programs: list[list[str]], variables: Mapping[str, str], preload: str) -> list[list[str]]:
        return with_variables(programs, variables, preload)


SRUN = Srun()

"""mpirun, mpiexec, orterun and prterun of Open MPI 4 and 5."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from leadline.launchers.kind import LauncherKind
from leadline.launchers.options import Options
from leadline.launchers.places import RANK_FILE, Placing, RankPlace, host_name

OPTIONS = Options(
    pairs=frozenset({"mca", "gmca", "omca", "gomca", "prtemca", "gprtemca", "pmixmca", "gpmixmca"}),
    values=frozenset(
        """
        am app appfile bind-to cf cartofile cpu-list cpu-set cpus-per-proc cpus-per-rank debugger default-hostfile H
        host hnp hostfile add-host add-hostfile launch-agent machinefile map-by max-restarts max-vm-size N n np c
        npernode npersocket ompi-server output-filename path personality ppr prefix preload-files rank-by
        report-events report-pid report-uri rf rankfile stdin timeout tune wd wdir x xml-file xterm output display
        runtime-options rto dvm-uri namespace nspace pset dvm-hostfile spawn-timeout exec-agent stream-buffering
        rankmap num-connect-retries wait-to-connect tmpdir keepalive singleton memory-alloc-kinds
        """.split()
    ),
    flags=frozenset(
        """
        allow-run-as-root bind-to-core bind-to-socket bycore bynode byslot continuous debug debug-daemons
        debug-daemons-file disable-recovery display-allocation display-devel-allocation display-devel-map
        display-diffable-map display-map display-topo do-not-launch do-not-resolve dvm enable-instant-on-support
        enable-recovery fwd-mpirun-port get-stack-traces h help index-argv-by-rank leave-session-attached
        merge-stderr-to-stdout nolocal nooversubscribe noprefix novm output-proctable oversubscribe pernode
        preload-binary s q quiet report-bindings report-child-jobs-separately report-state-on-timeout
        set-cwd-to-session-dir show-progress tag-output timestamp-output tv use-hwthread-cpus use-regexp v verbose V
        version xml gpu-support parsable parseable forward-signals no-ready-msg daemonize set-sid stop-on-exec
        stop-in-init stop-in-app bootstrap prtemca-base-help rank-by-ppr test-suicide do-not-aggregate-help
        """.split()
    ),
)


class OpenMpiLauncher(LauncherKind):
    name = "openmpi"
    described = "Open MPI: -x passes the recorder to the ranks"
    options = OPTIONS
    hands_on = True
    title = "Open MPI"
    variables = "openmpi"
    starts = "openmpi"
    serves = re.compile(r"libpmix\.so")  # of an MPICH that was built for it
    counts = frozenset({"n", "np", "c"})
    sets = frozenset({"mca", "gmca", "omca", "gomca", "prtemca", "x"})
    places = frozenset({"map-by", "bind-to", "rank-by", "rankfile", "rf", "cpu-list", "cpu-set"})
    hosts = frozenset(
        "H host hostfile default-hostfile machinefile add-host add-hostfile dvm dvm-uri hnp app am rf rankfile".split()
    )
    host_files = ("etc/openmpi-default-hostfile", "etc/prte-default-hostfile", "/etc/openmpi/openmpi-default-hostfile")
    repeats_for_each_program = True  # Open MPI 4 gives a variable to one of several programs only

    def recognises(self, version_text: str, program: str) -> bool:
        return any(word in version_text for word in ("open mpi", "openrte", "open-mpi", "prrte", "prte"))

    def given(self, variables: Mapping[str, str]) -> list[str]:
        return [word for name, value in variables.items() for word in ("-x", f"{name}={value}")]

    def variable_set_by(self, option: Sequence[str]) -> str:
        name = super().variable_set_by(option)
        if not name:
            return ""
        prefixes = {"x": "", "prtemca": "PRTE_MCA_"}
        return prefixes.get(option[0].lstrip("-"), "OMPI_MCA_") + name

    def binding(self, to: str) -> list[str]:
        return ["--bind-to", to]

    def placing(self, places: Sequence[RankPlace], version: str, *, moved: bool) -> Placing | None:
        whole = all(place.whole for place in places)
        lines = [
            f"rank {rank}={host_name(place.host)} slot={','.join(map(str, place.cores if whole else place.threads))}\n"
            for rank, place in enumerate(places)
        ]
        threads = () if whole else ("--use-hwthread-cpus",)
        to = "core" if whole else "hwthread"
        # Without --bind-to, ranks that were started with --oversubscribe are bound to nothing.
        options: tuple[str, ...] = ("--map-by", f"rankfile:file={RANK_FILE}", "--bind-to", to)
        if version.partition(".")[0] in ("1", "2", "3", "4"):
            options = ("--rankfile", RANK_FILE)
        return Placing(options=(*options, *threads), option_files={RANK_FILE: "".join(lines)})

    def take_preload(self, words: list[str], preload: str) -> tuple[list[str], dict[str, str]]:
        """`-x LD_PRELOAD=theirs` becomes ours:theirs; `-x LD_PRELOAD` alone means the environment's, as we do."""
        theirs: dict[str, str] = {}
        out: list[str] = []
        index = 0
        while index < len(words):
            following = words[index + 1] if index + 1 < len(words) else ""
            if words[index] in {"-x", "--x"} and following.partition("=")[0] == "LD_PRELOAD":
                value = following.partition("=")[2]
                if value:
                    theirs["LD_PRELOAD"] = f"{preload}:{value}"
                index += 2
                continue
            out.append(words[index])
            index += 1
        return out, theirs

    def environment(self, variables: Mapping[str, str]) -> dict[str, str]:
        """Without the preloaded library.

        The launcher gives to programs that its ranks spawn what it has itself, not what it gave to the ranks; but it
        must not be preloaded with anything (src/host/spawning.hpp).
        """
        return {name: value for name, value in variables.items() if name != "LD_PRELOAD"}


OPENMPI = OpenMpiLauncher()

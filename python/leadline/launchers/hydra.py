"""Hydra, the launcher of MPICH and of what was made from it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from leadline.launchers.kind import LauncherKind
from leadline.launchers.options import Options
from leadline.launchers.places import Placing, RankPlace, for_each_host

OPTIONS = Options(
    pairs=frozenset({"genv", "env"}),
    values=frozenset(
        """
        f hosts hostfile machinefile machine host rankmap wdir configfile envlist genvlist n np launcher launcher-exec
        bootstrap bootstrap-exec rmk topolib bind-to map-by membind binding demux errfile-pattern gpus-per-proc
        gpu-subdevs-per-proc iface localhost nameserver order-nodes outfile-pattern ppn perhost grr prepend-pattern
        usize ckpoint-interval ckpoint-prefix ckpoint-num ckpointlib hosts-group gtool gtoolfile s tune cpu-bind path
        arch umask port memory-alloc-kinds pmi-args
        """.split()
    ),
    flags=frozenset(
        """
        genvnone genvall envnone envall enable-x disable-x disable-auto-cleanup enable-auto-cleanup
        disable-hostname-propagation hybrid-hosts info pmi-port prepend-rank l print-all-exitcodes profile
        skip-launch-node verbose v V version aps mps gdb gdb-args silent-abort nolocal print-rank-map
        prepend-timestamp prot rr t trace check_mpi ilp64 cleanup noconf ordered-output
        """.split()
    ),
)


FIRST_RANKMAP = (4, 1)  # release of MPICH


class Hydra(LauncherKind):
    name = "hydra"
    described = "MPICH's Hydra: -genv passes the recorder to the ranks"
    options = OPTIONS
    hands_on = True
    title = "MPICH or Intel MPI"
    variables = "pmi"
    starts = "mpich"
    counts = frozenset({"n", "np"})
    sets = frozenset({"genv", "env"})
    places = frozenset({"bind-to", "binding", "map-by", "membind", "cpu-bind"})
    hosts = frozenset({"f", "hosts", "hostfile", "machinefile", "machine", "host", "rmk", "hosts-group"})

    def recognises(self, version_text: str, program: str) -> bool:
        return "hydra" in version_text or "intel(r) mpi" in version_text

    def given(self, variables: Mapping[str, str]) -> list[str]:
        return [word for name, value in variables.items() for word in ("-genv", name, value)]

    def binding(self, to: str) -> list[str]:
        return ["-bind-to", to]

    def placing(self, places: Sequence[RankPlace], version: str, *, moved: bool) -> Placing | None:
        lists = for_each_host(places)
        if lists is None or (moved and _release(version) < FIRST_RANKMAP):
            return None
        hosts = ("-rankmap", ",".join(str(place.host) for place in places)) if moved else ()
        return Placing(options=("-bind-to", "user:" + ",".join("+".join(map(str, cpus)) for cpus in lists), *hosts))

    def take_preload(self, words: list[str], preload: str) -> tuple[list[str], dict[str, str]]:
        """`-genv LD_PRELOAD theirs` becomes ours:theirs for all; `-env`, of one program of several, stays there."""
        theirs: dict[str, str] = {}
        out: list[str] = []
        index = 0
        while index < len(words):
            option, following = words[index].lstrip("-"), words[index + 1 : index + 3]
            name, assigned, value = (following or [""])[0].partition("=")
            if option not in {"genv", "env"} or name != "LD_PRELOAD" or (not assigned and len(following) < 2):
                out.append(words[index])
                index += 1
                continue
            value = f"{preload}:{value if assigned else following[1]}"
            if option == "genv":
                theirs["LD_PRELOAD"] = value
            else:
                out += [words[index], "LD_PRELOAD", value]
            index += 2 if assigned else 3
        return out, theirs


def _release(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)[:2]))


HYDRA = Hydra()

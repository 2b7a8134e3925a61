"""Launchers' own options: which of them take a value, so that `srun -J test ./app` is not taken to run `test`.

Each table was made from what its launcher says with --help (tests/cli/test_launcher_options.py compares them with
launchers that are there) and from its manual.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Options:
    """The options of one launcher.

    values: names without dashes, of those with a value in the next word; pairs: with two, or one that has a "=".
    flags: that have none, or an optional one behind a "=".
    gnu: as getopt_long reads them: `-n4`, `-ln4`, `--ntasks 4`, `--ntasks=4`, `--ntas 4`. Otherwise one dash and two
    mean the same, and single letters cannot be joined.
    """

    values: frozenset[str]
    pairs: frozenset[str] = frozenset()
    flags: frozenset[str] = frozenset()
    gnu: bool = False

    def takes(self, words: Sequence[str], at: int) -> int | None:
        """How many words the option at `at` is, with its values; None where it is not known."""
        word = words[at]
        name, assigned, _ = word.lstrip("-").partition("=")
        if self.gnu and not word.startswith("--"):
            return self._letters(word[1:])
        if assigned and name not in self.pairs:
            return 1
        if self.gnu:
            name = self._whole(name)
        if name in self.pairs:
            return 2 if assigned or "=" in "".join(words[at + 1 : at + 2]) else 3
        if name in self.values:
            return 2
        return 1 if name in self.flags else None

    def _letters(self, letters: str) -> int | None:
        for index, letter in enumerate(letters):
            if letter in self.values:
                return 1 if letters[index + 1 :] else 2
            if letter not in self.flags:
                return None
            if letter in _OPTIONAL_LETTERS:
                return 1
        return 1

    def _whole(self, name: str) -> str:
        """What an abbreviation stands for; itself where it is none or stands for several."""
        known = self.values | self.flags
        longer = [option for option in known if option.startswith(name) and len(option) > 1]
        return longer[0] if name not in known and len(longer) == 1 else name


_OPTIONAL_LETTERS = frozenset("IKk")  # srun's: what follows in the word is the value

SRUN = Options(
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

HYDRA = Options(
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

# mpirun, mpiexec, orterun and prterun of Open MPI 4 and 5.
OPENMPI = Options(
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

APRUN = Options(
    values=frozenset("n N d cc e F j L m M p P r S sl sn t w environment-override pes pes-per-node depth".split()),
    flags=frozenset("B a b C D q R ss T v V h version help bypass-app-transfer quiet strict-memory".split()),
)

JSRUN = Options(
    values=frozenset(
        """
        n nrs np p a tasks_per_rs c cpu_per_rs g gpu_per_rs r rs_per_host K rs_per_socket b bind d launch_distribution
        l latency_priority m memory_per_rs E env D env_eval F env_no_propagate e stdio_mode o stdio_stdout k
        stdio_stderr t stdio_input f appfile h chdir M smpiargs S save_resources U use_resources X exit_on_error
        A allocate_only J use_reservation H launch_node_task L use_spindle P pre_post_exec i immediate C use_ssh
        x exclude_hosts
        """.split()
    ),
    flags=frozenset("I help usage V version v verbose".split()),
)

BY_KIND = {"srun": SRUN, "hydra": HYDRA, "openmpi": OPENMPI, "aprun": APRUN, "jsrun": JSRUN}


def end_of_options(words: Sequence[str], kind: str) -> tuple[int, bool]:
    """Where the launcher's options end, and whether all of them were known: where not, a value may stand there."""
    options = BY_KIND.get(kind)
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] not in {"-", "--"}:
        count = options.takes(words, at) if options is not None else None
        if count is None:
            return at, False
        at += count
    return min(at + (words[at : at + 1] == ["--"]), len(words)), options is not None

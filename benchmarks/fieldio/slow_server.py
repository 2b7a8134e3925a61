"""python benchmarks/fieldio/slow_server.py [--rate 400mbit] [--ranks N,...] [--per-host N] [--rounds N]
                                              [--ways WAY,...] [--hints TEXT] INPUT

The input of opatm on hosts that read it from a file server over a slow link, and have no cache in common: namespaces
with a network, a mount and so a page cache each, joined by virtual cables whose rate is limited (token bucket). The
files are mounted again for each run by sshfs, without ssh. Needs root, sshfs, socat and OpenSSH's sftp-server;
docs/reference/workloads/opatm.md has the result.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from opatm_input import input_seconds, options, show, words

from leadline.mpi import Library, find
from leadline.runs.execute import execute
from leadline.runs.launch import Launch
from leadline.runs.order import turns

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
from jobs import hosts, links

TIMEOUT_S = 300
PORT = 7000
SFTP_SERVER = "/usr/lib/openssh/sftp-server"
MOUNTED = "/tmp/input"  # each host's own /tmp


def serve(server: hosts.Host) -> subprocess.Popen[str]:
    process = server.start(["socat", f"TCP-LISTEN:{PORT},fork,reuseaddr,nodelay", f"EXEC:{SFTP_SERVER} -R"])
    listening = f"ss -ltn | grep -q :{PORT}"
    hosts.wait_for("the file server listens", lambda: server.shell(listening).code == 0)
    return process


def mount(nodes: Sequence[hosts.Host], server: hosts.Host, folder: Path) -> None:
    """A fresh mount, so that no host still has in memory what was read before."""
    script = f"umount {MOUNTED} 2>/dev/null; mkdir -p {MOUNTED} && sshfs -o ro,directport={PORT} $0 {MOUNTED}"
    for node in nodes:
        ended = node.run(["sh", "-c", script, f"{server.address}:{folder}"])
        if ended.code != 0:
            raise SystemExit(f"{node.name}: the input cannot be mounted: {ended.err}")


def command(
    library: Library, made: hosts.Hosts, nodes: Sequence[hosts.Host], ranks: int, script: Path, program: list[str]
) -> tuple[list[str], dict[str, str]]:
    over_hosts = library.kind.over_hosts
    per_host = ranks // len(nodes)
    start = over_hosts.words(
        script=str(script),
        here=made.login.address,
        hosts=[f"{node.address}:{per_host}" for node in nodes],
        network=f"{hosts.NETWORK}.0/24",
    )
    inside = ["nsenter", "-t", str(made.login.process), "-u", "-n", "--", str(library.launch(2)[0])]
    environment = {**os.environ, **library.env(), **over_hosts.environment}
    environment["OMPI_MCA_mpi_yield_when_idle"] = "1"  # each host takes all cores for its own, and would wait busily
    return [*inside, *start, "-n", str(ranks), *program], environment


def sent_bytes(server: hosts.Host) -> int:
    """Over its link, with the headers of its packets."""
    (line,) = [line for line in server.run(["cat", "/proc/net/dev"]).out.splitlines() if "eth0:" in line]
    return int(line.split(":")[1].split()[8])


def main() -> None:
    parser = options((__doc__ or "").splitlines()[2])
    parser.add_argument("--rate", default="400mbit", help="of each host's link, and of the server's (400mbit)")
    parser.add_argument("--per-host", type=int, default=1, help="ranks on a host (1)")
    arguments = parser.parse_args()
    if not hosts.are_possible():
        raise SystemExit("hosts cannot be made here: it needs root and virtual network cables")
    library = find(arguments.mpi)
    counts = [int(ranks) for ranks in arguments.ranks.split(",")]
    folder = arguments.input.resolve()
    size = sum(path.stat().st_size for path in folder.glob("*.nc"))
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; {arguments.rate}; {size / 1e6:.0f} MB; seconds")
    with hosts.made(max(counts) // arguments.per_host + 1) as made:
        server, *nodes = made.nodes
        for node in made.nodes:
            links.limit(node, "eth0", arguments.rate)  # what it sends
        for number in range(1, len(made.nodes) + 1):
            links.limit(made.login, f"w{number}", arguments.rate)  # what it gets
        serving = serve(server)
        script = links.remote_shell(made, "/")
        for ranks in counts:
            used = nodes[: ranks // arguments.per_host]
            seconds: dict[str, list[float]] = {way: [] for way in arguments.ways.split(",")}
            sent: dict[str, int] = {}
            for turn in turns(list(seconds), arguments.rounds):
                way = turn.candidate
                mount(used, server, folder)
                program = words(library, MOUNTED, way, arguments.hints)
                line, environment = command(library, made, used, ranks, script, program)
                before = sent_bytes(server)
                launch = Launch(f"{ranks} ranks, {way}", tuple(line), environment, limit_s=TIMEOUT_S)
                done = execute(launch).required()
                seconds[way].append(input_seconds(done.output))
                sent[way] = sent_bytes(server) - before
                print(f"  {way}: {seconds[way][-1]:.2f} s of {done.wall_s:.1f}", file=sys.stderr, flush=True)
            megabytes = ", ".join(f"{way} {count / 1e6:.0f}" for way, count in sent.items())
            show(ranks, f"{len(used)} hosts", seconds)
            print(f"          MB that the server sent: {megabytes}", flush=True)
        serving.kill()
    print(f"load {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()

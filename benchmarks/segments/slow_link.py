"""python benchmarks/segments/slow_link.py [--mpi NAME]... [--rate 1gbit] [--rounds N] [--fields N,...] [--faces N,...]

Packed exchanges between two hosts over a slow link: namespaces with a network each, joined by virtual cables whose rate
is limited (token bucket). Needs root. The same program and the same lines as compare.py, which has the two ranks on one
host; docs/build-in/segments.md has the result.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from compare import build, measured, show

from leadline.mpi import Library, available, find
from leadline.runs.execute import execute
from leadline.runs.launch import Launch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
from jobs import hosts, links

TIMEOUT_S = 200


def command(library: Library, made: hosts.Hosts, script: Path, words: list[str]) -> tuple[list[str], dict[str, str]]:
    over_hosts = library.kind.over_hosts
    start = over_hosts.words(
        script=str(script),
        here=made.login.address,
        hosts=[node.address for node in made.nodes],
        network=f"{hosts.NETWORK}.0/24",
    )
    inside = ["nsenter", "-t", str(made.login.process), "-u", "-n", "--", str(library.launch(2)[0])]
    return [*inside, *start, "-n", "2", *words], {**os.environ, **library.env(), **over_hosts.environment}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[2])
    parser.add_argument("--mpi", action="append", default=[], help="an MPI library; all by default")
    parser.add_argument("--rate", default="1gbit")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--fields", default="51")
    parser.add_argument("--faces", default="64,1024,8192,73728")
    arguments = parser.parse_args()
    if not hosts.are_possible():
        raise SystemExit("hosts cannot be made here: it needs root and virtual network cables")
    libraries = [find(name) for name in arguments.mpi] or list(available())
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; {arguments.rate}; microseconds an exchange")
    with hosts.made(2) as made, tempfile.TemporaryDirectory(dir=made.shared) as folder:
        for node in made.nodes:
            # Intel MPI would choose the addresses of version 6, which only work with a scope.
            node.run(["ip", "-6", "addr", "flush", "dev", "eth0"])
            links.limit(node, "eth0", arguments.rate)
        script = links.remote_shell(made, made.shared)
        for library in libraries:
            program = build(library, Path(folder))
            for face in map(int, arguments.faces.split(",")):
                for fields in map(int, arguments.fields.split(",")):
                    words = [str(program), *map(str, (arguments.rounds, fields, face, face))]
                    line, environment = command(library, made, script, words)
                    done = execute(Launch(library.name, tuple(line), environment, limit_s=TIMEOUT_S))
                    if done.ok:
                        show(library, fields, face, face, measured(done.output))
                    else:
                        print(f"{library.name}: {done.explained}", flush=True)
    print(f"load {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()

"""python benchmarks/improve/nothing.py [--mpi NAME,...] [--repeats N] [--for TIME] [--within TIME] DIR

How often `leadline improve` claims a gain where there is none: searches of two programs on which no setting can matter
(tests/programs/improvable.c: `alone` only computes, `nobody` also exchanges messages with MPI_PROC_NULL, so that
protocols are tried), on each library. By default 25 of each on MPICH and Open MPI, which is 100 of 20 s: half an hour.
At most 5 may claim a gain. The same command goes on with what an earlier one measured.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import workloads

from leadline.mpi import available

PROGRAM = Path(__file__).resolve().parents[2] / "tests" / "programs" / "improvable.c"
KINDS = {"alone": 40, "nobody": 20}  # steps: a tenth of a second or two


def main() -> int:
    given = argparse.ArgumentParser(usage=__doc__)
    given.add_argument("--mpi", default="mpich,openmpi")
    given.add_argument("--repeats", default="25")
    given.add_argument("--for", dest="limit", default="20s")
    given.add_argument("--within", default="")
    given.add_argument("directory", type=Path)
    options = given.parse_args()
    directory = options.directory.absolute()
    directory.mkdir(parents=True, exist_ok=True)
    for library in (each for each in available() if each.name in options.mpi.split(",")):
        build = [str(library.mpicc), "-O2", str(PROGRAM), "-o", str(directory / f"improvable.{library.name}"), "-lm"]
        subprocess.run(build, check=True, env=library.env())
    words = ["--mpi", options.mpi, "--repeats", options.repeats, "--for", options.limit]
    words += ["--within", options.within] if options.within else []
    for kind, steps in KINDS.items():
        words += ["--program", f"{kind}={directory}/improvable.{{library}} {kind} {steps}"]
    return workloads.main([*words, str(directory)])


if __name__ == "__main__":
    sys.exit(main())

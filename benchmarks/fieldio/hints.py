"""python benchmarks/fieldio/hints.py [--ranks N,...] [--fields AxBxC,...] [--rounds N] [--launches N] [--folder DIR]

What each set of hints takes that leadline_fieldio_choose_hints tries, under both kinds of MPI-IO that Debian's Open MPI
has. Each case is launched several times: a choice that the next launch does not make again is noise. Needs mpi4py;
docs/build-in/fieldio.md has the result.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

from leadline.mpi import find
from leadline.runs.execute import execute
from leadline.runs.launch import Launch

LIBRARY = "debian-openmpi"  # what PnetCDF is built for
MPI_IO = ("romio321", "ompio")
TIMEOUT_S = 170


def measure(words: list[str]) -> None:
    """On each rank: strips of the field along its first dimension. Rank 0 prints the result."""
    from mpi4py import MPI

    from leadline.fieldio import Spread, choose_hints

    comm, whole = MPI.COMM_WORLD, [int(length) for length in words[0].split("x")]
    edges = [whole[0] * rank // comm.size for rank in range(comm.size + 1)]
    first, count = edges[comm.rank], edges[comm.rank + 1] - edges[comm.rank]
    spread = Spread(comm, whole=whole, first=[first, 0, 0], count=[count, *whole[1:]])
    choice = choose_hints(comm, "field.nc", spread, rounds=int(words[1]), limit_s=60)
    if comm.rank == 0:
        json.dump({"chosen": choice.hints, "rounds": choice.rounds, "seconds": choice.seconds}, sys.stdout)


def name_of(hints: str) -> str:
    return hints.partition(";")[2] or "the usual ones"


def compare(arguments: argparse.Namespace, ranks: int, field: str, mpi_io: str) -> None:
    library = find(LIBRARY)
    environment = {**library.env(), "MPI4PY_MPIABI": library.family, "MPICC": str(library.mpicc)}
    environment |= {"OMPI_MCA_io": mpi_io, "OMPI_MCA_hwloc_base_binding_policy": "none"}
    program = (sys.executable, str(Path(__file__).resolve()), "measure", field, str(arguments.rounds))
    argv = (*library.launch(ranks, oversubscribe=True), *program)
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        launch = Launch(f"{ranks} ranks, {mpi_io}", argv, environment, cwd=Path(folder), limit_s=TIMEOUT_S)
        launches = [json.loads(execute(launch).required().output) for _ in range(arguments.launches)]
    print(f"{mpi_io}, {field}, {ranks} ranks; rounds: {', '.join(str(found['rounds']) for found in launches)}")
    for hints in launches[0]["seconds"]:
        times = [tuple(1e3 * time for time in found["seconds"][hints]) for found in launches]
        cells = [f"{median:.1f} ({least:.1f} to {most:.1f})" for median, least, most in times]
        print(f"    {name_of(hints):75} ms: {'; '.join(cells)}")
    print(f"    chosen: {'; '.join(name_of(found['chosen']) for found in launches)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[2])
    parser.add_argument("--ranks", default="2,8")
    parser.add_argument("--fields", default="181x36x64,362x72x128", help="sizes (181x36x64: 3.3 MB, 362x72x128: 27 MB)")
    parser.add_argument("--mpi-io", default=",".join(MPI_IO))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--launches", type=int, default=3)
    parser.add_argument("--folder", default=".", help="where the files are made, for a while")
    arguments = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for field in arguments.fields.split(","):
        for ranks in map(int, arguments.ranks.split(",")):
            for mpi_io in arguments.mpi_io.split(","):
                compare(arguments, ranks, field, mpi_io)
    print(f"load {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"]:
        measure(sys.argv[2:])
    else:
        main()

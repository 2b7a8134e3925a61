"""Every algorithm over real MPI libraries, against their own operations: byte by byte, or within rounding.

./dev test --all: every process count of 1 to 17, 32 and 33, sizes to 1 MiB + 1, more roots (minutes).
"""

import subprocess
import time
from pathlib import Path

import kept_builds
import pytest
import tiers
from mpi_facts import facts

from leadline.errors import LeadlineError
from leadline.mpi import Library, find

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "tests" / "programs" / "collectives_over_mpi.cpp"
GENERATED = ROOT / "build" / "dev" / "generated"
ALGORITHMS = ROOT / "build" / "dev" / "libleadline_collectives.a"
ALL = tiers.everything()
# Ranks of MPICH and Intel MPI wait busily: more than there are cores take seconds for what Open MPI does in a tenth.
PROCESSES = {
    "openmpi": [*range(1, 18), 32, 33] if ALL else [1, 3, 6],
    "mpich": [1, 2, 3, 4] if ALL else [2],
    "intel": [1, 2, 3, 4] if ALL else [2],
}
# Open MPI would pin the ranks of every job to the same first cores.


def _library(name: str) -> Library:
    for candidate in (name, f"debian-{name}"):
        try:
            return find(candidate)
        except LeadlineError:
            continue
    pytest.skip(f"the MPI library {name} is not installed")


def _built(library: Library) -> Path:
    words = [str(library.mpicxx), "-O1", "-std=c++20", "-DMPICH_SKIP_MPICXX", "-DOMPI_SKIP_MPICXX"]
    words += [f"-I{ROOT / 'src'}", f"-I{GENERATED}", str(PROGRAM), str(ALGORITHMS)]

    def compile_to(target: Path) -> None:
        command = [*words, "-o", str(target)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=200, env=library.env())
        assert done.returncode == 0, done.stderr

    headers = [*sorted((ROOT / "src/collectives").glob("*.hpp")), ROOT / "src/bench/native_call.hpp"]
    headers += [GENERATED / "leadline" / name for name in ("operations.hpp", "native_calls.inc")]
    made_from = [*words, kept_builds.identity(library), PROGRAM, ALGORITHMS, *headers]
    return kept_builds.kept(f"collectives-{library.name}", made_from, compile_to)


@pytest.mark.timeout(1800 if ALL else 300)
@pytest.mark.parametrize(("name", "processes"), [(name, p) for name, counts in PROCESSES.items() for p in counts])
def test_algorithms_give_what_the_library_gives(name: str, processes: int, tmp_path: Path) -> None:
    library = _library(name)
    words = [*library.launch(processes, oversubscribe=True), str(_built(library)), *(["all"] if ALL else [])]
    begin = time.monotonic()
    done = subprocess.run(
        words,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=1700 if ALL else 200,
        env={**library.env(), **library.kind.unbound},
        stdin=subprocess.DEVNULL,
    )
    told = (
        f"{' '.join(words)}: code {done.returncode} after {time.monotonic() - begin:.0f} s\n"
        f"it printed: {done.stdout[-4000:] or 'nothing'}\non standard error: {done.stderr[-4000:] or 'nothing'}"
    )
    if facts(library).ends_silently and done.returncode == 1 and not done.stdout + done.stderr:
        told += "\nSo ends its launcher when it is sent SIGTERM, SIGHUP or SIGINT."
    assert done.returncode == 0, told
    assert f" cases on {processes} ranks, 0 failed" in done.stdout, told
    if ALL:
        print(f"{library.name}: {done.stdout.strip()}")

"""python benchmarks/improve/planted.py [--mpi NAME]... [--only CASE,...] [--repeats N] [--for DURATION] [--kill] DIR

Settings that make a program slower by construction (tests/programs/improvable.c), set in the environment, among the
launcher's options or in the library's file of settings. `leadline improve` has to find and undo each: a line for each
search, and at the end how many of them did. A search tries all candidates, in a minute at most (--for), which two idle
cores need for forty launches or more: 12 minutes for all of them.
--kill ends each search with SIGKILL after a random number of its launches, up to five times, and goes on with it.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from leadline.mpi import Library, available

PROGRAM = Path(__file__).resolve().parents[2] / "tests" / "programs" / "improvable.c"
HINTS = "romio_cb_write disable\nromio_ds_write disable\n"


@dataclass(frozen=True)
class Case:
    """kind, steps: of the program.   before: what the launcher is started by.   {dir}: in values, the search's folder.

    variables, options, settings: what is planted, in the environment, among the launcher's options, and in Open MPI's
    file.   least: the gain that undoing it brings, at least.
    """

    name: str
    library: str
    kind: str
    steps: int
    variables: dict[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    settings: str = ""
    before: tuple[str, ...] = ()
    files: dict[str, str] = field(default_factory=dict)
    least: float = 0.1


SHORT = ("--sleep-ms=30", "--bytes=262144")
ONE_CORE = ("taskset", "-c", "0")
PARTS = {
    "MPIR_CVAR_BCAST_INTRA_ALGORITHM": "pipelined_tree",
    "MPIR_CVAR_BCAST_POSIX_INTRA_ALGORITHM": "mpir",
    "MPIR_CVAR_BCAST_TREE_PIPELINE_CHUNK_SIZE": "64",
}
SEGMENTS = {
    "coll_tuned_use_dynamic_rules": "1",
    "coll_tuned_bcast_algorithm": "3",
    "coll_tuned_bcast_algorithm_segmentsize": "64",
}
ON_CORE_0 = "".join(f"rank {rank}={os.uname().nodename} slot=0\n" for rank in range(2))
OPENMPI_PARTS = {f"OMPI_MCA_{name}": value for name, value in SEGMENTS.items()}
OPENMPI_PARTS_FILE = "".join(f"{name} = {value}\n" for name, value in SEGMENTS.items())
CASES = (
    Case("eager", "mpich", "late", 6, {"MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD": "0"}),
    Case("eager", "openmpi", "late", 6, {"OMPI_MCA_btl_tcp_eager_limit": "256"}, settings="btl = tcp,self\n"),
    Case("eager-file", "openmpi", "late", 6, settings="btl = tcp,self\nbtl_tcp_eager_limit = 256\n"),
    Case("algorithm", "mpich", "parts", 12, PARTS, least=0.5),
    Case("algorithm", "openmpi", "parts", 12, OPENMPI_PARTS, least=0.5),
    Case("algorithm-file", "openmpi", "parts", 12, settings=OPENMPI_PARTS_FILE, least=0.5),
    Case(
        "binding", "openmpi", "barriers", 6, files={"ranks": ON_CORE_0}, least=0.5,
        options=("--map-by", "rankfile:file={dir}/ranks", "--bind-to", "core:overload-allowed"),
    ),
    Case("binding", "intel", "barriers", 6, {"I_MPI_PIN_PROCESSOR_LIST": "0"}, least=0.5),
    Case("yielding", "openmpi", "barriers", 6, {"OMPI_MCA_mpi_yield_when_idle": "0"}, ("--bind-to", "none"), least=0.5,
         before=ONE_CORE),
    Case("yielding", "intel", "barriers", 6, {"I_MPI_THREAD_YIELD": "0"}, before=ONE_CORE, least=0.5),
    Case("files", "mpich", "pieces", 6, {"ROMIO_HINTS": "{dir}/hints"}, files={"hints": HINTS}),
)  # fmt: skip


@dataclass(frozen=True)
class Result:
    found: bool
    wall_s: float
    said: str
    kills: int = 0


def launched(case: Case, library: Library, program: Path, folder: Path) -> tuple[list[str], dict[str, str]]:
    """The command that is improved, and its environment."""
    for name, text in case.files.items():
        (folder / name).write_text(text)
    (folder / ".openmpi").mkdir()
    (folder / ".openmpi" / "mca-params.conf").write_text(f"mtl = ^ofi,psm,psm2\n{case.settings}")
    start, *count = library.launch(2)
    options = [word.format(dir=folder) for word in case.options]
    environ = {**library.env(), **{name: value.format(dir=folder) for name, value in case.variables.items()}}
    return [*case.before, start, *options, *count, str(program), case.kind, str(case.steps), *SHORT], {
        **environ,
        "HOME": str(folder),
    }


def improved(words: list[str], environ: dict[str, str], folder: Path, chance: random.Random | None) -> tuple[str, int]:
    """What `leadline improve` printed, and how often it was killed. chance: when, if it is."""
    measured, kills = folder / "better" / "measured.jsonl", 0
    while True:
        process = subprocess.Popen(words, env=environ, cwd=folder, stdout=subprocess.PIPE, text=True)
        if chance is None or kills == 5:
            return process.communicate()[0], kills
        until = lines_of(measured) + chance.randrange(8)
        while process.poll() is None and lines_of(measured) < until:
            time.sleep(0.02)
        if process.poll() is not None:
            return process.communicate()[0], kills
        process.kill()
        process.communicate()
        kills += 1


def lines_of(path: Path) -> int:
    return len(path.read_text().splitlines()) if path.exists() else 0


def search(case: Case, library: Library, folder: Path, limit: str, chance: random.Random | None) -> Result:
    folder.mkdir(parents=True)
    program = folder / "improvable"
    build = [str(library.mpicc), "-O2", str(PROGRAM), "-o", str(program), "-lm"]
    subprocess.run(build, check=True, env=library.env(), capture_output=True)
    command, environ = launched(case, library, program, folder)
    words = [sys.executable, "-m", "leadline", "improve", "--json", "--for", limit, "-o", str(folder / "better"), "--"]
    begin = time.monotonic()
    said, kills = improved([*words, *command], environ, folder, chance)
    wall_s = time.monotonic() - begin
    if not said:
        return Result(False, wall_s, "failed", kills)
    found = json.loads(said)
    names = " and ".join(setting["name"] for setting in found["chosen"]) or "nothing"
    gain = found["gain"] or 0.0
    return Result(gain >= case.least, wall_s, f"{names}, {gain:.0%} less time", kills)


def main() -> int:
    given = argparse.ArgumentParser(usage=__doc__)
    given.add_argument("--mpi", action="append")
    given.add_argument("--only", default="")
    given.add_argument("--repeats", type=int, default=1)
    given.add_argument("--for", dest="limit", default="1m")
    given.add_argument("--kill", action="store_true")
    given.add_argument("directory", type=Path)
    options = given.parse_args()
    libraries = {library.name: library for library in available() if not options.mpi or library.name in options.mpi}
    wanted = [case for case in CASES if case.library in libraries]
    wanted = [case for case in wanted if not options.only or case.name in options.only.split(",")]
    results = []
    for repeat in range(options.repeats):
        for case in wanted:
            folder = options.directory.absolute() / f"{case.name}-{case.library}-{repeat}"
            chance = random.Random(str(folder.name)) if options.kill else None
            result = search(case, libraries[case.library], folder, options.limit, chance)
            results.append(result)
            verdict = "undone" if result.found else "NOT UNDONE"
            killed = f", killed {result.kills} times" if options.kill else ""
            print(
                f"{case.name:15} {case.library:8} {verdict:10} {result.wall_s:4.0f} s{killed}: {result.said}",
                flush=True,
            )
    print(f"{sum(result.found for result in results)} of {len(results)} undone")
    return 0


if __name__ == "__main__":
    sys.exit(main())

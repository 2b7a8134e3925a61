"""Budgets hold: files and added memory stay below them, and the remaining recording is readable."""

import subprocess
import sys
from pathlib import Path

import pytest

from .building import Builder
from .libraries import Library, find
from .reading import open_processes, report_of
from .running import run_mpi

CALLS = 60000


def any_library() -> Library:
    library = find("debian-mpich") or find("mpich")
    if library is None:
        pytest.skip("no MPICH is installed")
    return library


def files_of(run: Path, rank: int) -> int:
    return sum(file.stat().st_size for file in run.glob(f"rank-{rank:05d}-*"))


@pytest.mark.ci(kind="structureless", budget=400_000)
@pytest.mark.parametrize(
    ("kind", "budget"), [("structureless", 100_000), ("structureless", 400_000), ("halo26", 150_000)]
)
def test_a_tiny_disk_budget_holds(kind: str, budget: int, builder: Builder, recorder: Path, tmp_path: Path) -> None:
    library = any_library()
    program: list[str | Path] = [builder.c(library, "random_program.c"), "3", kind, str(CALLS)]
    run = tmp_path / "run"
    plain = run_mpi(library, 1, program, cwd=tmp_path)
    recorded = run_mpi(
        library,
        1,
        program,
        cwd=tmp_path,
        recorder=recorder,
        run_directory=run,
        environment={"LEADLINE_BUDGET": str(budget)},
    )
    assert (recorded.returncode, recorded.lines) == (0, plain.lines), recorded.stderr
    unlimited = tmp_path / "unlimited"
    assert run_mpi(library, 1, program, cwd=tmp_path, recorder=recorder, run_directory=unlimited).returncode == 0
    shared = sum(file.stat().st_size for file in run.glob("shared-*"))
    whole, bounded = report_of(unlimited), report_of(run)
    assert files_of(run, 0) + shared <= budget
    if budget > 100_000:  # less than the call sites alone take
        for name in ("calls", "messages", "message_bytes", "local_calls"):
            assert bounded["totals"][name] == whole["totals"][name]
    if kind == "structureless":
        assert {loss["code"] for loss in bounded["losses"]} & {"order-lost", "over-budget"}
        assert sum(file.stat().st_size for file in unlimited.iterdir()) > budget


def test_a_tiny_memory_budget_holds(builder: Builder, recorder: Path, tmp_path: Path) -> None:
    library = any_library()
    program: list[str | Path] = [builder.c(library, "random_program.c"), "3", "structureless", str(CALLS)]

    def peak_kb(run: Path | None, environment: dict[str, str]) -> int:
        outcome = run_mpi(
            library,
            1,
            program,
            cwd=tmp_path,
            recorder=recorder if run else None,
            run_directory=run,
            environment={"SAY_PEAK": "1", **environment},
        )
        assert outcome.returncode == 0, outcome.stderr
        return max(int(line.split()[1]) for line in outcome.stderr.splitlines() if line.startswith("peak"))

    plain = peak_kb(None, {})
    free = peak_kb(tmp_path / "free", {})
    held = peak_kb(tmp_path / "held", {"LEADLINE_MEMORY": "4MB"})
    assert held - plain <= 4096 + 512
    assert free - plain > held - plain
    assert report_of(tmp_path / "held")["totals"] == report_of(tmp_path / "free")["totals"]
    orders = [
        [(call.function, call.count, call.tag) for call in process.calls(0)]
        for run in ("free", "held")
        for process in [open_processes(tmp_path / run)[0]]
    ]
    assert orders[0] == orders[1]  # more generations, nothing lost


def test_budgets_are_settings() -> None:
    from leadline.cli.recorder_settings import SETTINGS, variables_of

    given = {"budget": "1MB", "memory": "8 MB", "start_paused": True, "verbose": False}
    assert variables_of(given) == {"LEADLINE_BUDGET": "1MB", "LEADLINE_MEMORY": "8MB", "LEADLINE_START_PAUSED": "1"}
    shown = subprocess.run(
        [sys.executable, "-m", "leadline", "record", "--help"], capture_output=True, text=True, check=True
    ).stdout
    assert all(setting.flag in shown for setting in SETTINGS)


READS = """
#include <cstdio>
#include <cstdlib>
#include "recorder/memory/budgets.hpp"
int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    setenv("LEADLINE_MEMORY", argv[i], 1);
    leadline::recorder::Budgets budgets;
    budgets.read();
    std::printf("%llu\\n", static_cast<unsigned long long>(budgets.memory));
  }
}
"""


def test_the_recorder_reads_sizes_as_the_commands_do(tmp_path: Path) -> None:
    from leadline.text import sizes

    root = Path(__file__).resolve().parents[2]
    (tmp_path / "reads.cpp").write_text(READS)
    sources = [tmp_path / "reads.cpp", root / "src" / "recorder" / "memory" / "budgets.cpp"]
    words = ["c++", "-std=c++20", f"-I{root}/src", f"-I{root}/build/dev/generated", *sources, "-o", tmp_path / "reads"]
    subprocess.run(words, check=True, timeout=120)
    texts = ["0", "7", "64k", "64 kB", "64KiB", "64kib", "1.5M", "1.5MiB", "2G", "2gi", "1T", "1TiB", "300B"]
    found = subprocess.run([tmp_path / "reads", *texts], capture_output=True, text=True, check=True).stdout.split()
    assert [int(word) for word in found] == [sizes.parse(text) for text in texts]

"""`leadline tune`: a recorded run's calls, with its library; wrong requests are refused before minutes of measuring."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from leadline import mpi
from leadline.bench.asking import algorithms_by_operation
from leadline.operations import operations
from leadline.runs.interruption import Interruption
from leadline.tuning import tune
from leadline.tuning.calls import library_of_run, of_run
from leadline.tuning.table import read

COMMAND = [sys.executable, "-m", "leadline", "tune"]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *words], capture_output=True, text=True, check=False, timeout=300)


def test_a_recorded_run_is_tuned_for_its_calls_and_its_library(programs: object, tmp_path: Path) -> None:
    library = next((library for library in mpi.available() if library.name == "mpich"), None)
    if library is None:
        pytest.skip("the MPI library mpich is not here")
    directory, table = tmp_path / "run", tmp_path / "table.toml"
    record = [sys.executable, "-m", "leadline", "record", "-q", "-o", str(directory), "--", *library.launch(2)]
    subprocess.run([*record, str(programs(library))], env=library.env(), check=True, capture_output=True)  # type: ignore[operator]
    assert [(call.operation, call.n_bytes, call.processes, call.times) for call in of_run(directory)] == [
        ("bcast", 1048576, 2, 5)
    ]
    assert library_of_run(directory) == "mpich"
    few = ["--launches", "2", "--rounds", "5", "--seconds", "0.05", "--algorithms", "binomial"]
    done = run("--trace", str(directory), *few, "-o", str(table))
    assert done.returncode == 0, done.stderr
    found = read(table)
    assert (found.evidence["library"], found.evidence["sizes"]) == ("mpich", [1048576])
    assert all(rule.range == {"processes": [2, 2], "bytes": [1048576, 1048576]} for rule in found.rules)


@pytest.mark.parametrize(
    ("operation", "source", "times"),
    [
        ("reduce_scatter", "shim_reductions.c", 4),
        ("allgatherv", "shim_blocks_by_rank.c", 8),
        ("alltoallv", "shim_blocks_by_rank.c", 8),
        ("gatherv", "shim_blocks_by_rank.c", 4),  # a rank is the root of half of them
        ("scatterv", "shim_blocks_by_rank.c", 4),
    ],
)
def test_calls_without_one_count_are_read_from_a_run(operation: str, source: str, times: int, tmp_path: Path) -> None:
    """Of blocks with their own counts the mean one, and of a barrier nothing, as the shim looks them up."""
    library = next((library for library in mpi.available() if library.name == "mpich"), None)
    if library is None:
        pytest.skip("the MPI library mpich is not here")
    path, program = Path(__file__).resolve().parents[1] / "programs" / source, tmp_path / "program"
    subprocess.run([str(library.mpicc), str(path), "-o", str(program)], env=library.env(), check=True)
    record = [sys.executable, "-m", "leadline", "record", "-q", "-o", str(tmp_path / "run"), "--", *library.launch(2)]
    words = [*record, str(program), operation]
    subprocess.run(words, env=library.env(), check=True, capture_output=True)
    found = {call.n_bytes: call.times for call in of_run(tmp_path / "run") if call.operation == operation}
    exact = operations()[operation].sizes_are_known  # else only roughly: the next power of two
    sizes = (0, 8, 16, 72, 800, 20000) if exact else (0, 8, 16, 128, 1024, 32768)
    sizes = sizes[operation in ("gatherv", "scatterv") :]  # of nothing there is no root to tell
    assert found == dict.fromkeys(sizes, 2 * times)  # two communicators of two ranks


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--operations", "bcast", "--algorithms", "quick"], "no algorithm 'quick'"),
        (["--algorithms", "binomial:segment=8"], "has no parameter"),
        (["-o", "/nowhere/table.toml"], "no such directory"),
        (["--trace", "/nowhere"], "/nowhere"),
        (["--time", "(.*) s"], "--time needs --protocol"),
        (["--protocol", "-o", "/nowhere/found.json", "--", "true"], "no such directory"),
    ],
)
def test_what_is_asked_for_wrongly_is_one_message(words: list[str], why: str) -> None:
    done = run(*words)
    assert done.returncode in {2, 4}
    assert why in done.stderr
    assert "Traceback" not in done.stderr


def test_each_operation_is_tuned_with_those_algorithms_that_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[tuple[str, list[str], list[int]]] = []

    def measure(operation: str, *, algorithms: list[str], sizes: list[int], **_: object) -> SimpleNamespace:
        measured.append((operation, algorithms, sizes))
        return SimpleNamespace(launches=[], rows=[], failed="", wrong=[], interruption=Interruption())

    library = SimpleNamespace(name="mpich", version="")
    operations = ("bcast", "reduce", "allreduce")
    names = algorithms_by_operation(["chain:segment=8Ki", "two_level:over=ring", "binomial"], operations)
    said: list[str] = []
    monkeypatch.setattr(tune, "measure", measure)
    tune.tune(tune.Wanted(library, operations, sizes=(4, 64), algorithms=names), said.append)  # type: ignore[arg-type]
    assert measured == [
        ("bcast", ["chain:segment=8192", "binomial"], [4, 64]),
        ("reduce", ["binomial"], [64]),
        ("allreduce", ["two_level:over=ring"], [64]),
    ]
    assert [line for line in said if line.startswith("skipped: reduce") and " 4 bytes" in line]

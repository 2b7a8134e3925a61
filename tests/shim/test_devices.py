"""Buffers in a device's memory are left to the library, by all ranks alike. A stand-in for the runtime says which."""

import subprocess
from pathlib import Path

import pytest
from recorder.building import Builder

from .tables import algorithms, report
from .test_blocks import known, start

PROGRAM = "shim_devices.c"
SOURCE = Path(__file__).resolve().parents[1] / "programs" / "stand_in_cuda.c"
WHY = "a buffer may be in the memory of a device"
LIBRARIES = pytest.mark.parametrize(("name", "ranks"), [("openmpi", 3), ("mpich", 2), ("intel", 2)])


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runtime") / "libcuda.so.1"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", str(SOURCE), "-o", str(path)], check=True)
    return path


def table() -> str:
    return "".join(algorithms(operation)[0].rule(first=0) for operation in ("allreduce", "bcast", "barrier"))


def served(directory: Path, ranks: int) -> dict[tuple[str, int], str]:
    """By operation and first bytes of a line, the algorithm or why the library's own, the same on all ranks."""
    found = [
        {
            (line.operation, line.first): line.why if line.algorithm == "native" else line.algorithm
            for line in report(directory / "reports", rank)[0]
        }
        for rank in range(ranks)
    ]
    assert all(each == found[0] for each in found)
    return found[0]


@LIBRARIES
@pytest.mark.ci("intel")
@pytest.mark.parametrize("where", ["all", "last", "none"])
def test_device_memory_on_any_rank_leaves_the_call_to_the_library(
    where: str, name: str, ranks: int, runtime: Path, builder: Builder, shim: Path, tmp_path: Path
) -> None:
    words = (str(runtime), where)
    outcome = start(PROGRAM, known(name), ranks, table(), *words, builder=builder, shim=shim, directory=tmp_path)
    assert (outcome.returncode, outcome.stderr) == (0, ""), outcome.stdout
    assert set(outcome.lines) == {"wrong: 0, asked"}
    long = {name: WHY if where != "none" else algorithms(name)[0].name for name in ("allreduce", "bcast")}
    assert served(tmp_path, ranks) == {
        ("allreduce", 32): WHY,
        ("allreduce", 131072): long["allreduce"],
        ("bcast", 32): WHY,
        ("bcast", 131072): long["bcast"],
        ("barrier", 0): algorithms("barrier")[0].name,
    }


@pytest.mark.parametrize("runs", ["without a runtime", "by the user's word"])
def test_without_devices_nothing_is_asked(
    runs: str, runtime: Path, builder: Builder, shim: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if runs == "by the user's word":
        monkeypatch.setenv("LEADLINE_DEVICES", "0")
    elif any(Path(path).exists() for path in ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg", "/dev/dri")):
        pytest.skip("this machine may have a device")
    words = (str(runtime) if runs == "by the user's word" else "-", "none")
    outcome = start(PROGRAM, known("mpich"), 2, table(), *words, builder=builder, shim=shim, directory=tmp_path)
    assert (outcome.returncode, outcome.stderr) == (0, ""), outcome.stdout
    assert set(outcome.lines) == {"wrong: 0, not asked"}
    assert set(served(tmp_path, 2).values()) == {algorithms(name)[0].name for name in ("allreduce", "bcast", "barrier")}

"""The examples of docs/build-in/fieldio.md, verbatim, inside programs that make the file and check what was read."""

import re
from pathlib import Path

import pytest
from recorder.running import Outcome, run_mpi
from segments.building import compiled, library

from leadline.compiled_in import sources

from .building import PAGE, ROOT, need

FRAMES = ROOT / "tests" / "programs"
RANKS = 2
MOST_LINES = 20


def example(language: str) -> str:
    found = re.search(rf"^### {language}\n+```\w+\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert found is not None, f"no example in {language}"
    return found.group(1)


def run_example(language: str, frame: str, options: list[str], tmp_path: Path) -> Outcome:
    """The frame with the example in place of the line EXAMPLE, and its first line in place of the line LIBRARY."""
    need("debian-openmpi", "gathered", tmp_path)
    first, _, rest = example(language).partition("\n")
    text = (FRAMES / frame).read_text()
    for line, what in (("LIBRARY", first), ("EXAMPLE", rest)):
        text, times = re.subn(rf"^.*\b{line}\b.*$", lambda _, what=what: what, text, flags=re.MULTILINE)
        assert times == 1, f"{frame} has {times} lines {line}"
    (tmp_path / frame).write_text(text)
    chosen = library("debian-openmpi")
    compiler = chosen.mpicc if language == "C" else chosen.mpifort
    if compiler is None:
        pytest.skip(f"{chosen.name} has no Fortran compiler here")
    folder = sources("fieldio")
    modules = [str(folder / "leadline_fieldio.f90")] if language == "Fortran" else []
    words = [str(compiler), "-O1", "-w", *options, *map(str, sorted(folder.glob("[a-z]*.c"))), *modules, frame]
    words += [f"-I{folder}", "-ldl"]
    files = [PAGE, FRAMES / frame, *sorted(folder.glob("*.[chf]*"))]
    return run_mpi(chosen, RANKS, [compiled(f"fieldio-docs-{language}", words, chosen, files, tmp_path)], cwd=tmp_path)


@pytest.mark.parametrize("language", ["C", "Fortran"])
def test_an_example_is_short(language: str) -> None:
    assert len([line for line in example(language).splitlines() if line.strip()]) <= MOST_LINES


def test_the_example_in_c_reads_the_field(tmp_path: Path) -> None:
    done = run_example("C", "fieldio_docs.c", [], tmp_path)
    assert done.lines == [f"rank {rank}: 0 wrong" for rank in range(RANKS)], done.stderr


def test_the_example_in_fortran_reads_the_field(tmp_path: Path) -> None:
    done = run_example("Fortran", "fieldio_docs.f90", ["-DLEADLINE_FIELDIO_FORTRAN"], tmp_path)
    assert done.lines == [f"rank {rank}: 0 wrong" for rank in range(RANKS)], done.stdout + done.stderr

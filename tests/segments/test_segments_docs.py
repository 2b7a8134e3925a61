"""The examples of docs/build-in/segments.md, verbatim, inside programs that give them arrays and check the halos."""

import re
from pathlib import Path

import kept_builds
import pytest
from recorder.mpi4py_programs import python_command
from recorder.running import Outcome, run_mpi

from leadline.compiled_in import sources
from leadline.segments.building import shared_library

from .building import ROOT, compiled, library

PAGE = ROOT / "docs" / "build-in" / "segments.md"
FRAMES = ROOT / "tests" / "programs"
RANKS = 2
MOST_LINES = 20


def example(language: str) -> str:
    text = PAGE.read_text()
    found = re.search(rf"^### {language}\n+```\w+\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert found is not None, f"no example in {language}"
    return found.group(1)


def program(language: str, frame: str, tmp_path: Path) -> Path:
    """The frame with the example in place of the line EXAMPLE, and its first line in place of the line LIBRARY."""
    first, _, rest = example(language).partition("\n")
    text = (FRAMES / frame).read_text()
    for line, what in (("LIBRARY", first), ("EXAMPLE", rest)):
        text, times = re.subn(rf"^.*\b{line}\b.*$", lambda _, what=what: what, text, flags=re.MULTILINE)
        assert times == 1, f"{frame} has {times} lines {line}"
    path = tmp_path / frame
    path.write_text(text)
    return path


def run_compiled(language: str, frame: str, options: list[str], tmp_path: Path) -> Outcome:
    chosen = library("debian-mpich")
    compiler = chosen.mpifort if language == "Fortran" else chosen.mpicc
    if compiler is None:
        pytest.skip(f"{chosen.name} has no Fortran compiler here")
    program(language, frame, tmp_path)
    folder = sources("segments")
    sources_in_c = map(str, sorted(folder.glob("[a-z]*.c")))
    modules = [str(folder / "leadline_segments.f90")] if language == "Fortran" else []
    words = [str(compiler), "-O1", "-w", *options, *sources_in_c, *modules, frame, f"-I{folder}"]
    files = [PAGE, FRAMES / frame, *sorted(folder.glob("*.[chf]*"))]
    return run_mpi(
        chosen, RANKS, [compiled(f"segments-docs-{Path(frame).name}", words, chosen, files, tmp_path)], cwd=tmp_path
    )


@pytest.mark.parametrize("language", ["C", "Fortran", "Python"])
def test_an_example_is_short(language: str) -> None:
    assert len([line for line in example(language).splitlines() if line.strip()]) <= MOST_LINES + 2  # a line a comment


def test_the_example_in_c_brings_the_halos(tmp_path: Path) -> None:
    done = run_compiled("C", "segments_docs.c", [], tmp_path)
    assert done.lines == [f"rank {rank}: 0 wrong" for rank in range(RANKS)], done.stderr


def test_the_example_of_a_collection_brings_the_parts(tmp_path: Path) -> None:
    done = run_compiled("A collection", "segments_docs_collection.c", [], tmp_path)
    assert done.lines == [f"rank {rank}: 0 wrong" for rank in range(RANKS)], done.stderr


def test_the_example_in_fortran_brings_the_halos(tmp_path: Path) -> None:
    done = run_compiled("Fortran", "segments_docs.f90", ["-DLEADLINE_SEGMENTS_FORTRAN"], tmp_path)
    assert done.lines == [f"rank {rank}: 0 wrong" for rank in range(RANKS)], done.stderr


def test_the_example_in_python_brings_the_halos(tmp_path: Path) -> None:
    chosen = library("mpich")
    python, environment = python_command(chosen, tmp_path)
    cache = kept_builds.folder() / "cache"
    shared_library(str(chosen.mpicc), cache / "leadline" / "segments")
    environment |= {"MPICC": str(chosen.mpicc), "XDG_CACHE_HOME": str(cache)}
    done = run_mpi(
        chosen, RANKS, [*python, program("Python", "segments_docs.py", tmp_path)], cwd=tmp_path, environment=environment
    )
    assert done.lines == [f"rank {rank}: 0 wrong" for rank in range(RANKS)], done.stdout + done.stderr

"""Sketches of proposals: each compiles in its language, and does what the calls did that it replaces."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import kept_builds
import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")
from recorder.mpi4py_programs import python_command
from recorder.running import run_mpi
from segments.building import library, parts

from leadline.advice.advise import KINDS
from leadline.advice.candidate import Candidate
from leadline.advice.sketches import RecordedCall, Sketch, pitfalls_of, sketch_of, why_none
from leadline.advice.sketches.languages import CXX, FORTRAN, FORTRAN_2008, LANGUAGES, PYTHON, C, Language, language_of
from leadline.advice.sketches.sketch import FOLDER, _about
from leadline.compiled_in import sources
from leadline.figures.run import Site
from leadline.mpi import Library
from leadline.predict import Without
from leadline.segments.building import shared_library
from leadline.symbols.location import Location

HERE = Path(__file__).parent / "sketches"
RANKS = 3
MOST_LINES = 25  # without the list of calls


def site(function: str, *, file: str = "src/halo.c", routine: str = "exchange") -> Site:
    return Site(function, False, (Location(routine, routine, "app", file, 41),), True, ())


def candidate(kind: str, together: int, shape: str = "", segments: int = 1) -> Candidate:
    return Candidate(kind, "", "", (), Without(""), together=together, shape=shape, segments=segments)


def recorded(function: str, times: int, n_bytes: int = 8, **place: str) -> list[RecordedCall]:
    messages = 100 if function == "MPI_Isend" else 0
    return [RecordedCall(site(function, **place), 100, messages, 100 * n_bytes)] * times


# Each template, by its name, with what it is instantiated from.
CASES = {
    "pack": (candidate("pack", 6, segments=2), recorded("MPI_Isend", 1, 400)),
    "merge-reductions.allreduce": (candidate("merge-reductions", 3), recorded("MPI_Allreduce", 3)),
    "merge-reductions.reduce": (candidate("merge-reductions", 3), recorded("MPI_Reduce", 3)),
    "nonblocking": (candidate("nonblocking", 0), recorded("MPI_Send", 2, 800)),
    "overlap": (candidate("overlap", 0), recorded("MPI_Isend", 2, 800)),
    "parallel-io": (candidate("parallel-io", 0), recorded("pwrite", 1, 800)),
    "read-once": (candidate("read-once", 0), recorded("read", 1, 800)),
    "less-output": (candidate("less-output", 4), recorded("pwrite", 1, 800)),
    "larger-io.collected": (candidate("larger-io", 0), recorded("write", 1)),
    "create-once.dup": (candidate("create-once", 0), recorded("MPI_Comm_dup", 1)),
    "create-once.split": (candidate("create-once", 0), recorded("MPI_Comm_split", 1)),
    "collective.gather": (candidate("collective", 0, "gather"), recorded("MPI_Recv", 1)),
    "collective.distribute": (candidate("collective", 0, "distribute"), recorded("MPI_Send", 1, 800)),
    "collective.reduce": (candidate("collective", 0, "reduce"), recorded("MPI_Recv", 1, 800)),
    "collective.alltoall": (candidate("collective", 0, "alltoall"), recorded("MPI_Isend", 2, 800)),
    "smaller-communicator": (candidate("smaller-communicator", 0), recorded("MPI_Gatherv", 1, 800)),
    "sparse-exchange": (candidate("sparse-exchange", 0), recorded("MPI_Alltoallv", 1, 800)),
}


def made(name: str, language: Language, **place: str) -> Sketch:
    about, calls = CASES[name]
    if place:
        calls = [
            RecordedCall(site(call.site.function, **place), call.calls, call.messages, call.n_bytes) for call in calls
        ]
    sketch = sketch_of(about, calls, language)
    assert sketch is not None
    return sketch


def written(language: Language, folder: Path) -> list[str]:
    """Every sketch in this language: files in `folder`, and their texts."""
    texts = []
    for name in CASES:
        text = made(name, language).text
        if language in (FORTRAN, FORTRAN_2008):
            module = re.sub(r"\W", "_", name)
            text = f"module {module}\ncontains\n{text}end module {module}\n"
        (folder / f"{name}.{language.template}").write_text(text)
        texts.append(text)
    return texts


def expected() -> list[str]:
    return sorted(f"rank {rank}: {name} same" for rank in range(RANKS) for name in CASES)


def told(chosen: Library, program: Sequence[str | Path], folder: Path, **more: dict[str, str]) -> list[str]:
    done = run_mpi(chosen, RANKS, program, cwd=folder, timeout_s=100, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return sorted(filter(None, done.lines))


def built(
    name: str, words: Sequence[str], texts: Sequence[str], files: Sequence[Path], chosen: Library, folder: Path
) -> Path:
    """What the command makes of the sketches in `folder`, which have these texts, and of these files."""

    def compile_to(target: Path) -> None:
        command = [*words, "-o", str(target)]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=200, env=chosen.env(), cwd=folder
        )
        assert done.returncode == 0, done.stderr

    return kept_builds.kept(name, [*words, *texts, kept_builds.identity(chosen), *files], compile_to)


@pytest.mark.ci("openmpi")
@pytest.mark.parametrize("language", [C, CXX], ids=lambda language: language.name)
@pytest.mark.parametrize("name", ["mpich", "openmpi"])
def test_in_c_they_do_what_the_calls_did(name: str, language: Language, tmp_path: Path) -> None:
    chosen = library(name)
    texts = written(language, tmp_path)
    compiler, standard = (chosen.mpicc, ["-std=c11"]) if language is C else (chosen.mpicxx, ["-std=c++17", "-x", "c++"])
    skip = ["-DMPICH_SKIP_MPICXX", "-DOMPI_SKIP_MPICXX"]
    words = [str(compiler), "-O1", "-Wall", "-Wextra", "-Werror", *skip, f"-I{sources('segments')}", "-I."]
    words += [*standard, str(HERE / "check.c"), "-x", "none", str(parts(chosen))]
    program = built(f"sketches-{language.name}-{name}", words, texts, [HERE / "check.c"], chosen, tmp_path)
    assert told(chosen, [program], tmp_path) == expected()


@pytest.mark.ci("debian-openmpi")
@pytest.mark.parametrize("language", [FORTRAN, FORTRAN_2008], ids=["mpi", "mpi_f08"])
@pytest.mark.parametrize("name", ["debian-mpich", "debian-openmpi"])
def test_in_fortran_they_do_what_the_calls_did(name: str, language: Language, tmp_path: Path) -> None:
    chosen = library(name)
    if chosen.mpifort is None:
        pytest.skip(f"{chosen.name} has no Fortran compiler here")
    texts = written(language, tmp_path)
    folder = sources("segments")
    words = [str(chosen.mpifort), "-O1", "-Wall", "-Wno-unused", "-fallow-argument-mismatch", f"-I{folder}"]
    words += ["-DLEADLINE_SEGMENTS_FORTRAN", *(["-DF08"] if language is FORTRAN_2008 else [])]
    words += [str(folder / "leadline_segments.f90")]
    words += ["-x", "f95", *(f"{each}.{language.template}" for each in CASES), "-x", "f95-cpp-input"]
    words += [str(HERE / "check.F90"), "-x", "none", str(parts(chosen, "-DLEADLINE_SEGMENTS_FORTRAN"))]
    files = [HERE / "check.F90", folder / "leadline_segments.f90"]
    program = built(f"sketches-{language.template}-{name}", words, texts, files, chosen, tmp_path)
    assert told(chosen, [program], tmp_path) == expected()


@pytest.mark.parametrize("name", ["mpich", "openmpi"])
def test_in_python_they_do_what_the_calls_did(name: str, tmp_path: Path) -> None:
    chosen = library(name)
    python, environment = python_command(chosen, tmp_path)
    cache = kept_builds.folder() / "cache"
    shared_library(str(chosen.mpicc), cache / "leadline" / "segments")
    environment |= {"MPICC": str(chosen.mpicc), "XDG_CACHE_HOME": str(cache)}
    written(PYTHON, tmp_path)
    assert told(chosen, [*python, HERE / "check.py", tmp_path], tmp_path, environment=environment) == expected()


def test_every_kind_has_a_sketch_or_says_why_not_and_tells_its_pitfalls() -> None:
    for kind in KINDS:
        about = _about(kind.id)
        assert (FOLDER / f"{kind.id}.toml").is_file(), kind.id
        assert pitfalls_of(kind.id), kind.id
        variants = [*about.get("variants", {}).values(), *about.get("shapes", [])]
        names = [f"{kind.id}.{variant}" for variant in variants]
        names = names or [about.get("template", kind.id)]
        for language in LANGUAGES if "no_sketch" not in about else ():
            for name in names:
                assert (FOLDER / f"{name}.{language.template}.in").is_file(), (name, language)
        assert "variants" not in about or why_none(kind.id)
    described = {f"{kind.id}.toml" for kind in KINDS}
    assert {file.name for file in FOLDER.glob("*.toml")} <= described


def test_every_template_is_compiled_and_short() -> None:
    """No template is left out of the programs above."""
    files = sorted(FOLDER.glob("*.in"))
    assert {file.name.removesuffix(".in").rpartition(".")[0] for file in files} == set(CASES)
    for file in files:
        lines = file.read_text(encoding="utf-8").splitlines()
        assert len([line for line in lines if line.strip() and line != "$calls"]) <= MOST_LINES, file.name
        assert all(len(line) <= 120 for line in lines), file.name


def test_the_calls_and_figures_of_the_record_are_in_it() -> None:
    text = made("pack", C).text
    assert "MPI_Isend in exchange, halo.c:41: 100 calls, 100 messages, 400 B each" in text
    assert "enum { FIELDS = 6 };" in text
    unknown = sketch_of(candidate("pack", 0), [], C)
    assert unknown is not None
    assert "unknown: how many messages become one" in unknown.text
    several = sketch_of(candidate("merge-exchanges", 6, segments=2), CASES["pack"][1], C)
    assert several is not None
    assert several.text == text
    many = sketch_of(candidate("merge-reductions", 9), recorded("MPI_Allreduce", 9), PYTHON)
    assert many is not None
    assert "and 5 more calls" in many.text


def test_what_no_variant_fits_has_no_sketch() -> None:
    assert sketch_of(candidate("create-once", 0), recorded("MPI_Win_create", 1)) is None
    assert sketch_of(candidate("balance", 0), recorded("MPI_Recv", 1)) is None


HOSTILE = [
    "a\\",
    "*/ int main() { */",
    "/* ",
    "a\nint b;",
    "a\r!\x0bcall x",
    "\u2028x\u202ey",
    "??/",
    "-*- coding: rot13 -*-",
    "\udcff\udc80.c",
    "\"'`$calls ${together}",
    "*" * 3 + "\\" + "/" * 3,
    "x" * 500,
]


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("name", CASES)
def test_names_do_not_leave_their_comments(name: str, hostile: str) -> None:
    for language in LANGUAGES:
        harmless = made(name, language).text.splitlines()
        text = made(name, language, file=f"{hostile}.c", routine=hostile).text
        lines = text.split("\n")[:-1]
        assert lines == text.splitlines()
        told_in = [line for line, before in zip(lines, harmless, strict=True) if line != before]
        assert told_in
        for line in told_in:
            assert line.startswith(f"{language.comment}   ")
            assert line.isprintable()
            assert not any(each in line for each in ("\\", "*/", "/*", "??", "coding:"))
        assert not any("coding" in line for line in lines[:1])
        if language is PYTHON:
            assert lines[0].strip()
            assert not lines[0].startswith("#")
            compile(text.encode(), "sketch.py", "exec")


def test_the_language_is_that_of_the_source(tmp_path: Path) -> None:
    def language(file: str, routine: str = "exchange") -> Language:
        return language_of([site("MPI_Send", file="", routine="?"), site("MPI_Send", file=file, routine=routine)])

    modern = tmp_path / "modern.F90"
    modern.write_text("module m\n  USE, intrinsic :: Mpi_F08\nend module\n")
    old = tmp_path / "old.f"
    old.write_text("c     use mpi_f08\n      use mpi\n")
    assert language("a.c") is C
    assert language("a.C") is CXX
    assert language("b/a.cpp") is CXX
    assert language("gone.f90") is FORTRAN
    assert language(str(old)) is FORTRAN
    assert language(str(modern)) is FORTRAN_2008
    assert language("MPI.src/Comm.pyx") is PYTHON
    assert language("", routine="mpi4py.MPI.Comm.Send") is PYTHON
    assert language("a.unknown") is C
    assert language_of([]) is C

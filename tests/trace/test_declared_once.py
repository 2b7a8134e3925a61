"""A chunk or a class of calls that is added must be thought about where it matters: the compiler asks for it."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src"
GENERATED = ROOT / "build" / "dev" / "generated"
WARNINGS = ("-Wall", "-Wextra", "-Werror=switch", "-Werror=switch-enum")  # as in CMakeLists.txt


def errors(source: Path, first: Path) -> str:
    """What is wrong with a source, with headers of the folder `first` in place of those of the same name."""
    words = ["c++", "-std=gnu++20", *WARNINGS, "-fsyntax-only", f"-I{first}", f"-I{SRC}", f"-I{GENERATED}", source]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=250, check=False)
    assert (done.returncode == 0) == (done.stderr == "")
    return done.stderr


def changed(file: Path, folder: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    target = folder / file.parent.name / file.name
    target.parent.mkdir(exist_ok=True)
    target.write_text(text.replace(old, new, 1))


@pytest.fixture
def headers(tmp_path: Path) -> Path:
    if shutil.which("c++") is None:
        pytest.skip("there is no C++ compiler")
    (tmp_path / "chunks.cpp").write_text('#include "recording/chunks.hpp"\n')
    (tmp_path / "recorder.cpp").write_text('#include "recorder/wrappers/record.hpp"\n')
    return tmp_path


def test_sources_compile_as_they_are(headers: Path) -> None:
    for source in (headers / "chunks.cpp", headers / "recorder.cpp", SRC / "trace/reading/decode_process.cpp"):
        assert errors(source, headers) == ""


def test_a_chunk_without_its_facts_does_not_compile(headers: Path) -> None:
    changed(SRC / "trace" / "chunk.hpp", headers, "  files = 30,\n", "  files = 30,\n  energy = 31,\n")
    assert "energy" in errors(headers / "chunks.cpp", headers)


@pytest.mark.ci("thread")
@pytest.mark.parametrize("scope", ["process", "thread"])
def test_a_chunk_that_nobody_makes_or_reads_does_not_compile(headers: Path, scope: str) -> None:
    changed(SRC / "trace" / "chunk.hpp", headers, "  files = 30,\n", "  files = 30,\n  energy = 31,\n")
    facts = (
        f"    case ChunkType::energy:\n      return {{.scope = ChunkScope::{scope}}};\n    case ChunkType::process:\n"
    )
    changed(headers / "trace" / "chunk.hpp", headers, "    case ChunkType::process:\n", facts)
    assert "all_chunks_are_made_once" in errors(headers / "chunks.cpp", headers)
    assert "energy" in errors(SRC / "trace/reading/decode_process.cpp", headers)


def test_a_class_of_calls_that_nobody_records_does_not_compile(headers: Path) -> None:
    header = GENERATED / "leadline" / "call_classes.hpp"
    changed(header, headers, "  posix_other,\n", "  posix_other,\n  pready_range,\n")
    assert "pready_range" in errors(headers / "recorder.cpp", headers)


def test_a_form_of_events_that_is_not_decoded_does_not_compile(headers: Path) -> None:
    header = GENERATED / "leadline" / "call_classes.hpp"
    changed(header, headers, "  libc,\n", "  libc,\n  energy,\n")
    assert "energy" in errors(SRC / "structure" / "call_decoder.cpp", headers)

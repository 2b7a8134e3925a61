"""docs/reference/format.md says enough to read a trace: a reader written from it alone gives what Leadline's gives."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from leadline import _core

HERE = Path(__file__).resolve().parent
FORMAT = HERE.parents[1] / "docs" / "reference" / "format.md"
CHUNKS = HERE.parents[1] / "src" / "trace" / "chunk.hpp"
EXAMPLES = (
    "worked",
    "tree",
    "mixture",
    "small-alphabet",
    "sizes-vary",
    "polls-only",
    "polls-everywhere",
    "tag-is-the-step",
    "unordered",
)


@pytest.fixture(scope="module")
def examples(program: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("examples")
    subprocess.run([program("examples_test"), directory], check=True, timeout=120)
    return directory


def read_by_the_book(trace: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, HERE / "spec_reader.py", trace], capture_output=True, text=True, timeout=250, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout.splitlines()


@pytest.mark.ci("unordered", "sizes-vary", "tag-is-the-step")
@pytest.mark.parametrize("name", EXAMPLES)
def test_reader_written_from_the_document_agrees(examples: Path, name: str) -> None:
    expected = (examples / f"{name}.txt").read_text().splitlines()
    got = read_by_the_book(examples / f"{name}.trace")
    for number, (ours, theirs) in enumerate(zip(expected, got, strict=False)):
        assert ours == theirs, f"line {number}"
    assert len(expected) == len(got)
    assert any(line.startswith("event ") for line in got) or name == "unordered"
    assert any(line.endswith(" polled") for line in got) == (name == "polls-everywhere")


@pytest.mark.full("sizes-vary")
@pytest.mark.parametrize("name", ["worked", "tree", "sizes-vary"])
def test_packed_chunks_mean_the_same(examples: Path, name: str) -> None:
    assert read_by_the_book(examples / f"{name}-packed.trace") == (examples / f"{name}.txt").read_text().splitlines()


def test_shared_chunks_are_read_from_their_file(examples: Path, tmp_path: Path) -> None:
    """Sites and structure moved to another file, as the recorder does, mean the same."""
    data = (examples / "worked.trace").read_bytes()
    chunks = {}
    at = 16
    order = []
    while at < len(data):
        kind, size = (int.from_bytes(data[at + i : at + i + 4], "little") for i in (4, 8))
        chunks[kind] = data[at : at + 16 + size]
        order.append(kind)
        at += 16 + size
    assert order.index(12) == order.index(7) + 1
    digits = "0123456789abcdef" * 2
    (tmp_path / f"shared-{digits}.structure").write_bytes(data[:16] + chunks[7] + chunks[12] + chunks[11])
    sys.path.insert(0, str(HERE))
    try:
        from spec_reader import crc32c
    finally:
        sys.path.remove(str(HERE))
    body = (14).to_bytes(4, "little") + (32).to_bytes(4, "little") + digits.encode()
    chunks[7] = b"LLCK" + body[:8] + crc32c(body).to_bytes(4, "little") + body[8:]
    chunks[12] = b""
    trace = tmp_path / "rank-00003-node1-4711.trace"
    trace.write_bytes(data[:16] + b"".join(chunks[kind] for kind in order))
    assert read_by_the_book(trace) == (examples / "worked.txt").read_text().splitlines()


def test_worked_example_has_the_bytes_that_are_written(examples: Path) -> None:
    block = re.search(r"```hex\n(.*?)```", FORMAT.read_text(), re.S)
    assert block is not None
    documented = bytes.fromhex("".join(line.split(";")[0] for line in block[1].splitlines()))
    assert documented in (examples / "worked.trace").read_bytes()


def test_document_lists_every_chunk() -> None:
    declared = re.search(r"enum class ChunkType[^{]*{(.*?)\n};", CHUNKS.read_text(), re.DOTALL)
    table = re.search(r"\| type \| name \|.*?\n\n", FORMAT.read_text(), re.DOTALL)
    assert declared
    assert table
    chunks = [(int(number), name) for name, number in re.findall(r"^  (\w+) = (\d+),", declared[1], re.MULTILINE)]
    rows = re.findall(r"^\| (\d+) \| ([a-z ]+)", table[0], re.MULTILINE)
    assert sorted((int(number), name.strip().replace(" ", "_")) for number, name in rows) == sorted(chunks)


def test_document_lists_every_class_of_calls() -> None:
    text = FORMAT.read_text()
    listed = text[text.index("depends on the class of the function") :].split("\n\n")[1]
    heads = " ".join(re.findall(r"^\* \*(.*?)\*:", listed, re.MULTILINE))
    numbers = {int(number): name for number, name in re.findall(r"(\d+) ([a-z]\w+)", heads)}
    assert [numbers.get(number) for number in range(len(_core.CALL_CLASSES))] == list(_core.CALL_CLASSES)

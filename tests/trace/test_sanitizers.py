"""The reader meets damaged files, and random mutations of whole ones, with every bound and overflow watched."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.ci  # compiles with sanitizers

# vptr: what it compares is missing in libraries that are compiled without RTTI, as the recorder's are.
SANITIZED = ("-fsanitize=address,undefined", "-fno-sanitize=vptr", "-fno-sanitize-recover=undefined")


@pytest.mark.full(name="trace/damage_test")
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("name", "arguments"), [("trace/damage_test", ["7"]), ("recording/roundtrip_test", ["1"])])
def test_sanitizers_find_nothing(
    build: Callable[..., Path], sanitized: list[Path], tmp_path: Path, name: str, arguments: list[str]
) -> None:
    program = build(name, *SANITIZED, tested=sanitized)
    done = subprocess.run([program, *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]


@pytest.mark.full
@pytest.mark.timeout(1200)
def test_fuzzing_for_a_while_finds_nothing(build: Callable[..., Path], tmp_path: Path) -> None:
    """A minute on each of two cores; see fuzz_reader.cpp for a longer run."""
    program = build(
        "trace/fuzz_reader",
        "-fsanitize=fuzzer,address,undefined",
        "-fno-sanitize-recover=undefined",
        "-DLEADLINE_LIBFUZZER",
        compiler="clang++",
        analysis=True,
    )
    for folder in ("seeds", "corpus"):
        (tmp_path / folder).mkdir()
    subprocess.run([program, "--seeds", tmp_path / "seeds"], check=True, timeout=120)
    limits = ["-max_total_time=60", "-timeout=60", "-rss_limit_mb=2048", "-max_len=100000"]
    done = subprocess.run(
        [program, "-jobs=2", "-workers=2", *limits, "corpus", "seeds"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    logs = [path.read_text(errors="replace") for path in sorted(tmp_path.glob("fuzz-*.log"))]
    assert done.returncode == 0, "\n".join(log[-6000:] for log in logs)
    assert len([log for log in logs if "Done " in log]) == 2, logs

"""Calls that never come back are known, however a program calls another object's routines."""

import platform
import shutil
import subprocess
from pathlib import Path

import kept_builds
import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [
    Path(__file__).parent / "endings.cpp",
    *(
        ROOT / "src" / part
        for part in ("code/ending_calls.cpp", "code/imported_calls.cpp", "code/x86_64.cpp", "host/loaded_object.cpp")
    ),
    ROOT / "src/host/readable_memory.cpp",
    *(
        ROOT / "src/recorder/call_paths" / f"{part}.cpp"
        for part in ("code_places", "frame_entry", "frame_search", "global_slots", "table_reader")
    ),
]
EXPECTED = {
    "exit": "never returns",
    "abort": "never returns",
    "puts": "returns",
    "own": "never returns",
    "own perhaps": "returns",
    "own either way": "never returns",
}


@pytest.mark.parametrize("options", [("-O0",), ("-O2",), ("-O2", "-fno-plt"), ("-O2", "-fcf-protection=full")])
def test_endings_are_known(options: tuple[str, ...]) -> None:
    if platform.machine() != "x86_64" or shutil.which("c++") is None:
        pytest.skip("needs a compiler on x86-64")
    words = ["c++", "-std=c++20", *options, f"-I{ROOT / 'src'}", *map(str, SOURCES)]

    def compile_to(program: Path) -> None:
        subprocess.run([*words, "-o", program], check=True, timeout=120)

    headers = sorted((ROOT / "src/code").glob("*.hpp"))
    program = kept_builds.kept("endings", [*words, *SOURCES, *headers], compile_to)
    said = subprocess.run([program], capture_output=True, text=True, check=True, timeout=60).stdout
    assert dict(line.split(": ") for line in said.splitlines()) == EXPECTED

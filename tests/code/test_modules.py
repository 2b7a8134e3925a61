"""A frame of a recorded path can be found in memory again while its module is loaded, whatever else comes and goes."""

import shutil
import subprocess
from pathlib import Path

import kept_builds
import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).parent / "modules.cpp"
SOURCES = [
    *(
        ROOT / "src/recorder/call_paths" / f"{part}.cpp"
        for part in (
            "frame_entry",
            "frame_search",
            "frame_expression",
            "frame_rules",
            "modules",
            "stack_bounds",
            "table_reader",
            "unwinder",
        )
    ),
    *(ROOT / "src/host" / f"{part}.cpp" for part in ("own_file", "readable_memory")),
    ROOT / "src/recorder/memory/inside.cpp",
]


def plugin(path: Path, number: int, build_id: bool) -> None:
    source = path.with_suffix(".c")
    source.write_text(f"int routine(void) {{ return {number}; }}\n")
    wanted = f"0x{number:040x}" if build_id else "none"
    words = ["cc", "-shared", "-fPIC", "-O1", f"-Wl,--build-id={wanted}", "-o", path, source]
    subprocess.run(words, check=True, timeout=120)


@pytest.mark.parametrize("build_id", [True, False])
def test_modules_keep_their_numbers(build_id: bool, tmp_path: Path) -> None:
    if shutil.which("c++") is None or shutil.which("cc") is None:
        pytest.skip("needs a compiler")
    words = ["c++", "-std=c++20", "-O1", f"-I{ROOT / 'src'}", *map(str, [PROGRAM, *SOURCES]), "-ldl"]

    def compile_to(program: Path) -> None:
        subprocess.run([*words, "-o", program], check=True, timeout=240)

    headers = sorted((ROOT / "src/recorder/call_paths").glob("*.hpp"))
    program = kept_builds.kept("modules", [*words, PROGRAM, *SOURCES, *headers], compile_to)
    for number, name in enumerate(("first", "second", "libpython3"), start=1):
        plugin(tmp_path / f"{name}.so", number, build_id)
    done = subprocess.run([program, tmp_path], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr

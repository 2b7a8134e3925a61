"""The decoder finds the instructions where objdump finds them."""

import platform
import re
import shutil
import subprocess
from pathlib import Path

import kept_builds
import pytest

ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = ("libc.so.6", "libleadline.so")


@pytest.fixture(scope="module")
def lengths() -> Path:
    if platform.machine() != "x86_64" or shutil.which("objdump") is None or shutil.which("c++") is None:
        pytest.skip("needs objdump and a compiler on x86-64")
    sources = [Path(__file__).parent / "lengths.cpp", ROOT / "src/code/x86_64.cpp"]
    words = ["c++", "-std=c++20", "-O2", f"-I{ROOT / 'src'}", *map(str, sources)]

    def compile_to(program: Path) -> None:
        subprocess.run([*words, "-o", program], check=True, timeout=120)

    return kept_builds.kept("lengths", [*words, *sources, *sorted((ROOT / "src/code").glob("*.hpp"))], compile_to)


def found(name: str) -> Path:
    if name == "libleadline.so":
        return ROOT / "python/leadline/lib" / name
    linked = subprocess.run(["ldd", shutil.which("env") or "/usr/bin/env"], capture_output=True, text=True, check=False)
    match = re.search(rf"=> (\S*/{re.escape(name)})", linked.stdout)
    if match is None:
        pytest.skip(f"{name} was not found")
    return Path(match[1])


@pytest.mark.parametrize("name", LIBRARIES)
def test_every_instruction_has_the_length_that_objdump_gives_it(lengths: Path, name: str) -> None:
    library = found(name)
    words = ["objdump", "-d", "--no-show-raw-insn", "-j", ".text", library]
    listing = subprocess.run(words, capture_output=True, text=True, check=True, timeout=120).stdout
    rows = re.findall(r"^\s+([0-9a-f]+):\s+(\S+)", listing, re.MULTILINE)
    done = subprocess.run(
        [lengths, library], input="\n".join(address for address, _ in rows), capture_output=True, text=True, check=True
    )
    *differences, last = done.stdout.splitlines()
    assert int(last.split()[0]) > 1000
    # objdump joins FWAIT with the instruction after it; data among the code is none of ours.
    names = dict(rows)
    joined = {"fstcw", "fstsw", "fstenv", "fsave", "finit", "fclex", "(bad)", "fwait"}
    assert [line for line in differences if names.get(line.split(":")[0], "") not in joined] == []

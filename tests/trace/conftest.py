"""The C++ test programs of this folder: as ./dev test has built them, or built here."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import kept_builds
import pytest

# The recorder that is built with sanitizers brings the code that is tested here too.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from recorder.sanitized import build_recorder

TESTS = Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
BUILT = ROOT / "build" / "dev" / "tests"
GENERATED = ROOT / "build" / "dev" / "generated"

TESTED = ("recording", "trace", "code")  # in the order they are linked in
HEADERS = (TESTS / "trace", TESTS / "recording", TESTS / "native")

Build = Callable[..., Path]


@pytest.fixture(scope="session")
def build() -> Build:
    """build(FOLDER/NAME, *FLAGS, compiler=...) compiles tests/FOLDER/NAME.cpp with the code it tests, or skips.

    tested: libraries of that code, which is then not compiled.
    """

    def make(
        name: str, *flags: str, compiler: str = "c++", analysis: bool = False, tested: Sequence[Path] = ()
    ) -> Path:
        if shutil.which(compiler) is None:
            pytest.skip(f"{compiler} is not installed")
        sources = [TESTS / f"{name}.cpp"]
        if not tested:
            for folder in TESTED:
                sources += sorted((ROOT / "src" / folder).rglob("*.cpp"))
        if analysis:
            sources += sorted([*(ROOT / "src/structure").glob("*.cpp"), *(ROOT / "src/analysis").glob("*.cpp")])
        command = [compiler, "-std=gnu++20", "-O1", "-g", f"-I{ROOT / 'src'}", f"-I{GENERATED}", *flags]
        headers = sorted(path for folder in (ROOT / "src", GENERATED, *HEADERS) for path in folder.rglob("*.hpp"))
        contents = kept_builds.digest(headers)

        def compile_one(source: Path) -> Path:
            def compile_to(target: Path) -> None:
                words = [*command, "-c", source, "-o", target]
                done = subprocess.run(words, capture_output=True, text=True, timeout=250, check=False)
                assert done.returncode == 0, done.stderr[-4000:]

            return kept_builds.kept(source.stem, [*command, str(source), source, contents], compile_to, ".o")

        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            objects = list(pool.map(compile_one, sources))

        def link_to(target: Path) -> None:
            words = [*command, *objects, *tested, "-o", target]
            linked = subprocess.run(words, capture_output=True, text=True, timeout=250, check=False)
            if linked.returncode != 0 and any(flag.startswith("-fsanitize") for flag in flags):
                pytest.skip(f"{compiler} can't link with {' '.join(flags)}: {linked.stderr.strip().splitlines()[-1]}")
            assert linked.returncode == 0, linked.stderr[-4000:]

        return kept_builds.kept(Path(name).name, [*command, *map(str, objects), *tested], link_to)

    return make


@pytest.fixture(scope="session")
def sanitized() -> list[Path]:
    """The libraries of TESTED with AddressSanitizer and UndefinedBehaviorSanitizer."""
    recorder = build_recorder("address,undefined")
    return [recorder.with_name(f"libleadline_{folder}.a") for folder in TESTED]


@pytest.fixture(scope="session")
def program(build: Build) -> Callable[[str], Path]:
    """program(NAME): its path; it is built if necessary."""

    def find(name: str) -> Path:
        return BUILT / name if (BUILT / name).exists() else build(f"trace/{name}")

    return find

"""The C++ test programs of this folder: as ./dev test has built them, or built here."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import kept_builds
import pytest

# The recorder that is built with sanitizers brings the code that is tested here too.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from recorder.sanitized import build_recorder

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILT = ROOT / "build" / "dev" / "tests"

Build = Callable[..., Path]


@pytest.fixture(scope="session")
def build() -> Build:
    """build(NAME, *FLAGS, compiler=...) compiles tests/trace/NAME.cpp with the code it tests, or skips.

    tested: a library of that code, which is then not compiled.
    """

    def make(name: str, *flags: str, compiler: str = "c++", analysis: bool = False, tested: Path | None = None) -> Path:
        if shutil.which(compiler) is None:
            pytest.skip(f"{compiler} is not installed")
        sources = [HERE / f"{name}.cpp"]
        if tested is None:
            sources += sorted([*(ROOT / "src/trace").rglob("*.cpp"), *(ROOT / "src/code").glob("*.cpp")])
        if analysis:
            sources += sorted((ROOT / "src/analysis").glob("*.cpp"))
        command = [compiler, "-std=gnu++20", "-O1", "-g", f"-I{ROOT / 'src'}", *flags]
        headers = sorted([*(ROOT / "src").rglob("*.hpp"), *HERE.glob("*.hpp")])
        contents = kept_builds.digest(headers)

        def compile_one(source: Path) -> Path:
            def compile_to(target: Path) -> None:
                words = [*command, "-c", source, "-o", target]
                done = subprocess.run(words, capture_output=True, text=True, timeout=250, check=False)
                assert done.returncode == 0, done.stderr[-4000:]

            return kept_builds.kept(source.stem, [*command, str(source), source, contents], compile_to, ".o")

        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            objects = list(pool.map(compile_one, sources))
        # What it stands on lies beside it.
        libraries = [tested, tested.with_name("libleadline_code.a")] if tested else []

        def link_to(target: Path) -> None:
            words = [*command, *objects, *libraries, "-o", target]
            linked = subprocess.run(words, capture_output=True, text=True, timeout=250, check=False)
            if linked.returncode != 0 and any(flag.startswith("-fsanitize") for flag in flags):
                pytest.skip(f"{compiler} can't link with {' '.join(flags)}: {linked.stderr.strip().splitlines()[-1]}")
            assert linked.returncode == 0, linked.stderr[-4000:]

        return kept_builds.kept(name, [*command, *map(str, objects), *libraries], link_to)

    return make


@pytest.fixture(scope="session")
def sanitized_trace() -> Path:
    """libleadline_trace.a with AddressSanitizer and UndefinedBehaviorSanitizer."""
    return build_recorder("address,undefined").with_name("libleadline_trace.a")


@pytest.fixture(scope="session")
def program(build: Build) -> Callable[[str], Path]:
    """program(NAME): its path; it is built if necessary."""

    def find(name: str) -> Path:
        return BUILT / name if (BUILT / name).exists() else build(name)

    return find

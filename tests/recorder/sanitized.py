"""Builds the recorder with sanitizers, once per checkout (build/sanitize-KIND), with the wrappers the tests need."""

import fcntl
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .building import PROGRAMS

ROOT = Path(__file__).resolve().parents[2]
BUILD_TIMEOUT_S = 900


def wrapped_functions() -> list[str]:
    """The functions of the fake library, and others that the programs for real libraries call."""
    sources = [PROGRAMS / "fake_mpi.h", PROGRAMS / "endings.c", PROGRAMS / "threads.c"]
    return sorted({name for source in sources for name in re.findall(r"\bMPI_([A-Z][a-z_]+)\(", source.read_text())})


def build_recorder(sanitizers: str) -> Path:
    """libleadline.so with `-fsanitize=SANITIZERS`, beside its static libraries; skips if that cannot be built.

    Safe to call from several processes at once: the second waits for the first one's build.
    """
    cmake, ninja = shutil.which("cmake"), shutil.which("ninja")
    if cmake is None or ninja is None:
        pytest.skip("cmake and ninja are not installed")
    probe = subprocess.run(
        ["c++", f"-fsanitize={sanitizers}", "-shared", "-x", "c++", "/dev/null", "-o", "/dev/null"],
        capture_output=True,
        check=False,
    )
    if probe.returncode != 0:
        pytest.skip(f"the compiler has no run-time library for -fsanitize={sanitizers}")
    folder = ROOT / "build" / f"sanitize-{sanitizers.partition(',')[0]}"
    configure: list[str | Path] = [
        cmake,
        "-S",
        ROOT,
        "-B",
        folder,
        "-G",
        "Ninja",
        f"-DPython_EXECUTABLE={sys.executable}",
    ]
    configure += ["-DLEADLINE_BINDINGS=OFF", f"-DLEADLINE_SANITIZE={sanitizers}"]
    # Not optimised, a source takes the compiler less time than its headers.
    configure += ["-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=36"]
    configure += [f"-DLEADLINE_WRAP={','.join(wrapped_functions())}"]
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for command in (configure, [cmake, "--build", folder, "--target", "leadline_recorder", "-j", "2"]):
            done = subprocess.run(command, capture_output=True, text=True, timeout=BUILD_TIMEOUT_S, check=False)
            assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    return folder / "libleadline.so"


def runtime(name: str) -> Path:
    """The shared run-time library of a sanitizer: libasan.so, libtsan.so."""
    found = subprocess.run(["cc", f"-print-file-name={name}"], capture_output=True, text=True, check=True)
    return Path(found.stdout.strip()).resolve()

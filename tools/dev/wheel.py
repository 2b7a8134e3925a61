"""./dev wheel: one wheel for every Python from 3.10 on and every glibc from 2.17 on, into dist/.

Zig's compiler, from PyPI, links with the glibc that it is told. What is loaded into programs is compiled once; the
Python module once for each version without a stable ABI, and once for the others.
"""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dev.environment import ensure_venv, read_project, tool
from dev.paths import BUILD, PYTHON, ROOT
from dev.steps import StepFailed, say, step

GLIBC = "2.17"
WHEEL_BUILD = BUILD / "wheel"
NATIVE = WHEEL_BUILD / "native"
MODULES = WHEEL_BUILD / "modules"
DIST = ROOT / "dist"
LARGEST_BYTES = 15_000_000
WITHOUT_STABLE_ABI = ("3.10", "3.11")
WITH_STABLE_ABI = ("3.12", "3.13", "3.14")  # the module's file is the same, whichever of them builds it

COMPILER = """#!/bin/sh
exec {zig} {tool} {options}"$@"
"""
TOOLCHAIN = """set(CMAKE_C_COMPILER {folder}/cc)
set(CMAKE_CXX_COMPILER {folder}/c++)
set(CMAKE_AR {folder}/ar CACHE FILEPATH "")
set(CMAKE_RANLIB {folder}/ranlib CACHE FILEPATH "")
"""


def make_wheel() -> Path:
    """Raises StepFailed."""
    ensure_venv(("wheel",))
    *older, newest = pythons()
    toolchain = write_toolchain()
    shutil.rmtree(MODULES, ignore_errors=True)
    MODULES.mkdir(parents=True)
    settings = {
        "CMAKE_TOOLCHAIN_FILE": str(toolchain),
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_MAKE_PROGRAM": tool("ninja"),
        "CMAKE_CXX_FLAGS": f"-ffile-prefix-map={ROOT}=leadline",
        "CMAKE_UNITY_BUILD": "ON",
        "CMAKE_UNITY_BUILD_BATCH_SIZE": "12",
        "LEADLINE_WERROR": "OFF",
    }
    with zig_cache():
        for version, python in older:
            build_module(version, environment_of(version, python), settings)
        made = pack(environment_of(*newest), settings)
    check(made)
    say(f"{made.relative_to(ROOT)}: {made.stat().st_size / 1e6:.1f} MB")
    return made


def pythons() -> list[tuple[str, Path]]:
    """Versions and programs: each that lacks a stable ABI, and one that has it. Raises StepFailed."""
    found = [(version, find_python(version)) for version in WITHOUT_STABLE_ABI]
    found.append(next(((v, p) for v in WITH_STABLE_ABI if (p := find_python(v))), (WITH_STABLE_ABI[0], None)))
    if missing := [version for version, path in found if path is None]:
        raise StepFailed(f"a wheel for every Python needs also Python {', '.join(missing)}, with its headers, on PATH")
    return [(version, path) for version, path in found if path is not None]


def find_python(version: str) -> Path | None:
    homes = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin"))
    for folder in [*os.environ.get("PATH", "").split(os.pathsep), *map(str, homes)]:
        path = Path(folder) / f"python{version}"
        ask = "import sysconfig, os.path; print(os.path.exists(sysconfig.get_path('include') + '/Python.h'))"
        if os.access(path, os.X_OK):
            done = subprocess.run([path, "-c", ask], capture_output=True, text=True, check=False)
            if done.stdout.strip() == "True":
                return path
    return None


def environment_of(version: str, python: Path) -> Path:
    """Its own environment with the packages that a build requires, as they are pinned; returns its Python."""
    own = WHEEL_BUILD / f"python-{version}"
    program = own / "bin" / "python"
    if not (own / "complete").exists():
        shutil.rmtree(own, ignore_errors=True)
        step(f"an environment of Python {version}", [python, "-m", "venv", own])
        requirements = read_project()["build-system"]["requires"]
        install = [program, "-m", "pip", "install", "--disable-pip-version-check", *requirements]
        step(f"build requirements for Python {version}", install)
        (own / "complete").touch()
    return program


def write_toolchain() -> Path:
    """Zig as the compilers that CMake knows."""
    folder = WHEEL_BUILD / "bin"
    folder.mkdir(parents=True, exist_ok=True)
    package = subprocess.check_output([PYTHON, "-c", "import ziglang; print(ziglang.__path__[0])"], text=True).strip()
    target = f"-target {platform.machine()}-linux-gnu.{GLIBC} "
    for name, options in (("cc", target), ("c++", target), ("ar", ""), ("ranlib", "")):
        program = folder / name
        program.write_text(COMPILER.format(zig=Path(package) / "zig", tool=name, options=options))
        program.chmod(0o755)
    file = WHEEL_BUILD / "zig.cmake"
    file.write_text(TOOLCHAIN.format(folder=folder))
    return file


@contextlib.contextmanager
def zig_cache() -> Iterator[None]:
    """Nothing of it outside the clone, so that a removed clone is removed, and another's objects are not taken."""
    before = {name: os.environ.get(name) for name in ("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR")}
    os.environ.update(dict.fromkeys(before, str(WHEEL_BUILD / "zig-cache")))
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


def build_module(version: str, python: Path, settings: dict[str, str]) -> None:
    """The Python module for a version of Python without a stable ABI, into MODULES."""
    words = [f"-D{name}={value}" for name, value in settings.items()]
    configure: list[str | Path] = [
        tool("cmake"),
        "-S",
        ROOT,
        "-B",
        NATIVE,
        "-G",
        "Ninja",
        "-UPython*",
        "-U_Python*",
        *words,
    ]
    step(
        f"configuring for Python {version}", [*configure, f"-DPython_EXECUTABLE={python}", "-DLEADLINE_STABLE_ABI=OFF"]
    )
    jobs = str(os.cpu_count() or 2)
    step(f"building for Python {version}", [tool("cmake"), "--build", NATIVE, "-j", jobs, "--target", "_core"])
    (module,) = NATIVE.glob(f"_core.cpython-{version.replace('.', '')}-*.so")
    shutil.copy2(module, MODULES)


def pack(python: Path, settings: dict[str, str]) -> Path:
    """The wheel: everything else, and what build_module() has made."""
    defines: dict[str, Any] = {**settings, "LEADLINE_STABLE_ABI": "ON", "LEADLINE_MORE_MODULES": MODULES}
    options = {f"cmake.define.{name}": value for name, value in defines.items()}
    options |= {"build-dir": str(NATIVE), "wheel.py-api": "py3", "wheel.reproducible": "true"}
    words = [f"--config-settings={name}={value}" for name, value in options.items()]
    target = WHEEL_BUILD / "wheel"
    shutil.rmtree(target, ignore_errors=True)
    command: list[str | Path] = [
        python,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "--disable-pip-version-check",
    ]
    tag = f"manylinux_{GLIBC.replace('.', '_')}_{platform.machine()}"
    path = os.pathsep.join([str(Path(tool("ninja")).parent), str(Path(tool("cmake")).parent), os.environ["PATH"]])
    step("building the wheel", [*command, "-w", target, *words, ROOT], {"_PYTHON_HOST_PLATFORM": tag, "PATH": path})
    (made,) = target.glob("*.whl")
    DIST.mkdir(exist_ok=True)
    return Path(shutil.move(made, DIST / made.name))


def check(made: Path) -> None:
    """The wheel is what its name says. Raises StepFailed."""
    said = subprocess.check_output([PYTHON, "-m", "auditwheel", "show", made], text=True)
    tag = made.stem.rpartition("-")[2]
    if f'"{tag}"' not in said:
        raise StepFailed(f"{made.name} needs more than its name says:\n{said}")
    if made.stat().st_size > LARGEST_BYTES:
        raise StepFailed(f"{made.name} has {made.stat().st_size:,} bytes, more than {LARGEST_BYTES:,}")
    names = zipfile.ZipFile(made).namelist()
    if sum(name.startswith("leadline/_core.") and name.endswith(".so") for name in names) <= len(WITHOUT_STABLE_ABI):
        raise StepFailed(f"{made.name} lacks the module for a version of Python")

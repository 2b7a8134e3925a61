"""The checkout's own .venv: the pinned packages of pyproject.toml, and the source tree on its path."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from dev.paths import PYTHON, ROOT, VENV
from dev.steps import StepFailed, say, step

LAUNCHER = """#!{python}
from leadline.__main__ import run
run()
"""

READ_TOML = """
import json, sys
try:
    import tomllib
except ImportError:
    from pip._vendor import tomli as tomllib
json.dump(tomllib.load(open(sys.argv[1], "rb")), sys.stdout)
"""


def ensure_venv(groups: tuple[str, ...] = ()) -> None:
    """Make or refresh .venv. A second run with nothing changed costs a few hashes."""
    if not PYTHON.exists():
        shutil.rmtree(VENV, ignore_errors=True)
        step("creating .venv", [sys.executable, "-m", "venv", VENV])
    project = read_project()
    _install("build and run-time packages", [*project["build-system"]["requires"], *project["project"]["dependencies"]])
    _install("cmake and ninja", _build_tools())
    for group in groups:
        _install(f"packages for {group}", project["dependency-groups"][group])
    _link_source_tree()


def ensure_optional() -> list[str]:
    """Install packages that tests use if they are there. Returns those that are not available here, for example for
    this Python. That is not a failure."""
    missing = []
    groups = read_project()["dependency-groups"]
    optional = ("programs", "browser", "frames", "interchange", "site")
    for package in [package for group in optional for package in groups[group]]:
        name = package.partition("=")[0].partition(">")[0]
        try:
            _install(name, ["--only-binary", ":all:", package])
        except StepFailed as failure:
            say(str(failure))
            missing.append(name)
    return missing


def read_project() -> dict[str, Any]:
    """pyproject.toml, by the Python of .venv."""
    return json.loads(subprocess.check_output([PYTHON, "-c", READ_TOML, ROOT / "pyproject.toml"], text=True))


def _build_tools() -> list[str]:
    tools = []
    if not _cmake_is_new_enough():
        tools.append("cmake>=3.25,<4.5")
    if not shutil.which("ninja"):
        tools.append("ninja>=1.11,<2")
    return tools


def _cmake_is_new_enough() -> bool:
    found = shutil.which("cmake")
    if not found:
        return False
    words = subprocess.check_output([found, "--version"], text=True).split()
    major, minor = (int(part) for part in words[2].split(".")[:2])
    return (major, minor) >= (3, 20)


def _install(what: str, packages: list[str]) -> None:
    if not packages:
        return
    mark = VENV / ("installed-" + hashlib.sha256(json.dumps(packages).encode()).hexdigest()[:16])
    if mark.exists():
        return
    step(f"installing {what}", [PYTHON, "-m", "pip", "install", "--disable-pip-version-check", *packages])
    mark.touch()


def _link_source_tree() -> None:
    """`import leadline` and the command `leadline` use the source tree, so an edit needs no installation."""
    paths = subprocess.check_output(
        [PYTHON, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True
    ).strip()
    link = Path(paths) / "leadline-source.pth"
    if not link.exists() or link.read_text() != f"{ROOT / 'python'}\n":
        link.write_text(f"{ROOT / 'python'}\n")
    script = VENV / "bin" / "leadline"
    text = LAUNCHER.format(python=PYTHON)
    if not script.exists() or script.read_text() != text:
        script.write_text(text)
        script.chmod(0o755)
    native = VENV / "bin" / "leadline-exec"
    if not native.is_symlink():
        native.symlink_to(ROOT / "python" / "leadline" / "lib" / "leadline-exec")


def tool(name: str) -> str:
    """The path of a program: the one in .venv, or else the one on PATH."""
    own = VENV / "bin" / name
    found = str(own) if own.exists() else shutil.which(name)
    if found is None:
        say(f"{name} was not found; platform {sysconfig.get_platform()}")
        return name
    return found

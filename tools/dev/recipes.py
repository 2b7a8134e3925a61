"""Recipes for Spack and EasyBuild, with the version and the hash of the sources that were just made.

Spack gets a repository of its own: the package, two that its collection lacks, and newer versions of three.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from pathlib import Path
from typing import Any

from dev.environment import READ_TOML
from dev.paths import PYTHON, ROOT

RELEASE = ROOT / "tools" / "release"
TOOLCHAIN = "GCCcore-15.2.0"
_PLACE = re.compile(r"@([a-z-]+(?:\.[a-z]+)?)@")

NEWER = '''# Made by ./dev release.
from spack_repo.builtin.packages.{module}.package import {name} as Builtin{name}

from spack.package import *


class {name}(Builtin{name}):
    """The same package, with the version that Leadline is built and tested with."""

    version("{version}", sha256="{sdist}")
'''
NEW = '''# Made by ./dev release.
from spack_repo.builtin.build_systems.python import PythonPackage

from spack.package import *


class {name}(PythonPackage):
    """{about}"""

    homepage = "https://pypi.org/project/{package}/"
    pypi = "{package}/{package}-{version}.tar.gz"

    version("{version}", sha256="{sdist}")

{depends}
'''
ABOUT = {
    "pympistandard": "The MPI standard's interface as data.",
    "nanoarrow": "Hands arrays in Arrow's format from one library to another.",
}
DEPENDS = {
    "pympistandard": ['"python@3.8:", type=("build", "run")', '"py-pdm-backend", type="build"'],
    "nanoarrow": [
        '"c", type="build"',
        '"cxx", type="build"',
        '"python@3.9:", type=("build", "run")',
        '"py-meson-python", type="build"',
        '"py-cython", type="build"',
    ],
}


def write(target: Path, version: str, sdist: Path) -> None:
    """Into `target`, with a folder for each tool."""
    sources = read_sources()
    values = {f"{name}.{key}": value for name, facts in sources.items() for key, value in facts.items()}
    values |= {"version": version, "leadline.sdist": hashlib.sha256(sdist.read_bytes()).hexdigest()}
    easybuild = target / "easybuild" / f"Leadline-{version}-{TOOLCHAIN}.eb"
    _write(easybuild, filled((RELEASE / "easybuild.eb.in").read_text(), values))
    spack = target / "spack" / "spack_repo" / "leadline"
    _write(spack / "repo.yaml", "repo:\n  namespace: leadline\n  api: v2.0\n")
    package = filled((RELEASE / "spack_leadline.py.in").read_text(), values)
    _write(spack / "packages" / "py_leadline" / "package.py", package)
    for name, facts in sources.items():
        _write(spack / "packages" / f"py_{name.replace('-', '_')}" / "package.py", spack_package(name, facts))


def read_sources() -> dict[str, Any]:
    """By package: version and hashes."""
    words: list[str | Path] = [PYTHON, "-c", READ_TOML, RELEASE / "sources.toml"]
    found: dict[str, Any] = json.loads(subprocess.check_output(words, text=True))
    return found


def filled(text: str, values: dict[str, str]) -> str:
    """Raises KeyError for a place that nothing belongs to."""
    return _PLACE.sub(lambda place: values[place[1]], text)


def spack_package(name: str, facts: dict[str, str]) -> str:
    module = f"py_{name.replace('-', '_')}"
    words = {"module": module, "name": "".join(part.capitalize() for part in module.split("_")), **facts}
    if name not in ABOUT:
        return NEWER.format(**words)
    depends = "\n".join(f"    depends_on({each})" for each in DEPENDS[name])
    return NEW.format(**words, package=name, about=ABOUT[name], depends=depends)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")

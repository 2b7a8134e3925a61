"""Reads the data about MPI (api/*.toml), from a checkout or from where the installation put them."""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import Any

from leadline.errors import MissingPrerequisite


@functools.cache
def api_data(name: str) -> dict[str, Any]:
    """The tables of api/NAME. Raises MissingPrerequisite if it is not there."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    package = Path(__file__).resolve().parent
    for file in (package / "share" / "api" / name, package.parents[1] / "api" / name):
        if file.is_file():
            return tomllib.loads(file.read_text(encoding="utf-8"))
    raise MissingPrerequisite(
        f"cannot find {package}/share/api/{name}: the installation is incomplete",
        hint="build the source tree (./dev build) or reinstall Leadline",
    )

"""Installs the packages that Leadline needs at run time into FOLDER: packages.py PYPROJECT FOLDER."""

from __future__ import annotations

import subprocess
import sys

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def main(project: str, folder: str) -> int:
    with open(project, "rb") as file:
        needed = tomllib.load(file)["project"]["dependencies"]
    words = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade"]
    return subprocess.run([*words, "--target", folder, *needed], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

"""Lints the scripts of the HTML page with Biome, which npm installs into build/npm as tools/dev/npm pins it."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess

from dev.paths import BUILD, ROOT
from dev.steps import StepFailed, say, step

PINNED = ROOT / "tools" / "dev" / "npm"
SCRIPTS = ROOT / "python" / "leadline" / "report" / "page" / "script"
FOLDER = BUILD / "npm"
PROCESSORS = {"x86_64": "x64", "aarch64": "arm64"}
PROGRAM = FOLDER / "node_modules" / "@biomejs" / f"cli-linux-{PROCESSORS.get(platform.machine(), '')}" / "biome"


def ensure_linter() -> None:
    """Install the pinned program unless it is there. If it is not available, say so; that is no failure."""
    lock = (PINNED / "package-lock.json").read_bytes()
    installed = FOLDER / "package-lock.json"
    if PROGRAM.exists() and installed.read_bytes() == lock:
        return
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(PINNED / name, FOLDER)
    npm = shutil.which("npm")
    if npm is None:
        say("the page's scripts are not linted: there is no npm")
        return
    words = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(FOLDER)]
    try:
        step("installing the linter of scripts", words)
    except StepFailed as failure:
        say(str(failure))


def lint_scripts(*, fix: bool) -> int:
    """If the linter is not available, that is a failure only in CI (LEADLINE_WERROR=1)."""
    if not PROGRAM.exists():
        print("biome: not here, so the page's scripts were not looked at")
        return 1 if os.environ.get("LEADLINE_WERROR") else 0
    options = ["--config-path", str(PINNED / "biome.json"), "--error-on-warnings", *(["--write"] if fix else [])]
    return subprocess.run([PROGRAM, "lint", *options, SCRIPTS], check=False).returncode

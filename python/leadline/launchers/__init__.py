"""The launchers: a file each, which says how it is recognised and how it gives variables to its ranks.

A file is found by its folder; the LauncherKind in it has the file's name in capitals. Their variables are data
(variables.py).
"""

import importlib
import pkgutil
import re
from pathlib import PurePath

from leadline.launchers.kind import OTHER, LauncherKind


def _found() -> tuple[LauncherKind, ...]:
    """One of each file that has one, in alphabetical order; it does not matter, because at most one recognises the
    launcher."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    modules = {name: importlib.import_module(f"{__name__}.{name}") for name in names}
    return tuple(getattr(module, name.upper()) for name, module in modules.items() if hasattr(module, name.upper()))


LAUNCHERS = _found()


def recognise(version_text: str, program: str) -> LauncherKind:
    """The kind of launcher, from its output for --version and from its name."""
    text = version_text.lower()
    return next((kind for kind in LAUNCHERS if kind.recognises(text, program)), OTHER)


def kind_and_version(path: str) -> tuple[LauncherKind, str]:
    """The kind of the launcher that is this file, and its version: "" if it does not tell."""
    import subprocess  # slow to import, and not needed where no launcher is in the command

    try:
        done = subprocess.run(
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="surrogateescape",
            check=False,
            timeout=15,
        )
        text = done.stdout + done.stderr
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        text = ""
    found = re.search(r"\d+\.\d+(?:\.\d+)?\w*", text)
    return recognise(text, PurePath(path).name), found.group() if found else ""


def named(name: str) -> LauncherKind:
    return next((kind for kind in LAUNCHERS if kind.name == name), OTHER)


__all__ = ["LAUNCHERS", "OTHER", "LauncherKind", "kind_and_version", "named", "recognise"]

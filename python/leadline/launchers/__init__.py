"""The launchers: a file each, which says how it is recognised and how it gives variables to its ranks.

A file is found by its folder; the LauncherKind in it has the file's name in capitals. Their variables are data
(variables.py).
"""

import importlib
import pkgutil

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


def named(name: str) -> LauncherKind:
    return next((kind for kind in LAUNCHERS if kind.name == name), OTHER)


__all__ = ["LAUNCHERS", "OTHER", "LauncherKind", "named", "recognise"]

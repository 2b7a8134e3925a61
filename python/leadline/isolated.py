"""Python processes of ours: the folder that a command is started in is data, never code.

`python -m` and `python -c` put the working directory first on the path of modules, and so does an empty element of
PYTHONPATH: a json.py that lies there would run. Our processes are started with -I, which takes nothing from there or
from the environment, and are told the places of our own modules.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def leave_working_directory_out() -> None:
    """Import nothing more from the working directory, unless leadline itself lies there."""
    sys.path[:] = _places(sys.path)


def module_command(module: str, *arguments: str) -> list[str]:
    """The words that run a module of ours, as `python -m MODULE ARGUMENTS` does, with this Python."""
    code = (
        f"import sys; sys.path[:] = {_places([*sys.path, _OURS])!r}; sys.argv[0] = {module!r}; "
        f"import runpy; runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"
    )
    return [sys.executable, "-I", "-c", code, *arguments]


def code_command(code: str, *arguments: str) -> list[str]:
    """The words that run `code`, which needs the standard library only, with this Python."""
    return [sys.executable, "-I", "-c", code, *arguments]


def _places(places: Sequence[str]) -> list[str]:
    try:
        here = os.getcwd()
    except OSError:  # it is gone
        here = ""
    found = [place for place in places if os.path.isabs(place) and (place == _OURS or not _is_same(place, here))]
    return list(dict.fromkeys(found))


def _is_same(place: str, here: str) -> bool:
    return bool(here) and os.path.realpath(place) == os.path.realpath(here)

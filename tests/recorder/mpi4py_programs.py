"""mpi4py over each library: its wheels load libmpi.so.12 or libmpi.so.40 by name."""

import importlib.util
import sys
from pathlib import Path

import pytest

from .libraries import Library
from .running import load_environment


def python_command(library: Library, links: Path) -> tuple[list[str], dict[str, str]]:
    """The command that runs Python with mpi4py, and the environment that makes it take `library`.

    links: a directory where a link may be made. Skips the test where mpi4py is not installed.
    """
    for module in ("mpi4py", "numpy"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed: ./dev setup")
    return [sys.executable], {"MPI4PY_MPIABI": library.family, **load_environment(library, links)}

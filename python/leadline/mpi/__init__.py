"""The MPI libraries Leadline can build and run its workloads and tests with.

`find(name)` and `available()` look for them, `install(name)` fetches one from PyPI into a folder of its own.
A program of the user's needs none of this: it runs with whatever library it was linked with.
"""

from leadline.mpi.catalog import DEBIAN, NAMES, available, find, home, installed
from leadline.mpi.installing import install
from leadline.mpi.library import Library
from leadline.mpi.releases import FROM_PYPI, Release, all_releases, release

__all__ = [
    "DEBIAN",
    "FROM_PYPI",
    "NAMES",
    "Library",
    "Release",
    "all_releases",
    "available",
    "find",
    "home",
    "install",
    "installed",
    "release",
]

"""The MPI programs that come with Leadline, built with the library they are to run with."""

from leadline.workloads.building import FORTRAN, build
from leadline.workloads.catalog import Workload, find, names

__all__ = ["FORTRAN", "Workload", "build", "find", "names"]

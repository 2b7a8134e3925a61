"""Leadline: takes soundings of an MPI program."""

__version__ = "0.1.0"

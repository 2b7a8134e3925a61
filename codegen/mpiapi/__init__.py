"""Turns the MPI standard's machine-readable API and Leadline's own data (api/) into wrappers and tables."""

import sys
from pathlib import Path

# Data that the package reads, too, are read by its modules, which need nothing but the standard library. Those of this
# checkout: another version may be installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

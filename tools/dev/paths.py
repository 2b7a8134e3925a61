"""Places in the checkout. Everything that ./dev makes is in folders that git ignores."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
MPI_HOME = ROOT / ".mpi"
BUILD = ROOT / "build"
CMAKE_BUILD = BUILD / "dev"
ONCE_BUILD = BUILD / "once"
DEBUG_BUILD = BUILD / "debug"
LOGS = BUILD / "logs"

"""python -m fuzz READER BEGIN END FOLDER: see limits.py."""

from __future__ import annotations

import sys
from pathlib import Path

from .limits import read_all
from .readers import READERS

name, begin, end, folder = sys.argv[1:]
reader = next(reader for reader in READERS if reader.name == name)
sys.exit(read_all(reader.sample, range(int(begin), int(end)), Path(folder)))

import sys
from pathlib import Path

import pytest

from leadline.launch import shim as shim_library

# What builds and starts programs is shared with the recorder's tests.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from recorder.conftest import builder, fortran_library, library, one_of_each_family, recorder

__all__ = ["builder", "fortran_library", "library", "one_of_each_family", "recorder"]


@pytest.fixture(scope="session")
def shim() -> Path:
    path = shim_library.library_path()
    if not path.exists():
        pytest.skip("the shim is not built: ./dev setup")
    return path

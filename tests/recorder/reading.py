"""The one place that knows the reader's Python interface."""

from pathlib import Path
from typing import Any

import pytest


def open_run(directory: Path) -> Any:
    """The recorded run; skips the test where the reader is not built."""
    module = pytest.importorskip("leadline.run", reason="the reader is not built: ./dev setup")
    return module.open_run(directory)


def functions_of(process: Any) -> dict[str, int]:
    """Calls per function of one process, functions that were never called left out."""
    return {name: calls for name, calls in process.functions().items() if calls}

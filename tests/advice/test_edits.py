"""The edits of workloads that blind trials measure (benchmarks/advise/edits) fit the sources as they are now."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
EDITS = sorted((CHECKOUT / "benchmarks" / "advise" / "edits").glob("*.patch"))


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.stem)
def test_the_edit_can_be_made(edit: Path, tmp_path: Path) -> None:
    if shutil.which("patch") is None:
        pytest.skip("patch is not installed")
    shutil.copytree(CHECKOUT / "workloads" / edit.stem, tmp_path / edit.stem)
    words = ["patch", "-p1", "--fuzz=0", "-i", str(edit)]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "offset" not in done.stdout

"""The notebook of the documentation, executed as a reader would."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[2] / "docs" / "read" / "figure.ipynb"


@pytest.mark.ci
def test_the_notebook_goes_from_a_run_to_a_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The calls it adds up are the time that the iterations took, and the figure is drawn."""
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    assert not [cell for cell in notebook.cells if cell.get("outputs")], "it is committed without outputs"
    # The limits only end a kernel that hangs: on a busy machine its start alone may take minutes.
    NotebookClient(
        notebook, timeout=600, startup_timeout=300, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    said = "".join(output.get("text", "") for output in outputs)
    assert "of 40 iterations on 2 ranks" in said
    share = re.search(r"(\d+)% of it in the figure", said)
    assert share
    assert 95 <= int(share[1]) <= 105, "times of calls are rounded"
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert (tmp_path / "steps.png").read_bytes().startswith(b"\x89PNG")

"""SimGrid's time-independent traces: a folder with a file for each rank, and traces.txt, which lists them."""

from __future__ import annotations

from pathlib import Path

from leadline.interchange.actions import scanned
from leadline.interchange.actions import written as written_of
from leadline.interchange.selection import Selection, Written


def export(selection: Selection, path: Path) -> Written:
    actions = scanned(selection)
    path.mkdir()
    names = []
    for index, trace in selection.traces():
        name = f"{'predicted-' if selection.mark else ''}rank-{trace.rank}.txt"
        actions.write_simgrid(trace, index, str(path / name))
        names.append(name)
    (path / "traces.txt").write_text("".join(f"{name}\n" for name in names))
    return written_of(selection, actions)

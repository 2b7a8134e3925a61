"""Runs built by hand, as fixtures."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from .handmade import BUILD_ID, KINDS, HandmadeProfile, HandmadeSite, a_process, strips


@pytest.fixture
def make_run(tmp_path: Path) -> Callable[..., Any]:
    """make_run(sites, processes, edges, losses=[]) -> Run, its routines known from symbols.json."""
    pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")
    from leadline.figures.run import Run

    def make(sites: Sequence[HandmadeSite], processes: Sequence[Any], edges: Sequence[Any], losses: Any = ()) -> Any:
        profile: Any = HandmadeProfile(sites, processes, edges, KINDS)
        profile.sites()
        frames = {}
        for text, offset in profile.frames_.items():
            routine, place = text.split(" ")
            file, line = place.split(":")
            frames[f"{offset:x}"] = [[routine, f"ocean::{routine}", f"/src/ocean/{file}", int(line), -1]]
            if routine == "main":
                frames[f"{offset:x}"][0][1] = "main"
        content = {
            "schema": "leadline.symbols/1",
            "modules": [{"path": "/opt/ocean", "build_id": BUILD_ID, "frames": frames}],
        }
        (tmp_path / "symbols.json").write_text(json.dumps(content))
        return Run(tmp_path, {"command": ["mpiexec", "ocean"]}, profile, list(losses))

    return make


@pytest.fixture
def strip_run(make_run: Callable[..., Any]) -> Any:
    """Four ranks in strips: 1, 2, 2, 1 neighbours."""
    sites, edges = strips([1, 2, 2, 1])
    return make_run(sites, [a_process(rank, 4) for rank in range(4)], edges)


@pytest.fixture(autouse=True)
def contradictions_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here only: in short runs on a busy machine, two ways to measure the same time may differ."""
    monkeypatch.setenv("LEADLINE_FAIL_ON_CONTRADICTION", "1")

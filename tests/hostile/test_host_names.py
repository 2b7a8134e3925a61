"""Names of hosts that are no names: with a slash, blanks, escape sequences, bytes that are no text; long ones."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli.conftest import Tiny

from leadline import mpi, nodes
from leadline.__main__ import main
from leadline.interchange import FORMATS
from leadline.text.visible import without_surrogates

RENAMED = "import os, socket, sys; socket.sethostname(os.fsencode(sys.argv[1])); os.execvp(sys.argv[2], sys.argv[2:])"
# Hydra takes no blanks in a host's name, and MPICH no name of 64 bytes.
NAMES = {
    "path": "../../a/b",
    "escapes": "x\x1b[31m\udcff y\x07",
    "long": "n" * 63,
}


@pytest.fixture(params=["mpich", "openmpi"])
def library(request: pytest.FixtureRequest) -> mpi.Library:
    found = next((each for each in mpi.available() if each.name == request.param), None)
    if found is None:
        pytest.skip(f"the MPI library {request.param} is not installed")
    return found


@pytest.mark.ci("openmpi")
@pytest.mark.parametrize("name", NAMES)
def test_a_run_on_such_a_host_is_recorded_and_read(
    name: str, library: mpi.Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if os.geteuid() != 0 or subprocess.run(["unshare", "-u", "true"], capture_output=True, check=False).returncode:
        pytest.skip("a host name of its own takes root and namespaces")
    renamed = ["unshare", "-u", sys.executable, "-c", RENAMED, NAMES[name], sys.executable, "-m", "leadline"]
    done = subprocess.run(
        [*renamed, "run", "-o", "run", "--", Tiny()(library), "0"],
        cwd=tmp_path,
        env={**os.environ, **library.environ},
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert b"lost" not in done.stderr, done.stderr
    assert b"\x1b" not in done.stderr
    assert b"\x07" not in done.stderr
    run = tmp_path / "run"
    (trace,) = run.glob("rank-*.trace")
    assert not any(byte < 0x20 or byte == 0x7F for byte in os.fsencode(trace.name))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]

    monkeypatch.chdir(tmp_path)
    assert main(["report", "run", "--json"]) == 0
    (rank,) = json.loads(capsys.readouterr().out)["ranks_detail"]
    assert rank["host"] == without_surrogates(NAMES[name])
    for words in (["report", "run", "--all"], ["collect", "run"], ["report", "run", "--table", "ranks"]):
        assert main(words) == 0, words
    for each in FORMATS:
        if each not in ("otf2", "parquet"):
            assert main(["export", each, "run", "-o", f"exported-{each}"]) == 0, each


def test_names_of_files_are_compared_as_far_as_traces_have_them() -> None:
    assert nodes.name_in_files("a/b\n\x1bc") == "a_b__c"
    assert nodes.name_in_files("n" * 64) == nodes.name_in_files("n" * 63) == "n" * 63
    assert nodes.name_in_files("\udcff" * 64) == "\udcff" * 63

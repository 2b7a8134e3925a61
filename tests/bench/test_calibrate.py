"""leadline calibrate with real ranks, and what it says where it cannot measure. No time decides anything."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from leadline.calibration import calibration_of, launch_all, why_too_noisy
from leadline.errors import MeasurementFailed
from leadline.mpi import Library
from leadline.network import named, write
from leadline.tuning import probing


def calibrate(cwd: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "leadline", "calibrate", *words],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )


def script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.full("intel")
@pytest.mark.ci("openmpi")
def test_each_library_gives_a_network_that_is_read_again(
    each_library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("two cores are needed")
    words = each_library.launch(2)
    found = calibration_of(launch_all(words, each_library, launches=1, seconds=0.3)).described
    (tmp_path / "net.toml").write_text(write(found))
    again = named("net.toml")
    assert write(again) == write(found)
    (name,) = [each for each in ("core_complex", "socket", "node", "other_node") if again.network.own(each).pieces]
    link = again.network.own(name)
    assert name != "other_node"
    # The limit is the library's, not a time: the probe, which tries it in another way, finds the same.
    asked = probing.ask(
        probing.subject([*words, sys.executable], {**os.environ, **each_library.env()}), {}, eager=1 << 20
    )
    assert min(link.eager_bytes, 1 << 20) == asked.eager
    # Open MPI hands messages over in place above 256 bytes; on busy cores it may remain unknown.
    assert asked.copied in (None, min(link.copied_bytes, asked.eager))
    if each_library.name == "openmpi":
        assert link.copied_bytes in (256, 2**63 - 1)
    assert link.pieces[0].message_ns(0) > 0
    assert link.pieces[-1].message_ns(1 << 26) > 0
    assert all(low <= high for low, high in again.intervals.values())
    assert min(again.network.copy_per_byte_ns, again.network.reduce_per_byte_ns, again.network.call_ns) > 0
    assert again.network.flag_ns > 0
    assert not list(tmp_path.glob(".leadline*"))


def test_wrong_usage(a_library: Library, tmp_path: Path) -> None:
    (tmp_path / "there.toml").write_text("mine")
    for words, code, said in (
        ((), 2, "Missing argument"),
        (("-o", "there.toml", "--", "mpiexec"), 2, "there.toml already exists"),
        (("--mpi", a_library.name, "--", "no-such-launcher", "-n", "2"), 127, "no-such-launcher: not found"),
        (("--", "env", "-n", "2"), 5, "cannot find the MPI library of env"),
    ):
        done = calibrate(tmp_path, *words)
        assert (done.returncode, said in done.stderr) == (code, True), done.stderr
    assert (tmp_path / "there.toml").read_text() == "mine"


def test_one_rank_is_refused(a_library: Library, tmp_path: Path) -> None:
    done = calibrate(tmp_path, "-o", "net.toml", "--mpi", a_library.name, "--", *a_library.launch(1))
    assert done.returncode == 2, done.stderr
    assert "one rank, so there are no messages" in done.stderr
    assert not (tmp_path / "net.toml").exists()


def test_a_launch_that_fails_or_is_killed(a_library: Library, tmp_path: Path) -> None:
    for text, said in (("kill -9 $$", "killed by SIGKILL"), ("echo no such node; exit 3", "no such node")):
        launcher = script(tmp_path / "start", text)
        with pytest.raises(MeasurementFailed, match=said):
            launch_all([launcher], a_library, seconds=0.3)


def test_a_noisy_machine_is_not_measured_to_the_end(
    a_library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "leadline-bench 1\nlibrary Test MPI\njob 2 1 2 2 0 0 0\nnoise 0 5 6 7 0.5 1\nnoise 1 5 6 7 0.5 1\nend\n"
    launcher = script(tmp_path / "start", f"echo launched >> {tmp_path}/count; printf '%b' '{said}' > \"$3\"")
    monkeypatch.chdir(tmp_path)
    found = launch_all([launcher], a_library, seconds=0.3)
    assert (tmp_path / "count").read_text() == "launched\n"
    assert "50% of the cores' time" in (why_too_noisy(found) or "")
    done = calibrate(tmp_path, "-o", "net.toml", "--mpi", a_library.name, "--", launcher)
    assert done.returncode == 7, done.stderr
    assert "nothing was written: other work took 50% of the cores' time" in done.stderr
    assert not (tmp_path / "net.toml").exists()

"""Whatever fails on our side, the program runs as it would without us, and its exit code is passed on."""

import errno
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import kept_builds
import pytest

from leadline import mpi, run_directory
from leadline.launch.record import record
from leadline.launch.sanitizers import needed, runtime_in_front

from .conftest import TINY, Command, Tiny

TABLE = """schema = 1
[[rule]]
operation = "allreduce"
processes = [2, 2]
bytes = [1, 1024]
algorithm = "recursive_doubling"
"""


def test_a_description_that_cannot_be_written_does_not_keep_the_program_from_running(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(run_directory, "write_description", full)
    said: list[str] = []
    mark = tmp_path / "ran"
    recording = record(["sh", "-c", f"touch {mark}; exit 3"], output=str(tmp_path / "run"), on_trouble=said.append)
    assert (recording.exit_code, mark.exists()) == (3, True)
    assert said == [f"warning: cannot write {tmp_path / 'run' / 'run.json'}: No space left on device"]


@pytest.mark.parametrize("name", ["mpich", "openmpi"])
def test_a_disk_that_is_full_from_the_start_leaves_the_program_and_its_code(
    name: str, leadline: Command, request: pytest.FixtureRequest, tiny: Tiny, tmp_path: Path
) -> None:
    library: mpi.Library = request.getfixturevalue(name)
    may_mount = subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode == 0
    if os.geteuid() != 0 or not may_mount:
        pytest.skip("a small disk of its own takes root and mount namespaces")
    disk = tmp_path / "disk"
    disk.mkdir()
    # A disk that only these processes see, with room for a directory but for no file's data.
    script = f'mount -t tmpfs -o size=8k none "{disk}" && head -c 8192 /dev/zero > "{disk}/full" && exec "$@"'
    words = ["unshare", "-m", "sh", "-c", script, "sh", *leadline.words]
    ended = leadline.plain(
        *words, "run", "-o", disk / "run", "--", *library.launch(2), tiny(library), "5", environ=dict(library.environ)
    )
    assert ended.code == 5, ended.everything
    assert "ranks=2 sum=2" in ended.out
    assert f"cannot write {disk / 'run' / 'run.json'}: No space left on device" in ended.err
    assert "Traceback" not in ended.err
    assert "its .live file" not in ended.err


@pytest.mark.parametrize("name", ["mpich", "openmpi"])
def test_a_program_built_with_address_sanitizer_is_recorded(
    name: str, leadline: Command, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    library: mpi.Library = request.getfixturevalue(name)
    runtime = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=False).stdout
    if not Path(runtime.strip()).exists():
        pytest.skip("gcc has no libasan here")

    def compile_to(program: Path) -> None:
        words = [library.mpicc, "-fsanitize=address", "-x", "c", "-", "-o", program]
        subprocess.run(words, input=TINY, text=True, check=True, env=library.env(), timeout=120)

    program = kept_builds.kept(f"tiny-asan-{name}", [TINY, "address", kept_builds.identity(library)], compile_to)
    assert any(file.startswith("libasan.so") for file in needed(program))
    assert Path(runtime_in_front(program)).name.startswith("libasan.so")
    # The libraries' own leaks are no matter of this test.
    environ = {"ASAN_OPTIONS": "detect_leaks=0"} | dict(library.environ)
    launched = leadline(
        "record", "-o", "launched", "--", *library.launch(2, oversubscribe=True), program, "4", environ=environ
    )
    assert (launched.code, "ranks=2 sum=2" in launched.out) == (4, True), launched.everything
    assert len(list((tmp_path / "launched").glob("rank-*.trace"))) == 2
    (tmp_path / "table.toml").write_text(TABLE)
    applied = leadline(
        "apply", "table.toml", "--", *library.launch(2, oversubscribe=True), program, "4", environ=environ
    )
    assert (applied.code, "ranks=2 sum=2" in applied.out) == (4, True), applied.everything
    assert "applied: allreduce" in applied.err, applied.everything
    examined = leadline("doctor", program, environ=environ)
    assert f"{runtime_in_front(program)} is preloaded before Leadline's own" in " ".join(examined.out.split())
    alone = leadline("exec", "-o", "alone", program, environ=environ)
    assert (alone.code, len(list((tmp_path / "alone").glob("rank-*.trace")))) == (0, 1), alone.everything


def test_only_programs_that_need_a_run_time_library_get_one(mpich: mpi.Library, tiny: Tiny) -> None:
    assert runtime_in_front(None) == ""
    assert runtime_in_front(tiny(mpich)) == ""
    assert needed(Path(__file__)) == []
    assert any(file.startswith("libc.so") for file in needed(Path(shutil.which("true") or "/bin/true")))

"""What a program inherits from the shell, and what a user's umask does to directories of ours."""

from __future__ import annotations

import os
import shlex
import signal
import stat

import pytest

from leadline import mpi

from .conftest import Command, Tiny, traces

COMMANDS = {"exec": ("exec", "-o", "run"), "record": ("record", "-q", "-o", "run", "--")}


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("ignored", [False, True])
def test_a_pipe_without_a_reader_means_to_a_program_what_its_user_said(
    leadline: Command, name: str, ignored: bool
) -> None:
    trap = "trap '' PIPE; " if ignored else ""
    words = shlex.join([*leadline.words, *COMMANDS[name], "grep", "SigIgn", "/proc/self/status"])
    ended = leadline.plain("sh", "-c", f"{trap}{words}; true")
    mask = int(ended.out.removeprefix("SigIgn:"), 16)
    assert bool(mask >> (signal.SIGPIPE - 1) & 1) == ignored, ended.everything
    assert not mask >> (signal.SIGXFSZ - 1) & 1


def test_directories_of_ours_are_the_users_alone_whatever_the_umask(
    leadline: Command, mpich: mpi.Library, tiny: Tiny
) -> None:
    before = os.umask(0)
    try:
        for words in (("run", "--"), ("run", "--"), ("exec",)):
            ended = leadline(*words, tiny(mpich))
            assert ended.code == 0, ended.everything
        runs = sorted((leadline.directory / "leadline-runs").iterdir())
        assert [len(traces(run)) for run in runs] == [1, 1, 1]
        assert leadline("report").code == 0
        assert leadline("collect", runs[0]).code == 0
    finally:
        os.umask(before)
    for folder in (runs[0].parent, *runs):
        assert not stat.S_IMODE(folder.stat().st_mode) & 0o022, folder


def test_a_directory_that_the_umask_opened_to_all_is_refused_with_its_mend(leadline: Command) -> None:
    (leadline.directory / "a run").mkdir()
    (leadline.directory / "a run").chmod(0o777)
    ended = leadline("record", "-o", "a run", "--", "true")
    assert ended.code == 2
    path = leadline.directory / "a run"
    assert f"chmod go-w '{path}', or use it as it is with --shared-directory" in ended.err, ended.everything

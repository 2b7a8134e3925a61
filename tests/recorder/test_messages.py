"""What recorder and shim say on standard error is text, whatever the names in it."""

from pathlib import Path

from .building import Builder
from .libraries import Library, quiet_environment
from .running import run


def test_names_in_messages_are_shown_not_obeyed(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    directory = tmp_path / "red\x1b[31m\u202e"
    directory.mkdir()
    directory.chmod(0o777)  # others can write: the recorder refuses it, and says so
    environment = {"LD_PRELOAD": str(recorder), "LEADLINE_DIR": str(directory)}
    program = [str(builder.c(one_of_each_family, "odd_frames.c")), "none"]
    outcome = run(
        program, environment={**quiet_environment(one_of_each_family), **environment}, cwd=tmp_path, timeout_s=60
    )
    assert "red\\x1b[31m\\u202e" in outcome.stderr
    assert "\x1b" not in outcome.stderr


def test_the_shims_messages_too(one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path) -> None:
    shim = recorder.parent / "libleadline_shim.so"
    environment = {"LD_PRELOAD": str(shim), "LEADLINE_TABLE": str(tmp_path / "no\x1b[2Jtable")}
    program = [str(builder.c(one_of_each_family, "odd_frames.c")), "none"]
    outcome = run(
        program, environment={**quiet_environment(one_of_each_family), **environment}, cwd=tmp_path, timeout_s=60
    )
    assert "no\\x1b[2Jtable" in outcome.stderr
    assert "\x1b" not in outcome.stderr

"""What a search leaves in its directory, and how another session goes on with it."""

from pathlib import Path

import pytest

from leadline.errors import UsageError
from leadline.improve.kept import MEASURED, SEARCH, Kept
from leadline.improve.search import BASE, Stage

COMMAND = ["mpiexec", "./app"]


def test_what_was_measured_is_read_again(tmp_path: Path) -> None:
    kept = Kept(tmp_path, COMMAND, {"reorder": False})
    kept.keep_plan({"settings": []})
    kept.add(Stage.RACE, 0, BASE, 1.5, wall_s=2.0)
    kept.add(Stage.RACE, 0, "one", None, wall_s=1.0, why="exit code 1")
    again = Kept(tmp_path, COMMAND, {"reorder": False})
    assert again.plan == {"settings": []}
    assert again.has(Stage.RACE, 0, BASE)
    assert not again.has(Stage.CONFIRM, 0, BASE)
    assert (again.seconds(Stage.RACE, 0, BASE), again.seconds(Stage.RACE, 0, "one")) == (1.5, None)
    assert (again.why_failed("one"), again.launches, again.wall_s) == ("exit code 1", 2, 3.0)
    assert again.unchanged() == (1.5, 0.0)


def test_a_line_that_was_cut_short_costs_only_itself(tmp_path: Path) -> None:
    kept = Kept(tmp_path, COMMAND, {})
    kept.keep_plan({"settings": []})
    kept.add(Stage.RACE, 0, BASE, 1.5)
    with (tmp_path / MEASURED).open("a") as file:
        file.write('{"stage": "race", "rou')
    again = Kept(tmp_path, COMMAND, {})
    again.add(Stage.RACE, 0, "one", 2.5)
    third = Kept(tmp_path, COMMAND, {})
    assert (third.seconds(Stage.RACE, 0, BASE), third.seconds(Stage.RACE, 0, "one")) == (1.5, 2.5)


def test_a_search_that_was_interrupted_before_its_plan_begins_again(tmp_path: Path) -> None:
    Kept(tmp_path, COMMAND, {})
    (tmp_path / "record").mkdir()
    assert Kept(tmp_path, COMMAND, {}).plan == {}


@pytest.mark.parametrize(("command", "asked"), [(["other"], {}), (COMMAND, {"reorder": True})])
def test_another_command_or_option_is_refused(command: list[str], asked: dict[str, bool], tmp_path: Path) -> None:
    Kept(tmp_path, COMMAND, {})
    with pytest.raises(UsageError, match=r"holds another search: mpiexec \./app"):
        Kept(tmp_path, command, asked)


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="is not empty"):
        Kept(tmp_path, COMMAND, {})


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"schema": 1}', '{"schema": 1, "command": 3}'])
def test_a_damaged_plan_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / SEARCH).write_text(text)
    with pytest.raises(UsageError):
        Kept(tmp_path, COMMAND, {})

"""Whether settings are seen to take effect in the ranks, and not seen where they have none."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import conftest
import pytest
from improvable import improvable

from leadline.improve.candidates import Asked, candidates
from leadline.improve.facts import Facts
from leadline.improve.proof import why_without_effect
from leadline.improve.setting import Setting
from leadline.launchers.openmpi import OPENMPI

BOTH = ("mpich", "openmpi")


@dataclass
class Command:
    words: list[str]
    environ: dict[str, str]
    folder: Path

    def why_not(self, setting: Setting, *options: str, **variables: str) -> str:
        words = [self.words[0], *options, *self.words[1:]]
        return why_without_effect(setting, words, {**self.environ, **variables}, 2, self.folder)


Commands = Callable[[str], Command]


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    def command(name: str) -> Command:
        library, program = improvable(name)
        environ = {**library.env(), **conftest.WITHOUT_ADAPTERS}
        return Command([*library.launch(2), str(program), "alone"], environ, tmp_path)

    return command


def tried(kind: str, **facts: object) -> dict[str, Setting]:
    about = Facts(None, 2, **facts)  # type: ignore[arg-type]
    found, _ = candidates(about, Asked(Path("/nothing"), only=(kind,)))
    return {setting.name: setting for setting in found}


def test_hints_are_seen_in_what_mpi_io_says_of_a_file(commands: Commands) -> None:
    command, settings = commands("mpich"), tried("file-hints", files=0.5)
    assert [command.why_not(setting) for setting in settings.values()] == ["", "", ""]
    other = replace(settings["files-independent"], hints=settings["files-collective"].hints)
    assert command.why_not(other) == "MPI-IO uses romio_cb_write=disable for a file that is opened, not enable"


def test_hints_of_romio_do_nothing_under_open_mpi_s_own_mpi_io(commands: Commands) -> None:
    command, setting = commands("openmpi"), tried("file-hints", files=0.5)["files-collective"]
    assert command.why_not(setting) == "MPI-IO names no hints for a file that is opened"


@pytest.mark.ci
def test_hints_of_romio_hold_under_open_mpi_with_romio(commands: Commands) -> None:
    command, setting = commands("openmpi"), tried("file-hints", files=0.5)["files-collective"]
    assert command.why_not(setting, OMPI_MCA_io="^ompio") == ""


@pytest.mark.parametrize("name", BOTH)
def test_settings_of_malloc_are_seen_in_where_a_block_comes_from(commands: Commands, name: str) -> None:
    command, settings = commands(name), tried("allocation", sizes={1 << 20: 10}, computing=0.9)
    if not settings:
        pytest.skip("not glibc")
    for setting in settings.values():
        assert command.why_not(setting) == ""
        assert "malloc of 8.39 MB" in command.why_not(replace(setting, variables={"LEADLINE_NOTHING": "1"}))


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="a single core is the same with any binding")
def test_where_the_user_put_ranks_is_seen_in_their_cores(commands: Commands) -> None:
    options = (("--bind-to", "core:overload-allowed"), ("--rank-by", "slot"))
    settings = tried("own-settings", launcher=OPENMPI, set_options=options)
    command = commands("openmpi")
    command.words.insert(1, "--oversubscribe")  # ranks are then bound only if that is asked for
    words = [word for option in options for word in option]
    assert command.why_not(settings["without-bind-to"], *words) == ""
    assert "the ranks' cores are the same with it" in command.why_not(settings["without-rank-by"], *words)

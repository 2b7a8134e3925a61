"""Whether settings are seen to take effect in the ranks, and not seen where they have none."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import conftest
import pytest
from improvable import improvable

from leadline.improve.candidates import Asked, candidates
from leadline.improve.facts import Facts
from leadline.improve.file import write
from leadline.improve.proof import why_without_effect
from leadline.improve.setting import Setting
from leadline.launch.launcher import find_launcher
from leadline.launchers.openmpi import OPENMPI
from leadline.launchers.places import Placing, RankPlace
from leadline.libraries import LIBRARIES

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
    assert {name: command.why_not(setting) for name, setting in settings.items()} == dict.fromkeys(settings, "")
    assert "files-aggregators-2" in settings
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


def swapped(words: list[str], library: str) -> Setting:
    """Rank 0 on CPU 1, and rank 1 on CPU 0."""
    launcher = find_launcher(words)
    assert launcher is not None
    places = [RankPlace(0, (cpu,), (cpu,), (cpu,)) for cpu in (1, 0)]
    own = next(each for each in LIBRARIES if each.name == library).placing([(1,), (0,)])
    told = Placing(variables=own) if own else launcher.kind.placing(places, launcher.version, moved=False)
    assert told is not None
    return Setting(
        "swapped", "binding", "swapped", "risk", 1.0, variables=told.variables, options=told.options,
        option_files=told.option_files, places=("0:1", "0:0"), hosts=(os.uname().nodename,),
    )  # fmt: skip


LIBRARIES_WITH_PLACES = ["mpich", "openmpi", pytest.param("intel", marks=pytest.mark.ci)]
TWO_CPUS = pytest.mark.skipif(not {0, 1} <= os.sched_getaffinity(0), reason="needs CPU 0 and CPU 1")


@TWO_CPUS
@pytest.mark.parametrize("name", LIBRARIES_WITH_PLACES)
def test_places_are_seen_in_the_cpus_of_each_rank(commands: Commands, name: str) -> None:
    command = commands(name)
    if name == "openmpi":
        command.words.insert(1, "--oversubscribe")
    setting = swapped(command.words, name)
    assert command.why_not(setting) == ""
    wrong = replace(setting, places=("0:0", "0:1"))
    assert (
        command.why_not(wrong)
        == f"rank 0 runs on CPU 1 of {os.uname().nodename} with it, not on 0 of {setting.hosts[0]}"
    )
    assert command.why_not(replace(setting, places=("0:1",))) == "2 ranks start with it, not 1"


@TWO_CPUS
@pytest.mark.parametrize("name", LIBRARIES_WITH_PLACES)
def test_places_are_applied_on_the_hosts_of_now(commands: Commands, name: str, tmp_path: Path) -> None:
    command = commands(name)
    setting = replace(swapped(command.words, name), hosts=("another-host",))
    write(tmp_path / "improve.toml", [setting], {"ranks": 2})
    rank = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
    say = f'grep Cpus_allowed_list /proc/self/status > "{tmp_path}/said.{rank}"'
    words = [sys.executable, "-m", "leadline", "apply", str(tmp_path / "improve.toml"), "--", *command.words[:-2]]
    done = subprocess.run([*words, "sh", "-c", say], env=command.environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert [(tmp_path / f"said.{rank}").read_text().split()[1] for rank in range(2)] == ["1", "0"], done.stderr

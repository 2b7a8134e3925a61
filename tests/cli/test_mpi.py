"""leadline mpi: names of libraries that the user adds, and releases that are not listed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leadline import mpi
from leadline.errors import UsageError
from leadline.mpi import added, surroundings
from leadline.mpi.releases import release

from .conftest import InProcess


@pytest.fixture(autouse=True)
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    return tmp_path / "settings"


@pytest.mark.parametrize("name", ["mpich", "openmpi"])
def test_a_library_that_was_added_is_found_by_its_name(name: str, in_process: InProcess, settings: Path) -> None:
    if name not in {library.name for library in mpi.available()}:
        pytest.skip(f"the MPI library {name} is not installed")
    library = mpi.find(name)
    done = in_process("mpi", "add", "--name", "site", str(library.mpiexec.parents[1]))
    assert done.code == 0, done.everything
    found = mpi.find("site")
    assert (found.name, found.mpiexec, found.family) == ("site", library.mpiexec, library.family)
    listed = json.loads(in_process("mpi", "list", "--json").out)
    assert {"name": "site"}.items() <= listed["libraries"][-1].items()
    assert "site" in listed["families"][library.family]
    assert in_process("mpi", "remove", "site").code == 0
    with pytest.raises(UsageError, match="unknown MPI library"):
        mpi.find("site")


def test_what_cannot_be_added_is_said(in_process: InProcess, tmp_path: Path) -> None:
    for words, said in (
        (("--name", "site", str(tmp_path)), "no mpiexec at"),
        (("--name", "mpich", str(tmp_path)), "the name of another library"),
        (("--name", "a b", str(tmp_path)), ""),
    ):
        done = in_process("mpi", "add", *words)
        assert done.code != 0
        assert said in done.err
    assert added.all_added() == {}


def test_a_file_that_others_can_write_is_not_obeyed(settings: Path) -> None:
    added.add("site", Path("/opt/x/bin/mpiexec"))
    assert added.all_added() == {"site": Path("/opt/x/bin/mpiexec")}
    (settings / "leadline" / added.FILE).chmod(0o666)
    assert added.all_added() == {}


def test_any_path_comes_back() -> None:
    path = Path('/a "b"\\\n\x7f\U0001f600/bin/mpiexec')
    added.add("site", path)
    assert added.all_added() == {"site": path}


def test_a_release_that_is_not_listed_is_only_taken_where_that_is_asked_for() -> None:
    with pytest.raises(UsageError, match="unknown version"):
        release("mpich@4.9.9")
    assert release("mpich@4.9.9", listed=False).folder == "mpich-4.9.9"
    for name in ("mpich@../x", "mpich@1;ls", "other@1.2"):
        with pytest.raises(UsageError):
            release(name, listed=False)


def test_modules_of_mpi_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("openmpi/4.1.5", "mpi/mpich/5.0.lua", "compiler/gcc/12", "impi/2021", "simpi/1"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    monkeypatch.setenv("MODULEPATH", f":{tmp_path}:/nowhere")
    assert surroundings.modules() == ["impi/2021", "mpi/mpich/5.0", "openmpi/4.1.5"]


def test_a_layer_between_abis_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "libmuk.so").write_text("")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    assert f"Mukautuva ({tmp_path / 'libmuk.so'})" in surroundings.layers()

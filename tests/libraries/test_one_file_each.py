"""A library is one file: another one in the folder is found, and what it forgets is an error."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from mpi_facts import FACTS

from leadline import libraries, mpi
from leadline.launchers import LAUNCHERS, OTHER, recognise
from leadline.launchers.hydra import HYDRA
from leadline.libraries import LIBRARIES
from leadline.libraries.intel import Intel
from leadline.libraries.library import MpiLibrary
from leadline.libraries.mpich import Mpich
from leadline.libraries.openmpi import OpenMpi

ROOT = Path(__file__).parents[2]
FACTS_OF_MPICH = {fact: getattr(Mpich, fact) for fact in MpiLibrary.__annotations__}

# A library that nobody has: MPICH with another name, a mark of its own, and newer versions.
ANOTHER = """
import mmap
from leadline.libraries.mpich import Mpich

class Another(Mpich):
    name = "another"
    title = "Another MPI"
    place = 7
    derived_from = "mpich"
    versions = ("2.0", "1.0")
    abi_since = (2, 0)
    debian_packages = "another-dev"

    def is_in(self, content, file_name):
        return content.find(b"ANOTHER_MARK") >= 0

LIBRARY = Another()
"""
SHOWN = """
import sys
import leadline.libraries
leadline.libraries.__path__.append(sys.argv[1])
leadline.libraries.LIBRARIES = leadline.libraries._all()
from pathlib import Path
from leadline import mpi
from leadline.cli.workload import default_library
print(*mpi.NAMES)
print(*(release.name for release in mpi.all_releases() if release.kind.name == "another"))
print(*(leadline.libraries.of_file(Path(file)).title for file in sys.argv[2:]), default_library("c++", 2))
"""


def test_a_file_more_is_a_library_more(tmp_path: Path) -> None:
    (tmp_path / "another.py").write_text(ANOTHER)
    (tmp_path / "one").write_bytes(b"..MPIR_CVAR_X..ANOTHER_MARK..")
    (tmp_path / "two").write_bytes(b"..MPIR_CVAR_X..")
    words = [sys.executable, "-c", SHOWN, str(tmp_path), str(tmp_path / "one"), str(tmp_path / "two")]
    names, releases, kinds = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
    assert names == "mpich openmpi intel another debian-mpich debian-openmpi debian-another"
    assert releases == "another@2.0 another-abi@2.0 another@1.0"
    assert kinds == "Another MPI MPICH mpich"


@pytest.mark.parametrize("fact", [name for name in MpiLibrary.__annotations__ if not hasattr(MpiLibrary, name)])
def test_a_fact_that_is_left_out_is_an_error(fact: str) -> None:
    facts = {name: value for name, value in FACTS_OF_MPICH.items() if name != fact}
    with pytest.raises(TypeError, match=rf"does not say: {fact}$"):
        type("Forgetful", (MpiLibrary,), facts)


@pytest.mark.parametrize("method", sorted(MpiLibrary.__abstractmethods__))
def test_a_method_that_is_left_out_is_an_error(method: str) -> None:
    methods = {name: getattr(Mpich, name) for name in MpiLibrary.__abstractmethods__ if name != method}
    forgetful = type("Forgetful", (MpiLibrary,), {**FACTS_OF_MPICH, **methods})
    with pytest.raises(TypeError, match=method):
        forgetful()


def test_a_library_is_told_by_what_is_in_its_file(tmp_path: Path) -> None:
    def told(name: str, content: bytes) -> type[MpiLibrary] | None:
        (tmp_path / name).write_bytes(content)
        library = libraries.of_file(tmp_path / name)
        return None if library is None else type(library)

    assert told("libmpi.so.12", b"MPIR_CVAR_BCAST I_MPI_ADJUST_BCAST") is Intel
    assert told("libmpi.so.12.1", b"MPIR_CVAR_BCAST") is Mpich
    assert told("libmpi.so.40.30.1", b"nothing") is OpenMpi
    assert told("libmpi.so.7", b"nothing") is None


def test_every_library_says_what_belongs_together() -> None:
    names = {library.name for library in LIBRARIES}
    families = {path.stem for path in (ROOT / "api" / "abi").glob("*.toml")}
    assert len({library.place for library in LIBRARIES}) == len(names) == len(LIBRARIES)
    for library in LIBRARIES:
        assert library.family in families
        assert library.derived_from is None or library.derived_from in names
        assert library.launcher in LAUNCHERS
        assert library.versions or library.debian_packages
    assert set(FACTS) == names, "tests/mpi_facts.py"
    assert set(mpi.NAMES) == {library.name for library in LIBRARIES if library.versions} | set(mpi.DEBIAN)


def test_launchers_have_names_of_their_own_and_one_recognises_itself_only() -> None:
    assert len({kind.name for kind in (*LAUNCHERS, OTHER)}) == len(LAUNCHERS) + 1
    said = {"hydra": "hydra build details", "openmpi": "mpirun (open mpi) 4.1.4", "srun": "slurm 22.05.8"}
    for kind in LAUNCHERS:
        text, program = said.get(kind.name, ""), kind.name if kind.name not in said else "mpiexec"
        assert [other for other in LAUNCHERS if other.recognises(text, program)] == [kind]
    assert recognise("srun: error: fetch_config: DNS SRV lookup failed", "srun").name == "srun"
    assert HYDRA.given({"A": "1"}) == ["-genv", "A", "1"]


def test_nothing_is_decided_by_a_librarys_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    from dev import layers

    assert list(layers._name_violations()) == []
    deciding = 'if f != "mpich" or b in ("intel", 1): pass\nc = {"openmpi": 1}\nd.startswith("intel")\ne = "mpich"\n'
    found = sorted(layers.names_compared(deciding, {"mpich", "openmpi", "intel"}))
    assert found == [(1, "intel"), (1, "mpich"), (2, "openmpi"), (3, "intel")]

"""`cmake --install`: Leadline in one prefix for all users of a machine, switched on by its module file."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from leadline import mpi

from .conftest import Tiny, traces

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "build" / "dev"
MODULES = ("/usr/share/lmod/lmod/init/bash", "/usr/share/modules/init/bash")
EXPECTED = "import leadline, sys; print(leadline.__version__, *[n for n in sys.modules if n in ('click', 'rich')])"

pytestmark = pytest.mark.skipif(not (BUILT / "cmake_install.cmake").exists(), reason="not built with ./dev")


@dataclass(frozen=True)
class Prefix:
    path: Path
    environ: dict[str, str]  # of a shell in which the module is loaded

    def run(self, *words: str | Path, cwd: Path, library: mpi.Library | None = None) -> str:
        environ = {**(library.env() if library else {}), **self.environ}
        done = subprocess.run(words, cwd=cwd, env=environ, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def install(prefix: Path, destdir: str = "") -> None:
    cmake = Path(sys.executable).with_name("cmake")
    words = [str(cmake) if cmake.exists() else "cmake", "--install", BUILT, "--prefix", prefix]
    environ = {**os.environ, **({"DESTDIR": destdir} if destdir else {})}
    subprocess.run(words, check=True, capture_output=True, timeout=300, env=environ)


def loaded(modulefiles: Path, name: str) -> dict[str, str]:
    """The environment of a shell that has nothing of Leadline but the module."""
    init = next((place for place in MODULES if Path(place).exists()), None)
    if init is None:
        pytest.skip("neither Lmod nor Environment Modules is installed")
    ours = ("LEADLINE_", "PYTHONPATH", "PYTHONPYCACHEPREFIX", "MANPATH", "MODULEPATH", "LMOD_")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
    script = f". {init}; module use {modulefiles}; module load {name} && env -0"
    done = subprocess.run(
        ["bash", "--norc", "-c", script], env=kept, capture_output=True, text=True, check=True, timeout=60
    )
    pairs = (entry.partition("=") for entry in done.stdout.split("\0") if entry)
    return {key: value for key, _, value in pairs if not key.startswith("BASH_FUNC_")}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    prefix = tmp_path_factory.mktemp("site") / "leadline"
    install(prefix)
    return prefix


@pytest.fixture(scope="module")
def prefix(installed: Path) -> Prefix:
    return Prefix(installed, loaded(installed / "share" / "modulefiles", "leadline"))


def test_a_program_is_recorded_with_what_the_module_sets(
    prefix: Prefix, library: mpi.Library, tiny: Tiny, tmp_path: Path
) -> None:
    assert shutil.which("leadline", path=prefix.environ["PATH"]) == str(prefix.path / "bin" / "leadline")
    words = ("leadline", "record", "-o", "run", "--", *library.launch(2), tiny(library))
    prefix.run(*words, cwd=tmp_path, library=library)
    assert len(traces(tmp_path / "run")) == 2
    assert "MPI_Allreduce" in prefix.run("leadline", "report", "run", "--all", cwd=tmp_path)


def test_the_launcher_of_ranks_finds_the_recorder(prefix: Prefix, tmp_path: Path) -> None:
    preloaded = prefix.run("leadline-exec", "-o", "run", "printenv", "LD_PRELOAD", cwd=tmp_path).strip()
    (recorder,) = prefix.path.glob("lib/python*/site-packages/leadline/lib/libleadline.so")
    assert preloaded.split(":")[0] == str(recorder)


def test_python_programs_get_leadline_and_none_of_its_packages(prefix: Prefix, tmp_path: Path) -> None:
    (modules,) = prefix.path.glob("lib/python*/site-packages")
    assert prefix.environ["PYTHONPATH"] == str(modules)
    assert [path.name for path in modules.iterdir()] == ["leadline"]
    assert prefix.run(sys.executable, "-c", EXPECTED, cwd=tmp_path).strip() == "0.1.0"


def test_either_form_of_the_module_sets_the_same(installed: Path, tmp_path: Path) -> None:
    """Environment Modules reads the Tcl file only, Lmod the one in Lua if there are two."""
    found = installed / "share" / "modulefiles" / "leadline"
    names = sorted(path.name for path in found.iterdir())
    assert names == ["0.1.0", "0.1.0.lua"]
    set_by = []
    for name in names:
        (tmp_path / name / "leadline").mkdir(parents=True)
        shutil.copy(found / name, tmp_path / name / "leadline" / name)
        if name.endswith(".lua") and not Path(MODULES[0]).exists():
            pytest.skip("Lmod is not installed")
        environ = loaded(tmp_path / name, "leadline")
        set_by.append({key: environ[key].rstrip(":") for key in ("PATH", "MANPATH", "PYTHONPATH", "LEADLINE_ROOT")})
    assert set_by[0] == set_by[1]


def test_manual_and_completion_are_where_shells_look(prefix: Prefix) -> None:
    share = prefix.path / "share"
    assert (share / "man" / "man1" / "leadline-report.1").is_file()
    assert prefix.environ["MANPATH"].split(":")[0] == str(share / "man")
    assert prefix.environ["MANPATH"].endswith(":"), "an empty element: the system's own manual pages stay"
    for place in ("bash-completion/completions/leadline", "zsh/site-functions/_leadline"):
        assert "_LEADLINE_COMPLETE" in (share / place).read_text()
    assert "_LEADLINE_COMPLETE" in (share / "fish" / "vendor_completions.d" / "leadline.fish").read_text()
    assert (share / "doc" / "leadline" / "docs" / "first-report.md").is_file()


def test_a_package_is_staged_without_traces_of_the_stage(tmp_path: Path) -> None:
    stage = tmp_path / "stage"
    install(Path("/opt/leadline"), str(stage))
    assert [path.name for path in stage.iterdir()] == ["opt"]
    assert 'root "/opt/leadline"' in (stage / "opt/leadline/share/modulefiles/leadline/0.1.0").read_text()
    compiled = 0
    for path in (stage / "opt" / "leadline").rglob("*"):
        if path.is_file():
            assert str(stage).encode() not in path.read_bytes(), path
            compiled += path.suffix == ".pyc"
    assert compiled > 100

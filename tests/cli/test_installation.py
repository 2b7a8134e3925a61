"""The recorder as a file, and leadline installed with pip into an environment of its own."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from leadline import mpi
from leadline.launch.recorder import library_path

from . import reused_objects
from .conftest import Tiny, traces

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "build" / "dev"
FEW = ("-n", "2", "--mpi", "mpich", "--launches", "1", "--rounds", "5", "--seconds", "0.5", "--json")


def test_the_recorder_needs_libc_only() -> None:
    with library_path().open("rb") as file:
        dynamic = ELFFile(file).get_section_by_name(".dynamic")
        needed = {tag.needed for tag in dynamic.iter_tags("DT_NEEDED")}
    assert needed <= {"libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}


def test_the_recorder_exports_nothing_but_mpi() -> None:
    """A name that the program defines too would be taken from us."""
    with library_path().open("rb") as file:
        symbols = ELFFile(file).get_section_by_name(".dynsym").iter_symbols()
        exported = {
            symbol.name
            for symbol in symbols
            if symbol["st_shndx"] != "SHN_UNDEF" and symbol["st_info"]["bind"] in {"STB_GLOBAL", "STB_WEAK"}
        }
    intended = {name for name in exported if name.startswith(("MPI_", "PMPI_", "LEADLINE_"))}
    assert len(intended) > 1000
    posix = exported - intended
    assert not {name for name in posix if name.startswith("_Z")}, "C++ names would be the program's too"


def test_the_recorder_is_silent_in_a_program_without_mpi() -> None:
    environ = {**os.environ, "LD_PRELOAD": str(library_path())}
    done = subprocess.run(["/bin/echo", "hello"], env=environ, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "hello\n", "")


@pytest.mark.ci  # builds everything again
@pytest.mark.timeout(1700)
def test_pip_install_gives_a_working_leadline(tmp_path: Path, mpich: mpi.Library, tiny: Tiny) -> None:
    prefix = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", prefix], check=True)
    install = [prefix / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check"]
    # What is tested is what is compiled and what goes where; the compiler has done its part for ./dev.
    settings = [f"build-dir={tmp_path / 'build'}"]
    ninja = shutil.which("ninja", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if ninja and (BUILT / "compile_commands.json").exists():
        table = tmp_path / "objects.json"
        table.write_text(json.dumps(reused_objects.reusable(BUILT, ninja)))
        launcher = f"{sys.executable};-S;-E;{reused_objects.__file__};{table};{BUILT}"
        settings.append(f"cmake.define.CMAKE_CXX_COMPILER_LAUNCHER={launcher}")
        # ./dev compiles each source alone; test_compiled_together.py has them as pip compiles them.
        settings.append("cmake.define.CMAKE_UNITY_BUILD=OFF")
    build = [*(f"--config-settings={setting}" for setting in settings), str(ROOT)]
    subprocess.run([*install, *build], check=True, timeout=1500, cwd=tmp_path)
    leadline = prefix / "bin" / "leadline"
    assert (prefix / "share" / "man" / "man1" / "leadline-report.1").stat().st_size > 0
    environ = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "LEADLINE_MPI_HOME": str(mpi.home())}

    def run(*words: str | Path) -> str:
        done = subprocess.run(
            [leadline, *words], cwd=tmp_path, env=environ, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("record", "-o", "run", "--", *mpich.launch(2), tiny(mpich))
    assert len(traces(tmp_path / "run")) == 2
    assert '"schema"' in run("report", "run", "--json")
    page = (tmp_path / run("report", "run", "--html").strip()).read_text()
    placed = ROOT / "python" / "leadline" / "report" / "page" / "from_npm" / "uPlot.js"
    assert ("leeoniya/uPlot" in page) == placed.is_file()
    assert "opatm" in run("workload", "list")
    built = Path(run("workload", "build", "unexpected", "--mpi", "mpich").strip())
    assert built.is_file()
    assert tmp_path in built.parents
    for part in ("segments", "fieldio"):
        sources = Path(run("config", f"--{part}").strip())
        assert tmp_path in sources.parents
        assert (sources / f"leadline_{part}.h").is_file()
        assert (sources / f"leadline_{part}.f90").is_file()
        subprocess.run([prefix / "bin" / "python", "-c", f"import leadline.{part}"], cwd=tmp_path, check=True)
    measured = json.loads(run("bench", "allreduce", "--algorithms", "native,ring", "--sizes", "8", *FEW))
    assert {(row["algorithm"], row["bytes"], row["correct"]) for row in measured["rows"]} == {
        ("native", 8, True),
        ("ring", 8, True),
    }
    run("doctor")

"""Programs that cannot be recorded: a clear message and exit code 3, no crash."""

import shlex
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from leadline import mpi
from leadline.launch.executable import inspect
from leadline.launch.explain import judge
from leadline.launch.loading import family_of, mpi_library_of
from leadline.toml import load

from .conftest import Command, Tiny, traces


def test_a_program_without_mpi_is_said_to_be_none(leadline: Command) -> None:
    ended = leadline("record", "--", "true")
    assert ended.code == 3, ended.everything
    assert "not an MPI program" in ended.err


def test_a_program_without_mpi_under_mpiexec(leadline: Command, mpich: mpi.Library) -> None:
    # Not `true`: Hydra may die of SIGPIPE when its processes end before it has passed on its input. Nor `cat`, which
    # would wait for that: at times Hydra never tells it that the input has ended.
    ended = leadline("record", "--", *mpich.launch(2), "sleep", "2")
    assert ended.code == 3, ended.everything
    assert "not an MPI program" in ended.err


def test_a_failing_program_keeps_its_code(leadline: Command) -> None:
    ended = leadline("run", "--", "false")
    assert ended.code == 1, ended.everything
    assert "nothing was recorded" in ended.err


@pytest.mark.parametrize("code", [0, 7])
def test_a_script_that_records_by_itself(leadline: Command, mpich: mpi.Library, tiny: Tiny, code: int) -> None:
    words = shlex.join([*map(str, Command.words), "run", "-q", "-o", "inner", "--"])
    launch = shlex.join([*map(str, mpich.launch(2)), str(tiny(mpich))])
    script = leadline.directory / "nested.sh"
    script.write_text(f"#!/bin/sh\n# not: leadline run\n{words} {launch} || exit 99\nexit {code}\n")
    script.chmod(0o755)
    ended = leadline("run", "-o", "outer", "--", script, environ=mpich.environ)
    assert ended.code == code, ended.everything
    assert "nothing was recorded in outer: nested.sh records its programs itself with `leadline run`" in ended.err
    assert "LD_PRELOAD" not in ended.err
    assert len(traces(leadline.directory / "inner")) == 2


def test_a_script_that_starts_no_mpi(leadline: Command) -> None:
    ended = leadline("record", "--", "bash", "-c", "exit 0")
    assert ended.code == 3, ended.everything
    assert "called MPI" in ended.err


def test_exec_within_the_command_may_record_elsewhere(
    leadline: Command, mpich: mpi.Library, tiny: Tiny, tmp_path: Path
) -> None:
    inner = [sys.executable, "-m", "leadline", "exec", "-o", tmp_path / "inner", tiny(mpich)]
    ended = leadline("record", "-o", tmp_path / "outer", "--", *mpich.launch(1), *inner)
    assert ended.code == 3, ended.everything
    assert f"`leadline exec` in this command records to {tmp_path / 'inner'}" in " ".join(ended.err.split())
    assert list((tmp_path / "inner").glob("*.trace"))


def test_doctor_names_a_folder_of_libraries_that_all_may_write(leadline: Command, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    ended = leadline("doctor", environ={"LEADLINE_MPI_HOME": str(tmp_path)})
    assert "is unsafe for executables: world-writable" in " ".join(ended.out.split()), ended.everything
    assert "launchers" in ended.out


def test_a_program_that_may_load_mpi_is_not_said_to_be_none(leadline: Command, tmp_path: Path) -> None:
    program = tmp_path / "loads"
    source = '#include <dlfcn.h>\nint main(void) { return dlopen("libno.so", RTLD_NOW) != 0; }'
    subprocess.run(["gcc", "-x", "c", "-", "-o", program, "-ldl"], input=source, text=True, check=True)
    assert "if it loads one (dlopen), its calls are recorded" in " ".join(leadline("doctor", "--", program).out.split())
    ended = leadline("record", "--", program)
    assert ended.code == 3, ended.everything
    assert "not an MPI program" not in ended.err


@pytest.fixture
def static_program(tmp_path: Path) -> Path:
    program = tmp_path / "static"
    done = subprocess.run(
        ["gcc", "-static", "-x", "c", "-", "-o", program], input="int main(){return 0;}", text=True, check=False
    )
    if done.returncode != 0:
        pytest.skip("no static C library here")
    return program


def test_a_statically_linked_program_is_named_as_such(leadline: Command, static_program: Path) -> None:
    ended = leadline("record", "--", static_program)
    assert ended.code == 3, ended.everything
    assert "statically linked" in ended.err
    assert "statically linked" in leadline("doctor", "--", static_program).out


def test_mpi_linked_statically_into_a_program_is_named(tmp_path: Path) -> None:
    program = tmp_path / "inside"
    source = "int MPI_Init(int* c, char*** v) { return 0; } int main(void) { return MPI_Init(0, 0); }"
    subprocess.run(["gcc", "-x", "c", "-", "-o", program], input=source, text=True, check=True)
    found = inspect(str(program))
    assert found is not None
    assert "links MPI statically" in judge(found).reason


def test_a_program_in_the_working_directory_is_asked_for_its_libraries(
    tmp_path: Path, mpich: mpi.Library, tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(tiny(mpich), tmp_path / "app")
    monkeypatch.chdir(tmp_path)
    relative, absolute = inspect("./app"), inspect(str(tmp_path / "app"))
    assert relative is not None
    assert absolute is not None
    assert Path(relative.mpi_library).is_absolute()
    assert (relative.mpi_library, relative.libraries) == (absolute.mpi_library, absolute.libraries)


def elf_header(bits: int, machine: int) -> bytes:
    """A file that any reader takes for an executable of that architecture, with no segments."""
    ident = b"\x7fELF" + bytes([1 if bits == 32 else 2, 1, 1]) + bytes(9)
    if bits == 32:
        return ident + struct.pack("<HHIIIIIHHHHHH", 2, machine, 1, 0, 0, 0, 0, 52, 32, 0, 40, 0, 0)
    return ident + struct.pack("<HHIQQQIHHHHHH", 2, machine, 1, 0, 0, 0, 0, 64, 56, 0, 64, 0, 0)


@pytest.mark.parametrize(("bits", "machine", "name"), [(32, 3, "32-bit x86"), (64, 183, "ARM"), (64, 21, "PPC64")])
def test_another_architecture_is_named(leadline: Command, tmp_path: Path, bits: int, machine: int, name: str) -> None:
    program = tmp_path / "foreign"
    program.write_bytes(elf_header(bits, machine))
    program.chmod(0o755)
    ended = leadline("doctor", "--", program)
    assert ended.code == 3, ended.everything
    assert "another architecture" in " ".join(ended.out.split())
    assert name in " ".join(ended.out.split())
    for command in ("record", "exec"):
        ended = leadline(command, "--", program)
        assert ended.code == 126, ended.everything
        assert "another architecture" in ended.err


def test_another_architecture_under_mpiexec_is_named(leadline: Command, tmp_path: Path, mpich: mpi.Library) -> None:
    program = tmp_path / "foreign"
    program.write_bytes(elf_header(64, 183))
    program.chmod(0o755)
    ended = leadline("record", "--", *mpich.launch(2), program)
    assert ended.code not in {0, 3}, ended.everything
    assert "another architecture" in ended.err


@pytest.mark.parametrize("length", [4, 5, 16, 20, 40, 52, 63])
def test_a_cut_executable_is_no_crash(leadline: Command, tmp_path: Path, length: int) -> None:
    program = tmp_path / "cut"
    program.write_bytes(elf_header(64, 62)[:length])
    program.chmod(0o755)
    found = inspect(str(program))
    assert found is not None
    assert judge(found).answer == "no"


def test_a_set_user_id_program_is_named(tmp_path: Path) -> None:
    program = tmp_path / "privileged"
    program.write_bytes(Path("/bin/true").read_bytes())
    program.chmod(0o4755)
    found = inspect(str(program))
    assert found is not None
    assert "LD_PRELOAD" in judge(found).reason


def test_an_unknown_library_is_named(tmp_path: Path) -> None:
    library, program = tmp_path / "libmpi.so.99", tmp_path / "odd"
    words = ["gcc", "-shared", "-fPIC", "-x", "c", "-", "-Wl,-soname,libmpi.so.99", "-o", library]
    subprocess.run(words, input="int MPI_Init(int*c,char***v){return 0;}", text=True, check=True)
    words = ["gcc", "-x", "c", "-", "-x", "none", library, f"-Wl,-rpath,{tmp_path}", "-o", program]
    source = "int MPI_Init(int*,char***); int main(){return MPI_Init(0,0);}"
    subprocess.run(words, input=source, text=True, check=True)
    found = inspect(str(program))
    assert found is not None
    assert "libmpi.so.99" in judge(found).reason
    assert judge(found).answer == "no"


def test_a_missing_shared_library_is_named(tmp_path: Path) -> None:
    library, program = tmp_path / "libgone.so.1", tmp_path / "needs"
    words = ["gcc", "-shared", "-fPIC", "-x", "c", "-", "-Wl,-soname,libgone.so.1", "-o", library]
    subprocess.run(words, input="int gone(void){return 0;}", text=True, check=True)
    words = ["gcc", "-x", "c", "-", "-x", "none", library, "-o", program]
    subprocess.run(words, input="int gone(void); int main(){return gone();}", text=True, check=True)
    library.unlink()
    found = inspect(str(program))
    assert found is not None
    assert "libgone.so.1" in judge(found).reason


@pytest.mark.parametrize(
    "family", sorted((Path(__file__).parents[2] / "api" / "abi").glob("*.toml")), ids=lambda p: p.stem
)
def test_the_library_of_every_family_is_known(family: Path) -> None:
    for beginning in load(family)["libraries"]:
        name = beginning if ".so" in beginning else f"{beginning}.so.12"
        assert family_of(f"/opt/mpi/lib/{name}") not in ("", "unknown"), name
        # The bindings of a language are not the library, in whatever order they are listed.
        for bindings in ("libmpi_cxx.so.40", "libmpi_mpifh.so.40", "libmpi_usempif08.so.40", "libmpi_java.so.40"):
            for libraries in ([bindings, f"/opt/{name}"], [f"/opt/{name}", bindings]):
                assert mpi_library_of(["/lib/libc.so.6", *libraries]) == f"/opt/{name}"
    assert mpi_library_of(["libmpi_cxx.so.40", "libmpi.so.99"]) == "libmpi.so.99"
    assert mpi_library_of(["libm.so.6"]) == ""

"""Until main() begins, nothing is changed of what a program can read of its own state."""

import os
import subprocess
import sys
from pathlib import Path

from .building import Builder
from .libraries import Library, quiet_environment
from .running import run


def test_state_before_main_is_as_without_the_recorder(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    # Without mpiexec, which may give descriptors other numbers.
    words, environment = [str(builder.cxx(one_of_each_family, "host_state.cpp"))], quiet_environment(one_of_each_family)
    plain = run(words, environment=environment, cwd=tmp_path)
    ours = {"LD_PRELOAD": str(recorder), "LEADLINE_DIR": str(tmp_path / "run")}
    recorded = run(words, environment={**environment, **ours}, cwd=tmp_path)
    assert recorded.returncode == plain.returncode == 0, recorded.stderr
    assert recorded.stdout.splitlines() == plain.stdout.splitlines()
    assert "main: errno" in plain.stdout
    assert len(list((tmp_path / "run").glob("*.trace"))) == 1


def test_errno_is_zero_when_main_begins(recorder: Path, tmp_path: Path) -> None:
    """Libraries of MPI leave errno changed when they are loaded: a program without any shows what we do."""
    source, program = tmp_path / "begin.c", tmp_path / "begin"
    source.write_text(
        "#include <errno.h>\nstatic int early = -1;\n"
        "__attribute__((constructor)) static void begin(void) { early = errno; }\n"
        "int main(void) { return early ? 1 : errno ? 2 : 0; }\n"
    )
    subprocess.run(["cc", source, "-o", program], check=True)
    ours = {"LD_PRELOAD": str(recorder), "LEADLINE_DIR": str(tmp_path / "run")}
    assert run([str(program)], environment={}, cwd=tmp_path).returncode == 0
    assert run([str(program)], environment=ours, cwd=tmp_path).returncode == 0


def test_a_launched_program_gets_the_environment_and_signals_of_a_shell(
    one_of_each_family: Library, builder: Builder, tmp_path: Path
) -> None:
    program = str(builder.cxx(one_of_each_family, "host_state.cpp"))
    # In the locale "C" Python sets LC_CTYPE for itself and for what it starts.
    environ = {"PATH": os.environ["PATH"], **one_of_each_family.environ}
    environ.pop("LC_CTYPE", None)

    def said(*words: str) -> list[str]:
        done = subprocess.run(
            [*words, program, "stderr"], cwd=tmp_path, env=environ, capture_output=True, text=True, check=False
        )
        lines = done.stderr.splitlines()
        return [line for line in lines if line.startswith(("C constructor", "constructor", "main", "strtol"))]

    plain = said()
    assert len(plain) == 4
    for command in (["record", "--"], ["exec"]):
        assert said(sys.executable, "-m", "leadline", *command) == plain, command

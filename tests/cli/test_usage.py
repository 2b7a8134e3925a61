"""Wrong usage and things that are missing: a message on standard error, and the documented code."""

import importlib
import keyword
import os
import shutil
from pathlib import Path

import click
import pytest

from leadline import mpi
from leadline.cli.command import COMMANDS
from leadline.cli.settings import OPTIONS, PARAMETERS, default_map
from leadline.launch.explain import why_nothing
from leadline.launch.inside import InsideJob, OwnRank
from leadline.launch.launcher import Launcher
from leadline.launchers import LAUNCHERS, OTHER

from .conftest import Command, InProcess, Tiny, traces


@pytest.mark.parametrize(
    "arguments",
    [(), ("nonsense",), ("record",), ("record", "--"), ("record", "--nonsense", "--", "true"), ("report", "a", "b")],
    ids=str,
)
def test_wrong_usage_is_2(in_process: InProcess, arguments: tuple[str, ...]) -> None:
    ended = in_process(*arguments)
    assert ended.code == 2, ended.everything
    assert ended.out == ""
    assert ended.err


@pytest.mark.parametrize("name", ["run", "record", "exec"])
@pytest.mark.parametrize(
    ("words", "rate", "program"),
    [
        ("--sample mpiexec -n 2 ./app --sample x", "97", "mpiexec -n 2 ./app --sample x"),
        ("-o DIR --sample ./app", "97", "./app"),
        ("--sample -o DIR ./app", "97", "./app"),
        ("--sample -- 1.sh", "97", "1.sh"),
        ("--sample 997 mpiexec ./app", "997", "mpiexec ./app"),
        ("--sample=997 mpiexec ./app", "997", "mpiexec ./app"),
        ("-o DIR ./app --sample x", None, "./app --sample x"),
    ],
)
def test_sample_without_a_rate_may_stand_before_the_command(
    name: str, words: str, rate: str | None, program: str
) -> None:
    context = importlib.import_module(f"leadline.cli.{name}").command.make_context(name, words.split())
    assert context.params["sample"] == rate
    assert context.params["program"] == tuple(program.split())


def test_version_and_help(leadline: Command, in_process: InProcess) -> None:
    assert leadline("--version").out.startswith("leadline, version ")
    for command in ("run", "record", "report", "exec", "doctor", "workload"):
        ended = in_process(command, "--help")
        assert ended.code == 0
        assert ended.out.startswith("Usage: leadline ")


def test_an_unknown_command_is_127_and_makes_no_directory(leadline: Command) -> None:
    ended = leadline("record", "--", "no-such-command-anywhere")
    assert ended.code == 127
    assert "no-such-command-anywhere" in ended.err
    assert list(leadline.directory.iterdir()) == []


def test_what_cannot_be_executed_is_126(leadline: Command) -> None:
    (leadline.directory / "plain").write_text("text")
    assert leadline("record", "--", "./plain").code == 126
    assert leadline("record", "--", "/").code == 126


def test_a_directory_in_use_is_refused(leadline: Command, mpich: mpi.Library, tiny: Tiny) -> None:
    old = leadline.directory / "run"
    old.mkdir()
    (old / "something").write_text("precious")
    ended = leadline("record", "-o", "run", "--", tiny(mpich))
    assert ended.code == 2, ended.everything
    assert "not empty" in ended.err
    assert ended.out == ""
    assert [path.name for path in old.iterdir()] == ["something"]


def test_an_empty_directory_is_used(leadline: Command, mpich: mpi.Library, tiny: Tiny) -> None:
    (leadline.directory / "run").mkdir()
    assert leadline("record", "-o", "run", "--", tiny(mpich)).code == 0
    assert len(traces(leadline.directory / "run")) == 1


def test_a_directory_that_cannot_be_made_is_2(leadline: Command) -> None:
    (leadline.directory / "file").write_text("")
    ended = leadline("record", "-o", "file/run", "--", "true")
    assert ended.code == 2, ended.everything
    assert "file/run" in ended.err


def test_a_missing_recorder_is_5(leadline: Command) -> None:
    ended = leadline("record", "--", "true", environ={"LEADLINE_RECORDER": "/nonexistent/libleadline.so"})
    assert ended.code == 5
    assert "/nonexistent/libleadline.so" in ended.err


def test_a_comparison_with_what_is_not_there_says_so(in_process: InProcess) -> None:
    ended = in_process("compare", "a", "b")
    assert (ended.code, "no such directory: a" in ended.err) == (2, True), ended.everything
    assert "is not a file" not in ended.err


def test_commands_in_hints_are_quoted_for_the_shell(tmp_path: Path, mpich: mpi.Library, tiny: Tiny) -> None:
    started = InsideJob(OwnRank(0, 4, "mpiexec"), "run", ["./my app", "a b", "$(x)", "--token=1"])
    assert "leadline run -- mpiexec -n 4 './my app' 'a b' '$(x)' '--token=***', or" in started.hint
    program = shutil.copy(tiny(mpich), tmp_path / "my app")
    verdict = why_nothing(["/opt/my launcher", str(program)], Launcher(OTHER, "/opt/my launcher", "", 0), tmp_path)
    assert f"try: 'my launcher' … leadline exec '{program}' …" in verdict.hint


@pytest.mark.parametrize("exit_code", [0, 1, None])
def test_a_launcher_that_failed_is_the_first_suspect(
    exit_code: int | None, tmp_path: Path, mpich: mpi.Library, tiny: Tiny
) -> None:
    program = str(tiny(mpich))
    verdict = why_nothing(["/opt/mpiexec", program], Launcher(LAUNCHERS[0], "/opt/mpiexec", "", 0), tmp_path, exit_code)
    assert ("mpiexec did not start them, or they ended before" in verdict.reason) == bool(exit_code)
    assert verdict.hint.startswith("if mpiexec says above what is wrong, mend that first") == bool(exit_code)
    assert "must exist and be writable" in verdict.hint


def test_a_report_of_nothing(in_process: InProcess) -> None:
    assert in_process("report", "nowhere").code == 2
    assert in_process("report").code == 2
    (in_process.directory / "empty").mkdir()
    assert in_process("report", "empty").code == 4


@pytest.mark.parametrize("size", ["much", "-3", "64XB", "MB"])
def test_a_budget_that_is_no_size_is_2(in_process: InProcess, size: str) -> None:
    assert in_process("record", f"--budget={size}", "--", "true").code == 2


class TestSettings:
    """Option over variable over the project's file over the user's."""

    @pytest.fixture
    def user(self, leadline: Command) -> dict[str, str]:
        folder = leadline.directory / "home" / "leadline"
        folder.mkdir(parents=True)
        (folder / "config.toml").write_text('[record]\noutput = "by-user"\n')
        return {"XDG_CONFIG_HOME": str(folder.parent)}

    def recorded(self, leadline: Command, *arguments: str, environ: dict[str, str]) -> set[str]:
        assert leadline("record", *arguments, "--", "true", environ=environ).code == 3
        found = {path.name for path in leadline.directory.iterdir() if path.name.startswith("by-")}
        for name in found:
            shutil.rmtree(leadline.directory / name)
        return found

    def test_each_wins_over_the_next(self, leadline: Command, user: dict[str, str]) -> None:
        assert self.recorded(leadline, environ=user) == {"by-user"}
        (leadline.directory / "leadline.toml").write_text('[record]\noutput = "by-project"\n')
        assert self.recorded(leadline, environ=user) == {"by-project"}
        environ = {**user, "LEADLINE_OUTPUT": "by-variable"}
        assert self.recorded(leadline, environ=environ) == {"by-variable"}
        assert self.recorded(leadline, "-o", "by-option", environ=environ) == {"by-option"}

    @pytest.mark.parametrize("command", COMMANDS)
    def test_keys_reach_the_commands_that_have_such_an_option(
        self, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "leadline.toml").write_text('mpi = "some"\nranks = 3\njson = true\nquiet = true\n')
        monkeypatch.chdir(tmp_path)
        given = default_map(set(COMMANDS))[command]
        found = importlib.import_module(f"leadline.cli.{command}{'_' * keyword.iskeyword(command)}").command
        if isinstance(found, click.Group):
            assert all(
                set(values) <= {parameter.name for parameter in found.commands[name].params}
                for name, values in given.items()
            )
        else:
            assert set(given) <= {parameter.name for parameter in found.params}

    @pytest.mark.parametrize("name", ["bench", "tune", "apply"])
    def test_options_of_measurements_are_variables_and_keys_reach_them(self, name: str) -> None:
        found = importlib.import_module(f"leadline.cli.{name}").command
        options = {p.name: p for p in found.params if isinstance(p, click.Option)}
        assert [option.name for option in options.values() if not option.envvar] == []
        keys = {PARAMETERS.get(key, key) for key, commands in OPTIONS.items() if name in commands}
        assert keys <= set(options)

    def test_the_library_is_taken_from_the_file(self, leadline: Command) -> None:
        (leadline.directory / "leadline.toml").write_text('mpi = "no-such-library"\n')
        ended = leadline("workload", "build", "opatm")
        assert ended.code == 2, ended.everything
        assert "no-such-library" in ended.err

    @pytest.mark.parametrize(
        "text", ["output = ", "colour = 1", "[nonsense]", "[record]\ncolour = 1", '[report]\noutput="x"']
    )
    def test_a_bad_file_is_2_and_named(self, leadline: Command, text: str) -> None:
        (leadline.directory / "leadline.toml").write_text(text)
        ended = leadline("record", "--", "true")
        assert ended.code == 2, ended.everything
        assert "leadline.toml" in ended.err


@pytest.mark.skipif(os.geteuid() != 0, reason="root is needed to become someone else")
class TestAsAnOrdinaryUser:
    """Runs as the user "nobody", started by root."""

    def as_nobody(self, leadline: Command, *words: str | Path) -> tuple[str, ...]:
        setpriv = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--")
        return (*setpriv, *Command.words, *map(str, words))

    def test_recording_works(self, leadline: Command, mpich: mpi.Library, tiny: Tiny) -> None:
        if not reachable(leadline, tiny(mpich)):
            pytest.skip("the checkout or Python is in a folder that only root may enter")
        (leadline.directory / "open").mkdir(mode=0o777)
        (leadline.directory / "open").chmod(0o777)
        words = self.as_nobody(leadline, "record", "-o", "open/run", "--", *mpich.launch(2), tiny(mpich))
        ended = leadline.plain(*words, environ={"HOME": str(leadline.directory)})
        assert ended.code == 0, ended.everything
        assert len(traces(leadline.directory / "open" / "run")) == 2

    def test_an_unwritable_directory_is_2(self, leadline: Command, mpich: mpi.Library, tiny: Tiny) -> None:
        if not reachable(leadline, tiny(mpich)):
            pytest.skip("the checkout or Python is in a folder that only root may enter")
        (leadline.directory / "closed").mkdir(mode=0o755)
        ended = leadline.plain(*self.as_nobody(leadline, "record", "-o", "closed/run", "--", "true"))
        assert ended.code == 2, ended.everything
        assert "closed/run" in ended.err
        ended = leadline.plain(*self.as_nobody(leadline, "record", "-o", "closed", "--", "true"))
        assert ended.code == 2, ended.everything
        assert "cannot write to" in ended.err


def reachable(leadline: Command, program: Path) -> bool:
    """Opens the temporary folders on the way for everyone; says whether Python itself can be run by everyone."""
    for folder in (*leadline.directory.parents, *program.parents, leadline.directory):
        if "pytest-of-" in str(folder):
            folder.chmod(folder.stat().st_mode | 0o055)
    setpriv = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--")
    return leadline.plain(*setpriv, *Command.words, "--version").code == 0


@pytest.mark.parametrize(
    ("name", "size", "said"),
    [
        ("budget", "64", "write 64MB for megabytes"),
        ("budget", "999999", "999999B for bytes"),
        ("series", "8192", "8192B for bytes"),
        ("memory", "64", "write 64MB for megabytes"),
        ("budget", "10kB", "the minimum is 64kB"),
        ("budget", "62KiB", "the minimum is 64kB"),
        ("budget", "0", "the minimum is 64kB"),
        ("memory", "1MB", "the minimum is 4MB"),
        ("series", "1k", "--series none"),
    ],
)
def test_a_budget_too_small_to_be_meant_is_2(in_process: InProcess, name: str, size: str, said: str) -> None:
    as_option = in_process("record", f"--{name}={size}", "--", "true")
    as_variable = in_process("run", "--", "true", environ={f"LEADLINE_{name.upper()}": size})
    (in_process.directory / "leadline.toml").write_text(f'{name} = "{size}"\n')
    as_key = in_process("exec", "--", "true")
    for ended in (as_option, as_variable, as_key):
        assert ended.code == 2, ended.everything
        assert said in ended.err
        assert ended.out == ""
    assert [path.name for path in in_process.directory.iterdir()] == ["leadline.toml"]

"""Shared machines: what others own is not followed, not obeyed, and not written through.

Root runs the command; the user "nobody" has prepared what it meets. The other way round, a child becomes nobody.
"""

import importlib
import json
import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from leadline import mpi, nodes, run_directory
from leadline.__main__ import main
from leadline.cli import reporting, settings
from leadline.cli.command import COMMANDS
from leadline.errors import UsageError
from leadline.masking import masked_words
from leadline.tuning.made_for import version_of

from .conftest import Command, Tiny, description, traces

NOBODY, DAEMON = 65534, 1
SECRET = "what only root may read"
HOST = socket.gethostname()[:64]
TABLE = """schema = 1
[[rule]]
operation = "bcast"
processes = [1, 64]
bytes = [1, 1024]
algorithm = "native"
"""


def can_give_files_away() -> bool:
    """Only root can, and not in a container without other users."""
    if os.geteuid() != 0:
        return False
    with tempfile.NamedTemporaryFile() as file:
        try:
            os.chown(file.name, NOBODY, NOBODY)
        except OSError:
            return False
    return True


as_root = pytest.mark.skipif(not can_give_files_away(), reason="files cannot be given to someone else here")


def given_to(user: int, *paths: Path) -> None:
    for path in paths:
        os.chown(path, user, user, follow_symlinks=False)


def opened_for_all(folder: Path) -> None:
    """Lets other users into the temporary folders of the tests."""
    for each in (folder, *folder.parents):
        if "pytest-of-" in str(each):
            each.chmod(each.stat().st_mode | 0o055)


def as_nobody(action: Callable[[], object]) -> None:
    """Runs the action in a child that has become nobody; fails if it raises."""
    child = os.fork()
    if not child:
        code = 1
        try:
            importlib.import_module("pwd")  # Python itself may lie where only root may enter
            importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            action()
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.fixture
def secret(leadline: Command) -> Path:
    path = leadline.directory / "secret"
    path.write_text(SECRET)
    path.chmod(0o600)
    return path


@as_root
class TestCollect:
    @pytest.fixture
    def run(self, leadline: Command, secret: Path) -> Path:
        """A run of nobody's, with a killed process's recording on this node, and what an attacker would add."""
        run, folder = leadline.directory / "run", leadline.directory / "leadline-65534-0"
        run.mkdir()
        folder.mkdir(mode=0o700)
        (run / f"{HOST}.away").write_text(f"{folder}\n")
        (folder / f"{HOST}-99998.live").write_text("a recording")
        (folder / f"{HOST}-99998.live").chmod(0o640)
        (folder / f"{HOST}-99999.live").symlink_to(secret)
        (folder / f"{HOST}.ends").write_text("99998 1700000000000000000\n")
        (leadline.directory / "profile").write_text("root's\n")
        (run / f"{HOST}.ends").symlink_to(leadline.directory / "profile")
        given_to(NOBODY, run, folder, *run.iterdir(), *folder.iterdir())
        return run

    def test_a_strangers_directory_is_refused(self, leadline: Command, run: Path) -> None:
        before = sorted(run.iterdir())
        ended = leadline("collect", "run")
        assert ended.code == 2, ended.everything
        assert "owned by nobody" in ended.err
        assert "--shared-directory" in ended.err
        assert sorted(run.iterdir()) == before

    def test_nothing_is_disclosed_or_written_through_a_link(self, leadline: Command, run: Path) -> None:
        ended = leadline("collect", "run", "--shared-directory")
        assert ended.code == 0, ended.everything
        assert f"{HOST}-99999.live: it is a symbolic link, or not owned by" in ended.err
        assert not (run / f"{HOST}-99999.live").exists()
        assert (leadline.directory / "profile").read_text() == "root's\n"
        assert (run / f"{HOST}.ends").read_text() == "99998 1700000000000000000\n"
        for path in run.iterdir():
            assert SECRET not in path.read_text()
        collected = run / f"{HOST}-99998.live"
        assert collected.read_text() == "a recording"
        assert (collected.stat().st_uid, stat.S_IMODE(collected.stat().st_mode)) == (NOBODY, 0o640)

    def test_a_recording_with_another_name_elsewhere_is_left_alone(self, leadline: Command, run: Path) -> None:
        folder = leadline.directory / "leadline-65534-0"
        os.link(leadline.directory / "profile", folder / f"{HOST}-99997.live")
        assert leadline("collect", "run", "--shared-directory").code == 0
        assert not (run / f"{HOST}-99997.live").exists()

    def test_a_folder_of_somebody_else_is_left_alone(self, leadline: Command, run: Path) -> None:
        given_to(0, leadline.directory / "leadline-65534-0")
        ended = leadline("collect", "run", "--shared-directory")
        assert "leadline-65534-0: it is a symbolic link, or not owned by" in ended.err, ended.everything
        assert not list(run.glob("*.live"))
        assert nodes.on_nodes(run) == []

    def test_a_pointer_to_roots_folder_gives_nobody_nothing(self, leadline: Command, run: Path) -> None:
        folder = leadline.directory / "leadline-65534-0"
        folder.chmod(0o755)
        given_to(DAEMON, folder, *folder.iterdir())
        opened_for_all(leadline.directory)
        as_nobody(lambda: nodes.collect(run))
        assert not list(run.glob("*.live"))
        assert len(list(folder.glob("*.live"))) == 2


@as_root
class TestDirectories:
    def test_one_of_somebody_else_is_refused(self, leadline: Command, mpich: mpi.Library, tiny: Tiny) -> None:
        run = leadline.directory / "run"
        run.mkdir()
        given_to(NOBODY, run)
        ended = leadline("record", "-o", "run", "--", tiny(mpich))
        assert ended.code == 2, ended.everything
        assert "owned by nobody" in ended.err
        assert list(run.iterdir()) == []
        ended = leadline("record", "-o", "run", "--shared-directory", "--", tiny(mpich))
        assert ended.code == 0, ended.everything
        assert len(traces(run)) == 1

    @pytest.mark.parametrize(
        ("mode", "group", "said"),
        [(0o777, 0, "world-writable"), (0o1777, 0, "world-writable"), (0o775, 1, "writable by group")],
    )
    def test_one_that_others_can_write_is_refused(self, tmp_path: Path, mode: int, group: int, said: str) -> None:
        (tmp_path / "run").mkdir()
        os.chown(tmp_path / "run", 0, group)
        (tmp_path / "run").chmod(mode)
        with pytest.raises(UsageError, match=said):
            run_directory.new_directory(str(tmp_path / "run"), "app")
        assert run_directory.new_directory(str(tmp_path / "run"), "app", shared=True) == tmp_path / "run"

    def test_a_link_of_somebody_else_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "mine").mkdir()
        (tmp_path / "run").symlink_to(tmp_path / "mine")
        given_to(NOBODY, tmp_path / "run")
        with pytest.raises(UsageError, match="symbolic link owned by nobody"):
            run_directory.new_directory(str(tmp_path / "run"), "app")

    def test_one_of_the_users_own_group_is_used(self, tmp_path: Path) -> None:
        (tmp_path / "run").mkdir()
        (tmp_path / "run").chmod(0o775)
        assert run_directory.new_directory(str(tmp_path / "run"), "app") == tmp_path / "run"

    def test_the_folder_of_all_runs_is_refused_too(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "leadline-runs").mkdir()
        given_to(NOBODY, tmp_path / "leadline-runs")
        with pytest.raises(UsageError, match="owned by nobody"):
            run_directory.new_directory(None, "app")

    def test_exec_runs_the_program_and_says_why_it_is_not_recorded(
        self, leadline: Command, mpich: mpi.Library, tiny: Tiny
    ) -> None:
        runs = leadline.directory / "leadline-runs"
        runs.mkdir()
        given_to(NOBODY, runs)
        words = [*mpich.launch(2), *Command.words, "exec"]
        ended = leadline.plain(*words, tiny(mpich), environ=mpich.environ)
        assert ended.code == 0, ended.everything
        assert "ranks=2 sum=2" in ended.out
        assert ended.err.count("it belongs to somebody else") == 1, ended.everything
        assert list(runs.iterdir()) == []
        ended = leadline.plain(*words, "--shared-directory", tiny(mpich), environ=mpich.environ)
        assert [len(traces(run)) for run in runs.iterdir()] == [2], ended.everything

    def test_exec_records_into_a_directory_of_its_own_only(
        self, leadline: Command, mpich: mpi.Library, tiny: Tiny
    ) -> None:
        run = leadline.directory / "run"
        run.mkdir()
        run.chmod(0o777)
        words = [*Command.words, "exec", "-o", "run", str(tiny(mpich))]
        ended = leadline.plain(*words)
        assert (ended.code, list(run.iterdir())) == (0, []), ended.everything
        assert "world-writable" in ended.err


class TestLinksAndPipes:
    @pytest.fixture
    def run(self, leadline: Command, mpich: mpi.Library, tiny: Tiny) -> Path:
        assert leadline("record", "-o", "run", "--", tiny(mpich)).code == 0
        return leadline.directory / "run"

    def test_reports_replace_links(self, run: Path, secret: Path) -> None:
        names = ("report.txt", "report.json", "report.html", "symbols.json")
        for name in names:
            (run / name).unlink(missing_ok=True)
            (run / name).symlink_to(secret)
        reporting.summarise(run, quiet=True, exit_code=0)
        assert secret.read_text() == SECRET
        assert [name for name in names if (run / name).is_symlink()] == []

    @pytest.mark.parametrize("planted", ["link", "file"])
    def test_what_lies_where_the_recorder_writes_is_neither_written_through_nor_kept(
        self, leadline: Command, mpich: mpi.Library, tiny: Tiny, secret: Path, planted: str
    ) -> None:
        user = NOBODY if can_give_files_away() else os.geteuid()
        # The program is preceded by a shell of the same number, which knows the names that the recorder will take.
        secret.chmod(0o666)
        make = {"link": f"ln -s {secret} $name", "file": "echo theirs > $name; chmod 666 $name"}[planted]
        names = " ".join(f"planted/{HOST}-$$.{suffix}" for suffix in ("shared", "live", "part", "0.tmp"))
        script = f'for name in {names}; do {make}; chown -h {user} $name; done; exec "$@"'
        ended = leadline("record", "-o", "planted", "--", "sh", "-c", script, "sh", tiny(mpich))
        assert ended.code == 0, ended.everything
        assert secret.read_text() == SECRET
        planted_run = leadline.directory / "planted"
        assert leadline("report", planted_run).code == 0
        structures = [path for path in planted_run.iterdir() if path.suffix == ".structure"]
        assert [path.is_symlink() or path.stat().st_uid != os.geteuid() for path in structures] == [False]
        assert structures[0].stat().st_mode & 0o022 == 0
        assert len([*planted_run.glob("rank-*.trace")]) == 1

    @as_root
    def test_every_command_says_that_a_run_is_somebody_elses(
        self, leadline: Command, run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        shutil.copytree(run, leadline.directory / "run-of-mine")
        given_to(NOBODY, run, *run.iterdir())
        monkeypatch.chdir(leadline.directory)
        for words in (
            ("export", "goal", "run", "-o", "exported"),
            ("compare", "run", "run-of-mine"),
            ("compare", "run-of-mine,run", "run-of-mine"),
            ("timeline", "run"),
            ("report", "run", "--json"),
            ("report", "run", "--table", "io"),
            ("tune", "--trace", "run", "--operations", "bcast"),
        ):
            main([*words])
            err = capsys.readouterr().err
            assert (err.count("run belongs to nobody"), err.count("run-of-mine belongs")) == (1, 0), (words, err)

    @as_root
    def test_a_foreign_owner_is_said_and_gets_no_file_of_ours(self, leadline: Command, run: Path) -> None:
        given_to(NOBODY, run, *run.iterdir())
        (run / "symbols.json").unlink(missing_ok=True)
        ended = leadline("report", "run")
        assert ended.code == 0, ended.everything
        assert "run belongs to nobody" in ended.err
        assert not (run / "symbols.json").exists()

    def test_pipes_do_not_hang(self, leadline: Command, run: Path) -> None:
        for name in ("run.json", "symbols.json", "job.json", f"{HOST}.away", f"{HOST}.ends", "x.live", "x.trace"):
            (run / name).unlink(missing_ok=True)
            os.mkfifo(run / name)
        ended = leadline("report", "run")
        assert ended.code == 0, ended.everything
        assert leadline("collect", "run").code == 0

    def test_a_trace_is_not_read_through_a_link(self, leadline: Command, run: Path) -> None:
        (trace,) = run.glob("*.trace")
        trace.rename(leadline.directory / trace.name)
        trace.symlink_to(leadline.directory / trace.name)
        ended = leadline("report", "run")
        assert ended.code == 4, ended.everything
        assert "a link, which is not followed" in ended.err


def test_files_keep_to_the_umask(leadline: Command, mpich: mpi.Library, tiny: Tiny) -> None:
    before = os.umask(0o077)
    try:
        ended = leadline("run", "-o", "run", "--", *mpich.launch(2), tiny(mpich))
    finally:
        os.umask(before)
    assert ended.code == 0, ended.everything
    files = [leadline.directory / "run", *(leadline.directory / "run").iterdir()]
    assert {path.name for path in files} >= {"run.json", "job.json", "report.txt", "report.json", "report.html"}
    assert [path.name for path in files if path.stat().st_mode & 0o077] == []


def test_secrets_are_masked_unless_they_are_asked_for(leadline: Command, mpich: mpi.Library, tiny: Tiny) -> None:
    arguments = ["0", "--password=hunter2", "--token", "hunter2", "https://ann:hunter2@host/x"]
    environ = {"MPIR_CVAR_SOME_PASSWORD": "hunter2", "MPIR_CVAR_SOME_URL": "http://ann:hunter2@host"}
    program = str(tiny(mpich))
    assert leadline("run", "-o", "masked", "--", program, *arguments, environ=environ).code == 0
    masked = ["0", "--password=***", "--token", "***", "https://***@host/x"]
    assert description(leadline.directory / "masked")["command"] == [program, *masked]
    for path in (leadline.directory / "masked").iterdir():
        assert b"hunter2" not in path.read_bytes(), path
    found = json.loads(leadline("report", "masked", "--json").out)
    assert found["program"] == " ".join([program, *masked])
    assert leadline("record", "--keep-secrets", "-o", "kept", "--", program, *arguments, environ=environ).code == 0
    assert description(leadline.directory / "kept")["command"] == [program, *arguments]
    assert json.loads(leadline("report", "kept", "--json").out)["program"] == " ".join([program, *arguments])


WORDS = [
    *("--api-key", "K", "--token=T", "--verbose", "3", "-genv", "DB_PASSWORD", "x", "API_KEY=y", "--tokens", "5"),
    *("dbPassword=z", "PWD=/home", "--password", "--quiet", "-mca", "btl", "self", "-mca", "oob_secret", "s"),
    *(
        "a://u@h,b://v:w@x@h/p",
        "http://h/a@b",
        "Authorization: Bearer abc",
        "sh -c 'x --token=1 --pass 2'",
        "--monkey=b",
    ),
    *("--accessKey", "q", "=x", "-", "--", "é=ü", "PASSWORD=", "v", "tok en", "x-auth: basic c", "", " ", "s3://k:l@b"),
]


def test_the_recorder_and_the_command_mask_the_same_words(leadline: Command, mpich: mpi.Library, tiny: Tiny) -> None:
    program = str(tiny(mpich))
    assert leadline("record", "-o", "run", "--", program, "0", *WORDS).code == 0
    found = json.loads(leadline("report", "run", "--json").out)
    expected = " ".join(masked_words([program, "0", *WORDS])).encode()
    assert found["program"].encode() == expected[:511]  # the recorder keeps no more
    assert masked_words(["--token=T", "é=ü"]) == ["--token=***", "é=ü"]


@as_root
class TestSettings:
    @pytest.mark.parametrize("text", ['[record]\noutput = "theirs"\n', "malformed ="])
    def test_a_strangers_file_is_named_and_ignored(
        self, leadline: Command, mpich: mpi.Library, tiny: Tiny, text: str
    ) -> None:
        (leadline.directory / "below").mkdir()
        file = leadline.directory / "leadline.toml"
        file.write_text(text)
        given_to(NOBODY, file)
        below = Command(leadline.directory / "below")
        ended = below("record", "--", tiny(mpich))
        assert ended.code == 0, ended.everything
        assert f"ignored {file}: owned by nobody" in ended.err
        assert [path.name for path in below.directory.iterdir()] == ["leadline-runs"]

    def test_the_users_own_file_above_it_counts(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "below").mkdir()
        (tmp_path / "leadline.toml").write_text('launcher = "mine"\n')
        (tmp_path / "below" / "leadline.toml").write_text('launcher = "theirs"\n')
        given_to(NOBODY, tmp_path / "below" / "leadline.toml")
        monkeypatch.chdir(tmp_path / "below")
        assert settings.default_map(set(COMMANDS))["bench"]["launcher"] == "mine"

    @pytest.mark.parametrize(("mode", "folder"), [(0o666, 0o755), (0o644, 0o777)])
    def test_a_file_that_others_can_change_is_ignored(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int, folder: int
    ) -> None:
        file = tmp_path / "leadline.toml"
        file.write_text('launcher = "theirs"\n')
        file.chmod(mode)
        tmp_path.chmod(folder)
        monkeypatch.chdir(tmp_path)
        assert settings.default_map(set(COMMANDS))["bench"] == {}

    def test_roots_file_counts_for_nobody(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "leadline.toml").write_text('launcher = "the-site"\n')
        monkeypatch.chdir(tmp_path)
        opened_for_all(tmp_path)

        def look() -> None:
            assert settings.default_map(set(COMMANDS))["bench"]["launcher"] == "the-site"

        as_nobody(look)

    def test_a_strangers_table_is_not_applied(self, leadline: Command) -> None:
        table = leadline.directory / "table.toml"
        table.write_text(TABLE)
        given_to(NOBODY, table)
        ended = leadline("apply", "table.toml", "--", "true")
        assert ended.code == 2, ended.everything
        assert "rejected: owned by nobody" in ended.err

    @pytest.mark.parametrize(
        ("user", "mode", "why"), [(NOBODY, 0o644, "owned by nobody"), (0, 0o666, "world-writable")]
    )
    def test_a_strangers_network_is_not_used(self, tmp_path: Path, user: int, mode: int, why: str) -> None:
        from leadline import network

        file = tmp_path / "network.toml"
        file.write_text("schema = 1\n")
        file.chmod(mode)
        given_to(user, file)
        with pytest.raises(network.MalformedNetwork, match=why):
            network.read(file)

    def test_nothing_is_run_from_a_strangers_cache(self, leadline: Command) -> None:
        (leadline.directory / "leadline").mkdir()
        given_to(NOBODY, leadline.directory / "leadline")
        code = "from leadline.shared_object import compiled\ncompiled('segments', 'true')"
        words = [sys.executable, "-c", code]
        ended = leadline.plain(*words, environ={"XDG_CACHE_HOME": str(leadline.directory)})
        assert "owned by nobody" in ended.err, ended.everything
        assert list((leadline.directory / "leadline").iterdir()) == []


class TestTheWorkingDirectoryIsNotCode:
    NAMES = ("leadline", "ctypes", "json", "re", "csv", "subprocess", "sitecustomize", "usercustomize", "rich", "click")

    @pytest.fixture
    def hostile(self, leadline: Command) -> Path:
        """Modules that leave a mark when they are imported. Returns the mark."""
        for name in self.NAMES:
            text = f"open({str(leadline.directory / 'mark')!r}, 'a').write(__name__ + chr(10))\n"
            (leadline.directory / f"{name}.py").write_text(text)
        return leadline.directory / "mark"

    @pytest.fixture
    def script(self, leadline: Command) -> Path:
        """As pip installs it."""
        path = leadline.directory / "bin" / "leadline"
        path.parent.mkdir()
        path.write_text("import sys\nfrom leadline.__main__ import run\nrun()\n")
        return path

    @pytest.mark.parametrize(
        "arguments",
        [
            ("record", "-o", "run", "--", "true"),
            ("exec", "true"),
            ("report", "nowhere"),
            ("timeline", "nowhere"),
            ("compare", "a", "b"),
            ("export", "otf2", "nowhere", "-o", "x"),
            ("import", "archive", "-o", "imported"),
            ("collect", "bin"),
            ("apply", "table.toml", "--", "true"),
            ("doctor", "--json", "true"),
            ("config", "--cflags"),
            ("run", "-o", "run", "--", "true"),
            ("workload", "list"),
            ("study", "opatm", "-o", "bin"),
            ("bench", "--study", "wrf"),
            ("bench", "barrier", "--mpi", "mpich", "-n", "1", "--launches", "1", "--rounds", "1", "--seconds", "0.01"),
            ("tune", "--protocol", "--launches", "2", "--", "true"),
            ("tune", "--trace", "nowhere"),
        ],
        ids=lambda arguments: "-".join(arguments[:2]),
    )
    def test_no_command_imports_from_it(
        self, leadline: Command, hostile: Path, script: Path, arguments: tuple[str, ...]
    ) -> None:
        (leadline.directory / "archive").mkdir()
        (leadline.directory / "archive" / "traces.otf2").write_text("no archive")
        (leadline.directory / "table.toml").write_text(TABLE)
        ended = leadline.plain(sys.executable, script, *arguments)
        assert "Traceback" not in ended.err, ended.everything
        assert not hostile.exists(), hostile.read_text()

    def test_libraries_are_asked_in_isolation(
        self, leadline: Command, hostile: Path, mpich: mpi.Library, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(leadline.directory)
        assert version_of(mpich.libdir / "libmpi.so.12", {**mpich.env(), "PYTHONPATH": ":"})
        assert not hostile.exists(), hostile.read_text()

    def test_modules_of_ours_start_in_isolation(self, leadline: Command, hostile: Path) -> None:
        code = (
            "from leadline.isolated import module_command\nprint(*module_command('leadline', '--version'), sep='\\0')"
        )
        words = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        ended = leadline.plain(*words.rstrip("\n").split("\0"), environ={"PYTHONPATH": ":"})
        assert ended.code == 0, ended.everything
        assert ended.out.startswith("leadline, version ")
        assert not hostile.exists(), hostile.read_text()

"""Shared machines: run directories of others are not followed, and not written through.

Root runs the command; the user "nobody" has prepared what it meets. The other way round, a child becomes nobody.
"""

import os
import shutil
import stat
from pathlib import Path

import pytest

from leadline import mpi, nodes, run_directory
from leadline.__main__ import main
from leadline.cli import reporting
from leadline.errors import UsageError

from .conftest import Command, Tiny, traces
from .other_users import DAEMON, HOST, NOBODY, SECRET, as_nobody, as_root, can_give_files_away, given_to, opened_for_all


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
        assert ended.err.count("owned by another user") == 1, ended.everything
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
        assert "symbolic link, not followed" in ended.err

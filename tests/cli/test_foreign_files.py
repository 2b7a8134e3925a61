"""Files that others own or can change are not obeyed: settings, tables, networks, caches."""

import sys
from pathlib import Path

import pytest

from leadline import mpi
from leadline.cli import settings
from leadline.cli.command import COMMANDS
from leadline.errors import MissingPrerequisite
from leadline.mpi.releases import release

from .conftest import Command, Tiny
from .other_users import NOBODY, TABLE, as_nobody, as_root, given_to, opened_for_all


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

    @pytest.mark.parametrize("what", ["home", "library"])
    def test_no_library_is_run_from_where_everybody_may_put_one(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
    ) -> None:
        prefix = tmp_path / release("mpich").folder
        (prefix / "bin").mkdir(parents=True)
        (prefix / "complete").touch()
        monkeypatch.setenv("LEADLINE_MPI_HOME", str(tmp_path))
        assert mpi.find("mpich").mpiexec == prefix / "bin" / "mpiexec"
        (prefix if what == "library" else tmp_path).chmod(0o777)
        with pytest.raises(MissingPrerequisite, match="unsafe for executables: world-writable"):
            mpi.find("mpich")

    def test_nothing_is_run_from_a_strangers_cache(self, leadline: Command) -> None:
        (leadline.directory / "leadline").mkdir()
        given_to(NOBODY, leadline.directory / "leadline")
        code = "from leadline.shared_object import compiled\ncompiled('segments', 'true')"
        words = [sys.executable, "-c", code]
        ended = leadline.plain(*words, environ={"XDG_CACHE_HOME": str(leadline.directory)})
        assert "owned by nobody" in ended.err, ended.everything
        assert list((leadline.directory / "leadline").iterdir()) == []

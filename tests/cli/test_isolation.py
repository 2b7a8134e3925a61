"""The folder that a command is started in is not code."""

import subprocess
import sys
from pathlib import Path

import pytest

from leadline import mpi
from leadline.tuning.made_for import version_of

from .conftest import Command
from .other_users import TABLE


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

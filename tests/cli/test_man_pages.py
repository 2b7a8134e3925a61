"""The manual pages, which are made from the commands when Leadline is installed."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from leadline.cli.command import COMMANDS, leadline

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "build" / "dev"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("man")
    subprocess.run([sys.executable, "-B", ROOT / "tools" / "man_pages.py", folder], check=True, timeout=120)
    return {path.stem: path.read_text() for path in folder.iterdir()}


def plain(page: str) -> str:
    return page.replace("\\-", "-").replace("\\&", "").replace("\\(dq", '"').replace("\\e", "\\")


def test_each_command_has_a_page_with_its_options(pages: dict[str, str]) -> None:
    assert "leadline" in pages
    for name in COMMANDS:
        command = leadline.get_command(click.Context(leadline), name)
        text = plain(pages[f"leadline-{name}"])
        assert isinstance(command, click.Command)
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                assert all(written in text for written in option.opts), (name, option.opts)
        if isinstance(command, click.Group):
            assert all(f"leadline-{name}-{each}" in pages for each in command.commands), name


def test_pages_refer_to_pages_that_exist(pages: dict[str, str]) -> None:
    for name, page in pages.items():
        named = re.findall(r"([\w-]+)\(1\)", plain(page).partition(".SH SEE ALSO")[2])
        assert named, name
        assert set(named) <= set(pages), name


def test_nothing_of_this_machine_is_in_them(pages: dict[str, str]) -> None:
    everything = "".join(pages.values())
    assert str(ROOT) not in everything
    assert str(Path.home()) + "/" not in everything
    assert "MagicMock" not in everything


def test_lists_keep_their_lines(pages: dict[str, str]) -> None:
    assert "\nperfetto   timeline with messages: ui.perfetto.dev\n" in plain(pages["leadline-export"])


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed")
def test_groff_has_nothing_to_complain_about(pages: dict[str, str]) -> None:
    for name, page in pages.items():
        words = ["groff", "-man", "-ww", "-W", "break", "-z", "-K", "utf8", "-T", "utf8"]
        done = subprocess.run(words, input=page, capture_output=True, text=True, check=False, timeout=60)
        assert (done.returncode, done.stderr) == (0, ""), name


@pytest.mark.skipif(not (BUILT / "cmake_install.cmake").exists(), reason="not built with ./dev")
def test_cmake_installs_them(tmp_path: Path, pages: dict[str, str]) -> None:
    cmake = Path(sys.executable).with_name("cmake")
    words = [str(cmake) if cmake.exists() else "cmake", "--install", BUILT, "--component", "man", "--prefix", tmp_path]
    subprocess.run(words, check=True, capture_output=True, timeout=120)
    assert {path.stem for path in (tmp_path / "share" / "man" / "man1").iterdir()} == set(pages)

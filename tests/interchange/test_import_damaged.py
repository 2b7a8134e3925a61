"""leadline import of damaged and hostile archives: one clear message and a documented code, or what could be read."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")
pytest.importorskip("otf2", reason="the package otf2 is not installed: ./dev setup")

from leadline.__main__ import main
from leadline.errors import MissingPrerequisite
from leadline.interchange.importing import otf2 as importing

from .conftest import record_in

LONGEST_S = 300  # only against hanging
NO_SUCH_RUN, DAMAGED, MISSING = 2, 4, 5


@pytest.fixture(scope="module")
def archive(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("archive") / "archive"
    assert main(["export", "otf2", str(whole), "-o", str(path)]) == 0
    return path


@pytest.fixture(scope="module")
def archives(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """One of messages and collectives, one of files, one of one-sided operations."""
    found = [archive]
    for program, *arguments in (("random_files.c", "7", "{}", "200"), ("epochs.c",)):
        folder = tmp_path_factory.mktemp("archive")
        run = record_in(folder, program, *(word.format(folder) for word in arguments))
        assert main(["export", "otf2", str(run), "-o", str(folder / "archive")]) == 0
        found.append(folder / "archive")
    return found


def damage(rng: random.Random, path: Path) -> str:
    """Damages one of the archive's files. Returns how."""
    file = rng.choice(sorted(p for p in path.rglob("*") if p.is_file()))
    data = bytearray(file.read_bytes())
    how = rng.choice(["cut", "flip a bit", "other bytes", "zeros", "ones", "remove"])
    at = rng.randrange(len(data))
    if how == "cut":
        del data[at:]
    elif how == "flip a bit":
        data[at] ^= 1 << rng.randrange(8)
    elif how == "other bytes":
        for _ in range(rng.randrange(2, 40)):
            data[rng.randrange(len(data))] = rng.randrange(256)
    elif how == "zeros":
        data[at : at + 8] = bytes(len(data[at : at + 8]))
    elif how == "ones":
        data[at : at + 8] = b"\xff" * len(data[at : at + 8])
    if how == "remove":
        file.unlink()
    else:
        file.write_bytes(data)
    return f"{how} in {file.name} at {at}"


def leadline(*words: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "leadline", *words], capture_output=True, text=True, timeout=LONGEST_S, check=False
    )
    return done.returncode, done.stderr


def _survives(archive: Path, folder: Path, seed: int) -> None:
    damaged, imported = folder / "damaged", folder / "imported"
    shutil.copytree(archive, damaged)
    how = f"seed {seed}: {damage(random.Random(seed), damaged)}"
    code, said = leadline("import", str(damaged), "-o", str(imported))
    assert "Traceback" not in said, how
    assert code in (0, NO_SUCH_RUN, DAMAGED), (how, said)
    if code:
        lines = [line for line in said.splitlines() if line != "leadline: importing …"]  # which a slow machine is told
        assert lines[0].startswith("leadline: "), (how, said)
        assert len(lines) <= 2, (how, said)
        assert not imported.exists(), how
        return
    code, said = leadline("report", str(imported))
    assert code in (0, DAMAGED), (how, said)
    assert "Traceback" not in said, how


@pytest.mark.parametrize("number", range(9))
def test_a_damaged_archive_ends_with_a_message_or_is_read_in_part(
    number: int, archives: list[Path], tmp_path: Path
) -> None:
    _survives(archives[number % len(archives)], tmp_path, random.SystemRandom().randrange(1 << 30))


@pytest.mark.full
@pytest.mark.parametrize("number", range(300))
def test_many_damaged_archives(number: int, archives: list[Path], tmp_path: Path) -> None:
    _survives(archives[number % len(archives)], tmp_path, random.SystemRandom().randrange(1 << 30))


def test_events_that_end_early_are_used_and_said(
    archive: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    cut, imported = tmp_path / "cut", tmp_path / "imported"
    shutil.copytree(archive, cut)
    events = cut / "traces" / "1.evt"
    events.write_bytes(events.read_bytes()[:2000])
    assert main(["import", str(cut), "-o", str(imported)]) == 0
    assert "location 1" in capfd.readouterr().err
    assert main(["report", str(imported), "--section", "missing"]) == 0
    assert "archive-damaged" in capfd.readouterr().out


@pytest.mark.parametrize("content", [b"", b"OTF2", b"\x00" * 80, b"\xff" * 4096, b"text\n" * 1000])
def test_what_is_no_archive_is_refused(content: bytes, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    anchor = tmp_path / "no.otf2"
    anchor.write_bytes(content)
    assert main(["import", str(anchor), "-o", str(tmp_path / "out")]) == DAMAGED
    said = capfd.readouterr().err
    assert f"cannot read {anchor}: " in said
    assert not (tmp_path / "out").exists()


def test_a_folder_without_or_with_several_archives_is_refused(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", str(tmp_path), "-o", str(tmp_path / "out")]) == NO_SUCH_RUN
    assert "no OTF2 archive (*.otf2) in" in capfd.readouterr().err
    for name in ("a", "b"):
        (tmp_path / f"{name}.otf2").touch()
    assert main(["import", str(tmp_path), "-o", str(tmp_path / "out")]) == NO_SUCH_RUN
    said = capfd.readouterr().err
    assert "several archives in " in said
    assert ": a.otf2, b.otf2" in said
    assert main(["import", str(tmp_path / "none"), "-o", str(tmp_path / "out")]) == NO_SUCH_RUN


@pytest.mark.parametrize(
    ("end", "told"),
    [
        (f"os.kill(os.getpid(), {int(signal.SIGSEGV)})", "SIGSEGV"),
        (f"os.kill(os.getpid(), {int(signal.SIGXCPU)})", "took too long"),
        ("sys.exit(7)", "code 7"),
    ],
)
def test_when_the_library_crashes_leadline_says_so(
    end: str, told: str, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "dies_at_once.py").write_text(f"import os, sys\n{end}\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(importing, "READER", "dies_at_once")
    with pytest.raises(importing.DamagedTrace, match=told):
        importing.import_archive(archive, tmp_path, None)


def test_without_the_library_the_message_says_where_it_comes_from(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "without_otf2.py").write_text(
        "import leadline.interchange.otf2 as exporting\nexporting.libraries = lambda: ['/no/such/libotf2.so']\n"
        "from leadline.interchange.importing import reader\nreader.main()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(importing, "READER", "without_otf2")
    with pytest.raises(MissingPrerequisite) as missing:
        importing.import_archive(archive, tmp_path, None)
    assert missing.value.exit_code == MISSING
    assert "leadline[otf2]" in missing.value.hint


def test_a_pipe_in_an_archive_is_not_waited_for(
    archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [path.relative_to(archive) for path in sorted(archive.rglob("*")) if path.is_file()]
    assert len(files) > 3
    for number, file in enumerate(files):
        copy = Path(shutil.copytree(archive, tmp_path / str(number)))
        (copy / file).unlink()
        os.mkfifo(copy / file)
        assert main(["import", str(copy), "-o", str(tmp_path / "imported")]) == DAMAGED, file
        assert f"{copy / file} is not a regular file" in capsys.readouterr().err

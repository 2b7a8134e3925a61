"""Damaged and hostile profiles of every format: read or refused with one message, never a traceback or a hang."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest

from leadline.__main__ import main
from leadline.compare import Group, compare
from leadline.compare.as_json import as_json
from leadline.compare.opening import open_subject
from leadline.errors import LeadlineError
from leadline.profiles import UnreadableProfile, is_profile, read
from leadline.profiles.virtual_clusters import PUBLISHED

DATA = Path(__file__).parent / "data"
FILES = [*sorted(DATA.glob("*.txt")), PUBLISHED / "P-C.csv", DATA / "tau"]
LONG = 100_000


def copied(source: Path, into: Path) -> tuple[Path, Path]:
    """The profile, and the file of it that is to be damaged."""
    if source.is_dir():
        shutil.copytree(source, into / "tau")
        return into / "tau", into / "tau" / "profile.1.0.0"
    target = into / source.name
    shutil.copy(source, target)
    return target, target


def damaged(text: bytes, chance: random.Random) -> bytes:
    """Cut off, changed bytes, a number made large or no number, a piece twice, or lines in another order."""
    kind = chance.randrange(5)
    at = chance.randrange(len(text))
    if kind == 0:
        return text[:at]
    if kind == 1:
        found = bytearray(text)
        for _ in range(chance.randrange(1, 6)):
            found[chance.randrange(len(found))] = chance.choice((0, 9, 10, 32, 34, 42, 44, 45, 57, 101, 255))
        return bytes(found)
    if kind == 2:
        words = text.split(b" ")
        numbers = [index for index, word in enumerate(words) if word.strip().replace(b".", b"").isdigit()]
        for index in chance.sample(numbers, min(3, len(numbers))):
            words[index] = chance.choice((b"9" * 400, b"1e29", b"nan", b"-1", b"inf", b"0", b"1_0", b"0x1p4"))
        return b" ".join(words)
    if kind == 3:
        return text[:at] + text[max(0, at - chance.randrange(2000)) :]
    lines = text.splitlines(keepends=True)
    chance.shuffle(lines)
    return b"".join(lines[: chance.randrange(1, len(lines) + 1)])


@pytest.mark.parametrize("source", FILES, ids=lambda path: path.name)
def test_random_damage_is_refused_or_compared(source: Path, tmp_path: Path) -> None:
    """What is read is compared with the undamaged profile: figures that cannot be must not get that far."""
    chance = random.Random(source.name)
    path, file = copied(source, tmp_path)
    whole = file.read_bytes()
    good = open_subject(source)
    messages = []
    for _ in range(60):
        file.write_bytes(damaged(whole, chance))
        try:
            bad = open_subject(path) if is_profile(path) else None
            if bad is not None:
                as_json(compare([Group("A", [good]), Group("B", [bad])]))
        except LeadlineError as error:
            messages.append(str(error))
    assert len(messages) > 10
    assert all(text and "\n" not in text for text in messages)


HOSTILE = {
    "empty": b"",
    "binary": bytes(range(256)) * 4000,
    "a head only": b"@ mpiP\n",
    "one line": b"@ mpiP" + b" " * LONG,
    "spaces": b"@ mpiP\n@ " + b" " * LONG + b"\n",
    "dashes": b"@ mpiP\n@--- " + b" -" * LONG + b"x\n",
    "many lines": b"@ mpiP\n" + b"@ MPI Task Assignment      : 1 a\n" * LONG,
    "many sections": b"@ mpiP\n" + b"".join(b"@--- S%d ---\n" % n for n in range(LONG // 10)),
    "endless table": b"FUNCTION SUMMARY (total):\n%Time Exclusive Inclusive #Call #Subrs Inclusive Name\n"
    + b"1 1 1 1 1 1 f\n" * LONG,
    "deep path": b"NODE 0;CONTEXT 0;THREAD 0:\n%Time Exclusive Inclusive #Call #Subrs Inclusive Name\n1 1 1 1 1 1 "
    + b"f => " * LONG
    + b"MPI_Send()\n",
    "brackets": b"NODE 0;CONTEXT 0;THREAD 0:\n%Time Exclusive Inclusive #Call #Subrs Inclusive Name\n1 1 1 1 1 1 "
    + b"( [{" * LONG
    + b") => MPI_Send()\n",
    "quotes": b"percent_time,exclusive_ms\n" + b'"' * LONG,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_ends_with_one_message(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "hostile.csv"
    file.write_bytes(HOSTILE[name])
    code = main(["compare", str(file), str(PUBLISHED / "P-C.csv")])
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    assert code in (0, 2, 4)
    if code:
        assert len(said.err.splitlines()) <= 3  # progress, the message, what to do
        assert len(said.err) < 1000


def test_folders_that_lead_nowhere_are_refused(tmp_path: Path) -> None:
    """Links in a circle, a pipe nobody writes to, and a folder instead of a file."""
    for number, make in enumerate((_loop, os.mkfifo, os.mkdir)):
        folder = tmp_path / str(number)
        folder.mkdir()
        make(folder / "profile.0.0.0")
        with pytest.raises(LeadlineError):
            read(folder)
    _loop(tmp_path / "loop")
    with pytest.raises(LeadlineError):
        read(tmp_path / "loop")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(LeadlineError, match="not a regular file"):
        read(tmp_path / "pipe")
    (tmp_path / "around").mkdir()
    (tmp_path / "around" / "around").symlink_to(tmp_path / "around")
    with pytest.raises(UnreadableProfile):
        read(tmp_path / "around")


def _loop(path: Path) -> None:
    path.symlink_to(path)


def test_metadata_is_not_expanded(tmp_path: Path) -> None:
    """As an XML parser might."""
    shutil.copytree(DATA / "tau", tmp_path / "tau")
    file = tmp_path / "tau" / "profile.0.0.0"
    lines = file.read_text().split("\n")
    lines[1] = "# <!DOCTYPE a [<!ENTITY b 'bb'>]> <metadata>" + "<attribute><name>CPU Type" * 50_000 + "&b;&b;"
    file.write_text("\n".join(lines))
    assert "CPU" not in read(tmp_path / "tau").environment

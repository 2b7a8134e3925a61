"""Whether a setting of how messages are sent took effect: seen in what a send does, not in its value."""

import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from leadline import mpi
from leadline.bench import MeasurementFailed
from leadline.errors import UsageError
from leadline.launch.launcher import find_launcher
from leadline.libraries import intel, mpich, of_file, openmpi
from leadline.libraries.sending import DEFAULT
from leadline.tuning import protocol
from leadline.tuning.probing import Subject
from leadline.tuning.protocol import MOST_EAGER, Candidate, Found, tried, tune_protocol


def subject_of(name: str) -> Subject:
    library = next((library for library in mpi.available() if library.name == name), None)
    if library is None:
        pytest.skip(f"the MPI library {name} is not here")
    command = [*library.launch(2), "/bin/true"]
    folders = (
        library.libdir,
        library.libdir.parent,
        library.libdir.parent.parent,
    )  # Debian's has links to develop with
    path = next(found for folder in folders for found in folder.glob("libmpi.so.[14][02]")).resolve()
    return Subject(tuple(command), find_launcher(command), path, of_file(path), library.env())


@pytest.mark.parametrize("name", ["openmpi", "debian-openmpi"])
def test_an_eager_limit_is_seen_in_open_mpi(name: str) -> None:
    about = subject_of(name)
    candidate = next(known for known in openmpi.LIBRARY.candidates() if known.name == "eager-1024")
    found = tried(about, candidate)
    assert found.why == ""
    assert found.eager is not None
    assert 768 <= found.eager <= 1024


def test_what_mpich_copies_at_once_is_not_sent_before_it_is_received() -> None:
    about = subject_of("mpich")
    known = {candidate.name: candidate for candidate in (DEFAULT, *mpich.LIBRARY.candidates())}
    default, all_copied = tried(about, known["default"]), tried(about, known["cma-0"])
    assert default.eager is not None
    assert 0 < default.eager < MOST_EAGER
    assert (all_copied.why, all_copied.eager) == ("", 0)


def test_a_limit_that_intel_mpi_knows_no_more_is_named() -> None:
    about = subject_of("intel")
    candidate = next(known for known in intel.LIBRARY.candidates() if known.name == "eager-16384")
    assert "I_MPI_EAGER_THRESHOLD = 16384 has no effect" in tried(about, candidate).why


@pytest.mark.parametrize(("pattern", "why"), [("time", "needs a group"), ("(", "invalid regular expression")])
def test_a_pattern_that_finds_no_time_is_refused_before_anything_runs(pattern: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=why):
        tune_protocol([str(tmp_path / "nothing")], launches=2, pattern=pattern, say=print)


def _in_turn_with_default(monkeypatch: pytest.MonkeyPatch, candidate: Candidate, *words: str) -> Found:
    """The runs of a Python program under a library that has one candidate."""
    library: Any = SimpleNamespace(candidates=lambda: [candidate], title="a library")
    about = Subject((sys.executable, *words), None, Path(), library, dict(os.environ))
    monkeypatch.setattr(protocol, "subject", lambda _: about)
    monkeypatch.setattr(protocol, "tried", lambda *_: protocol.Tried(""))
    return tune_protocol(about.command, launches=3, pattern=None, say=print)


def test_a_program_that_hangs_under_a_setting_has_failed_there(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = "import os, time; time.sleep(250 if 'HANG' in os.environ else 0)"
    monkeypatch.setattr(protocol, "LONGEST", (0.5, 0.0))
    found = _in_turn_with_default(monkeypatch, Candidate("hangs", "", {"HANG": "1"}), "-c", script).document
    default, hung = found["rows"]
    assert all(default["seconds"])
    assert (hung["seconds"], hung["failed"], hung["ratio"], hung["ratio_by_launch"]) == ([None] * 3, 3, None, [])
    assert (found["best"], found["interrupted"]) == ("default", False)
    said = capsys.readouterr().out.splitlines()
    assert said == ["failed: hangs: timed out after 0.5 s: (no output)"] * 3


def test_an_interruption_keeps_the_runs_before_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The fourth of all runs sends it."""
    script = (
        "import os, sys, time; open(sys.argv[1], 'a').write('x')\n"
        "if os.path.getsize(sys.argv[1]) == 4: os.kill(os.getppid(), 2); time.sleep(250)"
    )
    candidate = Candidate("other", "", {"A": "1"})
    found = _in_turn_with_default(monkeypatch, candidate, "-c", script, str(tmp_path / "count"))
    seconds = {row["candidate"]: len(row["seconds"]) for row in found.document["rows"]}
    assert seconds == {"default": 1, "other": 2}  # default, other, other
    assert [len(row["ratio_by_launch"]) for row in found.document["rows"]] == [1, 1]
    assert (found.document["interrupted"], found.document["best"]) == (True, "default")
    with pytest.raises(KeyboardInterrupt):
        found.interruption.end_if_any()


def test_a_program_that_fails_as_it_is_is_a_failed_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    words = (sys.executable, "-c", "raise SystemExit('out of luck')")
    about = Subject(words, None, Path(), mpich.LIBRARY, dict(os.environ))
    monkeypatch.setattr(protocol, "subject", lambda _: about)
    monkeypatch.setattr(protocol, "tried", lambda *_: protocol.Tried(""))
    with pytest.raises(MeasurementFailed, match="with default settings: exit code 1: out of luck") as failure:
        tune_protocol(about.command, launches=1, pattern=None, say=lambda _: None)
    assert failure.value.exit_code == 7

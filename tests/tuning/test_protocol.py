"""Whether a setting of how messages are sent took effect: seen in what a send does, not in its value."""

import os
import sys
from pathlib import Path

import pytest

from leadline import mpi
from leadline.bench import MeasurementFailed
from leadline.errors import UsageError
from leadline.launch.launcher import find_launcher
from leadline.libraries import intel, mpich, of_file, openmpi
from leadline.libraries.sending import DEFAULT
from leadline.tuning import protocol
from leadline.tuning.probing import Subject
from leadline.tuning.protocol import MOST_EAGER, Candidate, tried, tune_protocol


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


@pytest.mark.parametrize(("pattern", "why"), [("time", "no group"), ("(", "not a regular expression")])
def test_a_pattern_that_finds_no_time_is_refused_before_anything_runs(pattern: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=why):
        tune_protocol([str(tmp_path / "nothing")], launches=2, pattern=pattern, say=print)


def test_a_program_that_hangs_under_a_setting_has_failed_there() -> None:
    script = "import os, time; time.sleep(250 if 'HANG' in os.environ else 0)"
    about = Subject((sys.executable, "-c", script), None, Path(), None, dict(os.environ))
    assert protocol._run(about, Candidate("default", "", {}), None, None).why == ""
    hung = protocol._run(about, Candidate("hangs", "", {"HANG": "1"}), None, 0.5)
    assert hung.counts is None
    assert "did not end" in hung.why


def test_a_program_that_fails_as_it_is_is_a_failed_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    words = (sys.executable, "-c", "raise SystemExit('out of luck')")
    about = Subject(words, None, Path(), mpich.LIBRARY, dict(os.environ))
    monkeypatch.setattr(protocol, "subject", lambda _: about)
    monkeypatch.setattr(protocol, "tried", lambda *_: protocol.Tried(""))
    with pytest.raises(MeasurementFailed, match="without any setting: exit code 1: out of luck") as failure:
        tune_protocol(about.command, launches=1, pattern=None, say=lambda _: None)
    assert failure.value.exit_code == 7

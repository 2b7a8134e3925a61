"""What is said of gains that were measured again, and which directories can be."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from leadline.improve.again import Again
from leadline.improve.candidates import NotTried
from leadline.improve.kept import Kept
from leadline.improve.setting import Setting

EVIDENCE = {"gain": 0.07, "low": 0.04, "high": 0.13, "date": "2026-11-01", "measured": "the whole run"}
ONE = Setting("one", "one", "what one does", "a risk", 0.5)


def told(**given: Any) -> tuple[str, dict[str, Any]]:
    found = Again(**{"evidence": EVIDENCE, "settings": [ONE], "left_out": [], **given})
    return "\n".join(found.lines()), json.loads(json.dumps(found.as_dict()))


def test_a_gain_that_holds_is_told_beside_the_first_one() -> None:
    text, data = told(ratios=[1.1] * 6, holds=True)
    assert text.startswith("The gain holds: 9.1 % (9.1 % to 9.1 %), in 6 pairs of launches.")
    assert "When it was found (2026-11-01): 7.0 % (4.0 % to 13 %)." in text
    assert (data["holds"], round(data["gain"], 3), data["found"]["gain"]) == (True, 0.091, 0.07)


def test_a_loss_has_its_sign() -> None:
    text, data = told(ratios=[0.95] * 6, holds=False)
    assert text.startswith("The gain does not hold: -5.3 % (-5.3 % to -5.3 %), in 6 pairs")
    assert data["low"] < 0


def test_what_was_not_decided_or_not_measured_is_told_as_such() -> None:
    assert told(ratios=[1.1], why_over="interrupted")[0].startswith("Not decided: interrupted; so far 9.1 %, in 1 pair")
    assert told(why_over="interrupted")[0].startswith("Nothing was measured: interrupted.")
    text, data = told(settings=[], left_out=[NotTried("what one does", "no effect here: why")])
    assert text.startswith("Nothing was measured: no setting takes effect any more.")
    assert "Not measured: what one does: no effect here: why" in text
    assert (data["holds"], data["gain"]) == (None, None)


def again(directory: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "leadline", "improve", "--again", "-o", str(directory), *words]
    return subprocess.run(command, capture_output=True, text=True)


def test_only_a_search_that_proved_a_gain_can_be_measured_again(tmp_path: Path) -> None:
    missing = again(tmp_path / "missing")
    assert (missing.returncode, "search.json" in missing.stderr) == (2, True)
    asked = {"pattern": None, "iterations": False, "reorder": False, "only": [], "compared": []}
    asked |= {"stop_after": None, "steps_option": [], "ranks": []}
    plan = {"measured": "the whole run", "ranks": 1, "record_wall_s": 1.0, "settings": []}
    Kept(tmp_path, ["true"], asked).keep_plan(plan)
    nothing = again(tmp_path)
    assert (nothing.returncode, "nothing was proven to help" in nothing.stderr) == (2, True)
    other = again(tmp_path, "--", "false")
    assert (other.returncode, "holds another search: true" in other.stderr) == (2, True)
    assert not (tmp_path / "again").exists()


@pytest.mark.parametrize("words", [["--only", "binding"], ["--reorder"], ["--goal", "energy"]])
def test_it_is_measured_as_the_search_did(words: list[str], tmp_path: Path) -> None:
    done = again(tmp_path, *words)
    assert (done.returncode, "measures as the search did" in done.stderr) == (2, True)


def test_a_search_needs_a_command(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "leadline", "improve", "-o", str(tmp_path / "new")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, "Missing argument" in done.stderr) == (2, True)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("plan", "toml"),
    [
        ({"measured": "the whole run"}, ""),
        ({"measured": "the whole run", "ranks": "many", "record_wall_s": 1.0}, ""),
        ({"measured": "the whole run", "ranks": 1, "record_wall_s": 1.0}, "[evidence]\n"),
    ],
)
def test_a_damaged_search_is_refused_with_one_line(plan: dict[str, Any], toml: str, tmp_path: Path) -> None:
    asked = {"pattern": None, "iterations": False, "reorder": False, "only": [], "compared": []}
    asked |= {"stop_after": None, "steps_option": [], "ranks": []}
    Kept(tmp_path, ["true"], asked).keep_plan(plan)
    (tmp_path / "improve.toml").write_text(f'schema = 1\nkind = "improve"\n{toml}')
    done = again(tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert len([line for line in done.stderr.splitlines() if str(tmp_path) in line]) == 1

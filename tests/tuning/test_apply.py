"""`leadline apply`: the program stays itself, whatever the table is."""

import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import Apply

RULE = """schema = 1
[[rule]]
operation = "bcast"
processes = [2, 4]
bytes = [65536, 1048576]
algorithm = "binomial"
"""


@pytest.mark.parametrize("via", ["native", "shim"])
def test_a_malformed_table_is_refused_before_the_program_runs(via: str, tmp_path: Path) -> None:
    mark, table = tmp_path / "ran", tmp_path / "table.toml"
    table.write_text(RULE.replace('"binomial"', '"quick"'))
    words = [sys.executable, "-m", "leadline", "apply", str(table), "--via", via, "--", "touch", str(mark)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"{table}, line 6: unknown algorithm 'quick' for bcast" in done.stderr
    assert not mark.exists()


def test_the_programs_exit_code_is_its_own(apply: Apply) -> None:
    done = apply("debian-mpich", RULE, "--via", "native", ranks=2, code=7)
    assert (done.code, done.found["exit_code"], done.output) == (7, 7, "the program's own output")


def test_the_shim_takes_the_widest_range_that_a_table_may_have(apply: Apply) -> None:
    table = RULE.replace("[2, 4]", "[1, 2147483647]").replace("[65536, 1048576]", "[0, 9223372036854775807]")
    done = apply("debian-mpich", table, "--via", "shim", ranks=2)
    assert (done.found["problem"], done.why()) == (None, "")
    assert [rule["algorithm"] for rule in done.found["applied"]] == ["binomial"]


def test_rules_for_other_jobs_are_told(apply: Apply) -> None:
    table = RULE.replace("[2, 4]", "[8, 16]")
    done = apply("debian-openmpi", table, "--via", "native", ranks=2)
    assert done.why() == "the rule is for 8 to 16 ranks, but the job has 2"


def test_what_a_shell_starts_cannot_be_proven_beforehand_and_is_said(apply: Apply) -> None:
    done = apply("debian-mpich", RULE, "--via", "native", ranks=2, code=6, shell=True)
    assert (done.code, done.output) == (6, "the program's own output")
    assert "is neither a known launcher nor an MPI program" in done.found["problem"]["message"]
    assert "is neither a known launcher nor an MPI program" in done.why()
    assert done.found["applied"] == []


def test_a_report_that_cannot_be_written_is_told_before_the_program_runs(tmp_path: Path) -> None:
    mark, table = tmp_path / "ran", tmp_path / "table.toml"
    table.write_text(RULE)
    words = [sys.executable, "-m", "leadline", "apply", str(table), "--report", str(tmp_path / "no" / "file")]
    done = subprocess.run([*words, "--", "touch", str(mark)], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "no such directory" in done.stderr
    assert not mark.exists()


@pytest.mark.parametrize("options", [["--as-set"], ["--fill"], ["--via", "native", "--as-set", "--measure"]], ids=str)
def test_options_that_would_do_nothing_are_refused_before_the_program_runs(options: list[str], tmp_path: Path) -> None:
    mark, table = tmp_path / "ran", tmp_path / "table.toml"
    table.write_text(RULE)
    words = [sys.executable, "-m", "leadline", "apply", str(table), *options, "--", "touch", str(mark)]
    assert subprocess.run(words, capture_output=True, check=False).returncode == 2
    assert not mark.exists()


@pytest.mark.parametrize(
    ("library", "operation", "algorithm"),
    [
        ("intel", "alltoallv", "linear"),
        ("intel", "scatterv", "linear"),
        ("intel", "scan", "recursive_doubling"),
        ("mpich", "scan", "recursive_doubling"),
    ],
)
def test_settings_of_scans_and_of_blocks_with_counts_are_proven(
    apply: Apply, library: str, operation: str, algorithm: str
) -> None:
    table = f"""schema = 1
[[rule]]
operation = "{operation}"
processes = [2, 4]
bytes = [0, 9223372036854775807]
algorithm = "{algorithm}"
"""
    done = apply(library, table, "--via", "native", ranks=2)
    assert [rule["operation"] for rule in done.found["applied"]] == [operation]
    assert done.found["not_applied"] == []

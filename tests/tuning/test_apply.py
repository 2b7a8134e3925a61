"""`leadline apply`: the program stays itself, whatever the table is."""

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
def test_with_a_malformed_table_the_program_runs_natively(apply: Apply, via: str) -> None:
    done = apply("debian-mpich", RULE.replace('"binomial"', '"quick"'), "--via", via, ranks=2, code=3)
    assert done.code == 3
    assert done.output == "the program's own output"
    assert done.found["problem"]["line"] == 6
    assert "'quick'" in done.found["problem"]["message"]
    assert done.found["applied"] == []


def test_the_programs_exit_code_is_its_own(apply: Apply) -> None:
    done = apply("debian-mpich", RULE, "--via", "native", ranks=2, code=7)
    assert (done.code, done.found["exit_code"], done.output) == (7, 7, "the program's own output")


def test_rules_for_other_jobs_are_told(apply: Apply) -> None:
    table = RULE.replace("[2, 4]", "[8, 16]")
    done = apply("debian-openmpi", table, "--via", "native", ranks=2)
    assert done.why() == "the job has 2 processes; the rule is for 8 to 16"

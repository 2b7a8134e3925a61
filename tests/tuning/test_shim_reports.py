"""The conclusions of `leadline apply` from the ranks' reports."""

from leadline.tuning.applying import Outcome
from leadline.tuning.shim import judge
from leadline.tuning.table import Rule, Table

TABLE = Table(
    (
        Rule("bcast", (2, 4), (8, 8), "chain", 1024),
        Rule("bcast", (2, 4), (12, 15), "chain", 1024),
        Rule("bcast", (2, 4), (64, 127), "native"),
        Rule("allreduce", (2, 4), (1, 1024), "ring"),
    )
)
REPORT = """# leadline shim 1
# rank 0 of 2, mpich
bcast 2 8 15 chain 1024 0 12 rule 2
bcast 2 64 127 native 0 0 3 the table's rule is native
allreduce 2 8 15 native 0 0 4 the operation is not commutative
allreduce 2 1024 2047 native 0 0 5 no matching rule
allreduce 8 8 15 native 0 0 6 no matching rule
# end
"""


def test_calls_count_for_the_rule_that_served_them_and_no_other_of_its_kind() -> None:
    outcome = Outcome("shim")
    judge(TABLE, [REPORT, REPORT], outcome)
    assert [(rule["range"]["bytes"], rule["evidence"]["calls"]) for rule in outcome.applied] == [([12, 15], 24)]
    assert {str(rule["range"]["bytes"]): rule["why"] for rule in outcome.not_applied} == {
        "[8, 8]": "no such call in the program",
        "[1, 1024]": "the operation is not commutative (8 calls)",
    }


def test_a_report_that_breaks_off_anywhere_is_read_so_far() -> None:
    for length in range(len(REPORT) - len("# end\n")):
        outcome = Outcome("shim")
        judge(TABLE, [REPORT[:length]], outcome)
        assert len(outcome.applied) + len(outcome.not_applied) == 3


def test_ranks_whose_reports_are_missing_are_counted() -> None:
    outcome = Outcome("shim", processes=2)
    judge(TABLE, [REPORT], outcome, "/home is not there")
    assert outcome.applied[0]["proof"] == "counted by the shim on 1 of 2 ranks"
    assert outcome.not_applied[0]["why"] == "1 of 2 ranks left no report: /home is not there"
    nothing = Outcome("shim")
    judge(TABLE, [], nothing, "/home is not there")
    assert {rule["why"] for rule in nothing.not_applied} == {
        "no rank left a report: the shim was not loaded, or /home is not there"
    }

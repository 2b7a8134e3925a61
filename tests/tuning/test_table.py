"""The table: what is read is what was written, and what cannot be used names its line."""

import itertools
import random
from pathlib import Path

import pytest

from leadline import toml
from leadline.errors import UsageError
from leadline.tuning.table import ALGORITHMS, MalformedTable, Rule, Table, lines_for_shim, merged, parse, read, write

RULE = """schema = 1
[[rule]]
operation = "bcast"
processes = [2, 4]
bytes = [0, 100]
algorithm = "binomial"
"""


def test_a_table_reads_as_it_was_written() -> None:
    evidence = {"machine": 'a "quoted" one', "launches": 5, "noise": {"lost": 0.25, "none": True}, "sizes": [8, 64]}
    rules = (
        Rule("bcast", (2, 4), (65536, 1048576), "chain", 65536, 0, {"median_ratio": 1.7, "low": 1.62, "launches": 5}),
        Rule("allreduce", (2, 2), (0, 8), "two_level:over=ring", 0, 3),
        Rule("reduce", (1, 512), (8, 8), "native"),
    )
    found = parse(write(Table(rules, evidence)))
    assert found.rules == rules
    assert found.evidence == evidence
    assert [rule.evidence for rule in found.rules] == [rule.evidence for rule in rules]


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (RULE.replace("[2, 4]", "[2, 4"), 5, "not TOML"),
        (RULE.replace("schema = 1", "schema = 2"), 1, "schema 2"),
        (RULE.replace("schema = 1\n", ""), 1, "schema is missing"),
        (RULE.replace('"bcast"', '"sort"'), 3, "'sort'"),
        (RULE.replace("[2, 4]", "[4, 2]"), 4, "first exceeds"),
        (RULE.replace("[2, 4]", "[0, 2]"), 4, "expected 1 to"),
        (RULE.replace("[2, 4]", "[2, 2147483648]"), 4, "to 2147483647"),
        (RULE.replace("[2, 4]", "2"), 4, "two whole numbers"),
        (RULE.replace("[0, 100]", "[-1, 100]"), 5, "expected 0 to"),
        (RULE.replace("[0, 100]", "[0, 1.5]"), 5, "two whole numbers"),
        (RULE.replace('"binomial"', '"quick"'), 6, "'quick'"),
        (RULE.replace('"binomial"', '"two_level:over=two_level:over=ring"'), 6, "unknown algorithm"),
        (
            RULE.replace('"bcast"', '"alltoallv"').replace('"binomial"', '"linear"'),
            5,
            "expected [0, 9223372036854775807]",
        ),
        (RULE + "segment_bytes = -1\n", 7, "segment_bytes"),
        (RULE + "radix = true\n", 7, "radix"),
        (RULE + "segments = 3\n", 7, "'segments'"),
        (RULE + RULE.replace("schema = 1\n", "").replace("bytes", "sizes"), 10, "'sizes'"),
        (RULE + '[[rule]]\noperation = "reduce"\n', 7, "lacks processes"),
        (RULE + "[evidence]\n[what]\n", 8, "'what'"),
    ],
)
def test_what_is_malformed_is_told_with_its_line(text: str, line: int, reason: str) -> None:
    with pytest.raises(MalformedTable) as told:
        parse(text, "t.toml")
    assert told.value.line == line
    assert reason in told.value.reason
    assert f"t.toml, line {line}: " in str(told.value)


def test_a_file_that_cannot_be_read_is_a_malformed_table(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    for path in (tmp_path / "missing", tmp_path / "binary", tmp_path):
        with pytest.raises(MalformedTable):
            read(path)


@pytest.mark.parametrize(
    "line", [f"x = {'[' * 5000}", f"x = {'{a=' * 5000}", "x = " + "9" * 5000, ".".join("a" * 100_000) + " = 1"]
)
def test_what_would_take_depth_or_memory_without_bound_is_refused(line: str, tmp_path: Path) -> None:
    with pytest.raises(MalformedTable, match="not TOML: "):
        parse(f"{RULE}{line}\n")
    (tmp_path / "settings.toml").write_text(line)
    with pytest.raises(UsageError, match=r"settings\.toml: "):
        toml.load(tmp_path / "settings.toml")


def test_a_line_of_many_numbers_is_no_key_of_many_parts(tmp_path: Path) -> None:
    values = [n + 0.5 for n in range(1000)]
    (tmp_path / "network.toml").write_text(f"gaps = {values}\n")
    assert toml.load(tmp_path / "network.toml") == {"gaps": values}


def test_any_text_is_read_or_refused() -> None:
    chance = random.Random(7)
    for _ in range(2000):
        text = list(RULE)
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(text))
            text[at : at + chance.randrange(3)] = chance.choice(["", "[", '"', "=", "9" * 20, "\n", "x", "-", "{"])
        try:
            table = parse("".join(text))
        except MalformedTable:
            continue
        else:
            assert parse(write(table)) == table


def test_the_first_rule_that_fits_is_taken_and_none_is_native() -> None:
    table = Table(
        (
            Rule("bcast", (2, 4), (0, 100), "native"),
            Rule("bcast", (2, 4), (50, 200), "chain"),
            Rule("bcast", (3, 8), (50, 200), "linear"),
        )
    )
    assert table.choice("bcast", 60, 3) is None
    assert table.choice("bcast", 150, 3).algorithm == "chain"
    assert table.choice("bcast", 150, 5).algorithm == "linear"
    assert table.choice("reduce", 150, 5) is None


def test_the_shims_form_has_a_rule_a_line_in_order() -> None:
    table = Table((Rule("bcast", (2, 4), (0, 9), "chain", 8192), Rule("reduce", (2, 2), (1, 1), "native")))
    lines = [line for line in lines_for_shim(table).splitlines() if not line.startswith("#")]
    assert lines == ["bcast 2 4 0 9 chain 8192 0", "reduce 2 2 1 1 native 0 0"]


def test_merging_neighbours_changes_no_choice() -> None:
    chance = random.Random(3)
    for _ in range(200):
        rules = []
        for processes in range(2, 6):
            edges = sorted(chance.sample(range(40), 5))
            for first, after in itertools.pairwise(edges):
                name = chance.choice(ALGORITHMS["bcast"][:3])
                rules.append(Rule("bcast", (processes, processes), (first, after - 1), name, evidence={"low": 1.5}))
        before, after_ = Table(tuple(rules)), Table(merged(rules))
        assert len(after_.rules) <= len(rules)
        for processes in range(1, 7):
            for size in range(41):
                one, other = before.choice("bcast", size, processes), after_.choice("bcast", size, processes)
                assert (one and one.name) == (other and other.name)


def test_a_merged_rule_has_the_evidence_of_its_weakest_part() -> None:
    rules = [
        Rule("bcast", (2, 2), (0, 9), "chain", evidence={"low": 1.5}),
        Rule("bcast", (2, 2), (10, 19), "chain", evidence={"low": 1.1}),
        Rule("bcast", (2, 2), (20, 29), "chain", 8192, evidence={"low": 1.01}),
    ]
    found = merged(rules)
    assert [rule.n_bytes for rule in found] == [(0, 19), (20, 29)]
    assert found[0].evidence == {"low": 1.1}

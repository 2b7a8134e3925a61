"""A table as each library's settings: written so that nothing of it can be lost silently, or refused with a reason."""

import itertools
import random

import pytest

from leadline.libraries import LIBRARIES, intel, openmpi
from leadline.libraries import mpich_variables as mpich
from leadline.libraries.answers import Wrong
from leadline.libraries.openmpi_rules import parse
from leadline.libraries.settings import pieces
from leadline.tuning.table import ALGORITHMS, Rule, Table

Ranges = dict[int, list[tuple[int, list[tuple[int, int, int, int]]]]]


def problems(text: str, processes: int) -> list[str]:
    rules = parse(text)
    return [problem for collective in {*rules.rules, 7} for problem in rules.problems(collective, processes)]


def ranges_of(text: str) -> Ranges:
    """By collective: least processes, with lines of least bytes, algorithm, fan-out and segment."""
    numbers = iter([int(word) for line in text.splitlines() for word in line.partition("#")[0].split()])
    found: Ranges = {}
    for _ in range(next(numbers)):
        here = found.setdefault(next(numbers), [])
        for _ in range(next(numbers)):
            least = next(numbers)
            lines = [(next(numbers), next(numbers), next(numbers), next(numbers)) for _ in range(next(numbers))]
            here.append((least, lines))
    return found


def reading(rules: Ranges, collective: int, processes: int, size: int) -> tuple[int, int] | None:
    """The reading of a rules file by Open MPI's coll/tuned: the last entry that is not greater, twice."""
    found = None
    for least, lines in rules.get(collective, []):
        if least <= processes:
            fitting = [line for line in lines if line[0] <= size]
            found = (fitting[-1][1], fitting[-1][3]) if fitting else None
    return found


def random_table(chance: random.Random) -> Table:
    rules = []
    for _ in range(chance.randrange(1, 8)):
        operation = chance.choice(list(openmpi.collectives()))
        name = chance.choice([*openmpi.algorithms()[operation], "native"])
        own = openmpi.algorithms()[operation].get(name)
        segment = chance.choice([0, 1024]) if own and own.takes_segments else 0
        p, b = sorted(chance.choices(range(1, 10), k=2)), sorted(chance.choices(range(60), k=2))
        rules.append(Rule(operation, (p[0], p[1]), (b[0], b[1]), name, segment))
    return Table(tuple(rules))


def test_open_mpi_reads_from_the_rules_file_what_the_table_says() -> None:
    chance = random.Random(5)
    for _ in range(100):
        table = random_table(chance)
        text = openmpi.rules_file(table, 12)
        assert problems(text, 1) == []
        rules = ranges_of(text)
        for operation, collective in openmpi.collectives().items():
            for processes in range(1, 12):
                for size in range(0, 64, 3):
                    choice = table.choice(operation, size, processes)
                    wanted = (0, 0)
                    if choice is not None:
                        wanted = (int(openmpi.algorithms()[operation][choice.algorithm].setting), choice.segment_bytes)
                    read_as = size * processes if openmpi.counts_all_blocks(operation) else size
                    assert (reading(rules, collective, processes, read_as) or (0, 0)) == wanted


@pytest.mark.parametrize(
    ("text", "processes", "problem"),
    [
        ("1 7 1 2 2 0 1 0 0 1024 6 0 0", 4, ""),
        ("1 7 1 2 1 64 1 0 0", 4, "first size is 64, not 0"),
        ("1 7 1 2 3 0 1 0 0 1024 6 0 0 512 5 0 0", 4, "not ascending (512 after 1024)"),
        ("1 7 1 8 1 0 1 0 0", 4, "first rule is for 8 ranks, but the job has 4"),
        ("1 7 2 8 1 0 1 0 0 2 1 0 1 0 0", 4, "do not ascend: [8, 2]"),
        ("1 7 1 2 2 0 1 0 0", 4, "truncated or not a number"),
        ("1 # one\n7 bcast 1", 4, "not a number"),
        ("", 4, "truncated or not a number"),
    ],
)
def test_what_open_mpi_does_not_say_of_a_rules_file(text: str, processes: int, problem: str) -> None:
    found = problems(text, processes)
    assert found == [] if not problem else any(problem in one for one in found)


def test_the_settings_name_only_algorithms_that_there_are() -> None:
    for library in LIBRARIES:
        for operation, known in library.algorithms.items():
            assert set(known) <= set(ALGORITHMS[operation])


def test_pieces_cover_every_size_once() -> None:
    chance = random.Random(11)
    for _ in range(100):
        table = random_table(chance)
        for processes in range(1, 10):
            line = list(pieces(table, "bcast", processes))
            assert line[0][0] == 0
            assert line[-1][1] is None
            for (_, last, _), (first, _, _) in itertools.pairwise(line):
                assert last is not None
                assert last + 1 == first


WHOLE = (0, 2**40)


def test_intel_gets_every_size_a_number_and_never_a_zero() -> None:
    table = Table((Rule("bcast", (2, 8), (0, 1000), "binomial"), Rule("bcast", (2, 8), (1001, 2**40), "scatter_ring")))
    assert intel.settings(table, 4).variables == {"I_MPI_ADJUST_BCAST": "1:0-1000;3:1001-2147483647"}


def test_sizes_left_to_the_library_are_refused_where_it_cannot_leave_them_alone() -> None:
    table = Table((Rule("bcast", (2, 8), (1000, 2000), "binomial"),))
    for of in (intel.settings, mpich.settings):
        refused = of(table, 4)
        assert not refused.variables
        assert "0 to 999 bytes, ≥ 2001 bytes" in refused.not_set[0].why
    assert intel.settings(table, 4, fill=True).variables == {"I_MPI_ADJUST_BCAST": "1:0-2147483647"}
    assert mpich.settings(table, 4, fill=True).variables["MPIR_CVAR_BCAST_INTRA_ALGORITHM"] == "binomial"


def test_mpich_is_always_told_that_the_node_layer_stands_aside() -> None:
    table = Table(
        tuple(Rule(op, (2, 8), WHOLE, name) for op, known in mpich.algorithms().items() for name in list(known)[:1])
    )
    found = mpich.settings(table, 4).variables
    able = [operation for operation, known in mpich.algorithms().items() if known]
    assert len(found) == 2 * len(able)
    for operation in able:
        assert found[f"MPIR_CVAR_{operation.upper()}_POSIX_INTRA_ALGORITHM"] == "mpir"


def test_what_a_library_has_not_is_refused_by_name() -> None:
    two = Table((Rule("bcast", (2, 8), (0, 99), "binomial"), Rule("bcast", (2, 8), (100, 2**40), "scatter_ring")))
    assert "applies to all sizes" in mpich.settings(two, 4).not_set[0].why
    own = Table((Rule("bcast", (2, 8), WHOLE, "scatter_direct"),))
    for of in (intel.settings, mpich.settings, openmpi.settings):
        assert "has no algorithm scatter_direct" in of(own, 4).not_set[0].why
    cut = Table((Rule("bcast", (2, 8), WHOLE, "linear", 4096),))
    assert "does not support segments" in openmpi.settings(cut, 4).not_set[0].why


def test_a_rule_that_is_not_in_the_file_is_not_put_down_to_the_file_being_ignored() -> None:
    rule = Rule("bcast", (2, 16), (0, 1 << 20), "scatter_ring")
    tried = Wrong(("x", "x"), ((8, 4), (1 << 20, 4)), "8 bytes on 4 ranks", "expected y, got x")
    number = int(openmpi.algorithms()["bcast"]["scatter_ring"].setting)
    for text, why in {
        "1 2 1 1 1 0 3 0 0": "it has no rule for bcast of 8 bytes on 4 ranks",
        "1 7 1 1 1 0 0 0 0": "it has no rule for bcast of 8 bytes on 4 ranks",
        "1 7 1 1 1 0 1 0 0": f"for bcast of 8 bytes on 4 ranks it names algorithm 1, but scatter_ring is {number}",
        f"1 7 1 1 2 0 {number} 0 0 4096 1 0 0": (
            f"for bcast of 1048576 bytes on 4 ranks it names algorithm 1, but scatter_ring is {number}"
        ),
        # What is wrong with another operation's rules does not concern this one.
        f"2 2 1 1 1 64 3 0 0 7 1 1 1 0 {number} 0 0": "",
    }.items():
        assert openmpi.why_not_in(parse(text), rule, tried, 4) == why, text

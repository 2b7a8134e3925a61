"""leadline export callgrind: the costs of the call tree, read back by a parser of the format and callgrind_annotate."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

from .conftest import RANKS, STEPS, Export

TIME, CALLS, MESSAGES, OUT, IN = range(5)


class CallTree:
    """own: costs by function. arcs: (caller, callee) -> [calls, costs]. total: as the file says."""

    def __init__(self, file: Path) -> None:
        self.own: dict[str, list[int]] = {}
        self.arcs: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0] * 6)
        names: dict[str, str] = {}
        function = callee = ""
        calls = None

        def named(text: str) -> str:
            number, _, name = text.partition(" ")
            return names.setdefault(number, name)

        for line in file.read_text().splitlines():
            key, equals, value = line.partition("=")
            if key == "fn" and equals:
                function = named(value)
            elif key == "cfn":
                callee = named(value)
            elif key == "calls":
                calls = int(value.split()[0])
            elif line.startswith("totals: "):
                self.total = [int(word) for word in line.split()[1:]]
            elif re.fullmatch(r"[0-9 ]+", line):
                costs = [int(word) for word in line.split()[1:]]
                if calls is None:
                    assert function not in self.own
                    self.own[function] = costs
                    continue
                arc = self.arcs[function, callee]
                arc[:] = [a + b for a, b in zip(arc, [calls, *costs], strict=True)]
                calls = None

    def inclusive(self, function: str) -> list[int]:
        beneath = [arc[1:] for (caller, _), arc in self.arcs.items() if caller == function]
        return [sum(costs) for costs in zip(self.own[function], *beneath, strict=True)]


def test_costs_of_calls_are_those_of_the_program(whole: Path, export: Export) -> None:
    tree = CallTree(export("callgrind", whole).path)
    sent = STEPS * sum(100 * (rank + 1) for rank in range(RANKS))
    assert tree.own["MPI_Isend"][CALLS:] == [RANKS * STEPS, RANKS * STEPS, sent, 0]
    assert tree.own["MPI_Irecv"][CALLS:] == [RANKS * STEPS, 0, 0, sent]
    assert tree.own["MPI_Allreduce"][CALLS:] == [RANKS * STEPS, 0, RANKS * STEPS * 8, RANKS * STEPS * 8]
    assert tree.own["MPI_Send"][CALLS:] == [STEPS, STEPS, STEPS * 64, 0]
    assert tree.own["MPI_Comm_rank"][CALLS] == RANKS


def test_costs_are_inclusive_along_call_paths(whole: Path, export: Export) -> None:
    tree = CallTree(export("callgrind", whole).path)
    assert tree.inclusive("main") == [sum(c) for c in zip(*tree.own.values(), strict=True)] == tree.total
    assert tree.inclusive("exchange")[CALLS:] == tree.arcs["step", "exchange"][2:]
    assert tree.inclusive("exchange")[CALLS] == 3 * RANKS * STEPS
    assert tree.arcs["exchange", "MPI_Waitall"][:1] == [RANKS * STEPS]
    assert tree.arcs["main", "step"][0] == 0  # how often is not recorded
    assert tree.own["exchange"] == [0] * 5


def test_a_routine_that_calls_itself_is_counted_once(whole: Path, export: Export) -> None:
    tree = CallTree(export("callgrind", whole).path)
    assert tree.arcs["descend'2", "descend'3"][1:] == tree.own["MPI_Bcast"] == tree.inclusive("descend")


def test_only_the_window_of_iterations_and_ranks_is_exported(whole: Path, export: Export) -> None:
    tree = CallTree(export("callgrind", whole, "--iterations", "3:8", "--ranks", "1-2").path)
    assert tree.own["MPI_Isend"][CALLS:] == [10, 10, 5 * (200 + 300), 0]
    assert tree.own["MPI_Recv"][CALLS:] == [5, 0, 0, 5 * 64]
    assert not {"MPI_Send", "MPI_Init", "MPI_Bcast"} & {*tree.own}


@pytest.mark.skipif(not shutil.which("callgrind_annotate"), reason="callgrind_annotate (Debian's valgrind) is not here")
def test_callgrind_annotate_reads_it(whole: Path, export: Export) -> None:
    file = export("callgrind", whole).path
    words = ["callgrind_annotate", "--inclusive=yes", "--auto=no", "--threshold=100", str(file)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    (totals,) = [line for line in done.stdout.splitlines() if "PROGRAM TOTALS" in line]
    (main,) = [line for line in done.stdout.splitlines() if line.endswith(":main")]
    assert re.findall(r"[\d,]+ \(100", main) == re.findall(r"[\d,]+ \(100", totals)
    assert f"{RANKS * STEPS:,} " in next(line for line in done.stdout.splitlines() if line.endswith(":MPI_Isend"))

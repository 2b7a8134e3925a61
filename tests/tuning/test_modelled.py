"""`leadline tune --network`: what a model gives far more than the least time is not measured."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.bench.asking import Candidate
from leadline.bench.bounds import Model
from leadline.bench.course import Course
from leadline.bench.launching import Plan
from leadline.bench.rows import Asked, rows_of
from leadline.network import parse
from leadline.tuning.modelled import FEWEST, Modelled

LATENCY = "schema = 1\n[[link.node.piece]]\nlatency_ns = 1000\n"
RATE = "schema = 1\n[[link.node.piece]]\nlatency_ns = 1\nper_byte_ns = 1\n"
NAMES = ["linear", "chain", "binomial", "scatter_ring"]


def left_out(network: str, names: list[str], size: int) -> frozenset[str]:
    return Modelled(Model(parse(network).network, 0, 1)).left_out("bcast", (size,), 16, names)[size]


def test_what_takes_many_rounds_is_left_out_where_only_latency_counts() -> None:
    found = left_out(LATENCY, NAMES, 8)
    assert found
    assert found <= {"chain", "scatter_ring"}  # 15 rounds and more, for 1 and 4
    assert len(NAMES) - len(found) >= FEWEST
    assert not left_out(LATENCY, NAMES[1:3], 8)


def test_what_moves_the_data_often_is_left_out_where_only_bytes_count() -> None:
    found = left_out(RATE, [*NAMES, "scatter_recursive_doubling"], 1 << 20)
    assert "linear" in found
    assert "scatter_ring" not in found


def test_what_was_left_out_is_said() -> None:
    found = Modelled(Model(parse(LATENCY).network, 0, 1))
    found.left_out("bcast", (8, 64), 16, NAMES)
    assert found.tried == 2 * len(NAMES)
    assert found.sentence.startswith("by the model, ")
    assert {(one["bytes"], one["processes"]) for one in found.document()} <= {(8, 16), (64, 16)}
    assert Modelled().left_out("bcast", (8,), 16, NAMES) == {}


def test_candidates_that_are_left_out_are_neither_measured_nor_rows(tmp_path: Path) -> None:
    candidates = (Candidate("native"), Candidate("linear"), Candidate("chain"))
    asked = Asked("bcast", (8, 64), candidates, 4, "mpich", 1, left_out=(frozenset({2}), frozenset()))
    course = Course(asked, Plan(()), ["true"], {}, tmp_path, "bcast")
    assert course._wanted == {0: [0, 1], 1: [0, 1, 2]}
    rows = [(row["bytes"], row["algorithm"]) for row in rows_of(asked, [], None)]
    assert rows == [(8, "native"), (8, "linear"), (64, "native"), (64, "linear"), (64, "chain")]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--nodes", "2"], "--nodes needs --network"),
        (["--network", "gigabit", "--launcher", "srun -n {ranks}"], "needs --nodes"),
        (["--network", "carrier-pigeon"], "neither a file nor a preset"),
        (["--network", "gigabit", "--protocol", "--", "true"], "does not take --network"),
    ],
)
def test_requests_that_cannot_be_are_refused_before_anything_is_measured(words: list[str], why: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "leadline", "tune", *words], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 2
    assert why in done.stderr

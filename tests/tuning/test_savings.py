"""What a recorded run's collectives would save: sums by hand, and `leadline bench --from RUN` from end to end."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from leadline import mpi
from leadline.tuning.calls import Calls
from leadline.tuning.choosing import Choice
from leadline.tuning.savings import OfRun, of_rules, savings, split
from leadline.tuning.savings_output import headline
from leadline.tuning.table import Table
from leadline.tuning.tune import Tuned


def row(algorithm: str, n_bytes: int, us: float | None, ratio: tuple[float, float, float] | None) -> dict[str, Any]:
    found = None if ratio is None else dict(zip(("median", "low", "high"), ratio, strict=True))
    return {"operation": "bcast", "algorithm": algorithm, "bytes": n_bytes, "processes": 2, "median_us": us,
            "ratio_to_native": found}  # fmt: skip


ROWS = [
    row("native", 8, 2.0, (1, 1, 1)),
    row("binomial", 8, 1.0, (2.0, 1.6, 2.5)),
    row("chain", 8, 0.9, (2.2, 0.9, 3.0)),  # not clearly faster
    row("native", 64, 3.0, (1, 1, 1)),
    row("binomial", 64, 3.1, (0.97, 0.9, 1.1)),
    row("native", 4096, None, None),  # void
]
CALLS = [Calls("bcast", 8, 2, 1000), Calls("bcast", 64, 2, 10), Calls("bcast", 4096, 2, 5)]


def test_a_call_saves_its_part_of_the_librarys_time_as_often_as_it_is_made() -> None:
    found = savings(CALLS, ROWS)
    assert [(each.call.n_bytes, each.algorithm, each.total_us) for each in found] == [
        (8, "binomial", 2000),
        (64, "native", 30),
    ]
    assert found[0].saved_us == pytest.approx((1000, 750, 1200))
    assert found[1].saved_us == (0, 0, 0)
    of_run = OfRun("mpich", found, iterations=100)
    assert (of_run.total_us, of_run.saved_us) == (2030, pytest.approx((1000, 750, 1200)))
    assert headline(of_run) == (
        "2 distinct collectives of the run, mpich: 2.03 ms with the library default, 1.00 ms less with the best "
        "algorithms (750 µs to 1.20 ms); over 100 iterations of the main loop 10.0 µs each"
    )


def test_rules_save_what_the_launches_that_confirmed_them_say() -> None:
    choice = Choice("bcast", 8, 2, "binomial", 2.0, 1.6, 2.5, 5)
    again = [row("native", 8, 4.0, (1, 1, 1)), row("binomial", 8, 3.2, (1.25, 1.2, 1.3))]
    found = of_rules(Tuned(Table(()), ROWS, again, kept=[choice]), CALLS)
    assert [(each.algorithm, each.total_us) for each in found.savings] == [("binomial", 4000), ("native", 30)]
    assert found.saved_us[0] == pytest.approx(800)


def test_sums_of_parts_of_doubles_and_empty_messages_are_not_measured() -> None:
    calls = [Calls("allreduce", 4, 2, 1), Calls("bcast", 0, 2, 1), Calls("barrier", 0, 2, 1), Calls("bcast", 4, 2, 1)]
    assert split(calls) == ([calls[2], calls[3]], [calls[0]])


def test_a_runs_calls_are_measured(programs: object, tmp_path: Path) -> None:
    library = next((library for library in mpi.available() if library.name == "mpich"), None)
    if library is None:
        pytest.skip("the MPI library mpich is not here")
    record = [sys.executable, "-m", "leadline", "record", "-q", "-o", str(tmp_path / "run"), "--", *library.launch(2)]
    subprocess.run([*record, str(programs(library))], env=library.env(), check=True, capture_output=True)  # type: ignore[operator]
    few = ["--launches", "1", "--rounds", "5", "--seconds", "0.1", "--algorithms", "binomial", "--json"]

    def bench(*words: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "leadline", "bench", *words]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=200)

    done = bench("--from", str(tmp_path / "run"), *few)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["library"] == "mpich"
    # On a busy machine no sample may be usable.
    ((keys, of),) = [("bytes", one) for one in found["calls"]] + [("n_bytes", one) for one in found["missing"]]
    assert (of["operation"], of[keys], of["processes"]) == ("bcast", 1048576, 2)
    if found["calls"]:
        assert of["calls"] == 5
        assert found["native_us"] == pytest.approx(5 * of["native_us"])
    assert (found["unable"], len(found["measurements"])) == ([], 1)
    for words, why in (
        (("scan", "--from", str(tmp_path / "run")), "does not call scan"),
        (("latency", "--from", str(tmp_path / "run")), "collectives, not latency"),
        (("--from", str(tmp_path / "run"), "--sizes", "8"), "does not take --sizes"),
    ):
        refused = bench(*words)
        assert (refused.returncode, why in refused.stderr) == (2, True), refused.stderr

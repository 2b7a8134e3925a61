"""What is claimed: nothing of cells that are alike, what was planted with as many repeats as the dry run names."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
import tiers

from leadline.campaign import dry
from leadline.campaign.files import environments, tables
from leadline.campaign.journal import Journal
from leadline.campaign.measured import Measured
from leadline.campaign.plan import Cell
from leadline.campaign.plot import image, write_plot
from leadline.campaign.results import comparisons, document
from leadline.campaign.terminal import table
from leadline.errors import UsageError
from leadline.toml import parsed

from .conftest import a_plan, rows_of

NOISE = 0.03


def noisy(chance: random.Random, cell: Cell, repeat: int) -> float:
    """One time in twenty something else was running."""
    return 2.0 * math.exp(chance.gauss(0, NOISE)) * (1.5 if chance.random() < 0.05 else 1)


def claims(seed: int, repeats: int, slower: float) -> int:
    """In a campaign of three candidates at two numbers of ranks; the last candidate is slower by that factor."""
    plan = a_plan(libraries=("a", "b", "c"), ranks=(2, 4), repeats=repeats)
    chance = random.Random(seed)
    found = []
    for cell in plan.cells(str):
        factor = slower if cell.library == "c" else 1.0
        rows = [
            {"ok": True, "time_s": factor * noisy(chance, cell, n), "repeat": n, "recorded": False, "wall_s": 1.0}
            for n in range(repeats)
        ]
        found.append(Measured(cell, rows))
    return sum(len(each.claimed) for each in comparisons(found))


@pytest.mark.parametrize("repeats", [3, 5, 10])
def test_cells_that_are_alike_are_rarely_told_apart(repeats: int) -> None:
    """200 campaigns; of 5 % that is 10, and 18 would be exceeded once in a hundred times. The seeds are fixed."""
    wrong = sum(claims(seed, repeats, 1.0) > 0 for seed in range(200))
    assert wrong <= 0.05 * 200


def test_a_planted_difference_is_found_with_the_repeats_that_the_dry_run_names(journal: Journal) -> None:
    """With power 80 %, of each pair; noise without disturbances, which the dry run measures from a few repeats."""
    plan = a_plan(libraries=("a", "b"), repeats=20)
    cells = rows_of(journal, plan, lambda chance, cell, n: 2.0 * math.exp(chance.gauss(0, NOISE)))
    told = dry.plan_of(plan, cells, journal)["repeats"]
    assert told["spread"] == pytest.approx(NOISE, rel=0.35)
    assert told["pairs"] == 1
    needed = told["needed"]
    found = 0
    for seed in range(100):
        chance = random.Random(seed)
        rows = [
            [
                {"ok": True, "time_s": f * math.exp(chance.gauss(0, NOISE)), "repeat": n, "recorded": False}
                for n in range(needed)
            ]
            for f in (1.0, 1.05)
        ]
        (comparison,) = comparisons([Measured(c, r) for c, r in zip(cells, rows, strict=True)])
        found += len(comparison.claimed)
    assert found >= 65


def test_figures_of_a_cell_by_hand(journal: Journal) -> None:
    times = {"mpich": [1.0, 1.1, 0.9, 1.0, 5.0], "openmpi": [2.0, 2.2, None, 1.9, 2.1]}
    plan = a_plan()
    cells = rows_of(journal, plan, lambda chance, cell, n: times[cell.library][n])
    found = document(plan, cells, journal)
    mpich, openmpi = found["cells"]
    assert (mpich["n"], mpich["median"], mpich["failed"], mpich["outliers"]) == (5, 1.0, 0, 1)
    assert [run["outlier"] for run in mpich["runs"]] == [False] * 4 + [True]
    assert (openmpi["n"], openmpi["median"], openmpi["failed"], openmpi["reason"]) == (4, 2.05, 1, "exit code 3")
    assert openmpi["to_best"]["value"] == pytest.approx(
        math.prod((2.0, 2.2, 1.9, 2.1)) ** (1 / 4) / math.prod((1.0, 1.1, 0.9, 1.0, 5.0)) ** (1 / 5)
    )
    assert found["runs"] == {"planned": 10, "finished": 10, "failed": 1}
    assert "1 failed" in found["verdict"]


def test_groups_share_a_letter_where_nothing_is_proven(journal: Journal) -> None:
    plan = a_plan(libraries=("a", "b", "c"), repeats=8)
    factor = {"a": 1.0, "b": 1.0, "c": 3.0}
    cells = rows_of(journal, plan, lambda chance, cell, n: factor[cell.library] * math.exp(chance.gauss(0, 0.01)))
    found = document(plan, cells, journal)
    groups = {cell["library"]: cell["group"] for cell in found["cells"]}
    assert groups["a"] == groups["b"]
    assert not set(groups["a"]) & set(groups["c"])
    (text,) = found["paragraphs"]
    assert "share first place" in text
    assert "c takes" in text


def test_scaling_of_a_program_with_a_serial_part(journal: Journal) -> None:
    """1 s serial and 8 s that divide."""
    plan = a_plan(libraries=("a",), ranks=(1, 2, 4, 8), repeats=3)
    cells = rows_of(journal, plan, lambda chance, cell, n: 1 + 8 / cell.ranks)
    (curve,) = document(plan, cells, journal)["scaling"]
    assert [point["efficiency"] for point in curve["points"]] == pytest.approx([1, 0.9, 0.75, 9 / 16])
    assert curve["serial_share"] == pytest.approx(1 / 9, rel=1e-3)


def test_tables_have_a_row_for_each_run_and_each_cell(journal: Journal) -> None:
    plan = a_plan(repeats=3)
    cells = rows_of(journal, plan, lambda chance, cell, n: None if n == 1 else 1.0 + n)
    found = tables(document(plan, cells, journal))
    assert (len(found["runs"]), len(found["cells"])) == (6, 2)
    assert list(found["runs"]["time_s"]) == [1.0, None, 3.0, 1.0, None, 3.0]
    assert list(found["cells"]["median_s"]) == [2.0, 2.0]


def test_facts_come_back_from_toml() -> None:
    facts = {"e1": {'MPI "library"': "a\nb\\\x1b[31m\x7f\U0001f600\udcff", "None": None}, "e2": {}}
    found = parsed(environments(facts))
    assert list(found) == ["e1", "e2"]
    (value,) = found["e1"].values()
    assert value.startswith("a")
    assert "\x1b" not in value


def test_the_journal_survives_a_line_that_was_cut(tmp_path: Path) -> None:
    plan = a_plan(repeats=4)
    journal = Journal(tmp_path)
    rows_of(journal, plan, noisy)
    whole = journal.file.read_bytes()
    lines = whole.splitlines(keepends=True)
    for cut in range(0, len(whole), 1 if tiers.everything() else 37):
        journal.file.write_bytes(whole[:cut])
        again = Journal(tmp_path)
        again.drop_incomplete_line()
        assert list(again.rows.values()) == list(journal.rows.values())[: len(again.rows)]
        assert journal.file.read_bytes() == b"".join(lines[: len(again.rows)])


def test_a_later_line_of_a_run_holds(journal: Journal) -> None:
    plan = a_plan(libraries=("a",), repeats=1)
    rows_of(journal, plan, lambda *_: None)
    cells = rows_of(journal, plan, lambda *_: 3.0)
    found = document(plan, cells, Journal(journal.directory))
    assert (found["cells"][0]["n"], found["runs"]["failed"]) == (1, 0)


def test_parts_are_compared_like_programs(journal: Journal) -> None:
    """The whole is the same with both libraries; one part takes twice as long, and a run printed no time of it."""
    plan = a_plan(repeats=6)
    program = replace(plan.programs[0], parts=(("solver", "s (.*)"),))
    plan = replace(plan, programs=(program,))
    cells = rows_of(journal, plan, lambda chance, cell, n: 5.0 * math.exp(chance.gauss(0, 0.01)))
    for key, row in list(journal.rows.items()):
        solver = {"mpich": 1.0, "openmpi": 2.0}[row["names"]["library"]] + 0.01 * key[1]
        journal.add({**row, "parts": {"solver": None if key[1] == 5 else solver}})
    found = document(plan, cells, journal)
    assert [(c["part"], c["library"], c["n"]) for c in found["cells"]] == [
        ("", "mpich", 6),
        ("solver", "mpich", 5),
        ("", "openmpi", 6),
        ("solver", "openmpi", 5),
    ]
    assert [(each["part"], each["claims"]) for each in found["comparisons"]] == [("", 0), ("solver", 1)]
    assert "app: solver, 2 ranks: mpich is the fastest" in found["paragraphs"][1]
    assert found["runs"] == {"planned": 12, "finished": 12, "failed": 0}


def test_figures_stay_on_the_line_of_long_names(journal: Journal) -> None:
    plan = a_plan(programs=["a program with a name of many letters"], libraries=["mpich", "openmpi"])
    rows_of(journal, plan, lambda chance, cell, repeat: 1.0 + 0.001 * repeat)
    found = document(plan, plan.cells(lambda name: name), journal)
    for width in (100, 120):
        lines = table(found["cells"], None, width)
        assert all(len(line if isinstance(line, str) else line[0]) <= width for line in lines)
    assert "a program with a name" in str(table(found["cells"], None, 120))


@pytest.mark.parametrize("name", ["app", "a$b_{c}$ <b>&"])
def test_results_are_drawn_with_their_names(journal: Journal, tmp_path: Path, name: str) -> None:
    pytest.importorskip("matplotlib")
    plan = a_plan(libraries=("a", "b"), ranks=(2, 4), repeats=5, programs=(name, "other"))
    cells = rows_of(journal, plan, lambda _, cell, n: None if cell.program.name == "other" else 2.0 + n / 100)
    content = document(plan, cells, journal)
    for form in ("svg", "png", "pdf"):
        write_plot(content, tmp_path / f"p.{form}")
    text = (tmp_path / "p.svg").read_text()
    assert escape(name) in text
    assert "no run succeeded" in text
    assert image(content, "svg") == text.encode()  # nothing in it says when it was drawn
    with pytest.raises(UsageError, match=r"FILE\.svg, FILE\.png or FILE\.pdf"):
        write_plot(content, tmp_path / "p.txt")

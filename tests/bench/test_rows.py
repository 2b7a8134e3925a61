"""Rows out of launches made by hand."""

import csv
import json
import re
import sys
from pathlib import Path

import pytest

from leadline.bench import samples
from leadline.bench.asking import Candidate
from leadline.bench.bounds import Model, fit
from leadline.bench.launching import Launch, Noise, Samples
from leadline.bench.output import About, headline, notes
from leadline.bench.plot import check, image, page
from leadline.bench.rows import Asked, Measurement, rows_of
from leadline.errors import MissingPrerequisite
from leadline.network import parse

ASKED = Asked("bcast", (8, 1 << 20), (Candidate("native"), Candidate("chain", 65536)), 4, "mpich", 1)
NETWORK = fit([(0, 1000), (1 << 20, 1000 + (1 << 20))], [(4096, 8192)])
KEYS = {
    "operation", "algorithm", "bytes", "processes", "library", "median_us", "low_us", "high_us", "samples", "late",
    "correct", "problem", "bound_us", "percent_of_bound", "ratio_to_native", "ratio_by_launch",
}  # fmt: skip


def _launch(*, correct: bool = True, base_correct: bool = True) -> Launch:
    """Native takes 4 µs, the chain 2 µs; at the second size the chain cannot be used."""
    found = Launch(library="MPICH 5", ranks=4, ranks_on_host=4, cores_on_host=2, oversubscribed=True, ended=True)
    found.noise = [Noise(0, 6.0, 7.0, 900.0, 0.25, 3.0)]
    found.samples = {
        (0, 0): Samples(correct=base_correct, times_ns=[4000.0] * 6),
        (0, 1): Samples(correct=correct, late=1, times_ns=[2000.0] * 5 + [None]),
        (1, 0): Samples(times_ns=[2e6] * 6),
        (1, 1): Samples(problem="not for this size"),
    }
    return found


def _measurement(*launches: Launch) -> Measurement:
    return Measurement(ASKED, list(launches), NETWORK, {}, rows_of(ASKED, launches, NETWORK))


def test_rows_of_two_launches() -> None:
    rows = _measurement(_launch(), _launch()).rows
    assert [(row["bytes"], row["algorithm"]) for row in rows] == [
        (8, "native"),
        (8, "chain:segment=65536"),
        (1 << 20, "native"),
        (1 << 20, "chain:segment=65536"),
    ]
    assert all(set(row) == KEYS for row in rows)
    chain = rows[1]
    assert (chain["median_us"], chain["low_us"], chain["high_us"]) == (2.0, 2.0, 2.0)
    assert (chain["samples"], chain["late"], chain["correct"], chain["problem"]) == (10, 2, True, None)
    assert chain["ratio_to_native"] == {"median": 2.0, "low": 2.0, "high": 2.0}
    assert chain["ratio_by_launch"][1] == {"launch": 1, "median": 2.0, "low": 2.0, "high": 2.0, "rounds": 5}
    assert (chain["bound_us"], chain["percent_of_bound"]) == (2.0, 100.0)
    unusable = rows[3]
    assert (unusable["correct"], unusable["problem"], unusable["ratio_to_native"]) == (None, "not for this size", None)


def test_rows_have_the_models_time_where_a_network_is_given() -> None:
    network = parse("schema = 1\n[link.node]\n[[link.node.piece]]\nlatency_ns = 1000\n").network
    rows = rows_of(ASKED, [_launch()], NETWORK, Model(network))
    assert all(set(row) == {*KEYS, "model_us"} for row in rows)
    # A chain of four ranks is three messages one after the other; segments take no time of their own here.
    assert [row["model_us"] for row in rows] == [None, 3.0, None, 3.0]
    elsewhere = _launch()
    elsewhere.hosts = 2
    assert [row["model_us"] for row in rows_of(ASKED, [elsewhere], NETWORK, Model(network))] == [None] * 4
    assert [row["model_us"] for row in rows_of(ASKED, [elsewhere], NETWORK, Model(network, nodes=2))][1] == 3.0


def test_one_wrong_result_voids_the_row() -> None:
    found = _measurement(_launch(), _launch(correct=False))
    row = found.rows[1]
    assert row["correct"] is False
    assert (row["median_us"], row["ratio_to_native"], row["ratio_by_launch"]) == (None, None, [])
    assert found.wrong == [row]
    assert any(note.text.startswith("Wrong result") for note in notes(found) if note.about is About.ROWS)


def test_a_base_that_is_wrong_leaves_times_without_ratios() -> None:
    row = _measurement(_launch(base_correct=False)).rows[1]
    assert row["median_us"] == 2.0
    assert row["ratio_to_native"] is None
    assert "its baseline gave" in row["problem"]


def test_rounds_that_were_all_late_are_said_so() -> None:
    launch = _launch()
    launch.samples[0, 1].times_ns = [None] * 6
    row = _measurement(launch).rows[1]
    assert (row["correct"], row["median_us"], row["problem"]) == (True, None, "a rank started late in every sample")


def test_the_document_says_where_it_was_measured() -> None:
    document = json.loads(json.dumps(_measurement(_launch()).document()))
    assert document["schema"] == 1
    assert document["library_version"] == "MPICH 5"
    machine = document["machine"]
    assert (machine["oversubscribed"], machine["ranks_on_host"], machine["cores_on_host"]) == (True, 4, 2)
    assert machine["noise"]["lost_share_worst"] == 0.25
    assert document["network"]["alpha_us"] == 1.0


def test_words_for_people() -> None:
    found = _measurement(_launch(), _launch())
    found.failed = "launch 3 of 3 failed"
    assert headline(found).endswith(
        "the library default is beaten at 1 of 2 sizes, by the largest factor with chain:segment=65536: 2.00× at 8"
    )
    said = {note.about: note.text for note in notes(found)}
    assert set(said) == set(About)
    assert said[About.OVERSUBSCRIPTION].startswith("Oversubscribed: 4 ranks on 2 cores")
    assert said[About.NOISE].startswith("OS noise: 25.0 %")
    assert said[About.ROWS] == "Not for this size: chain:segment=65536 at 1 MiB"
    assert said[About.LATE] == "2 of 34 samples started late on some rank"
    assert said[About.FAILURE] == "Launch 3 of 3 failed"


COLUMNS = [
    "operation", "algorithm", "bytes", "processes", "library", "launch", "round", "time_us", "late", "correct",
]  # fmt: skip


@pytest.mark.parametrize("writer", samples.WRITERS)
def test_raw_samples_are_kept_as_parquet(writer: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip(writer)
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(samples, "WRITERS", (writer,))
    samples.write_parquet(_measurement(_launch(), _launch()), tmp_path / "samples.parquet")
    found = parquet.read_table(tmp_path / "samples.parquet")
    assert found.column_names == COLUMNS
    assert found.num_rows == 2 * 18
    late = [time is None for time in found["time_us"].to_pylist()]
    assert late == found["late"].to_pylist()
    assert sum(late) == 2


def test_raw_samples_are_kept_as_csv(tmp_path: Path) -> None:
    samples.write_csv(_measurement(_launch(), _launch()), tmp_path / "samples.csv")
    with (tmp_path / "samples.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == COLUMNS
    assert len(rows) == 2 * 18
    assert sorted({row["time_us"] for row in rows}) == ["", "2.0", "2000.0", "4.0"]


def test_parquet_without_a_library_for_it_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "WRITERS", ("no_such_library",))
    with pytest.raises(MissingPrerequisite, match="needs Polars or pyarrow") as refused:
        samples.parquet_writer()
    assert "--csv" in refused.value.hint


def test_drawings_hold_every_candidate_and_load_nothing() -> None:
    found = _measurement(_launch(), _launch())
    for drawing in (image(found, "svg").decode(), page(found)):
        assert drawing.count("chain:segment=65536") >= 1
        assert "nan" not in drawing
        assert "src=" not in drawing
        assert "@import" not in drawing
        assert all(target.startswith("#") for target in re.findall(r'href="([^"]*)"', drawing))
        assert all(target.startswith("#") for target in re.findall(r"url\(([^)]*)\)", drawing))


@pytest.mark.parametrize(("form", "begins"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")])
def test_the_same_measurement_is_the_same_drawing(form: str, begins: bytes) -> None:
    found = _measurement(_launch(), _launch())
    drawing = image(found, form)
    assert drawing.startswith(begins)
    assert image(found, form) == drawing


def test_a_plot_without_matplotlib_is_refused_before_measuring(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingPrerequisite, match="plots need matplotlib") as refused:
        check(tmp_path / "plot.png")
    assert "leadline[figures]" in refused.value.hint


def test_a_drawing_of_nothing_says_so() -> None:
    nothing = Launch()
    assert "nothing to plot" in image(_measurement(nothing), "svg").decode()

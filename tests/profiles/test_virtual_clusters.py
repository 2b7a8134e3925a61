"""WRF on physical and virtual nodes: figures by hand from the published tables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leadline.__main__ import main
from leadline.errors import UsageError
from leadline.profiles import virtual_clusters
from leadline.profiles.virtual_clusters import disagreements, document, figures, tables, text


def test_figures_are_those_of_the_tables() -> None:
    by_table = {(row["side"], row["nodes"]): row for row in figures(tables())}
    assert by_table["physical", 8]["wait_s"] == pytest.approx(1906.213 / 8)
    assert by_table["virtual", 8]["wait_s"] == pytest.approx(5901.471 / 8)
    assert by_table["virtual", 2]["application_s"] == pytest.approx(691.989 / 2)
    assert by_table["physical", 4]["mpi_s"] == pytest.approx((1731.586 - 903.022) / 4, rel=1e-3)


def test_bcast_and_gatherv_contradict_the_conclusion() -> None:
    at_eight = {each.function: each for each in disagreements(tables()) if each.nodes == 8}
    assert set(at_eight) == {"MPI_Bcast", "MPI_Gatherv"}
    assert at_eight["MPI_Bcast"].slower == at_eight["MPI_Gatherv"].slower == "physical"
    assert at_eight["MPI_Bcast"].ratio == pytest.approx(10749 / 1965, rel=1e-3)
    assert at_eight["MPI_Gatherv"].ratio == pytest.approx(2306 / 204, rel=2e-3)
    assert "MPI_Gatherv on 8 nodes: 2,306 µs per call physical, 204 µs virtual (11.3×)" in text(tables())


def test_counts_that_throttling_cut_are_named() -> None:
    cuts = {(cut["side"], cut["nodes"], cut["function"]): cut["calls"] for cut in document(tables())["cut_counts"]}
    everywhere = {(side, nodes, "MPI_Cart_shift") for side in ("physical", "virtual") for nodes in (2, 4, 8)}
    from_four = {
        (side, nodes, name)
        for side in ("physical", "virtual")
        for nodes in (4, 8)
        for name in ("MPI_Comm_rank", "MPI_Cart_coords")
    }
    irecv = {(side, 8, "MPI_Irecv") for side in ("physical", "virtual")}
    assert set(cuts) == everywhere | from_four | irecv
    assert cuts["physical", 8, "MPI_Irecv"] == 400_004


def test_figures_are_drawn(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"ending in \.png or \.svg"):
        virtual_clusters.draw(tables(), tmp_path / "wrf.pdf")
    virtual_clusters.draw(tables(), tmp_path / "wrf.png")
    assert (tmp_path / "wrf.png").read_bytes().startswith(b"\x89PNG")


def test_the_command_reads_the_tables_and_refuses_what_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--study", "wrf", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["study"], len(printed["figures"])) == ("wrf", 6)
    assert main(["bench", "--study", "wrf", "--rounds", "3"]) == 2
    assert (
        "--study wrf measures nothing: it re-reads published tables; it does not take --rounds"
        in capsys.readouterr().err
    )

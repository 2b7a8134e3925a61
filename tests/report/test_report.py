"""The report of runs built by hand: every figure here was computed on paper."""

import io
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from rich.console import Console

from leadline.errors import DamagedTrace, NoSuchRun
from leadline.figures.content import Content
from leadline.figures.run import Loss, open_run
from leadline.report import Report, to_json, verdict
from leadline.text import format as fmt
from leadline.text.ranks import rank_list

from .handmade import Calls, HandmadeSite, a_process, an_edge, strips

MakeRun = Callable[..., Any]


def printed(run: Any, width: int = 80, **options: Any) -> list[str]:
    out = io.StringIO()
    Report(run).print(Console(file=out, width=width), **options)
    return out.getvalue().splitlines()


def by(entries: list[dict[str, Any]], key: str) -> dict[str, dict[str, Any]]:
    return {entry[key]: entry for entry in entries}


def test_the_contract_for_scripts(strip_run: Any) -> None:
    report = to_json(strip_run)
    assert report["schema"] == "leadline.report/2"
    assert (report["ranks"], report["complete"], report["losses"]) == (4, True, [])
    assert report["library"].startswith("Open MPI v5.0.11")
    assert report["duration_s"] == 10.0
    for entry in [*report["functions"], *report["sites"]]:
        assert {"function", "calls", "messages", "bytes", "time_s", "calls_min", "calls_max"} <= entry.keys()
    for entry in report["sites"]:
        assert {"routine", "file", "line", "path"} <= entry.keys()
    assert report["command"] == ["mpiexec", "ocean"]


def test_every_field_of_the_report_is_documented(strip_run: Any) -> None:
    fields = to_json(strip_run).keys()
    text = (Path(__file__).parents[2] / "docs" / "read" / "report.md").read_text()
    rows = [line.split("|")[1] for line in text.split("## Entries")[0].splitlines() if line.startswith("| `")]
    documented = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert not fields - documented


def test_functions_count_calls_messages_and_bytes(strip_run: Any) -> None:
    functions = by(to_json(strip_run)["functions"], "function")
    sends = functions["MPI_Isend"]
    # 6 sides x (51 x 8 + 51 x 71) = 6 x 4029
    assert (sends["calls"], sends["messages"]) == (24_174, 24_174)
    assert sends["bytes"] == 6 * (408 * 73_728 + 3_621 * 1_024)
    assert sends["bytes_received"] == 0
    assert (sends["calls_min"], sends["calls_median"], sends["calls_max"]) == (4_029, 6_043.5, 8_058)
    assert (sends["calls_min_rank"], sends["calls_max_rank"]) == (0, 1)
    assert sends["sizes"] == [{"bytes": 1_024, "messages": 21_726}, {"bytes": 73_728, "messages": 2_448}]
    receives = functions["MPI_Irecv"]
    assert receives["messages"] == 0
    assert receives["bytes"] == receives["bytes_received"] == sends["bytes"]
    assert receives["bytes_max"] == 2 * sends["bytes"] // 6
    assert functions["MPI_Wait"]["calls"] == 48_348
    assert functions["MPI_Wait"]["max_s"] == pytest.approx(4e-3)
    assert functions["MPI_Wait"]["max_s_rank"] == 3
    reduce = functions["MPI_Allreduce"]
    assert (reduce["messages"], reduce["bytes"], reduce["bytes_received"]) == (0, 32, 32)
    local = functions["MPI_Comm_rank"]
    assert (local["calls"], local["local"], local["max_s"]) == (12, True, None)


def test_sites_say_where_and_from_where(strip_run: Any) -> None:
    sites = [site for site in to_json(strip_run)["sites"] if site["function"] == "MPI_Isend"]
    assert [site["routine"] for site in sites] == ["exchange", "exchange"]
    diffuse = next(site for site in sites if any("diffuse" in frame for frame in site["path"]))
    assert diffuse["path"] == ["main (ocean.cpp:5)", "diffuse (ocean.cpp:20)", "exchange (halo.cpp:40)"]
    assert (diffuse["file"], diffuse["line"]) == ("/src/ocean/halo.cpp", 40)
    assert diffuse["frames"][1]["full"] == "ocean::diffuse"
    assert (diffuse["messages"], diffuse["messages_min"], diffuse["messages_max"]) == (21_726, 3_621, 7_242)


def test_routines_include_what_is_called_beneath(strip_run: Any) -> None:
    report = to_json(strip_run)
    routines = by(report["routines"], "routine")
    assert routines["main"]["messages"] == routines["exchange"]["messages"] == 24_174
    assert (routines["advect"]["messages"], routines["advect"]["messages_max"]) == (2_448, 816)
    assert routines["diffuse"]["messages"] == 21_726
    assert by(report["call_paths"], "path")["advect > exchange"]["messages"] == 2_448


def test_call_tree_has_inclusive_and_exclusive_times(strip_run: Any) -> None:
    report = to_json(strip_run)
    tree = {tuple(path_in(report["call_tree"], entry)): entry for entry in report["call_tree"]}
    main, advect, diffuse = tree["main",], tree["main", "advect"], tree["main", "diffuse"]
    assert advect["calls"] + diffuse["calls"] <= main["calls"]
    assert main["time_s"] == pytest.approx(main["own_s"] + advect["time_s"] + diffuse["time_s"])
    assert (advect["messages"], diffuse["messages"]) == (2_448, 21_726)
    exchange = tree["main", "diffuse", "exchange"]
    assert exchange["own_s"] == exchange["time_s"] == pytest.approx(diffuse["time_s"])
    assert (diffuse["own_s"], diffuse["function"], exchange["function"]) == (0, None, "MPI_Wait")


def path_in(tree: list[dict[str, Any]], entry: dict[str, Any]) -> list[str]:
    outer = next((each for each in tree if each["id"] == entry["parent"]), None)
    return [*(path_in(tree, outer) if outer else []), entry["routine"]]


def test_time_is_computation_and_mpi(strip_run: Any) -> None:
    (strip_run.path / "shared-0123.structure").write_bytes(bytes(500))
    report = to_json(strip_run)
    first = report["ranks_detail"][0]
    # 2 x 4029 us of Isend and Irecv, 816 waits of 100 us and 7242 of 50 us, Allreduce 1 ms, Init 100 ms, 30 ns local
    mpi_s = 8_058e-6 + 81.6e-3 + 362.1e-3 + 1e-3 + 0.1 + 30e-9
    assert first["mpi_s"] == pytest.approx(mpi_s)
    assert first["computation_s"] == pytest.approx(10 - mpi_s)
    assert first["by_kind_s"]["completion"] == pytest.approx(443.7e-3)
    assert report["mpi_s"] + report["computation_s"] == pytest.approx(40)
    # Shares are of the time without MPI_Init, which itself has none.
    assert report["startup_s"] == pytest.approx(0.4)
    assert report["mpi_share"] == pytest.approx((report["mpi_s"] - 0.4) / (40 - 0.4))
    assert by(report["functions"], "function")["MPI_Init"]["share"] is None
    assert sum(e["share"] or 0.0 for e in report["functions"]) == pytest.approx(report["mpi_share"])
    assert report["overhead"]["own_s"] == pytest.approx(4e-3)
    calls = 24_174 * 4 + 4 + 4 + 12
    assert report["totals"]["calls"] == calls
    assert report["overhead"]["per_call_ns"] == pytest.approx(4e6 / calls)
    assert report["overhead"]["fraction"] == pytest.approx(1e-4)
    assert report["trace"] == {"bytes": 8_500, "shared_bytes": 500, "bytes_per_call": 8_500 / calls}


def test_threads_of_a_rank_compute_between_their_calls(make_run: MakeRun) -> None:
    sites = [HandmadeSite("MPI_Isend", "isend", ["main a.cpp:1"], {0: Calls(10, 1e9)})]
    run = make_run(sites, [a_process(0, 1, threads=2, gap_ns=15e9)], [])
    rank = to_json(run)["ranks_detail"][0]
    assert (rank["mpi_s"], rank["computation_s"], rank["threads"]) == (1.0, pytest.approx(15.0), 2)


def test_matrix_and_histogram(strip_run: Any) -> None:
    report = to_json(strip_run)
    pairs = {(entry["source"], entry["target"]): entry["messages"] for entry in report["matrix"]}
    assert pairs == dict.fromkeys([(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2)], 4_029)
    assert report["size_histogram"] == [
        {"from": 1_024, "to": 2_048, "messages": 21_726, "bytes": 21_726 * 1_024},
        {"from": 65_536, "to": 131_072, "messages": 2_448, "bytes": 2_448 * 73_728},
    ]


def test_the_verdict_says_what_costs_in_words_with_numbers(strip_run: Any) -> None:
    # MPI: 6 sides x 4029 x 2 us + 6 x 816 x 100 us + 6 x 7242 x 50 us + 4 x 1 ms = 2.714 of 40 - 4 x 0.1 s
    assert verdict(Content(strip_run)) == (
        "6.9 % of the time is MPI; 5.6 % in diffuse > exchange, mostly in MPI_Wait. "
        "24,174 messages (203 MB) between 4 ranks; 90 % of them from diffuse > exchange, 1,024 B each."
    )


def test_one_sided_operations_are_told_apart_from_messages(make_run: MakeRun) -> None:
    path = ["main ocean.cpp:5", "halo ocean.cpp:7"]
    puts = {r: Calls(10, 1e6, operations=10, sent=800, put=800, sizes=Counter({80: 10})) for r in (0, 1)}
    fetches = {0: Calls(4, 1e6, operations=3, sent=24, received=24, put=24, got=24, sizes=Counter({8: 3}))}
    sends = {0: Calls(1, 1e6, messages=1, sent=100, sizes=Counter({100: 1}))}
    sites = [
        HandmadeSite("MPI_Put", "rma", path, puts),
        HandmadeSite("MPI_Fetch_and_op", "rma", ["main ocean.cpp:6"], fetches),
        HandmadeSite("MPI_Isend", "isend", ["main ocean.cpp:9"], sends),
    ]
    edges = [
        an_edge(0, 1, messages=1, n_bytes=100, operations=10, put=800),
        an_edge(0, 0, operations=3, put=24, got=24),
        an_edge(1, -1, operations=10, put=800),
    ]
    run = make_run(sites, [a_process(rank, 2) for rank in range(2)], edges)
    report = to_json(run)
    assert report["verdict"].endswith(
        " 1 message (100 B) between 2 ranks; all from main, 100 B each. 20 one-sided puts (1,600 B) and 3 "
        "accumulates (24 B) between 2 ranks; 87 % of them from halo, 80 B each."
    )
    totals = report["totals"]
    assert [totals[key] for key in ("one_sided_operations", "puts", "gets", "accumulates")] == [23, 20, 0, 3]
    assert (totals["bytes_put"], totals["bytes_got"], totals["messages"]) == (1_624, 24, 1)
    assert report["one_sided_sizes"] == [{"bytes": 8, "operations": 3}, {"bytes": 80, "operations": 20}]
    assert report["sizes"] == [{"bytes": 100, "messages": 1}]
    first = report["ranks_detail"][0]
    assert (first["one_sided_operations"], first["bytes_put"], first["bytes_got"]) == (13, 824, 24)
    lines = printed(run)
    start = lines.index("Put matrix  bytes; row: origin, column: target")
    assert [line.split() for line in lines[start + 1 : start + 4]] == [
        ["by/to", "0", "1"],
        ["0", "24", "B", "800", "B"],
        ["1", "·", "·"],
    ]
    assert lines[start + 4] == "3 pairs of ranks; each rank puts to 1 to 2 partners"
    assert lines[start + 5] == "Not shown: 800 B to unrecorded or unknown ranks"
    sent = next(i for i, line in enumerate(lines) if line.startswith("Communication matrix"))
    assert lines[sent + 2].split() == ["0", "·", "100", "B"]
    fetch = next(line for line in lines if line.endswith("  MPI_Fetch_and_op"))
    assert " 48 B " in fetch


def test_a_missing_rank_is_a_loss(make_run: MakeRun) -> None:
    sites, edges = strips([1, 2, 2])
    run = make_run(sites, [a_process(rank, 4) for rank in range(3)], edges)
    report = to_json(run)
    assert (report["ranks"], report["ranks_recorded"], report["complete"]) == (4, 3, False)
    assert [loss["code"] for loss in report["losses"]] == ["missing-ranks"]
    assert "1 of 4 ranks left no trace (rank 3) and are missing" in report["losses"][0]["message"]
    assert "Incomplete: 1 of 4 ranks left no readable trace" in report["verdict"]
    assert any("1 of 4 ranks" in entry["what"] for entry in report["not_recorded"])


def test_a_rank_that_was_killed_makes_the_run_incomplete(make_run: MakeRun) -> None:
    sites, edges = strips([1, 1])
    processes = [a_process(0, 2), a_process(1, 2, complete=False, finalized=False)]
    report = to_json(make_run(sites, processes, edges, [Loss("unreadable-trace", 1, "x.trace: cut")]))
    assert report["complete"] is False
    assert any(entry["what"] == "the end of rank 1" for entry in report["not_recorded"])


def test_spawned_programs_have_worlds_of_their_own(make_run: MakeRun) -> None:
    sites, _ = strips([1, 1, 1])
    processes = [a_process(0, 2), a_process(1, 2), a_process(0, 1, world=9, start_unix_ns=2 * 10**18)]
    report = to_json(make_run(sites, processes, []))
    assert (report["ranks"], report["worlds"], report["complete"]) == (3, 2, True)
    assert [rank["rank"] for rank in report["ranks_detail"]] == ["0.0", "0.1", "1.0"]


def test_two_jobs_in_one_directory_are_told_apart(make_run: MakeRun) -> None:
    sites, _ = strips([1, 1])
    report = to_json(make_run(sites, [a_process(0, 1, pid=1), a_process(0, 1, pid=2)], []))
    assert (report["ranks"], report["worlds"]) == (2, 2)


def test_sites_with_one_source_path_are_one(make_run: MakeRun) -> None:
    path = ["main a.cpp:1"]
    sites = [HandmadeSite("MPI_Isend", "isend", path, {0: Calls(n, 1e3 * n, messages=n)}) for n in (3, 4)]
    found = to_json(make_run(sites, [a_process(0, 1)], []))["sites"]
    assert [(site["calls"], site["messages"]) for site in found] == [(7, 7)]


def test_routines_above_a_cut_path_are_known_in_part_only(make_run: MakeRun) -> None:
    one = {0: Calls(1, 1e6, messages=1)}
    sites = [
        HandmadeSite("MPI_Isend", "isend", ["main a.cpp:1", "run a.cpp:2", "advect a.cpp:3"], one),
        HandmadeSite("MPI_Isend", "isend", ["advect a.cpp:4", "exchange a.cpp:5", "pack a.cpp:6"], one),
    ]
    report = to_json(make_run(sites, [a_process(0, 1)], []))
    assert [site["path_whole"] for site in report["sites"]] == [True, False]
    routines = by(report["routines"], "routine")
    assert {name for name, entry in routines.items() if entry["at_least"]} == {"main", "run"}
    assert (routines["advect"]["messages"], routines["run"]["messages"]) == (2, 1)


def test_lines_of_outer_routines_are_one_place_on_the_terminal(make_run: MakeRun) -> None:
    sites = [
        HandmadeSite("MPI_Isend", "isend", [f"main a.cpp:{n}", "exchange a.cpp:9"], {0: Calls(2, 1e6, messages=2)})
        for n in (1, 2, 3)
    ]
    run = make_run(sites, [a_process(0, 1)], [])
    assert len(to_json(run)["sites"]) == 3
    lines = printed(run)
    assert lines.count("exchange > MPI_Isend  ocean/a.cpp:9 (3 paths)") == 1


def test_deep_paths_are_one_place_where_their_innermost_routines_agree(make_run: MakeRun) -> None:
    inner = ["solve a.cpp:1", "cycle a.cpp:2", "smooth a.cpp:3", "exchange a.cpp:9"]
    sites = [
        HandmadeSite("MPI_Isend", "isend", ["main a.cpp:1", *outer, *inner], {0: Calls(2, 1e6, messages=2)})
        for outer in ([], ["first a.cpp:4", "step a.cpp:5"], ["second a.cpp:6", "step a.cpp:5"])
    ]
    run = make_run(sites, [a_process(0, 1)], [])
    report = to_json(run)
    assert sorted(len(site["frames"]) for site in report["sites"]) == [5, 7, 7]
    shallow, deep = sorted(report["places"], key=lambda place: place["calls"])
    assert shallow["path"] == ["main", "solve", "cycle", "smooth", "exchange"]
    assert (deep["path"], deep["calls"]) == (["…", "step", "solve", "cycle", "smooth", "exchange"], 4)
    assert [(entry["path"], entry["calls"]) for entry in report["call_paths"]] == [
        ("… > solve > cycle > smooth > exchange", 4),
        ("solve > cycle > smooth > exchange", 2),
    ]
    assert not any(entry["at_least"] for entry in report["routines"])
    text = "\n".join(printed(run))
    assert "\n… > solve > cycle > smooth > exchange > MPI_Isend  ocean/a.cpp:9 (2 paths)\n" in text
    assert "\nsolve > cycle > smooth > exchange > MPI_Isend  ocean/a.cpp:9\n" in text


def test_the_terminal_report_fits_80_columns_without_colour(strip_run: Any) -> None:
    lines = printed(strip_run)
    assert max(len(line) for line in lines) <= 80
    assert not any("\x1b" in line for line in lines)
    assert lines[0].startswith("6.9 % of the time is MPI")
    text = "\n".join(lines)
    assert "diffuse > exchange > MPI_Wait  ocean/halo.cpp:42" in text
    assert "%Time      msec     #Call usec/call     usec Messages   Bytes  Name" in text
    assert "calls 7,242 (0) … 10,863 … 14,484 (1)" in text
    assert "exact sizes: 21,726 × 1,024 B, 2,448 × 73,728 B" in text
    assert "Local functions: 12 calls in 120 ns (MPI_Comm_rank 12)" in text
    assert "      1   33.8 MB        ·  33.8 MB        ·" in lines
    assert "Losses" not in text


@pytest.mark.parametrize("width", [40, 60, 80, 100, 140, 250])
def test_numbers_survive_any_width(strip_run: Any, width: int) -> None:
    lines = printed(strip_run, width)
    assert any(line.rstrip().endswith("MPI_Wait") for line in lines)
    if width >= 80:
        assert max(len(line) for line in lines) <= width


def test_many_ranks_become_shades_and_extremes(make_run: MakeRun) -> None:
    sites, edges = strips([1] + [2] * 98 + [1])
    lines = printed(make_run(sites, [a_process(rank, 100) for rank in range(100)], edges))
    assert max(len(line) for line in lines) <= 80
    assert "(16 of 100 ranks, evenly spaced from least to most MPI share)" in lines
    assert any("each cell: 4 × 4 ranks" in line for line in lines)
    assert len(lines) < 155


def test_many_sites_are_cut_and_said(make_run: MakeRun) -> None:
    sites = [
        HandmadeSite("MPI_Isend", "isend", [f"main a.cpp:{n + 1}"], {0: Calls(1, 1e6 * (50 - n), messages=1)})
        for n in range(49)
    ]
    run = make_run(sites, [a_process(0, 1)], [])
    text = "\n".join(printed(run))
    # 37 sites of 38, 37, ... 2 ms are left out: 740 - 1 = 739 ms of 10 s
    assert "and 37 more call sites (7.4 % of the time): --all" in text
    assert "a.cpp:49" not in text
    assert "a.cpp:49" in "\n".join(printed(run, all_sites=True))


def test_losses_alike_are_one_line(make_run: MakeRun) -> None:
    sites, edges = strips([1, 1])
    lost = Loss("order-lost", 5, "the order of 5 calls was not kept")
    run = make_run(sites, [a_process(0, 2, losses=[lost]), a_process(1, 2, losses=[lost])], edges)
    text = " ".join(" ".join(printed(run)).split())
    assert "- order-lost: rank 0: the order of 5 calls was not kept (and 1 more like this; total 10)" in text


def test_a_run_without_messages_or_time_is_reported(make_run: MakeRun) -> None:
    sites = [HandmadeSite("MPI_Init", "init", [], {0: Calls(1, 0.0)})]
    run = make_run(sites, [a_process(0, 1, duration_ns=0.0)], [])
    assert printed(run)[0] == "0 % of the time is MPI."
    assert to_json(run)["sites"][0]["routine"] == "?"


def test_directories_that_hold_no_run_are_said(tmp_path: Path) -> None:
    with pytest.raises(NoSuchRun, match="no such directory"):
        open_run(tmp_path / "nowhere")
    with pytest.raises(DamagedTrace, match=r"no trace .* in "):
        open_run(tmp_path)
    (tmp_path / "rank-00000-a-1.trace").write_bytes(b"no trace at all")
    with pytest.raises(DamagedTrace, match="cannot read any trace in "):
        open_run(tmp_path)
    assert DamagedTrace.exit_code == 4


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 B"),
        (9_999, "9,999 B"),
        (73_728, "73.7 kB"),
        (999_949, "1.00 MB"),
        (1_821e6, "1.82 GB"),
        (5e18, "5,000 PB"),
    ],
)
def test_sizes_are_in_thousands(value: float, text: str) -> None:
    assert fmt.size(value) == text


def test_other_numbers() -> None:
    assert [fmt.seconds(value) for value in (309 * 60, 1.5, 0.0415, 41.5e-6, 3e-9, 0)] == [
        "18,540 s",
        "1.50 s",
        "41.5 ms",
        "41.5 µs",
        "3 ns",
        "0 ns",
    ]
    assert [fmt.percent(value) for value in (0.416, 0.034, 0.0004, 0, 1)] == ["42 %", "3.4 %", "<0.1 %", "0 %", "100 %"]
    assert [fmt.short_count(value) for value in (9_999, 252_960, 4.09e6, 2.5)] == ["9,999", "253k", "4.09M", "2.5"]
    assert rank_list([7, 1, 2, 3]) == "ranks 1-3, 7"
    assert rank_list([4]) == "rank 4"
    assert rank_list([4, 5]) == "ranks 4, 5"

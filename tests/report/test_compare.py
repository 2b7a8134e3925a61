"""leadline compare, on runs made by rule: what differs is named first, what does not is not claimed."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from leadline.__main__ import main
from leadline.cli.compare import _say_notes, paths_of
from leadline.compare import Comparison, Group, Subject, compare, from_run
from leadline.compare.as_json import as_json
from leadline.compare.environment import differences
from leadline.compare.subject import Concern, Part
from leadline.compare.terminal import MOST_LINES, draw
from leadline.compare.words import verdict
from leadline.errors import UsageError
from leadline.findings.finding import About, Finding
from leadline.report.page import document
from leadline.statistics import student, welch
from leadline.text.screen import Screen

from .handmade import Calls, HandmadeSite, a_process, an_edge, strips

STEPS = 120
ROOT = Path(__file__).parents[2]


def noise(seed: int, n: int, spread: float = 0.05, memory: float = 0.6, far_out: float = 0.05) -> list[float]:
    """Factors around 1 that drift: each resembles the one before. far_out: how many are three times as large."""
    chance = random.Random(seed)
    found: list[float] = []
    at = 0.0
    for _ in range(n):
        at = memory * at + chance.gauss(0, spread * (1 - memory**2) ** 0.5)
        found.append((1 + at) * (3 if chance.random() < far_out else 1))
    return found


def site(name: str, series: Sequence[float], messages: int = 2, **more: Any) -> Part:
    key = (name, "main", "step", "0")
    given = {"calls": messages * STEPS, "messages": messages * STEPS, "n_bytes": 1024 * messages * STEPS}
    return Part(key, f"{name} in step", time_s=sum(series), in_loop=True, series=series, **(given | more))


def subject(seed: int, *, slow: float = 1.0, bcast: float = 1.0, ranks: int = 4, whole: float = 1.0) -> Subject:
    """Every iteration: 10 ms of computation, 1 ms of broadcast, and ranks wait for the slowest.

    slow: how much longer rank 1 computes.   bcast, whole: factors of the broadcast and of everything.
    """
    each = noise(seed, STEPS)
    computation = {
        rank: [
            0.01 * whole * factor * own * (slow if rank == 1 else 1)
            for factor, own in zip(each, noise(1000 * seed + rank, STEPS, 0.01, far_out=0), strict=True)
        ]
        for rank in range(ranks)
    }
    longest = [max(times) for times in zip(*computation.values(), strict=True)]
    casts = [0.001 * whole * bcast * factor for factor in noise(7 * seed + 5, STEPS, 0.1)]
    iterations = [a + b for a, b in zip(longest, casts, strict=True)]
    waits = [ranks * top - sum(own) for top, *own in zip(longest, *computation.values(), strict=True)]
    return Subject(
        name=f"run-{seed}",
        program="app",
        ranks=ranks,
        environment={"MPI library": "MPICH 5.0.2", "Ranks": str(ranks), "Kernel": None},
        arguments=["--steps", str(STEPS)],
        iterations=STEPS,
        main_loop="the loop at app.c:40 in run",
        iteration_s=iterations,
        sites=[
            site("MPI_Bcast", [ranks * time for time in casts], collective=True, messages=0, calls=STEPS),
            site("MPI_Waitall", waits, messages=0, calls=STEPS),
            site("MPI_Isend", [1e-6 * ranks] * STEPS),
        ],
        rank_computation=computation,
        computation_s=sum(map(sum, computation.values())),
        elapsed_s=sum(iterations),
    )


def pair(a: Sequence[Subject] | Subject, b: Sequence[Subject] | Subject) -> Comparison:
    groups = [[one] if isinstance(one, Subject) else list(one) for one in (a, b)]
    return compare([Group(runs[0].name, runs) for runs in groups])


def test_students_distribution_and_holms_correction_are_the_published_ones() -> None:
    assert student.t_quantile(0.975, 10) == pytest.approx(2.2281, abs=1e-4)
    assert student.t_quantile(0.975, 2) == pytest.approx(4.3027, abs=1e-4)
    assert student.t_quantile(0.95, 30) == pytest.approx(1.6973, abs=1e-4)
    assert student.t_cdf(-2.0, 5) == pytest.approx(0.05097, abs=1e-5)
    assert welch.holm([0.001, 0.02, 0.04, 0.3]) == [True, False, False, False]
    assert welch.holm([0.012, 0.03, 0.001]) == [True, True, True]


@pytest.mark.parametrize("repeats", [1, 3])
def test_of_identical_runs_nothing_is_claimed(repeats: int) -> None:
    claimed = 0
    for number in range(40):
        a, b = ([subject(8 * number + 2 * i + side) for i in range(repeats)] for side in range(2))
        claimed += bool(pair(a, b).pairs[0].claims)
    assert claimed <= 2  # 5 % of 40


def test_one_run_each_claims_no_time_and_repeats_that_vary_do_not_either() -> None:
    fast, slow = ([subject(10 * i + side, whole=1 + 0.5 * side) for i in range(1, 4)] for side in range(2))
    assert pair(fast, slow).pairs[0].main.claimed
    single = pair(fast[0], slow[0])
    assert not single.pairs[0].claims
    said = verdict(single)
    assert said.startswith("52.5 % more time: iteration ")
    assert said.endswith(", one run each: not proven. Same structure.")
    varying = [subject(10 * i + 7, whole=factor) for i, factor in enumerate((0.6, 1.5, 2.4))]
    assert not pair(fast, varying).pairs[0].claims


@pytest.mark.parametrize("repeats", [1, 3])
def test_a_slower_rank_is_named_first_and_waiting_for_it_goes_with_it(repeats: int) -> None:
    a, b = ([subject(10 * i + side, slow=1 + 0.1 * side) for i in range(1, repeats + 1)] for side in range(2))
    claims = pair(a, b).pairs[0].claims
    assert [claim.kind for claim in claims] == ["imbalance"]
    assert claims[0].text.startswith(("rank 1 computes 10.", "rank 1 computes 9."))


def test_a_slower_broadcast_is_named_first_with_the_setting_that_differs() -> None:
    a, b = ([subject(10 * i + side, bcast=1 + 2 * side) for i in range(1, 4)] for side in range(2))
    b = [replace(run, environment={**run.environment, "MPIR_CVAR_BCAST_INTRA_ALGORITHM": "ring"}) for run in b]
    assert not pair(a[0], b[0]).pairs[0].claims, "one run each says nothing of times in MPI"
    comparison = pair(a, b)
    assert [claim.kind for claim in comparison.pairs[0].claims] == ["call"]
    said = verdict(comparison)
    assert ". MPI_Bcast in step: 1.11 ms → 3.25 ms per iteration" in said
    assert said.endswith("The runs also differ in MPIR_CVAR_BCAST_INTRA_ALGORITHM (not set → ring).")


def test_twice_the_ranks_is_scaling_and_nothing_else() -> None:
    a, b = subject(5), subject(6, ranks=8, whole=0.6)
    comparison = pair(a, b)
    assert [claim.kind for claim in comparison.pairs[0].claims] == ["ranks"]
    assert verdict(comparison).startswith("4 → 8 ranks: iteration ")
    assert comparison.scaling is not None
    assert comparison.scaling.kind == "strong"
    first, last = comparison.scaling.curves[0].points
    assert (first.scalability, first.efficiency) == (1, 1)
    assert last.scalability == pytest.approx(1 / 0.6, rel=0.1)
    assert last.efficiency == pytest.approx(last.scalability / 2)
    weak = pair(a, replace(subject(6, ranks=8), arguments=["--steps", "1"])).scaling
    assert weak is not None
    assert weak.kind == "weak"


def one_more_field(sites: Sequence[HandmadeSite], factor: float) -> list[HandmadeSite]:
    def grown(calls: Calls) -> Calls:
        names = ("calls", "messages", "sent", "received")
        sizes = type(calls.sizes)({size: round(n * factor) for size, n in calls.sizes.items()})
        return replace(calls, **{name: round(getattr(calls, name) * factor) for name in names}, sizes=sizes)

    return [
        replace(each, by_rank={rank: grown(calls) for rank, calls in each.by_rank.items()})
        if each.cls in ("isend", "irecv", "wait")
        else each
        for each in sites
    ]


def recorded(make_run: Callable[..., Any], sites: Sequence[HandmadeSite], edges: Sequence[Any], name: str) -> Subject:
    from leadline.figures.content import Content

    return from_run.subject_of(Content(make_run(sites, [a_process(rank, 4) for rank in range(4)], edges)), name)


def test_one_more_field_is_one_difference_at_all_call_sites(make_run: Callable[..., Any]) -> None:
    sites, edges = strips([1, 2, 2, 1])
    a = recorded(make_run, sites, edges, "a")
    b = recorded(make_run, one_more_field(sites, 52 / 51), edges, "b")
    claims = pair(a, b).pairs[0].claims
    assert [claim.kind for claim in claims] == ["structure"]
    assert claims[0].text.startswith("1.96 % more messages")
    assert len(claims[0].details) == 6  # three calls in each of two routines
    assert not pair(a, recorded(make_run, sites, edges, "again")).pairs[0].claims


def test_appeared_calls_larger_messages_and_other_partners_are_told(make_run: Callable[..., Any]) -> None:
    sites, edges = strips([1, 2, 2, 1])
    a = recorded(make_run, sites, edges, "a")
    larger = [
        replace(s, by_rank={r: replace(c, sent=2 * c.sent) for r, c in s.by_rank.items()}) if s.cls == "isend" else s
        for s in sites
    ]
    kinds = [cause.first.kind for cause in pair(a, recorded(make_run, larger, edges, "b")).pairs[0].causes]
    assert kinds == ["bytes"]
    without = [s for s in sites if s.function != "MPI_Allreduce"]
    texts = [claim.text for claim in pair(a, recorded(make_run, without, edges, "b")).pairs[0].claims]
    assert texts == ["1 call site only in A: MPI_Allreduce in main"]
    ring = [*edges, an_edge(3, 0, messages=1, n_bytes=8)]
    texts = [claim.text for claim in pair(a, recorded(make_run, sites, ring, "b")).pairs[0].claims]
    assert texts == ["changed partners of 1 rank, e.g. rank 3 (1 → 2)"]


def test_sites_of_one_name_are_told_apart_by_lines_in_lists_and_named_once_in_sentences(
    make_run: Callable[..., Any],
) -> None:
    sites, edges = strips([1, 2, 2, 1])
    paths = [("sea.c:10", "put.c:40"), ("sea.c:10", "put.c:44"), ("sea.c:12", "put.c:40")]
    calls = {0: Calls(5, 1000.0, 5, 40)}
    more = [HandmadeSite("MPI_Send", "send", [f"main {a}", f"put {b}"], calls) for a, b in paths]
    more += [HandmadeSite("MPI_Bsend", "send", ["main sea.c:10", "put put.c:48"], calls)]
    a, b = recorded(make_run, [*sites, *more], edges, "a"), recorded(make_run, sites, edges, "b")
    (found,) = (each for each in pair(a, b).pairs[0].claims if each.text.startswith("4 call sites only in A"))
    assert found.text == "4 call sites only in A: MPI_Bsend in main > put, MPI_Send in main > put"
    assert sorted(found.details) == [
        "MPI_Bsend in main > put: only in A, 5 calls",
        "MPI_Send in main > put (sea.c:10, put.c:40): only in A, 5 calls",
        "MPI_Send in main > put (sea.c:10, put.c:44): only in A, 5 calls",
        "MPI_Send in main > put (sea.c:12, put.c:40): only in A, 5 calls",
    ]


def test_numbers_of_iterations_that_are_not_certain_are_called_so() -> None:
    a, b = replace(subject(1), bound="about "), replace(subject(2), iterations=2 * STEPS)
    assert pair(a, b).pairs[0].claims[0].text == "about 120 → 240 iterations of the main loop"


def test_of_an_exchange_that_was_written_anew_all_messages_come_first() -> None:
    many, one = subject(1), subject(2)
    packed = replace(
        one, sites=[*one.sites[:2], replace(site("MPI_Start", [1e-6] * STEPS), n_bytes=2048 * STEPS, messages=STEPS)]
    )
    found = pair(many, packed).pairs[0]
    assert found.claims[0].text == "2 → 1 messages per iteration, summed over ranks, 1,024 B → 2,048 B each"
    assert {claim.text.split(":")[0] for claim in found.claims[1:]} == {
        "1 call site only in A",
        "1 call site not in A",
    }


def with_main_loop(run: Subject, computation: float, mpi: float, wait: float) -> Subject:
    """Seconds per iteration and rank."""
    each = run.ranks * STEPS
    loop = Part(
        key=("loop", "run", "1"),
        name="main loop, run",
        time_s=each * (computation + mpi),
        computation_s=each * computation,
        mpi_s=each * mpi,
        wait_s=each * wait,
        in_loop=True,
    )
    return replace(run, phases=[loop])


def test_the_time_comes_first_and_what_it_is_made_of() -> None:
    a = with_main_loop(subject(1, whole=4), 0.030, 0.015, 0.012)
    b = with_main_loop(subject(2), 0.010, 0.002, 0.001)
    found = pair(a, b).pairs[0]
    assert [(portion.what, round(portion.seconds, 6)) for portion in found.portions] == [
        ("computation", -0.020),
        ("waiting for other ranks", -0.011),
        ("transfer", -0.002),
        ("file I/O", 0.0),
    ]
    said = verdict(pair(a, b))
    assert said.startswith("4.06 times as fast: iteration 45.5 ms → 11.2 ms, one run each: not proven. ")
    assert "On average, each iteration has 20.0 ms less computation, 11.0 ms less waiting for other ranks. Same" in said
    slower_on_average = verdict(pair(a, with_main_loop(subject(2), 0.050, 0.002, 0.001)))
    assert slower_on_average.startswith("15.6 % more time: mean iteration 45.0 ms → 52.0 ms, one run each: not proven.")
    assert "each iteration has 20.0 ms more computation, 11.0 ms less waiting for other ranks" in slower_on_average
    untold = replace(b, phases=[replace(b.phases[0], wait_s=None)])
    assert [portion.what for portion in pair(a, untold).pairs[0].portions] == ["computation", "MPI", "file I/O"]


def with_output(run: Subject, seconds: float) -> Subject:
    """Output in every 20th iteration."""
    each = [time + (seconds if at % 20 == 19 else 0) for at, time in enumerate(run.iteration_s)]
    return replace(run, iteration_s=each, elapsed_s=sum(each))


@pytest.mark.parametrize("repeats", [1, 3])
def test_what_does_not_happen_in_every_iteration_counts(repeats: int) -> None:
    """Iterations become 30 % slower, but output in every 20th takes 20 ms instead of 400."""
    many, few = (
        [with_output(subject(10 * i + side, whole=whole), output) for i in range(1, repeats + 1)]
        for side, (whole, output) in enumerate([(1.0, 0.4), (1.3, 0.02)])
    )
    found = pair(many, few).pairs[0]
    median, mean = (next(m for m in found.metrics if m.level == level) for level in ("iteration", "mean"))
    assert median.b > 1.2 * median.a
    assert mean.b < 0.6 * mean.a
    assert found.main is mean
    assert verdict(pair(many, few)).startswith("47.")
    assert " % less time: mean iteration 32.6 ms → 17." in verdict(pair(many, few))
    assert not found.slower_than(0.05), "the median alone would have failed"
    reverse = pair(few, many).pairs[0]
    assert reverse.main.level == "mean"
    assert reverse.slower_than(0.05) == (repeats > 1), "the median alone would have passed"


def test_the_median_leads_where_the_mean_says_the_same() -> None:
    """Both have the same output, so that means and medians differ, but not in what changed."""
    fast, slow = ([with_output(subject(10 * i + s, whole=1 + s), 0.1 * (1 + s)) for i in (1, 2, 3)] for s in (0, 1))
    found = pair(fast, slow).pairs[0]
    assert found.main.level == "iteration"
    assert (found.main.claimed, found.slower_than(0.5)) == (True, True)


def test_the_mean_of_the_main_loop_is_one_difference() -> None:
    """The phase of the main loop has the same time: it is not listed beside the mean iteration."""
    fast, slow = (
        [with_main_loop(subject(10 * i + s, whole=1 + s), 0.01 * (1 + s) + i * 1e-4, 0.001, 0) for i in (1, 2, 3)]
        for s in (0, 1)
    )
    claims = pair(fast, slow).pairs[0].claims
    names = [metric.name for claim in claims for metric in (claim.of, *claim.alongside) if metric is not None]
    assert "mean iteration" in names
    assert "main loop, run" not in names


def test_a_large_change_that_is_not_proven_is_called_that() -> None:
    a = [subject(10 * i + 7, whole=factor) for i, factor in enumerate((0.6, 1.5, 6.0))]
    b = [subject(10 * i + 8, whole=factor) for i, factor in enumerate((0.1, 0.3, 0.9))]
    comparison = pair(a, b)
    assert verdict(comparison).startswith("Not proven: iteration ")
    assert verdict(comparison).endswith("Same structure.")
    same = [subject(10 * i) for i in (1, 2, 3)]
    assert verdict(pair(same, same)).startswith("No difference in time beyond noise: iteration ")


def test_scaling_takes_the_mean_where_iterations_differ() -> None:
    """Iterations take half as long on twice the ranks, output as long as before."""
    few, many = with_output(subject(5), 0.4), with_output(subject(6, ranks=8, whole=0.5), 0.4)
    found = pair(few, many)
    assert verdict(found).startswith("4 → 8 ranks: mean iteration 3")
    assert found.scaling is not None
    assert found.scaling.curves[0].name == "mean iteration"
    assert found.scaling.curves[0].points[-1].scalability < 1.5


def test_a_removed_imbalance_is_a_difference_beside_fewer_messages() -> None:
    a = [subject(10 * i, slow=1.4) for i in range(1, 4)]
    b = [
        replace(run, sites=[*run.sites[:2], replace(run.sites[2], messages=STEPS, calls=STEPS)])
        for run in (subject(10 * i + 1) for i in range(1, 4))
    ]
    claims = pair(a, b).pairs[0].claims
    assert [claim.kind for claim in claims] == ["structure", "structure", "imbalance"]
    assert claims[2].text.startswith("rank 1 computes 2")
    assert claims[2].of not in claims[0].alongside
    said = verdict(pair(a, b))
    assert said.index("iteration 15") < said.index("fewer")


def test_findings_that_went_and_came_are_told() -> None:
    slow, small, late = (Concern((name, "step"), f"{name}: text. Help.", 1.0) for name in ("slow", "small", "late"))
    a = [replace(subject(seed), concerns=[slow, small]) for seed in (1, 2)]
    b = [replace(subject(3), concerns=[small, late]), replace(subject(4), concerns=[late])]
    found = pair(a, b).pairs[0].concerns
    assert (found.went, found.came) == ([slow], [late])
    assert as_json(pair(a, b))["pairs"][0]["findings_gone"] == [
        {"id": "slow", "text": "slow: text. Help.", "cost_s": 1.0}
    ]


def test_findings_about_files_of_one_kind_are_one_finding() -> None:
    """Another file of a series may take most time, and another run may write into another directory."""

    def concern(*files: str) -> Concern:
        return from_run._concern(Finding("file-time", "notice", "t", {}, {}, "files", False, about=About(files=files)))

    assert concern("/a/out0000.txt", "/a/out0020.txt").key == concern("/b/out0120.txt").key
    assert concern("/a/out0000.txt").key != concern("/a/restart0000.txt").key


def test_the_efficiency_of_repeats_is_that_of_the_median_run() -> None:
    a = [replace(subject(i), load_balance=0.5, communication=c) for i, c in enumerate((0.2, 0.8, 0.4))]
    b = [replace(subject(i + 3), load_balance=1.0, communication=c) for i, c in enumerate((0.9, 0.1, 0.6))]
    out = Console(width=120, record=True, file=io.StringIO())
    draw(pair(a, b), Screen(out, complete=False))
    assert (
        "parallel efficiency 20 % → 60 % = load balance 50 % → 100 % × communication 40 % → 60 %" in out.export_text()
    )


def test_a_caveat_of_several_runs_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    a = [replace(subject(i), name=f"a{i}", notes=[f"The ranks waited {40 + i} %."]) for i in (1, 2)]
    b = [replace(subject(3), name="b", notes=["The ranks waited 49 %.", "A trace is missing."])]
    _say_notes(pair(a, b))
    assert capsys.readouterr().err == (
        "leadline: a1: The ranks waited 41 %. Likewise: a2, b.\nleadline: b: A trace is missing.\n"
    )


def test_without_iterations_one_run_each_supports_no_claim_about_times() -> None:
    a = replace(subject(1), iteration_s=[], iterations=0, rank_computation={}, sites=[])
    b = replace(a, elapsed_s=10 * a.elapsed_s, name="b")
    comparison = pair(a, b)
    assert not comparison.pairs[0].claims
    assert "To compare times, record repeats" in verdict(comparison)
    assert not comparison.pairs[0].slower_than(0.05)


def test_programs_with_nothing_in_common_are_not_compared() -> None:
    a = subject(1)
    others = [replace(part, key=(part.key[0], "main", "sort", "0")) for part in a.sites]
    b = replace(a, name="b", program="sort", sites=others)
    with pytest.raises(
        UsageError,
        match=r"run-1 and b ran different programs \(app and sort; 0 % of their call sites in common\): not compared",
    ):
        pair(a, b)
    with pytest.raises(UsageError, match=r"repeats with different numbers of ranks \(4 and 8\)"):
        compare([Group("A", [a, subject(2, ranks=8)]), Group("B", [a])])


def test_what_is_not_set_and_what_was_not_recorded_are_told_apart() -> None:
    found = differences([[{"Kernel": "6.1", "UCX_TLS": "tcp", "CPU": "x"}], [{"Kernel": None, "CPU": "x"}]])
    assert [(each.title, each.values) for each in found] == [
        ("UCX_TLS", ("tcp", "not set")),
        ("Kernel", ("6.1", "not recorded")),
    ]


@pytest.mark.parametrize("width", [60, 80])
def test_a_comparison_fits_its_lines(width: int, tmp_path: Path) -> None:
    long = "a-long-name-for-a-folder-" * 5
    repeats = [replace(subject(seed), name=f"{long}/run-{seed}") for seed in (2, 3, 4)]
    others = [
        *([subject(2)], [subject(2, slow=1.3)], [subject(2, ranks=8)], repeats),
        *([subject(2), subject(3)], [subject(seed, ranks=seed) for seed in (5, 6, 8, 10)]),
    ]
    for runs in others:
        groups = [Group("A", [subject(1)])]
        groups += [Group(",".join(run.name for run in runs), runs)] if runs is repeats else []
        groups += [] if runs is repeats else [Group(run.name, [run]) for run in runs]
        with (tmp_path / "out").open("w") as out:
            draw(compare(groups), Screen(Console(file=out, width=width, color_system=None)))
        lines = (tmp_path / "out").read_text().splitlines()
        assert len(lines) <= MOST_LINES
        assert max(map(len, lines)) <= width


def test_documented_fields_are_those_of_the_object() -> None:
    found = as_json(pair(subject(1), subject(2, ranks=8)))
    assert found["schema"] == "leadline.compare/1"
    text = (ROOT / "docs" / "compare" / "compare.md").read_text()
    names = [*found, *found["groups"][0], *found["groups"][0]["runs"][0], *found["pairs"][0]]
    assert isinstance(found["limits"], list)
    names += ["what", "seconds", "id", "text", "cost_s"]
    names += [*found["pairs"][0]["times"][0], *found["pairs"][0]["differences"][0], *found["scaling"]]
    names += [*found["scaling"]["curves"][0]["points"][0]]
    assert [name for name in names if f"`{name}`" not in text] == []
    assert "leadline compare A" not in document.comparison_page(json.loads(json.dumps(found)))


class TestCommand:
    @pytest.fixture(autouse=True)
    def subjects(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        """Directories whose name says what they hold: "slow-2" is a run with everything 30 % slower."""
        monkeypatch.chdir(tmp_path)
        for name in ("fast-1", "fast-2", "slow-3", "slow-4"):
            Path(name).mkdir()

        def opened(path: Path, step: str | None = None) -> Subject:
            kind, _, seed = path.name.partition("-")
            return replace(subject(int(seed), whole=1.3 if kind == "slow" else 1), name=path.name)

        monkeypatch.setattr(from_run, "open_subject", opened)

    def test_fail_above_has_its_own_code(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["compare", "fast-*", "slow-*", "--fail-above", "5%"]) == 6
        assert "slower than A by more than 5 %" in capsys.readouterr().err
        assert main(["compare", "fast-*", "slow-*", "--fail-above", "50%"]) == 0
        assert main(["compare", "fast-*", "fast-1", "--fail-above", "5"]) == 0
        assert main(["compare", "slow-*", "fast-*", "--fail-above", "5"]) == 0

    def test_repeats_are_listed_or_matched(self) -> None:
        assert [path.name for path in paths_of("fast-1,slow-3")] == ["fast-1", "slow-3"]
        assert [path.name for path in paths_of("fast-*")] == ["fast-1", "fast-2"]
        Path("a,b").mkdir()
        assert [path.name for path in paths_of("a,b")] == ["a,b"]

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (["fast-1"], "at least two runs"),
            (["fast-1", "none*"], "no directory matches none*"),
            (["fast-1", "slow-3,slow-3"], "the same run twice"),
            (["fast-1", ","], "no run given"),
            (["fast-1", "slow-3", "--fail-above", "much"], "expected a percentage"),
            (["fast-1", "slow-3", "--fail-above", "5%"], "needs repeats"),
            (["fast-1", "slow-3", "--html", "."], "is a directory"),
        ],
    )
    def test_wrong_usage_is_one_message(self, words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["compare", *words]) == 2
        assert said in capsys.readouterr().err

    def test_json_goes_to_standard_output_and_the_page_to_its_file(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["compare", "fast-*", "slow-*", "--json", "--html", "page.html"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["pairs"][0]["repeats"] is True
        assert found["verdict"].split(".")[0] in Path("page.html").read_text()

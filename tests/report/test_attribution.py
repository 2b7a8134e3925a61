"""Costs of findings add up to no more than what is lost, and findings about the same calls are one entry."""

from __future__ import annotations

import random
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")

from leadline.figures.content import Content
from leadline.figures.run import Site
from leadline.figures.time_parts import TimePart
from leadline.figures.wait_groups import WaitGroup
from leadline.figures.waits import WaitCause, WaitEntry
from leadline.findings.attribution import attributed
from leadline.findings.finding import About, Finding
from leadline.findings.ordering import AS_MUCH, in_order
from leadline.findings.rules.waiting import _in_circles
from leadline.report.helping import leaders, with_help
from leadline.symbols import Location

TIME_S = 100.0


def a_site(function: str, routine: str, number: int) -> Site:
    return Site(function, False, (Location(routine, routine, "a.c", 1),), True, (number,))


SEND, WAITALL, SUM = a_site("MPI_Send", "halo", 0), a_site("MPI_Waitall", "halo", 1), a_site("MPI_Allreduce", "dot", 2)


def a_wait(site: Site, seconds: float, doing: str, kind: str = "late_sender") -> WaitEntry:
    return WaitEntry(kind, site, "0", 0, site.members[0], seconds, 0.0, (WaitCause("1", doing, site, 1.0),))


def content(times: dict[Site, float], waits: list[WaitEntry], lost_s: float | None = None) -> Content:
    return cast(
        Content,
        SimpleNamespace(
            waits=SimpleNamespace(entries=tuple(waits), found=True),
            sites=[SimpleNamespace(site=site, time_s=time) for site, time in times.items()],
            ranks=[SimpleNamespace(computation_s=50.0)],
            io_s=4.0,
            mpi_io_s=1.0,
            time_parts=(TimePart("mpi", lost_s or 4.0 + sum(times.values()), None),),
            share=lambda time_s: time_s / TIME_S,
        ),
    )


def a_finding(rule: str, text: str, cost_s: float | None, *sites: Site, **evidence: Any) -> Finding:
    return Finding(rule, "notice", text, evidence, {}, "waits", False, cost_s, "", About(sites=sites))


def waiting(site: Site, cost_s: float, cause: str | None = None) -> Finding:
    return a_finding(
        "waiting", f"wait in {site.function}", cost_s, site, function=site.function, routine=site.routine, cause=cause
    )


def pattern(name: str, cost_s: float, *sites: Site) -> Finding:
    return a_finding("pattern", f"5 %: {name}", cost_s, *sites, pattern=name)


def costs(there: Content, *found: Finding) -> dict[str, float | None]:
    return {each.text: each.cost_s for each in attributed(there, found, lambda finding: finding.text)}


def test_waits_for_a_rank_that_computes_longer_are_part_of_the_imbalance() -> None:
    there = content({SUM: 10.0}, [a_wait(SUM, 8.0, "computation")])
    uneven = a_finding("imbalance", "uneven", 7.0, kind="fixed")
    found = attributed(there, [uneven, waiting(SUM, 8.0, "computation")], lambda finding: finding.text)
    assert [(each.cost_s, each.part_of) for each in found] == [(7.0, ""), (None, "uneven")]
    ordered = in_order(found[::-1], 0.0)
    assert [each.text for each in leaders(ordered)] == ["uneven"]
    ((_, text),) = with_help(leaders(ordered), among=ordered)
    assert text == "uneven Hence: wait in MPI_Allreduce"


@pytest.mark.parametrize(
    ("begin", "said"),
    [("12 %: ", " (12 %)"), ("About 3.0 %: ", " (about 3.0 %)"), ("<1 %: ", " (<1 %)"), ("", "")],
)
def test_a_part_is_said_with_its_share(begin: str, said: str) -> None:
    whole = a_finding("pattern", "20 %: rows of messages", 20.0)
    parts = [replace(a_finding(id, f"{begin}it", 12.0), part_of=whole.text) for id in ("pattern", "waiting")]
    ((_, text),) = with_help([whole], among=parts)
    assert text == f"20 %: rows of messages Same calls{said}: it Hence{said}: it"


def test_a_wait_that_little_of_the_imbalance_explains_keeps_its_cost() -> None:
    """Ranks that compute equally long, one after another; in a few iterations, one of them takes longer."""
    there = content({SUM: 50.0}, [a_wait(SUM, 48.0, "computation")])
    uneven = a_finding("imbalance", "uneven", 3.0, kind="rare")
    found = attributed(there, [uneven, waiting(SUM, 48.0, "computation")], lambda finding: finding.text)
    assert [(each.cost_s, each.part_of) for each in found] == [(3.0, ""), (45.0, "")]


def test_synchronous_sends_make_ranks_wait_that_are_slow_in_turn() -> None:
    there = content({SEND: 30.0}, [a_wait(SEND, 30.0, "computation", "late_receiver")])
    told = {"share": 0.3, "lost_per_step_s": 0.3, "lost_s": 30.0}
    send = a_finding("synchronous-sends", "30 %: MPI_Ssend", 30.0, SEND)
    uneven = a_finding("imbalance", "uneven", 30.0, kind="changing", **told)
    assert costs(there, uneven, send) == {"30 %: MPI_Ssend": 30.0}
    always = a_finding("imbalance", "uneven", 30.0, kind="fixed", **told)
    assert costs(there, always, send) == {"uneven": 30.0}


def test_other_waiting_keeps_what_the_imbalance_leaves() -> None:
    there = content({SUM: 10.0}, [a_wait(SUM, 8.0, "computation"), a_wait(WAITALL, 3.0, "mpi")])
    uneven = a_finding("imbalance", "uneven", 2.0)
    assert costs(there, uneven, waiting(SUM, 8.0, "io"), waiting(WAITALL, 3.0)) == {
        "uneven": 2.0,
        "wait in MPI_Allreduce": pytest.approx(6.0),
        "wait in MPI_Waitall": pytest.approx(3.0),
    }


def test_a_serialising_order_has_the_waits_of_its_sends() -> None:
    there = content({SEND: 10.0}, [a_wait(SEND, 6.0, "mpi", "late_receiver")])
    found = costs(there, waiting(SEND, 6.0, "mpi"), pattern("serialised_order", 3.5, SEND))
    assert found == {"wait in MPI_Send": pytest.approx(2.5), "5 %: serialised_order": pytest.approx(3.5)}


def test_what_only_times_show_is_said_from_two_percent_on() -> None:
    """Less comes and goes from run to run; what calls show does not."""
    there = content({SEND: 10.0, WAITALL: 10.0}, [a_wait(SUM, 1.9, "mpi")])
    found = costs(
        there, waiting(SUM, 1.9), pattern("no_overlap", 1.9, WAITALL), pattern("packable_messages", 1.1, SEND)
    )
    assert found == {"5 %: packable_messages": pytest.approx(1.1)}


def test_a_part_of_what_is_not_worth_saying_stands_for_itself() -> None:
    there = content({WAITALL: 3.0}, [])
    packing, overlap = pattern("packable_messages", 1.2, WAITALL), pattern("no_overlap", 1.9, WAITALL)
    found = attributed(there, [packing, overlap], lambda finding: finding.text)
    assert [(each.text, each.part_of) for each in found if not each.part_of] == [("5 %: packable_messages", "")]


def test_patterns_of_the_same_calls_are_led_by_the_most_certain_one() -> None:
    there = content({WAITALL: 30.0}, [])
    row, overlap = pattern("consecutive_exchanges", 12.0, WAITALL), pattern("no_overlap", 30.0, WAITALL)
    found = attributed(there, [overlap, row], lambda finding: finding.text)
    assert [(each.cost_s, each.part_of) for each in found] == [(18.0, row.text), (12.0, "")]


def test_sums_in_a_row_lead_before_the_loop_that_they_bind() -> None:
    """Their time is the row's, although the loop would save a little more without any of them."""
    there = content({SUM: 10.0}, [])
    row, loop = pattern("consecutive_reductions", 9.0, SUM), pattern("allreduce_bound", 10.0, SUM)
    found = attributed(there, [loop, row], lambda finding: finding.text)
    assert [(each.cost_s, each.part_of) for each in found] == [(pytest.approx(1.0), row.text), (9.0, "")]


def test_causes_found_in_several_ways_cost_no_more_than_is_lost() -> None:
    """Polling takes part of the time for computation, so waits and calls may be longer than the time in MPI."""
    there = content({SEND: 6.0}, [a_wait(WAITALL, 7.0, "mpi")], lost_s=10.0)
    assert costs(there, waiting(WAITALL, 7.0), pattern("polling", 6.0, SEND)) == {
        "wait in MPI_Waitall": pytest.approx(7.0),
        "5 %: polling": pytest.approx(3.0),
    }


def test_patterns_of_the_same_calls_are_one_entry_and_share_their_time() -> None:
    there = content({SEND: 4.0, WAITALL: 6.0}, [a_wait(WAITALL, 5.0, "mpi")])
    packing, overlap = pattern("packable_messages", 4.0, SEND, WAITALL), pattern("no_overlap", 6.0, WAITALL)
    found = attributed(there, [packing, overlap], lambda finding: finding.text)
    assert [each.cost_s for each in found] == [pytest.approx(4.0), pytest.approx(0.2)]
    assert [each.part_of for each in found] == ["", packing.text]


@pytest.mark.parametrize("waited_s", [0.5, 4.0])
def test_what_others_wait_for_a_writer_is_not_a_part_of_its_calls(waited_s: float) -> None:
    """5 s of file calls: the small transfers have them, and the waits of the other ranks are beyond."""
    there = content({}, [], lost_s=20.0)
    small = a_finding("pattern", "5 %: small_io", 5.0, pattern="small_io", file="a", time_s=5.0)
    by_one = a_finding("pattern", "5 %: one", 4.9, pattern="write_by_one", file="a", time_s=5.0, waited_s=waited_s)
    found = attributed(there, [small, by_one], lambda finding: finding.text)
    assert [(each.cost_s, bool(each.part_of)) for each in found] == [(5.0, False), (waited_s, waited_s < 1.0)]


def test_costs_add_up_to_no_more_than_what_is_lost() -> None:
    sites = [SEND, WAITALL, SUM]
    for seed in range(200):
        rng = random.Random(seed)
        times = {site: rng.uniform(0, 20) for site in sites}
        doings, kinds = ["computation", "mpi", "io"], ["late_sender", "late_receiver"]
        waits = [a_wait(site, times[site] * rng.random(), rng.choice(doings), rng.choice(kinds)) for site in sites]
        names = ["packable_messages", "no_overlap", "serialised_order", "unexpected_large", "consecutive_exchanges"]
        found = [waiting(wait.site, wait.seconds, wait.causes[0].doing) for wait in waits if wait.site is not None]
        for name in rng.sample(names, 3):
            own = rng.sample(sites, rng.choice([1, 2]))
            found.append(pattern(name, sum(times[site] for site in own), *own))
        given = costs(content(times, waits), *found)
        assert sum(cost or 0.0 for cost in given.values()) <= sum(times.values()) * (1 + 1e-9)


def test_what_other_findings_account_for_is_not_said_again() -> None:
    there = content({SUM: 10.0}, [a_wait(SUM, 8.0, "computation")])
    uneven = a_finding("imbalance", "uneven", 7.5)
    assert set(costs(there, uneven, waiting(SUM, 8.0, "io"))) == {"uneven"}
    at_start = replace(waiting(SUM, 0.0), text="3 %: since the start")
    assert costs(there, uneven, at_start) == {"uneven": 7.5, "3 %: since the start": 0.0}


def test_waits_that_explain_each_other_explain_nothing() -> None:
    def group(site: Site, cause: Site, doing: str = "mpi") -> WaitGroup:
        return WaitGroup("late_sender", site, 2, "0", 1.0, 1.0, 0.0, (("1", doing, cause, 0.9),))

    assert _in_circles([group(SEND, WAITALL), group(WAITALL, SEND), group(SUM, SEND)]) == {
        ("MPI_Send", "halo"),
        ("MPI_Waitall", "halo"),
    }
    assert _in_circles([group(SEND, SEND)]) == {("MPI_Send", "halo")}
    assert _in_circles([group(SEND, WAITALL), group(WAITALL, SEND, "computation")]) == set()
    assert _in_circles([replace(group(SEND, WAITALL), causes=())]) == set()


def order(disturbed_s: float, *found: Finding) -> list[str]:
    """What the findings are, in order; a star if the next one costs as much."""
    return [
        f"{each.evidence.get('pattern', each.id)}{'*' if AS_MUCH in each.text else ''}"
        for each in in_order(found, disturbed_s)
    ]


def test_of_findings_that_cost_about_as_much_the_most_certain_one_comes_first() -> None:
    packing, wait = pattern("packable_messages", 10.0, SEND), waiting(WAITALL, 13.0)
    assert order(0.0, wait, packing) == ["packable_messages*", "waiting"]
    assert order(0.0, packing, wait) == ["packable_messages*", "waiting"]
    assert order(0.0, packing, waiting(WAITALL, 16.0)) == ["waiting", "packable_messages"]


@pytest.mark.parametrize("seed", range(20))
def test_of_equally_certain_findings_that_cost_about_as_much_always_the_same_one_leads(seed: int) -> None:
    random_ = random.Random(seed)
    firsts = set()
    for _ in range(20):
        found = [waiting(SEND, random_.uniform(8, 11)), waiting(WAITALL, random_.uniform(8, 11), "mpi")]
        found = in_order([*random_.sample(found, 2), waiting(SUM, 2.0)], random_.choice([0.0, 20.0]))
        firsts.add(found[0].about.sites)
        assert found[-1].about.sites == (SUM,)
    assert len(firsts) == 1


def test_what_waits_for_cores_may_explain_is_less_certain() -> None:
    packing, wait = pattern("packable_messages", 10.0, SEND), waiting(WAITALL, 16.0)
    assert order(1.0, packing, wait) == ["packable_messages*", "waiting"]
    always = a_finding("imbalance", "uneven", 16.0, kind="fixed")
    assert order(1.0, packing, always) == ["imbalance", "packable_messages"]


@pytest.mark.parametrize("seed", range(20))
def test_equal_runs_lead_with_the_same_finding(seed: int) -> None:
    """Costs differ by a sixth from run to run: the certain finding leads unless another costs twice as much."""
    random_ = random.Random(seed)
    certain, other = random_.uniform(5.0, 10.0), random_.uniform(5.0, 10.0)
    for _ in range(50):
        costs_s = [cost * random_.uniform(0.85, 1.15) for cost in (certain, other)]
        found = [pattern("packable_messages", costs_s[0], SEND), waiting(WAITALL, costs_s[1])]
        first = order(0.0, *random_.sample(found, 2))[0]
        if other <= 1.1 * certain:
            assert first.startswith("packable_messages")
        elif other >= 2.1 * certain:
            assert first == "waiting"


def test_parts_follow_what_they_are_parts_of_whatever_is_said_of_its_order() -> None:
    packing, wait = pattern("packable_messages", 10.0, SEND), waiting(WAITALL, 13.0)
    part = replace(pattern("no_overlap", 1.0, SEND), part_of=packing.text)
    found = in_order([wait, part, packing], 0.0)
    assert [each.evidence.get("pattern") for each in found] == ["packable_messages", "no_overlap", None]
    assert found[1].part_of == found[0].text


def test_patterns_of_files_share_the_time_of_all_file_calls() -> None:
    """5 s are in file calls. A writer for all costs what the others wait for it, too."""

    def of_file(name: str, cost_s: float, time_s: float) -> Finding:
        return a_finding("pattern", f"5 %: {name}", cost_s, pattern=name, file="a", time_s=time_s)

    opened, small, writer = (
        of_file("file_per_rank", 4.0, 5.0),
        of_file("small_io", 3.0, 3.0),
        of_file("by_one", 9.0, 0.5),
    )
    found = attributed(content({}, [], lost_s=20.0), [small, opened], lambda finding: finding.text)
    assert [(each.cost_s, each.part_of) for each in found] == [(1.0, opened.text), (4.0, "")]
    assert costs(content({}, [], lost_s=20.0), opened, writer) == {opened.text: 4.0, writer.text: 9.0}

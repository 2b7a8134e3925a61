"""Messages that amount to a collective: proposed where the network makes it pay, whatever the calls took."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from recorder import running
from recorder.libraries import find
from replay import predicted_runs

from leadline import network
from leadline.advice.candidate import Candidate
from leadline.advice.kinds import collective
from leadline.errors import UsageError
from leadline.figures.content import Content
from leadline.figures.run import Run, open_run
from leadline.predict import Change, Distribute, ExchangeAll, Gather, Replays

from .suite import programs

RANKS, STEPS = 4, 20


def network_of(latency_ns: float, per_byte_ns: float) -> network.Described:
    return network.parse(
        f"schema = 1\n[[link.node.piece]]\nlatency_ns = {latency_ns}\noverhead_ns = 1\nper_byte_ns = {per_byte_ns}\n"
    )


def recorded(case: str, library: str, directory: Path) -> Run:
    chosen, recorder = find(library), running.find_recorder()
    if chosen is None or recorder is None:
        pytest.skip("an MPI library and the recorder are needed: ./dev setup")
    words = [str(programs.build(chosen, "collectives")), case, "0", str(STEPS)]
    programs.run(chosen, RANKS, words, directory, recorder)
    return open_run(directory / "run")


def only(run: Run, change: type) -> Candidate:
    (found,) = (each for each in collective.candidates(Content(run)) if isinstance(each.change, change))
    return found


def gained_s(run: Run, candidate: Candidate, latency_ns: float, per_byte_ns: float) -> float:
    given, replays = network_of(latency_ns, per_byte_ns).network, Replays(run)
    before = replays.seconds(Change(network=given))
    return before - replays.seconds(Change(network=given, program=(candidate.change,)))


def test_a_broadcast_saves_what_leaves_the_root_and_costs_rounds(tmp_path: Path) -> None:
    run = recorded("own_broadcast", "mpich", tmp_path)
    found = only(run, Distribute)
    assert found.kind == "collective"
    assert {site.function for site in found.sites} == {"MPI_Send", "MPI_Recv"}
    assert "from rank 0 in own_broadcast" in found.title
    # 16,000 bytes to each, 1 s a byte: three times from the root; by scattering and collecting less than twice.
    assert gained_s(run, found, 1, 1e9) >= (STEPS - 1) * 16_000
    # A latency of 100 s: the last rank of a tree is two of them away, that of plain sends one.
    assert gained_s(run, found, 1e11, 0) <= -(STEPS - 1) * 90


@pytest.mark.parametrize(
    ("case", "change", "library"),
    [
        ("own_gather", Gather, "openmpi"),
        ("own_alltoall", ExchangeAll, "mpich"),
        ("own_allgather", ExchangeAll, "mpich"),
    ],
)
def test_what_all_ranks_take_part_in_is_one_call(case: str, change: type, library: str, tmp_path: Path) -> None:
    run = recorded(case, library, tmp_path)
    found = only(run, change)
    prediction = Replays(run).predict(Change(program=(found.change,)))
    (made,) = prediction.made
    assert made.messages_after == 0
    assert made.calls_after == RANKS * STEPS
    assert made.messages_before >= STEPS * (RANKS - 1)


def test_a_broadcast_over_a_tree_is_one_call(tmp_path: Path) -> None:
    """A binomial tree of eight ranks: three messages of all bytes one after another, of which the library's scatter and
    collection need less than two. Where latency counts, both take three rounds."""
    run = predicted_runs.record(tmp_path, "trees.c", "-g", ranks=8, steps=STEPS)
    (found,) = collective.candidates(Content(run))
    assert found.title == "Make one MPI_Bcast of the messages that come from rank 0 in step"
    (made,) = Replays(run).predict(Change(program=(found.change,))).made
    assert (made.messages_before, made.messages_after) == (7 * STEPS, 0)
    assert made.calls_after == 8 * STEPS
    assert gained_s(run, found, 1, 1e9) >= (STEPS - 1) * 16_384


def test_a_reduction_over_a_tree_is_one_call(tmp_path: Path) -> None:
    """Three messages of all bytes one after another, to rank 0."""
    run = predicted_runs.record(tmp_path, "trees.c", "-g", "-DUP", ranks=8, steps=STEPS)
    (found,) = collective.candidates(Content(run))
    assert found.title == "Make one MPI_Reduce of the messages that end on rank 0 in step"
    (made,) = Replays(run).predict(Change(program=(found.change,))).made
    assert (made.messages_before, made.messages_after) == (7 * STEPS, 0)
    assert made.calls_after == 8 * STEPS
    assert gained_s(run, found, 1, 1e9) >= (STEPS - 1) * 16_384


def test_what_goes_up_a_tree_and_down_again_may_be_a_prefix_sum(tmp_path: Path) -> None:
    run = predicted_runs.record(tmp_path, "trees.c", "-g", "-DBOTH", ranks=8, steps=STEPS)
    assert {"handmade_broadcast", "handmade_reduction"} <= {entry.name for entry in Content(run).patterns}
    assert not collective.candidates(Content(run))


def test_a_tree_whose_messages_differ_is_no_broadcast(tmp_path: Path) -> None:
    run = predicted_runs.record(tmp_path, "trees.c", "-g", "-DHALVED", ranks=8, steps=STEPS)
    for found in collective.candidates(Content(run)):
        with pytest.raises(UsageError, match="differ in size"):
            Replays(run).predict(Change(program=(found.change,)))


def test_a_sum_by_hand_is_two_collectives(tmp_path: Path) -> None:
    run = recorded("own_allreduce", "openmpi", tmp_path)
    assert only(run, Gather).sites
    assert only(run, Distribute).sites


def test_a_manager_with_workers_is_no_collective(tmp_path: Path) -> None:
    chosen, recorder = find("mpich"), running.find_recorder()
    if chosen is None or recorder is None:
        pytest.skip("an MPI library and the recorder are needed: ./dev setup")
    words = [str(programs.build(chosen, "order")), "healthy_tasks", "0", str(STEPS)]
    programs.run(chosen, RANKS, words, tmp_path, recorder)
    content = Content(open_run(tmp_path / "run"))
    assert not collective.candidates(content)
    # A worker's receive of a task is not among the calls that send its results. Who takes how many tasks is a matter of
    # timing, and so is whether the messages are found to be of all ranks to one.
    lines = (Path(__file__).parent / "suite/order.c").read_text().splitlines()
    for entry in content.patterns:
        if entry.name == "all_to_one":
            called = [lines[site.location.line - 1] for site in entry.sites if site.location is not None]
            assert called
            assert not any("MPI_Recv(&task" in line for line in called)

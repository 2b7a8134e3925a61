"""leadline predict --ranks on recorded runs: each site has the messages and bytes of a run on as many ranks."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from recorder import running
from recorder.building import Builder
from recorder.libraries import find

from leadline import _core
from leadline import predict as predicting
from leadline.__main__ import main
from leadline.errors import UsageError
from leadline.figures.run import Run, open_run
from leadline.predict import Change, Pack, predict_ranks, scaling
from leadline.predict.prediction import Replays
from leadline.predict.ranks import computation_of, extrapolation_of, read_tree, tree_with
from replay.predicted_runs import traffic

STEPS = 8
VALUES = 6000
RECORDED = (2, 3, 4)
WANTED = 6
NETWORK = """
schema = 1
[[link.node.piece]]
latency_ns = 1e8
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Run]:
    library, recorder = find("openmpi") or find("mpich"), running.find_recorder()
    if library is None or recorder is None:
        pytest.skip("an MPI library and the recorder are needed: ./dev setup")
    directory = tmp_path_factory.mktemp("strips")
    program = Builder().c(library, "strips.c")
    found = {}
    for ranks in (*RECORDED, WANTED):
        words = [program, str(STEPS), str(VALUES), "24000"]
        kept = directory / f"on-{ranks}"
        done = running.run_mpi(library, ranks, words, cwd=directory, recorder=recorder, run_directory=kept)
        assert done.returncode == 0, done.stderr
        found[ranks] = open_run(kept)
    return found


def test_every_site_has_the_messages_that_a_run_on_as_many_ranks_has(runs: dict[int, Run]) -> None:
    replays = [Replays(runs[ranks]) for ranks in RECORDED]
    trees = [read_tree(one.run, one.tree) for one in replays]
    found = extrapolation_of(trees, WANTED)
    last = replays[-1]
    tree = tree_with(found, found.grown(WANTED), computation_of(found), last.recorded, last.tree)
    expected = Replays(runs[WANTED])
    assert traffic(read_tree(last.run, tree)) == traffic(read_tree(runs[WANTED], expected.tree))
    replayed = tree.replay(_core.ReplaySettings())
    assert not replayed["stuck"]
    assert replayed["messages"] == expected.tree.replay(_core.ReplaySettings())["messages"]
    assert not replayed["differences"]["unknown"]


def test_more_ranks_share_the_computation(runs: dict[int, Run]) -> None:
    """The program sleeps for its share of 24 ms in each step."""
    found = predict_ranks([runs[ranks] for ranks in RECORDED], 12, Change())
    assert [one.ranks for one in found.curve] == [2, 3, 4, 8, 12]
    assert [one.recorded for one in found.curve] == [True, True, True, False, False]
    assert found.curve[0].efficiency == 1
    messages = [one.messages for one in found.curve]
    assert messages == sorted(messages)
    for one in found.curve:
        assert one.low <= one.seconds <= one.high
        assert one.iteration_s is not None
        assert one.iteration_s > 0
    assert {one.what for one in found.quantities} >= {"partner", "bytes sent", "computation before it"}


def test_a_network_steps_and_changes_apply_to_the_ranks_that_nobody_recorded(runs: dict[int, Run]) -> None:
    from leadline import network

    some = [runs[ranks] for ranks in RECORDED]
    plain = predict_ranks(some, WANTED, Change()).whole
    longer = predict_ranks(some, WANTED, Change(steps=4 * STEPS)).whole
    assert longer.predicted.messages == 4 * plain.predicted.messages
    slow = network.parse(NETWORK).network
    assert predict_ranks(some, WANTED, Change(network=slow)).whole.predicted.seconds > STEPS * 0.1
    ideal = predict_ranks(some, WANTED, Change(ideal=True)).whole.predicted
    assert ideal.seconds <= plain.predicted.seconds
    with pytest.raises(UsageError, match="main loop"):
        predict_ranks(some, WANTED, Change(program=(Pack("main"),)))


def test_runs_over_several_hosts_need_a_network(runs: dict[int, Run], monkeypatch: pytest.MonkeyPatch) -> None:
    from leadline import network

    class OverHosts(Replays):
        def __init__(self, run: Run) -> None:
            super().__init__(run)
            self.several_hosts = True

    monkeypatch.setattr(scaling, "Replays", OverHosts)
    some = [runs[ranks] for ranks in RECORDED]
    with pytest.raises(UsageError, match="several hosts"):
        predict_ranks(some, WANTED, Change())
    found = predict_ranks(some, WANTED, Change(network=network.parse(NETWORK).network))
    assert [one.ranks for one in found.curve] == [2, 3, 4, WANTED]
    assert found.whole.predicted.seconds > STEPS * 0.1


def test_the_command_lists_what_was_extrapolated(
    runs: dict[int, Run], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(predicting, "why_spoiled", lambda run: None)  # however busy the machine is
    paths = [str(runs[ranks].path) for ranks in RECORDED]
    assert main(["predict", *paths, "--ranks", str(WANTED), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["ranks"] == WANTED
    assert data["grid"] == str(WANTED)
    assert {"where", "what", "form", "error", "sure"} == set(data["quantities"][0])
    assert any("MPI_Isend" in one["where"] and one["form"].endswith("1/P") for one in data["quantities"])
    assert data["predicted"]["low"] <= data["predicted"]["seconds"] <= data["predicted"]["high"]
    assert main(["predict", *paths, "--ranks", str(WANTED)]) == 0
    text = capsys.readouterr().out
    assert f"extrapolated to {WANTED} ranks" in text
    assert "efficiency" in text


def test_what_cannot_be_is_refused(
    runs: dict[int, Run], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(predicting, "why_spoiled", lambda run: None)
    paths = [str(runs[ranks].path) for ranks in RECORDED]
    for words, reason in (
        (paths, "several runs are for --ranks"),
        ([paths[0], "--ranks", "8"], "two or more different numbers of ranks"),
        ([*paths, "--ranks", "6", "--grid", "2x2"], "its extents have to make 6 ranks"),
        ([*paths, "--ranks", "6", "--grid", "2by3"], "expected numbers of ranks"),
        ([paths[0], "--grid", "2x3"], "--grid is for --ranks"),
    ):
        assert main(["predict", *words]) == 2
        assert reason in capsys.readouterr().err

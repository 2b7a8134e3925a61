"""`leadline improve` on programs that a planted setting makes slower by construction: it is found and undone."""

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import conftest
import pytest
from improvable import improvable

from leadline import mpi
from leadline.improve.file import as_data
from leadline.improve.kept import Kept
from leadline.improve.setting import Setting
from leadline.improve.step import Measured
from leadline.improve.wanted import Wanted
from leadline.libraries import LIBRARIES
from leadline.libraries.rule import Rule, Table
from leadline.runs.guard import VARIABLE

LIMIT_S = 900
OF_THE_SESSION = {*conftest.PATIENT, *conftest.WITHOUT_ADAPTERS}


@dataclass
class Improved:
    directory: Path
    found: dict[str, Any]

    @property
    def chosen(self) -> list[str]:
        return [setting["name"] for setting in self.found["chosen"]]


@dataclass
class Improving:
    """A command of `leadline improve`, with its environment."""

    library: mpi.Library
    directory: Path
    words: list[str]
    environ: dict[str, str]

    def run(self) -> Improved:
        done = subprocess.run(self.words, env=self.environ, capture_output=True, text=True, timeout=LIMIT_S)
        assert done.returncode == 0, done.stderr
        return Improved(self.directory, json.loads(done.stdout))

    def apply(self, found: Improved, *options: str) -> subprocess.CompletedProcess[str]:
        """What was found, applied to the same command."""
        words = [sys.executable, "-m", "leadline", "apply", *options, str(found.directory / "improve.toml")]
        command = self.words[self.words.index("--") :]
        return subprocess.run(
            [*words, *command], env=self.environ, capture_output=True, text=True, check=True, timeout=LIMIT_S
        )


Improve = Callable[..., Improving]


@pytest.fixture
def improve(tmp_path: Path) -> Improve:
    def prepared(
        name: str, program_kind: str, steps: int, *, ranks: int, planted: dict[str, str], only: str, before: str = ""
    ) -> Improving:
        library, program = improvable(name)
        launcher = library.launch(ranks)
        # Open MPI's wait for adapters is left out by a file that is not the user's: a setting of theirs would be tried
        # without. By shared memory, its sends may wait for their receiver whatever the eager limit is.
        ways = "tcp,self" if program_kind == "late" else "^ofi,openib"
        parameters = tmp_path / "parameters.conf"
        parameters.write_text(f"btl = {ways}\nmtl = ^ofi,psm,psm2\n")
        if before:  # one core for all
            kind = next(known.launcher for known in LIBRARIES if known.name == name)
            launcher = [*shlex.split(before), launcher[0], *kind.binding("none"), *launcher[1:]]
        words = [sys.executable, "-m", "leadline", "improve", "--json", "--for", "20m", "--only", only]
        words += ["-o", str(tmp_path / "improved"), "--", *launcher, str(program), program_kind, str(steps)]
        # They are settings of the libraries, which would be tried.
        environ = {name: value for name, value in library.env().items() if name not in OF_THE_SESSION}
        environ |= {"OMPI_MCA_mca_base_param_files": str(parameters), "HOME": str(tmp_path)}
        return Improving(library, tmp_path / "improved", words, {**environ, **planted})

    return prepared


EAGER = {"openmpi": {"OMPI_MCA_btl_tcp_eager_limit": "256"}, "mpich": {"MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD": "0"}}
PARTS = {
    "openmpi": {
        "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
        "OMPI_MCA_coll_tuned_bcast_algorithm": "3",
        "OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize": "64",
    },
    "mpich": {
        "MPIR_CVAR_BCAST_INTRA_ALGORITHM": "pipelined_tree",
        "MPIR_CVAR_BCAST_POSIX_INTRA_ALGORITHM": "mpir",
        "MPIR_CVAR_BCAST_TREE_PIPELINE_CHUNK_SIZE": "64",
    },
}


@pytest.mark.parametrize("name", ["mpich", "openmpi"])
def test_a_planted_setting_is_found_undone_and_applied(improve: Improve, name: str) -> None:
    improving = improve(name, "late", 8, ranks=2, planted=EAGER[name], only="own-settings")
    found = improving.run()
    (planted,) = EAGER[name]
    assert (found.found["confirmed"], found.chosen) == (True, [f"without-{planted}"])
    assert found.found["gain"] > 0.1
    change = found.found["changes"][0]
    assert change["what"] in {"MPI_Send", "MPI_Barrier"}  # that wait for the other rank's sleep
    assert change["after_s"] < change["before_s"]
    assert not (found.directory / "trial").exists()

    before, after = ([each[key] for each in found.found["phases"]] for key in ("before_s", "after_s"))
    assert sum(after) < sum(before)
    if name == "mpich":
        measured_again(improving, found)

    done = improving.apply(found, "--json", "--watch")
    assert done.stdout.startswith("late: 8 steps")
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["watched"]["shows_gain"] is True
    assert told["watched"]["seconds"] < told["watched"]["unchanged_s"]
    assert [each["name"] for each in told["applied"]] == found.chosen
    assert told["not_applied"] == []
    assert improving.apply(found, "--as-shell").stdout == f"unset {planted}\n"


def measured_again(improving: Improving, found: Improved) -> None:
    words = [sys.executable, "-m", "leadline", "improve", "--again", "--json", "-o", str(found.directory)]
    done = subprocess.run(words, env=improving.environ, capture_output=True, text=True, check=True, timeout=LIMIT_S)
    again = json.loads(done.stdout)
    assert (again["holds"], again["settings"], again["left_out"]) == (True, found.chosen, [])
    assert again["gain"] > 0.1
    assert again["found"]["gain"] == found.found["gain"]
    assert json.loads((found.directory / "again" / "1" / "result.json").read_text())["ratios"] == again["ratios"]


@pytest.mark.ci
@pytest.mark.full("openmpi")
@pytest.mark.parametrize("name", ["mpich", "openmpi"])
def test_a_planted_eager_limit_is_overridden(improve: Improve, name: str) -> None:
    found = improve(name, "late", 8, ranks=2, planted=EAGER[name], only="protocol").run()
    assert found.found["confirmed"] is True
    assert len(found.chosen) == 1
    assert found.found["gain"] > 0.1


@pytest.mark.ci
@pytest.mark.full("mpich")  # the search is the same, and tests/tuning has what it sets
@pytest.mark.parametrize("name", ["mpich", "openmpi"])
def test_a_planted_algorithm_is_undone(improve: Improve, name: str) -> None:
    found = improve(name, "parts", 10, ranks=2, planted=PARTS[name], only="own-settings,library-algorithms").run()
    assert found.found["confirmed"] is True
    assert found.found["gain"] > 0.5


@pytest.mark.ci
@pytest.mark.full("mpich", "intel")
@pytest.mark.parametrize("name", ["mpich", "openmpi", "intel"])
def test_ranks_that_share_a_core_yield_it(improve: Improve, name: str) -> None:
    found = improve(name, "barriers", 10, ranks=2, planted={}, only="waiting", before="taskset -c 0").run()
    assert found.found["confirmed"] is True
    assert found.chosen[0].startswith("waiting-")
    assert found.found["gain"] > 0.5


@pytest.mark.ci
@pytest.mark.full("openmpi")
@pytest.mark.parametrize("name", ["mpich", "openmpi"])
def test_fewer_ranks_are_faster_on_a_core_that_they_share(improve: Improve, name: str) -> None:
    improving = improve(name, "barriers", 10, ranks=2, planted={}, only="ranks", before="taskset -c 0")
    at = improving.words.index("--")
    improving.words[at:at] = ["--ranks", "1,2"]
    found = improving.run()
    assert (found.found["confirmed"], found.chosen) == (True, ["ranks-1"])
    assert "-n 1" in improving.apply(found, "--as-shell").stdout


# Both ranks on one core, where ranks that wait keep it. Those of MPICH yield it.
ON_ONE_CORE: dict[str, tuple[dict[str, str], list[str]]] = {
    "openmpi": ({}, ["--map-by", "rankfile:file={ranks}", "--bind-to", "core:overload-allowed"]),
    "intel": ({"I_MPI_PIN_PROCESSOR_LIST": "0"}, []),
}


@pytest.mark.ci
@pytest.mark.full("openmpi")  # beside another test, its ranks wait for a core with either binding
@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="ranks cannot have a core each")
@pytest.mark.parametrize("name", sorted(ON_ONE_CORE))
def test_a_planted_binding_is_undone(improve: Improve, name: str, tmp_path: Path) -> None:
    variables, options = ON_ONE_CORE[name]
    ranks = tmp_path / "ranks"
    ranks.write_text("".join(f"rank {rank}={os.uname().nodename} slot=0\n" for rank in range(2)))
    improving = improve(name, "barriers", 10, ranks=2, planted=variables, only="own-settings,binding")
    start = improving.words.index("--") + 2
    improving.words[start:start] = [word.format(ranks=ranks) for word in options]
    found = improving.run()
    assert found.found["confirmed"] is True
    assert found.found["gain"] > 0.5
    told = json.loads(improving.apply(found, "--json").stdout.splitlines()[-1])
    assert (len(told["applied"]), told["not_applied"]) == (len(found.chosen), [])


@pytest.mark.ci
def test_nothing_helps_a_program_that_only_computes(improve: Improve) -> None:
    found = improve("mpich", "alone", 10, ranks=1, planted={"MPIR_CVAR_CH4_CMA_ENABLE": "0"}, only="own-settings").run()
    assert found.found["confirmed"] is not True
    assert not (found.directory / "improve.toml").exists()


def test_an_interrupted_search_goes_on_and_measures_no_round_twice(improve: Improve) -> None:
    improving = improve("mpich", "late", 8, ranks=2, planted=EAGER["mpich"], only="own-settings")
    measured = improving.directory / "measured.jsonl"
    process = subprocess.Popen(
        improving.words, env=improving.environ, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    while process.poll() is None and (not measured.exists() or len(measured.read_text().splitlines()) < 3):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the same command goes on" in errors
    assert not [line for line in command_lines() if str(improving.directory) in line]
    before = measured.read_text()
    found = improving.run()
    assert found.found["confirmed"] is True
    assert measured.read_text().startswith(before)
    lines = [json.loads(line) for line in measured.read_text().splitlines()]
    places = [(each["stage"], each["round"], each["name"]) for each in lines]
    again = {place for place in places if places.count(place) > 1}
    assert {(stage, number) for stage, number, _ in again} <= {("race", 1)}  # the round that was interrupted


@pytest.mark.ci("openmpi")
@pytest.mark.parametrize("name", ["mpich", "openmpi"])
def test_launches_are_ended_after_some_iterations(improve: Improve, name: str) -> None:
    """The program has a thousand steps, a minute or more, and none of its launches goes on for so long."""
    improving = improve(name, "late", 1000, ranks=2, planted=EAGER[name], only="own-settings")
    at = improving.words.index("--")
    improving.words[at:at] = ["--stop-after", "8"]
    found = improving.run()
    (planted,) = EAGER[name]
    assert (found.found["confirmed"], found.chosen) == (True, [f"without-{planted}"])
    assert found.found["gain"] > 0.1
    plan = json.loads((found.directory / "search.json").read_text())["plan"]
    assert plan["ended_s"] < 60 < 1000 * found.found["unchanged_s"]
    assert not [line for line in command_lines() if "improvable" in line and "1000" in line and name in line]


@pytest.mark.ci
def test_a_program_is_tried_with_fewer_steps_and_applied_whole(improve: Improve) -> None:
    improving = improve("mpich", "late", 30, ranks=2, planted=EAGER["mpich"], only="own-settings")
    improving.words.append("--steps=30")
    at = improving.words.index("--")
    improving.words[at:at] = ["--steps-option", "--steps=8"]
    found = improving.run()
    assert found.found["confirmed"] is True
    assert json.loads((found.directory / "record" / "run.json").read_text())["command"][-1] == "--steps=8"
    assert improving.apply(found, "--json").stdout.startswith("late: 30 steps")


@pytest.mark.ci
@pytest.mark.full("mpich")  # what ends its launchers is tested with either, in tests/runs
@pytest.mark.parametrize("name", ["mpich", "openmpi"])
def test_a_search_that_is_killed_again_and_again_loses_nothing(improve: Improve, name: str) -> None:
    """Each launch would go on for a minute or more, and is ended at once when the search is killed."""
    improving = improve(name, "late", 1000, ranks=2, planted=EAGER[name], only="own-settings")
    at = improving.words.index("--")
    improving.words[at:at] = ["--stop-after", "8"]
    measured = improving.directory / "measured.jsonl"
    before: list[str] = []
    for more in (0, 1, 2):  # launches more, and it is killed amid the next one
        process = subprocess.Popen(
            improving.words, env=improving.environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while process.poll() is None and len(lines_in(measured)) < len(before) + more:
            time.sleep(0.05)
        while process.poll() is None and not (ranks := pids_of_ranks(improving)):
            time.sleep(0.01)
        process.kill()
        process.wait()
        assert lines_in(measured)[: len(before)] == before
        before = lines_in(measured)
        while pids_of_ranks(improving):
            time.sleep(0.01)
        assert not any(in_search(improving, pid) for pid in ranks)
    found = improving.run()
    assert found.found["confirmed"] is True
    assert lines_in(measured)[: len(before)] == before
    assert not (found.directory / "trial").exists()


def pids_of_ranks(improving: Improving) -> list[int]:
    """Of all processes that the search started."""
    pids = [int(path.name) for path in Path("/proc").glob("[0-9]*")]
    return [pid for pid in pids if in_search(improving, pid)]


def in_search(improving: Improving, pid: int) -> bool:
    """Its home is this test's, and it works for the search."""
    try:
        environ = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:  # it is over
        return False
    mine = f"HOME={improving.environ['HOME']}".encode() in environ
    return mine and any(value.startswith(f"{VARIABLE}=".encode()) for value in environ)


def lines_in(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def command_lines() -> list[str]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it is over
            found.append(path.read_text(errors="replace"))
    return found


def test_another_search_s_directory_is_refused(improve: Improve) -> None:
    improving = improve("mpich", "late", 8, ranks=2, planted={}, only="progress")
    improving.directory.mkdir()
    (improving.directory / "search.json").write_text('{"schema": 1, "command": ["other"]}')
    done = subprocess.run(improving.words, env=improving.environ, capture_output=True, text=True)
    assert done.returncode == 2
    assert "holds another search: other" in done.stderr


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--for", "soon"], "expected a duration"),
        (["--only", "protocols"], "did you mean protocol"),
        (["--time", "x", "--iterations"], "needs a group"),
        (["--time", "(x)", "--iterations"], "exclude each other"),
        (["--time", "(x)", "--stop-after", "9"], "prints no time"),
        (["--compare", "file", "--stop-after", "9"], "leaves half of a file"),
        (["--steps-option", "'--steps"], "No closing quotation"),
        (["--ranks", "4,many"], "expected numbers"),
    ],
)
def test_wrong_options_are_refused_before_anything_runs(words: list[str], why: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "leadline", "improve", "-o", str(tmp_path / "new"), *words, "--", "true"]
    done = subprocess.run(command, env=dict(os.environ), capture_output=True, text=True)
    assert done.returncode == 2
    assert why in done.stderr
    assert not (tmp_path / "new").exists()


@pytest.mark.ci
def test_a_setting_among_the_launcher_s_options_is_undone(improve: Improve) -> None:
    improving = improve("openmpi", "late", 8, ranks=2, planted={}, only="own-settings")
    start = improving.words.index("--") + 2
    improving.words[start:start] = ["--mca", "btl_tcp_eager_limit", "256"]
    found = improving.run()
    assert (found.found["confirmed"], found.chosen) == (True, ["without-btl_tcp_eager_limit"])


@pytest.mark.ci
def test_a_setting_in_the_user_s_file_is_undone(improve: Improve, tmp_path: Path) -> None:
    """The others of the file have no value that would undo them."""
    improving = improve("openmpi", "late", 8, ranks=2, planted={}, only="own-settings")
    file = tmp_path / ".openmpi" / "mca-params.conf"
    file.parent.mkdir()
    file.write_text(Path(improving.environ.pop("OMPI_MCA_mca_base_param_files")).read_text())
    file.write_text(f"{file.read_text()}btl_tcp_eager_limit = 256  # planted\n")
    before = file.read_text()
    found = improving.run()
    assert found.found["confirmed"] is True
    assert found.chosen == ["without-btl_tcp_eager_limit-in-file"]
    told = json.loads(improving.apply(found, "--json").stdout.splitlines()[-1])
    assert (len(told["applied"]), told["not_applied"]) == (1, [])
    assert file.read_text() == before


@pytest.mark.ci
def test_algorithms_of_ours_take_the_place_of_a_planted_one(improve: Improve) -> None:
    """A plan as one that was interrupted leaves it: whether they win measured alone is a matter of the machine."""
    improving = improve("openmpi", "parts", 10, ranks=2, planted=PARTS["openmpi"], only="own-algorithms")
    command = tuple(improving.words[improving.words.index("--") + 1 :])
    improving.directory.mkdir()
    wanted = Wanted(command, improving.directory, 60.0, only=("own-algorithms",))
    table = Table((Rule("bcast", (2, 2), (1 << 20, 1 << 20), "linear"),))
    ours = Setting("own-algorithms", "own-algorithms", "ours", "", 1.0, table=table, by_shim=True)
    plan = {"measured": Measured.ITERATION.value, "ranks": 2, "record_wall_s": 1.0, "not_tried": []}
    Kept(improving.directory, command, wanted.same).keep_plan({**plan, "settings": [as_data(ours)]})

    found = improving.run()
    assert (found.found["confirmed"], found.chosen) == (True, ["own-algorithms"])
    done = improving.apply(found, "--json")
    assert json.loads(done.stdout.splitlines()[-1])["applied"][0]["proof"] == "calls counted by the shim"
    assert "export LD_PRELOAD=" in improving.apply(found, "--as-shell").stdout
    assert (found.directory / "collectives.shim").read_text().splitlines()[1].startswith("bcast 2 2 1048576 1048576 ")

"""Command lines of launchers are read as the launchers themselves read them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from leadline import mpi
from leadline.launch.launcher import Launcher, prepared, program_start, words_for_ranks
from leadline.launch.wrappers import preload_in_front, with_variables
from leadline.launchers import hydra, named, openmpi, srun
from leadline.launchers.options import Options
from leadline.tuning.nodes_have import has_several_nodes

OURS = {"LD_PRELOAD": "/ours.so", "LEADLINE_DIR": "/runs/a,b"}


@pytest.mark.parametrize(
    ("kind", "line", "program"),
    [
        ("srun", "-J test ./app", 2),
        ("srun", "-n 4 -Jtest -lu -N2 ./app -J x", 5),
        ("srun", "-ln 4 ./app", 2),
        ("srun", "--job-name test --mpi=pmi2 ./app", 3),
        ("srun", "--job-na test --exclusive ./app", 3),
        ("srun", "--nice -I --kill-on-bad-exit=1 ./app", 3),
        ("srun", "-n 2 -- ./app", 3),
        ("hydra", "-launcher ssh -n 4 ./app", 4),
        ("hydra", "-genv A 1 -genv B=2 -f hosts ./app", 7),
        ("hydra", "--hosts a,b -prepend-rank ./app", 3),
        ("openmpi", "--mca btl tcp,self -x A=1 --host a:2 ./app", 7),
        ("openmpi", "--oversubscribe -np 2 --map-by core ./app -np 3", 5),
        ("openmpi", "--prtemca plm ssh --output tag ./app", 5),
        ("aprun", "-n 4 -N 2 -cc cpu -q ./app", 7),
        ("jsrun", "-n 1 -a 4 --bind rs ./app", 6),
    ],
)
def test_the_program_is_what_the_launcher_runs(kind: str, line: str, program: int) -> None:
    assert program_start(line.split(), named(kind)) == program


def test_after_an_option_that_is_not_known_a_file_that_runs_is_the_program() -> None:
    assert program_start(["--of-a-later-version", "7", "true"], srun.SRUN) == 2
    assert program_start(["-n", "1", "--of-a-later-version", "7"], srun.SRUN) == 4


def _for_ranks(kind: str, line: str) -> list[str]:
    launcher = Launcher(named(kind), f"/bin/{kind}", "", 0)
    return words_for_ranks([kind, *line.split()], launcher, dict(OURS), "/ours.so")[1:]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("-n 2 true", "-n 2 true"),
        ("--export=ALL true", "--export=ALL true"),
        ("--export=NONE -n 2 true", "--export=LD_PRELOAD,LEADLINE_DIR -n 2 true"),
        ("-n 2 --export NIL true", "--export=LD_PRELOAD,LEADLINE_DIR -n 2 true"),
        ("--export=A,B=1 true", "--export=A,B=1,LD_PRELOAD,LEADLINE_DIR true"),
        ("--export=LD_PRELOAD=theirs true", "--export=LD_PRELOAD=/ours.so:theirs,LEADLINE_DIR true"),
        ("--export=ALL,LD_PRELOAD=theirs true", "--export=ALL,LD_PRELOAD=/ours.so:theirs,LEADLINE_DIR true"),
        ("-n1 true : --export=NONE -n 1 true --export=NONE", None),
    ],
)
def test_srun_passes_on_what_recording_needs(line: str, expected: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLURM_EXPORT_ENV", raising=False)
    expected = expected or "-n1 true : --export=LD_PRELOAD,LEADLINE_DIR -n 1 true --export=NONE"
    assert _for_ranks("srun", line) == expected.split()


def test_a_job_that_passes_nothing_on_passes_what_recording_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_EXPORT_ENV", "NONE")
    assert _for_ranks("srun", "-n 2 true") == ["--export=LD_PRELOAD,LEADLINE_DIR", "-n", "2", "true"]
    changed = srun.environment({"SLURM_EXPORT_ENV": "NONE"}, OURS)
    assert changed == {"SLURM_EXPORT_ENV": "LD_PRELOAD,LEADLINE_DIR"}
    assert srun.environment({"SLURM_EXPORT_ENV": "A,B"}, OURS) == {"SLURM_EXPORT_ENV": "A,B,LD_PRELOAD,LEADLINE_DIR"}
    assert srun.environment({"SLURM_EXPORT_ENV": "ALL,A=1"}, OURS) == {}
    assert srun.environment({}, OURS) == {}


def test_options_of_the_program_are_its_own() -> None:
    line = "-n 1 true -x LD_PRELOAD=its"
    assert _for_ranks("openmpi", line)[-len(line.split()) :] == line.split()
    line = "-n 1 true -genv LD_PRELOAD its"
    assert _for_ranks("hydra", line)[-len(line.split()) :] == line.split()
    assert "/ours.so:its" in _for_ranks("hydra", "-genv LD_PRELOAD=its -n 1 true")


def test_what_env_takes_away_of_ours_is_put_back() -> None:
    for words in (["env", "-u", "LD_PRELOAD"], ["env", "-uLD_PRELOAD"], ["env", "--unset=LD_PRELOAD"]):
        assert with_variables([*words, "app"], OURS, "/ours.so") == [*words, "LD_PRELOAD=/ours.so", "app"]
        assert preload_in_front([*words, "app"]) == ""
    assert with_variables(["env", "-u", "A", "app"], OURS, "/ours.so") == ["env", "-u", "A", "app"]
    assert preload_in_front(["env", "-u", "A", "app"]) is None


def _takes_value(options: Options, name: str) -> bool | None:
    if name in options.values or name in options.pairs:
        return True
    return False if name in options.flags else None


def test_srun_s_table_is_what_srun_says(tmp_path: Path) -> None:
    if shutil.which("srun") is None:
        pytest.skip("needs srun: apt-get install slurm-client")
    (tmp_path / "slurm.conf").write_text("ClusterName=none\nSlurmctldHost=localhost\n")
    text = subprocess.run(
        ["srun", "--help"], env={"SLURM_CONF": str(tmp_path / "slurm.conf"), "PATH": "/usr/bin:/bin"}, text=True,
        capture_output=True, check=False,
    ).stdout  # fmt: skip
    wrong = []
    for letter, name, after in re.findall(r"^\s+(?:-(\w),?\s+)?--([\w-]+)(\S*)", text, re.MULTILINE):
        # Of two of them --help does not say what the manual and getopt do.
        expected = (after.startswith("=") or name == "container") and name != "bcast"
        if name == "mem" and after == "":  # the second line of another option
            continue
        for option in filter(None, (letter, name)):
            if _takes_value(srun.OPTIONS, option) is not expected:
                wrong.append((option, after))
    assert len(text) > 1000
    assert not wrong


def test_open_mpi_4_s_table_is_what_it_says() -> None:
    library = next((found for found in mpi.available() if found.name == "debian-openmpi"), None)
    if library is None:
        pytest.skip("needs Debian's Open MPI")
    text = subprocess.run(
        [library.mpiexec, "--help", "full"], env=library.env(), text=True, capture_output=True, check=False
    ).stdout
    lines = re.findall(r"^ +-([\w-]+)(?:\|--([\w-]+))?((?: <arg\d>)*)", text, re.MULTILINE)
    options = openmpi.OPTIONS
    wrong = [
        (name, values)
        for short, long, values in lines
        for name in filter(None, (short.lstrip("-"), long))
        if (name in options.pairs, name in options.values) != (values.count("<") == 2, values.count("<") == 1)
    ]
    assert len(lines) > 50
    assert not wrong


@pytest.mark.parametrize("name", ["mpich", "debian-mpich", "intel"])
def test_hydra_s_options_are_all_known(name: str) -> None:
    library = next((found for found in mpi.available() if found.name == name), None)
    if library is None:
        pytest.skip(f"the MPI library {name} is not installed")
    text = subprocess.run(
        [library.mpiexec, "-help"], env=library.env(), text=True, capture_output=True, check=False
    ).stdout
    names = [
        option.lstrip("-") for line in re.findall(r"^ +(-[\w/-]+) ", text, re.MULTILINE) for option in line.split("/")
    ]
    assert len(names) > 20
    assert [name for name in names if _takes_value(hydra.OPTIONS, name) is None] == []


def test_what_a_script_starts_gets_the_variables_where_slurm_passes_nothing_on() -> None:
    environ = {"SLURM_EXPORT_ENV": "NONE", "HOME": "/home/me"}
    words, given = prepared(["./job.sh"], None, environ, {"LD_PRELOAD": "ours.so", "LEADLINE_TABLE": "/t"}, "ours.so")
    assert words == ["./job.sh"]
    assert given["SLURM_EXPORT_ENV"] == "LD_PRELOAD,LEADLINE_TABLE"
    assert (given["LD_PRELOAD"], given["HOME"]) == ("ours.so", "/home/me")


def test_nodes_are_asked_only_in_a_job_that_has_several(tmp_path: Path) -> None:
    listed = tmp_path / "nodes"
    listed.write_text("node1\nnode1\nnode2\n")
    assert has_several_nodes({"SLURM_JOB_NUM_NODES": "3"})
    assert has_several_nodes({"PBS_NODEFILE": str(listed)})
    assert not has_several_nodes({"SLURM_JOB_NUM_NODES": "1"})
    assert not has_several_nodes({"PBS_NODEFILE": str(tmp_path / "none")})
    assert not has_several_nodes({})

"""The variables of launchers stand in api/launchers.toml only; C++ and Python are made from it."""

import dataclasses
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from leadline.launchers.variables import batch_variables, launcher_variables

ROOT = Path(__file__).resolve().parents[2]
# Names of jobs take reading: Slurm's are made of three variables, and what PMI calls a job says who spawned it.
READ_ELSEWHERE = {
    "src/recorder/job/job.cpp": {"PMI_JOBID", "SLURM_JOB_ID", "SLURM_RESTART_COUNT", "SLURM_STEP_NUM_TASKS"},
    "src/recorder/job/launcher_facts.cpp": {"PMI_JOBID"},
}
NEW = """
[launcher.ours]
command = "oursrun"
rank = "OURS_RANK"
size = "OURS_SIZE"
source = "its manual"
"""
SHOWS = """
#include <cstdio>
#include "host/launcher_variables.hpp"
using namespace leadline::host;
int main() { std::printf("%lld of %lld, %d\\n", launcher_rank(), launcher_ranks(), has_launcher_rank()); }
"""


def variables() -> set[str]:
    """Of launchers and batch systems; without those that any program might name."""
    entries = [*launcher_variables().values(), *(batch for batch in batch_variables().values() if not batch.ambiguous)]
    texts = {
        str(value)
        for entry in entries
        for key, value in dataclasses.asdict(entry).items()
        if key not in {"command", "title", "source"} and isinstance(value, str)
    }
    return texts - {""}


def test_no_source_names_a_variable_again() -> None:
    word = re.compile(rf"\"({'|'.join(variables())})\"")
    files = [
        path for top in ("src", "python") for path in (ROOT / top).rglob("*") if path.suffix in {".cpp", ".hpp", ".py"}
    ]
    assert len(files) > 300
    for path in files:
        name = path.relative_to(ROOT).as_posix()
        assert set(word.findall(path.read_text())) <= READ_ELSEWHERE.get(name, set()), name


def test_an_entry_is_all_that_a_new_launcher_takes(tmp_path: Path) -> None:
    api = tmp_path / "api"
    shutil.copytree(ROOT / "api", api)
    with (api / "launchers.toml").open("a") as file:
        file.write(NEW)
    words = [sys.executable, ROOT / "codegen" / "generate.py", "--api", api, "--out", tmp_path]
    subprocess.run(words, check=True, timeout=120)
    (tmp_path / "shows.cpp").write_text(SHOWS)
    built = tmp_path / "shows"
    words = [
        "c++",
        "-std=c++20",
        "-Wall",
        "-Werror",
        f"-I{tmp_path}",
        f"-I{ROOT}/src",
        tmp_path / "shows.cpp",
        "-o",
        built,
    ]
    subprocess.run(words, check=True, timeout=120)

    def shown(environ: dict[str, str]) -> str:
        return subprocess.run([built], env=environ, capture_output=True, text=True, check=True).stdout.strip()

    assert shown({"OURS_RANK": "3", "OURS_SIZE": "8"}) == "3 of 8, 1"
    assert shown({"OURS_RANK": ""}) == "-1 of -1, 0"
    # Those of a job are in the environment of the launcher within it, which counts.
    assert shown({"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "1", "PMI_RANK": "2", "PMI_SIZE": "4"}) == "2 of 4, 1"
    assert shown({"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "1"}) == "0 of 1, 0"


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ('rank = "PMI_RANK"', 'ranks = "PMI_RANK"', "[launcher.pmi] ranks is no such fact"),
        ('rank = "PMI_RANK"\n', "", "[launcher.pmi] has no rank"),
        ("inherited = true", 'inherited = "yes"', "[launcher.slurm] inherited = 'yes' is wrong"),
        ('id = "PBS_JOBID"\n', "", "[batch.pbs] has no id"),
    ],
)
def test_wrong_data_are_refused(tmp_path: Path, right: str, wrong: str, said: str) -> None:
    api = tmp_path / "api"
    shutil.copytree(ROOT / "api", api)
    text = (api / "launchers.toml").read_text()
    assert right in text
    (api / "launchers.toml").write_text(text.replace(right, wrong))
    words = [sys.executable, str(ROOT / "codegen" / "generate.py"), "--api", str(api), "--out", str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (1, f"codegen: launchers.toml: {said}\n")

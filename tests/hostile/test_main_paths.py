"""Commands that do their work where everything has a hostile name: directory, program, argument, files, results."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from leadline import mpi
from leadline.interchange import FORMATS

from .conftest import ARGUMENT, PROGRAM
from .test_terminal import HIDDEN, ONE, Commands, all_shown

X = "\udcff\x1b[31m\u202e\n"  # in every name
TABLE = """schema = 1
[[rule]]
operation = "allreduce"
processes = [2, 2]
bytes = [1, 1024]
algorithm = "recursive_doubling"
"""
LONG = "n" * 255
NEEDS = {"otf2": "otf2", "parquet": "pyarrow"}
QUICK = ("--sizes", "8", "--launches", "2", "--rounds", "5", "--seconds", "0.1", "--timeout", "100")


@dataclass(frozen=True)
class Place:
    """The folder of the two runs, and what starts the program on two ranks."""

    folder: Path
    library: mpi.Library

    @property
    def launch(self) -> list[str]:
        return [str(word) for word in self.library.launch(2)]

    def shown(self, commands: Commands) -> str:
        return all_shown(self.folder, commands, self.library.environ)


@pytest.fixture(params=["mpich", "openmpi"])
def place(request: pytest.FixtureRequest) -> Place:
    folder = Path(request.getfixturevalue("hostile" if request.param == "mpich" else "hostile_openmpi"))
    return Place(folder, next(each for each in mpi.available() if each.name == request.param))


@pytest.mark.ci("openmpi")
def test_recording_applying_and_asking(place: Place) -> None:
    program = [f"./{os.fsdecode(PROGRAM)}", os.fsdecode(ARGUMENT)]
    (place.folder / f"table{X}.toml").write_text(TABLE)
    shutil.copy(place.folder / os.fsdecode(PROGRAM), place.folder / LONG)
    by_ranks = [*place.launch, sys.executable, "-m", "leadline", "exec", "-o", f"exec{X}", *program]
    commands: Commands = {
        "record": (0, ("record", "-o", f"record{X}", "--", *place.launch, *program)),
        "run": (0, ("run", "-o", f"run{X}", "--", *place.launch, *program)),
        "run in the usual place": (0, ("run", "--", *place.launch, *program)),
        "newest run": (0, ("report",)),
        "two jobs": (0, ("run", "-o", f"jobs{X}", "--", "sh", "-c", '"$@" && "$@"', "x", *place.launch, *program)),
        "one of two jobs": (0, ("report", f"jobs{X}", "--all")),
        "collect": (0, ("collect", f"jobs{X}")),
        "long names": (0, ("run", "-o", "d" * 255, "--", *place.launch, f"./{LONG}", "a" * 5000)),
        "apply": (0, ("apply", f"table{X}.toml", "--", *place.launch, *program)),
        "doctor": (0, ("doctor", "--", *place.launch, *program)),
        "program without MPI": (3, ("record", "-o", f"none{X}", "--", "true", X)),
        "its report": (4, ("report", f"none{X}")),
        "exec": (3, ("record", "-o", f"outer{X}", "--", *by_ranks)),  # which records elsewhere
    }
    assert HIDDEN.findall(place.shown(commands)) == []
    for name in (f"record{X}", f"run{X}", f"jobs{X}", f"exec{X}", "d" * 255):
        assert [*(place.folder / name).glob("rank-*.trace")], name


def test_predicting(place: Place) -> None:
    """Refused where the ranks shared cores, as they may have."""
    text = place.shown({"predict": ((0, 2), ("predict", ONE)), "as JSON": ((0, 2), ("predict", ONE, "--json"))})
    assert HIDDEN.findall(text) == []


@pytest.mark.ci("openmpi")
def test_exporting(place: Place) -> None:
    formats = [name for name in FORMATS if importlib.util.find_spec(NEEDS.get(name, "os"))]
    commands = {name: (0, ("export", name, ONE, "-o", f"{name}{X}")) for name in formats}
    if "otf2" in formats:
        commands["import"] = (0, ("import", f"otf2{X}", "-o", f"imported{X}"))
        commands["its report"] = (0, ("report", f"imported{X}", "--all"))
    assert HIDDEN.findall(place.shown(commands)) == []


def test_measuring(hostile: Path) -> None:
    """With one library: what is written to the terminal does not depend on it."""
    commands: Commands = {
        "bench": (0, ("bench", "bcast", "--algorithms", "binomial", *QUICK, "--csv", f"samples{X}.csv")),
        "tune": (0, ("tune", "--operations", "bcast", *QUICK[:-2], "-o", f"tuned{X}.toml")),
        "workloads": (0, ("workload", "list")),
    }
    assert HIDDEN.findall(all_shown(hostile, commands)) == []
    for name in (f"samples{X}.csv", f"tuned{X}.toml"):
        assert (hostile / name).exists(), name


@pytest.mark.ci
def test_protocols_are_tried(hostile: Path) -> None:
    """The plan of what to ask the library names folders."""
    launch = map(str, mpi.find("mpich").launch(2))
    words = ("tune", "--protocol", "--launches", "2", "-o", f"protocol{X}.json", "--", *launch)
    commands: Commands = {"protocol": (0, (*words, f"./{os.fsdecode(PROGRAM)}", os.fsdecode(ARGUMENT)))}
    assert HIDDEN.findall(all_shown(hostile, commands)) == []

"""Energy as what is to become less: counters, where they are missing, and a search by them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from leadline import mpi
from leadline.cli.improve import command
from leadline.errors import UsageError
from leadline.improve import energy
from leadline.improve.improving import improve
from leadline.improve.telling import lines
from leadline.improve.wanted import Wanted


def a_counter(root: Path, number: str, name: str, value: int, most: int = 999) -> Path:
    domain = root / f"intel-rapl:{number}"
    domain.mkdir(parents=True)
    for file, content in (("name", name), ("energy_uj", value), ("max_energy_range_uj", most)):
        (domain / file).write_text(f"{content}\n")
    return domain / "energy_uj"


def test_packages_and_memory_are_added_and_counters_may_begin_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(energy, "POWERCAP", tmp_path)
    package = a_counter(tmp_path, "0", "package-0", 900)
    memory = a_counter(tmp_path, "0:1", "dram", 5)
    cores = a_counter(tmp_path, "0:0", "core", 5)
    found = energy.meter()
    assert isinstance(found, energy.Meter)
    before = found.now()
    package.write_text("100")  # behind 999 comes 0
    memory.write_text("7")
    cores.write_text("500")
    assert found.joules_since(before) == pytest.approx(202e-6)


def test_without_counters_it_says_so_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in (tmp_path, tmp_path / "nothing"):
        monkeypatch.setattr(energy, "POWERCAP", place)
        given = ["--goal", "energy", "-o", str(tmp_path / "out"), "--", "mpiexec", "-n", "2", "./app"]
        done = CliRunner().invoke(command, given)
        assert isinstance(done.exception, UsageError)
        assert done.exception.exit_code == 2
        assert "shows no energy counters" in str(done.exception)
        assert not (tmp_path / "out").exists()


def test_energy_is_of_whole_runs(tmp_path: Path) -> None:
    given = ["--goal", "energy", "--iterations", "-o", str(tmp_path / "out"), "--", "mpiexec", "./app"]
    assert "whole runs" in str(CliRunner().invoke(command, given).exception)


PROGRAM = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  long micro;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    FILE* file = fopen(argv[1], "r+");
    if (file && fscanf(file, "%ld", &micro) == 1) {
      rewind(file);
      fprintf(file, "%ld", micro + 1500000);
      fclose(file);
    }
  }
  MPI_Finalize();
  return 0;
}
"""


@pytest.mark.parametrize("name", ["mpich", "openmpi"])
def test_a_search_compares_what_the_counters_say(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program itself moves the counter, by 1.5 J each time: no setting can matter."""
    known = {library.name: library for library in mpi.available()}
    if name not in known:
        pytest.skip(f"the MPI library {name} is not installed")
    library = known[name]
    (tmp_path / "app.c").write_text(PROGRAM)
    build = [library.mpicc, tmp_path / "app.c", "-o", tmp_path / "app"]
    subprocess.run(build, check=True, env=library.env(), timeout=120)
    monkeypatch.setattr(energy, "POWERCAP", tmp_path)
    counter = a_counter(tmp_path, "0", "package-0", 1000, 10**12)
    found = energy.meter()
    assert isinstance(found, energy.Meter)
    (tmp_path / "out").mkdir()
    words = (*library.launch(2), str(tmp_path / "app"), str(counter))
    environ = {**os.environ, **library.env()}
    wanted = Wanted(words, tmp_path / "out", 60.0, only=("binding",), meter=found, environ=environ)
    done = improve(wanted, lambda _: None, lambda _: None)
    assert done.base_s is None or done.base_s == pytest.approx(1.5)
    assert done.base_s is not None or not done.settings  # nothing to try
    assert not done.chosen
    assert done.measured.value == "the energy of the whole run"
    if done.base_s is not None:
        assert "(1.5 J unchanged)" in lines(done, "out", words)[0]

"""Settings that MPI libraries ignore without a word: each is provoked, and must be named. Nothing here is timed."""

from pathlib import Path

import pytest

from .conftest import Apply

RING = """schema = 1
[[rule]]
operation = "bcast"
processes = [2, 16]
bytes = [0, 1099511627776]
algorithm = "scatter_ring"
"""
SWITCH = "OMPI_MCA_coll_tuned_use_dynamic_rules"
FILE = "OMPI_MCA_coll_tuned_dynamic_rules_filename"
OPEN_MPI = ("openmpi", "debian-openmpi")
MPICH = ("mpich", "debian-mpich")


@pytest.mark.parametrize("name", [*OPEN_MPI, *MPICH, "intel"])
@pytest.mark.ci("debian-openmpi", "debian-mpich")
def test_what_is_set_is_seen_to_take_effect(apply: Apply, name: str) -> None:
    done = apply(name, RING, "--via", "native")
    assert [rule["algorithm"] for rule in done.found["applied"]] == ["scatter_ring"], done.found
    # Open MPI's own routine hands messages of fewer elements than processes to another.
    assert all("ring" in seen["routine"] for seen in done.found["applied"][0]["evidence"] if seen["bytes"] > 8)
    assert [rule["range"]["bytes"] for rule in done.found["not_applied"]] in ([], [[0, 8]])
    assert done.output == "the program's own output"


def test_an_algorithm_that_the_users_file_forces_does_not_hide_the_rules(apply: Apply, tmp_path: Path) -> None:
    """mpiexec makes variables of the ranks of that file, and Open MPI asks for a forced algorithm before its rules."""
    (tmp_path / ".openmpi").mkdir()
    (tmp_path / ".openmpi" / "mca-params.conf").write_text("coll_tuned_bcast_algorithm = 3\n")
    done = apply("openmpi", RING, "--via", "native", environ={"HOME": str(tmp_path)})
    assert [rule["algorithm"] for rule in done.found["applied"]] == ["scatter_ring"], done.found


def test_open_mpi_without_dynamic_rules(apply: Apply, tmp_path: Path) -> None:
    (tmp_path / "rules").write_text("1 7 1 1 1 0 9 0 0\n")
    done = apply("openmpi", RING, "--via", "native", "--as-set", environ={FILE: str(tmp_path / "rules")})
    assert "coll_tuned_use_dynamic_rules=0 on the ranks" in done.why()
    assert not done.found["applied"]


def test_open_mpi_with_a_rules_file_that_has_no_such_rule(apply: Apply, tmp_path: Path) -> None:
    (tmp_path / "rules").write_text("1 2 1 1 1 0 3 0 0\n")  # of allreduce only, and not even used
    done = apply("openmpi", RING, "--via", "native", "--as-set", environ={FILE: str(tmp_path / "rules")})
    assert "it has no rule for bcast of" in done.why()
    assert "rules file ignored" not in done.why()


def test_open_mpi_with_a_rules_file_that_is_missing(apply: Apply, tmp_path: Path) -> None:
    given = {SWITCH: "1", FILE: str(tmp_path / "nowhere")}
    done = apply("openmpi", RING, "--via", "native", "--as-set", environ=given)
    assert "cannot be read" in done.why()
    assert "nowhere" in done.why()
    assert not done.found["applied"]


@pytest.mark.parametrize(
    ("rules", "why"),
    [
        ("1 7 1 1 3 0 6 0 0 4194304 9 0 0 1024 9 0 0", "sizes are not ascending"),
        ("1 7 1 1 1 1048576 9 0 0", "not 0"),
        ("1 7 1 8 1 0 9 0 0", "first rule is for 8 ranks, but the job has 3"),
    ],
)
def test_open_mpi_with_rules_that_do_not_count(apply: Apply, tmp_path: Path, rules: str, why: str) -> None:
    (tmp_path / "rules").write_text(rules.replace(" ", "\n") + "\n")
    given = {SWITCH: "1", FILE: str(tmp_path / "rules")}
    done = apply("debian-openmpi", RING, "--via", "native", "--as-set", environ=given)
    assert why in done.why()


def test_mpich_whose_node_layer_was_not_told(apply: Apply) -> None:
    given = {"MPIR_CVAR_BCAST_INTRA_ALGORITHM": "scatter_ring_allgather"}
    done = apply("mpich", RING, "--via", "native", "--as-set", environ=given)
    assert "MPIR_CVAR_BCAST_POSIX_INTRA_ALGORITHM is not set, not mpir" in done.why()
    assert not done.found["applied"]
    told = {**given, "MPIR_CVAR_BCAST_POSIX_INTRA_ALGORITHM": "mpir"}
    assert apply("mpich", RING, "--via", "native", "--as-set", environ=told).found["applied"]


def test_mpich_with_a_name_that_it_does_not_know(apply: Apply) -> None:
    given = {"MPIR_CVAR_BCAST_INTRA_ALGORITHM": "scatter_rings"}
    done = apply("debian-mpich", RING, "--via", "native", "--as-set", environ=given)
    assert not done.found["applied"]
    assert done.found["not_applied"] or done.found["problem"]


def test_intels_zero_is_an_algorithm(apply: Apply) -> None:
    done = apply("intel", RING, "--via", "native", "--as-set", environ={"I_MPI_ADJUST_BCAST": "0"})
    assert "is 0, which selects an algorithm" in done.why()
    assert not done.found["applied"]


def test_a_setting_that_was_never_made(apply: Apply) -> None:
    assert "I_MPI_ADJUST_BCAST is not set" in apply("intel", RING, "--via", "native", "--as-set").why()

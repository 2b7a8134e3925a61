"""A launch is repeated for Open MPI's own fault in MPI_Init, with a warning, and for nothing else."""

import pytest

from .library_faults import LAUNCHES, LibraryCrashed, crashed_in_init, launched

# As Open MPI prints it; addresses left out.
CRASH = """\
[node2:00072] *** Process received signal ***
[node2:00072] Signal: Segmentation fault (11)
[node2:00072] Failing at address: 0x60
[node2:00072] [ 0] /lib/x86_64-linux-gnu/libc.so.6(+0x3c050)
[node2:00072] [ 1] libmpi.so.40(mca_pml_ob1_recv_frag_callback_match+0x5a)
[node2:00072] [ 2] libopen-pal.so.80(+0x9f3a0)
[node2:00072] [ 3] libopen-pal.so.80(opal_progress+0x2c)
[node2:00072] [ 4] libmpi.so.40(ompi_mpi_init+0x6f0)
[node2:00072] [ 5] libmpi.so.40(PMPI_Init+0x5e)
[node2:00072] *** End of error message ***
"""


def test_the_fault_is_told_from_other_crashes() -> None:
    assert crashed_in_init(f"rank 0 of 4\n{CRASH}\nsrun: error: node2: task 1: Segmentation fault")
    assert not crashed_in_init(CRASH.replace("mca_pml_ob1_recv_frag_callback_match", "leadline_MPI_Init"))
    assert not crashed_in_init(CRASH.replace("ompi_mpi_init", "PMPI_Allreduce"))
    assert not crashed_in_init("\n".join(CRASH.splitlines()[1:]))
    assert not crashed_in_init("srun: error: node2: task 1: Segmentation fault")


def test_a_launch_that_the_fault_ended_is_repeated_with_a_warning() -> None:
    said = []

    def attempt(number: int) -> int:
        said[:] = [CRASH if number < 2 else "rank 0 of 4"]
        assert number == 2
        return number

    with pytest.warns(LibraryCrashed, match="a test: Open MPI crashed") as warned:
        assert launched(attempt, lambda: said[0], what="a test") == 2
    assert len(warned) == 2


def test_the_last_failure_is_passed_on() -> None:
    numbers = []

    def attempt(number: int) -> None:
        numbers.append(number)
        raise AssertionError(f"attempt {number}")

    with pytest.warns(LibraryCrashed), pytest.raises(AssertionError, match=f"attempt {LAUNCHES - 1}"):
        launched(attempt, lambda: CRASH, what="a test")
    assert numbers == list(range(LAUNCHES))


@pytest.mark.filterwarnings("error")
def test_no_other_failure_is_repeated() -> None:
    numbers = []

    def attempt(number: int) -> None:
        numbers.append(number)
        raise AssertionError("a rank is missing")

    with pytest.raises(AssertionError, match="a rank is missing"):
        launched(attempt, lambda: "rank 0 of 4", what="a test")
    assert numbers == [0]

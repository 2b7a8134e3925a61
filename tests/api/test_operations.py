"""The operations as Python reads them are those that the C++ was made from."""

import pytest

from leadline import _core
from leadline.bench.asking import COLLECTIVES, is_measurable
from leadline.libraries import LIBRARIES
from leadline.operations import Side, measured, operations


def test_python_and_cpp_know_the_same_operations() -> None:
    in_cpp = list(dict.fromkeys(name for name, *_ in _core.collective_algorithms()))
    assert in_cpp == list(operations()) == list(COLLECTIVES)
    assert [name for name in in_cpp if not operations()[name].for_neighbours] == list(measured())


def test_an_operation_is_what_mpi_says() -> None:
    broadcast, reduction = operations()["bcast"], operations()["reduce"]
    assert (broadcast.function, broadcast.contributed, broadcast.received) == ("Bcast", Side(by="root"), Side())
    assert (broadcast.reduces, broadcast.root_receives) == (False, False)
    assert (reduction.reduces, reduction.root_receives) == (True, True)
    assert is_measurable("bcast", 9)
    assert not is_measurable("reduce", 9)


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.name)
def test_the_routines_of_a_librarys_algorithms_are_watched(library) -> None:  # type: ignore[no-untyped-def]
    ours = {(operation, name) for operation, name, *_ in _core.collective_algorithms()}
    for operation, known in library.algorithms.items():
        for name, own in known.items():
            assert (operation, name) in ours
            assert library.routines is None or library.routines.match(own.function), own.function

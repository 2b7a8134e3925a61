"""The communication of opatm on every library, counted from traces; tests/recorder has the papers' own case of 32."""

from collections import Counter

import pytest

from .recorded import Recording, library, record, runs

NX, NY, NZ, TRACERS, STEPS = 35, 6, 5, 5, 2
FACE, ROW = 8 * NY * NZ, 8 * NY
SUMMARY = {8 * 8, 8 * NZ, 16 * NZ, 8 * 512}  # sizes of the header, the profiles, the histogram
# Per tracer, step and neighbour: messages and the size of one.
ROUTINES = {"trcadv": (8, FACE), "trchdf": (NZ - 1, ROW), "trcnxt": (1, FACE)}


@pytest.fixture(scope="module", params=runs())
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Recording:
    name, ranks = request.param
    options = {"grid": f"{NX}x{NY}x{NZ}", "tracers": TRACERS, "steps": STEPS, "cost": "light", "output": "/dev/null"}
    return record("opatm", library(name), ranks, options, cwd=tmp_path_factory.mktemp("opatm"))


@pytest.mark.parametrize("routine", ROUTINES)
def test_each_routine_sends_what_the_papers_say(run: Recording, routine: str) -> None:
    messages, size = ROUTINES[routine]
    each = STEPS * TRACERS * messages
    ranks = run.report["ranks"]
    sends = run.traffic("MPI_Isend", routine)
    assert sends.sizes == Counter({size: each * 2 * (ranks - 1)})
    assert (sends.calls_min, sends.calls_max) == (each, each * min(2, ranks - 1))
    receives = run.traffic("MPI_Irecv", routine)
    assert (receives.calls, receives.n_bytes_received) == (sends.calls, sends.n_bytes)
    assert run.traffic("MPI_Wait", routine).calls == 2 * sends.calls


def test_output_goes_to_the_root_in_twelve_messages_a_tracer(run: Recording) -> None:
    ranks = run.report["ranks"]
    sends = run.traffic("MPI_Send", "trcwri")
    assert (sends.calls_min, sends.calls_max, sends.calls) == (0, 12 * TRACERS, 12 * TRACERS * (ranks - 1))
    small = {size: number for size, number in sends.sizes.items() if size in SUMMARY}
    assert sum(small.values()) == 8 * TRACERS * (ranks - 1)
    columns = NX - -(-NX // ranks)  # without those of the root, which has one of the wider strips if there are any
    maps = sends.n_bytes - sum(size * number for size, number in small.items())
    assert maps == TRACERS * 4 * columns * FACE


def test_nothing_else_is_sent_and_few_collectives_are_called(run: Recording) -> None:
    ranks = run.report["ranks"]
    each = STEPS * TRACERS * sum(messages for messages, _ in ROUTINES.values())
    assert run.calls("MPI_Isend") == each * 2 * (ranks - 1)
    assert run.calls("MPI_Bcast") == ranks
    assert run.calls("MPI_Reduce") == 4 * ranks
    assert run.calls("MPI_Allreduce") == 0

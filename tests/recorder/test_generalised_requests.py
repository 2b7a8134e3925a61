"""Generalised requests are requests like others: whoever completes them is known to have completed them."""

from pathlib import Path

from .building import Builder
from .libraries import Library
from .reading import losses_of, open_processes, report_of
from .running import run_mpi


def test_completions_of_generalised_requests_are_known(
    one_of_each_family: Library, builder: Builder, recorder: Path, tmp_path: Path
) -> None:
    program = builder.c(one_of_each_family, "generalised.c")
    run = tmp_path / "run"
    outcome = run_mpi(one_of_each_family, 2, [program], cwd=tmp_path, recorder=recorder, run_directory=run)
    assert outcome.lines == [f"rank {rank}: 20 freed" for rank in range(2)], outcome.stderr
    assert not report_of(run)["losses"]
    for process in open_processes(run).values():
        assert losses_of(process) == []
        names = [process.functions[site.function].name for site in process.sites()]
        makers: dict[str, list[str]] = {}
        for call in process.calls():
            for done in call.parts:
                if done.request not in ("completes", "frees"):
                    continue
                makers.setdefault(names[call.site], []).append(names[done.maker_site])
        start = "MPI_Grequest_start"
        assert makers == {
            "MPI_Wait": [start] * 4,
            "MPI_Test": [start] * 4,
            "MPI_Waitany": [start] * 4,
            "MPI_Waitall": [start, "MPI_Irecv"] * 4,
            "MPI_Request_free": [start] * 4,
        }

"""Files that leadline advise writes where the program need not change."""

from __future__ import annotations

import random
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("leadline._core", reason="the native part of leadline is not built: ./dev build")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from replay.predicted_runs import record

from leadline import predict
from leadline.__main__ import main
from leadline.advice.artefacts import Artefact, NotMade, artefacts_of
from leadline.advice.artefacts.file_systems import file_system_of
from leadline.advice.artefacts.hints import hints
from leadline.advice.artefacts.placement import RANKFILE, placement
from leadline.advice.artefacts.progress import progress
from leadline.advice.artefacts.settings import settings
from leadline.figures.files import FileCounts
from leadline.placing.traffic import between, exchanged


def run_on(hosts: list[str], edges: list[tuple[int, int, int]], **more: Any) -> Any:
    """edges: source, target, bytes."""
    ranks = len(hosts)
    return SimpleNamespace(
        ranks=ranks,
        worlds=[SimpleNamespace(processes={rank: rank for rank in range(ranks)})],
        processes=[SimpleNamespace(host=host) for host in hosts],
        profile=SimpleNamespace(
            edges=lambda: [SimpleNamespace(source=a, target=b, bytes=n, put=0, got=0) for a, b, n in edges]
        ),
        process_of=lambda source, target: target,
        **more,
    )


def pairs(ranks: int, far: int) -> list[tuple[int, int, int]]:
    return [(rank, (rank + far) % ranks, 1000) for rank in range(ranks)]


def test_ranks_that_exchange_are_put_on_one_host() -> None:
    made = placement(run_on(["a", "b"] * 4, [*pairs(8, 2), (0, 1, 10)]))
    assert isinstance(made, NotMade)  # even and odd ranks are among themselves already
    made = placement(run_on(["a", "b"] * 4, pairs(8, 1)))
    assert not isinstance(made, NotMade)
    files = {each.file: each for each in made}
    assert "2,000 B between hosts instead of 8,000 B" in files[RANKFILE].what  # a ring has two ends on each host
    lines = [line for line in files[RANKFILE].text.splitlines() if not line.startswith("#")]
    hosts = [line.split("=")[1].split()[0] for line in lines]
    assert [line.split("=")[0] for line in lines] == [f"rank {rank}" for rank in range(8)]
    assert len({line.split("=", 1)[1] for line in lines}) == 8  # no slot twice
    assert files["hosts.srun"].text.split() == hosts
    config = [line.split() for line in files["config.hydra"].text.splitlines() if not line.startswith("#")]
    assert [host for _, times, _, host, _ in config for _ in range(int(times))] == hosts
    for each in made:
        assert each.file == "hosts.srun" or "# Use:" in each.text


@pytest.mark.parametrize("seed", range(20))
def test_hosts_keep_their_number_of_ranks_and_no_placement_is_worse(seed: int) -> None:
    rng = random.Random(seed)
    ranks = rng.randint(2, 24)
    hosts = [rng.choice("abc") for _ in range(ranks)]
    traffic: list[dict[int, int]] = [defaultdict(int) for _ in range(ranks)]
    for _ in range(rng.randint(0, 4 * ranks)):
        a, b = rng.randrange(ranks), rng.randrange(ranks)
        if a != b:
            n = rng.randint(1, 1000)
            traffic[a][b] += n
            traffic[b][a] += n
    found = exchanged(hosts, traffic)
    assert Counter(found) == Counter(hosts)
    assert between(found, traffic) <= between(hosts, traffic)
    for a in range(ranks):  # no exchange of two ranks is left that would save any
        for b in range(a):
            other = list(found)
            other[a], other[b] = found[b], found[a]
            assert between(other, traffic) >= between(found, traffic)


def test_on_one_host_no_placement_is_written() -> None:
    made = placement(run_on(["a"] * 4, pairs(4, 1)))
    assert isinstance(made, NotMade)
    assert "one host (a)" in made.reason


@dataclass
class Replays:
    """Runs of 10 s, which take `changed_s` if longer messages are sent at once."""

    changed_s: float
    error: float = 0.0

    def predict(self, change: predict.Change) -> Any:
        seconds = self.changed_s if change.eager_bytes == 65536 or change.progress else 10.0
        figures = SimpleNamespace(drawn_s=(seconds, seconds))
        return SimpleNamespace(predicted=figures, error_of_base={"whole": self.error}, own_s=0.0)


def test_a_setting_is_written_where_the_replay_gains() -> None:
    run = SimpleNamespace(library="Open MPI v5.0.11, package: Open MPI")
    made = settings(run, Replays(8.0))  # type: ignore[arg-type]
    assert isinstance(made, Artefact)
    exports = [line for line in made.text.splitlines() if not line.startswith("#")]
    assert "export OMPI_MCA_btl_sm_eager_limit=65536" in exports
    assert "# Use:" in made.text
    assert "# Check:  ompi_info" in made.text
    for replays in (Replays(9.95), Replays(8.0, error=0.5)):  # too little; perhaps nothing
        assert isinstance(settings(run, replays), NotMade)  # type: ignore[arg-type]
    unknown = settings(SimpleNamespace(library="MPI of nobody"), Replays(8.0))  # type: ignore[arg-type]
    assert isinstance(unknown, NotMade)
    assert "MPI of nobody" in unknown.reason


def test_a_progress_thread_is_set_where_it_gains_and_has_a_core() -> None:
    def made_of(changed_s: float, cores: int, library: str = "MPICH Version: 5.0.2") -> Artefact | NotMade:
        use = SimpleNamespace(host="a", ranks=2, threads=2, cores=cores)
        content: Any = SimpleNamespace(run=SimpleNamespace(library=library), host_uses=[use])
        return progress(content, Replays(changed_s))  # type: ignore[arg-type]

    made = made_of(8.0, 4)
    assert isinstance(made, Artefact)
    assert made.text.splitlines()[-1] == "export MPIR_CVAR_ASYNC_PROGRESS=1"
    assert "# Use:" in made.text
    assert "# Check:  the variable MPIR_CVAR_ASYNC_PROGRESS of MPI_T is 1" in made.text
    full = made_of(8.0, 3)
    assert isinstance(full, NotMade)
    assert full.reason == "2 threads more would have no core each on a, where 2 threads had 3"
    for none in (made_of(9.95, 4), made_of(8.0, 4, "MPI of nobody"), made_of(8.0, 4, "Open MPI v5.0.11, x")):
        assert isinstance(none, NotMade)


def content_of(function: str, moved_bytes: int, library: str = "MPICH Version: 5.0.2") -> Any:
    site = SimpleNamespace(name=function, calls=4, moved_bytes=moved_bytes)
    files = SimpleNamespace(files=[])
    return SimpleNamespace(run=run_on(["a", "a", "b", "b"], [], library=library), sites=[site], files=files)


def test_hints_are_for_collective_transfers_that_exceed_the_buffer() -> None:
    made = hints(content_of("MPI_File_write_at_all", 100 << 20))  # one transfer: 50 MiB for each host
    assert isinstance(made, Artefact)
    assert made.text.splitlines()[-1] == f"cb_buffer_size {64 << 20}"
    assert "ROMIO_HINTS" in made.text
    assert "ROMIO_PRINT_HINTS" in made.text
    for content in (
        content_of("MPI_File_write_at_all", 10 << 20),
        content_of("MPI_File_write_at", 100 << 20),
        content_of("MPI_File_write_at_all", 100 << 20, "Open MPI v5.0.11"),
    ):
        assert isinstance(hints(content), NotMade)


def test_files_that_hosts_write_together_get_a_stripe_for_each() -> None:
    content = content_of("MPI_File_write_at_all", 3 << 20)

    def written_by(*processes: int) -> None:
        ranks = [SimpleNamespace(process=process, mpi=FileCounts(bytes_written=100)) for process in processes]
        content.files.files = [SimpleNamespace(file="/scratch/out.nc", ranks=ranks)]

    written_by(0, 1, 2, 3)
    made = hints(content, lambda _: "lustre")
    assert isinstance(made, Artefact)
    given = [line for line in made.text.splitlines() if not line.startswith("#")]
    assert given == ["striping_factor 2", f"striping_unit {2 << 20}", "cb_nodes 2"]
    assert isinstance(hints(content, lambda _: "ext4"), NotMade)
    written_by(0, 1)  # of one host
    assert isinstance(hints(content, lambda _: "lustre"), NotMade)


def test_a_path_lies_on_the_deepest_mount() -> None:
    mounts = "/dev/sda / ext4 rw 0 0\nfs@o2ib:/fs /scratch lustre rw 0 0\nx /scratch/my\\040own tmpfs rw 0 0\n"
    assert file_system_of("/scratch/run/out.nc", mounts) == "lustre"
    assert file_system_of("/scratchy/out.nc", mounts) == "ext4"
    assert file_system_of("/scratch/my own/out.nc", mounts) == "tmpfs"
    assert file_system_of("out.nc", mounts) == ""


def test_the_command_says_what_it_does_not_write(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = record(tmp_path, "fields.c")
    _, not_made = artefacts_of(run)
    assert {each.what for each in not_made} >= {"rank file", "hints for MPI-IO", "progress thread"}
    folder = tmp_path / "files"
    assert main(["advise", str(run.path), "--artefacts", str(folder)]) == 0
    said = capsys.readouterr().out
    assert "no rank file: all ranks ran on one host" in said
    assert "no hints for MPI-IO: the program makes no collective transfers of files" in said

"""Places of ranks on made-up hosts: the cores found, who comes to whom, and what each launcher is told."""

from pathlib import Path
from typing import Any

import pytest

from leadline.improve.candidates import Asked, candidates
from leadline.improve.facts import Facts
from leadline.improve.places import NoPlaces, Places, said_places
from leadline.improve.setting import Setting, laid_out, variables_of
from leadline.launchers import LauncherKind
from leadline.launchers.hydra import HYDRA
from leadline.launchers.openmpi import OPENMPI
from leadline.launchers.srun import SRUN
from leadline.libraries import LIBRARIES
from leadline.placing.mapping import by_cores, by_threads, mapped, spread
from leadline.placing.topology import Core, cores_of, cpus_of, list_of
from leadline.placing.traffic import Traffic

LIBRARY = {library.name: library for library in LIBRARIES}


def host_of(sockets: int = 2, caches: int = 2, cores: int = 2, threads: int = 1) -> list[str]:
    """Lines of a host whose sockets have NUMA nodes of their own. CPUs are numbered as Linux numbers them on x86: the
    first threads of all cores, then the second ones."""
    total = sockets * caches * cores
    lines = []
    for cpu in range(total * threads):
        core = cpu % total
        cache, socket = core // cores, core // (cores * caches)
        siblings = ",".join(str(core + total * thread) for thread in range(threads))
        shared = [each + total * t for t in range(threads) for each in range(cache * cores, (cache + 1) * cores)]
        lines.append(f"cpu {cpu} {socket} {siblings} {list_of(shared)} {socket}")
    return lines


def said(lines: list[str], ranks: int, hosts: int = 1, cpus: str = "") -> Places:
    """As ranks say that are bound to nothing, as many on each host, one after the other."""
    cpus = cpus or f"0-{len(lines) - 1}"
    texts = []
    for rank in range(ranks):
        first = rank % (ranks // hosts) == 0
        head = f"place {rank} node{rank * hosts // ranks} {cpus}"
        texts.append("\n".join([head, *(lines if first else ())]) + "\n")
    return said_places(texts, "unseen")


def pairs(*of: tuple[int, int], ranks: int) -> Traffic:
    """1 MB between both of each pair."""
    traffic: list[dict[int, int]] = [{} for _ in range(ranks)]
    for one, other in of:
        traffic[one][other] = traffic[other][one] = 1_000_000
    return traffic


OPPOSITE = ((0, 4), (1, 5), (2, 6), (3, 7))


def tried(
    places: Places, traffic: Traffic, launcher: LauncherKind = OPENMPI, version: str = "5.0.1", **given: Any
) -> tuple[dict[str, Setting], str]:
    usual = {"library": LIBRARY["openmpi"], "messages": 0.3}
    facts = Facts(**{**usual, "ranks": len(places.host_of), "launcher": launcher, **given})
    asked = Asked(Path("/nothing"), only=("mapping",), places=lambda: (places, traffic, version))
    found, not_tried = candidates(facts, asked)
    return {each.name: each for each in found}, "; ".join(each.why for each in not_tried)


def test_cores_are_numbered_as_hwloc_does() -> None:
    """On a host whose even CPUs are of one socket and whose odd ones are of the other."""
    cores = cores_of(
        ["cpu 0 0 0,4 0,2,4,6 0", "cpu 1 1 1,5 1,3,5,7 1", "cpu 2 0 2,6 0,2,4,6 0", "cpu 3 1 3,7 1,3,5,7 1"]
    )
    assert [(core.number, core.threads, core.thread_numbers, core.socket) for core in cores] == [
        (0, (0, 4), (0, 1), 0),
        (1, (2, 6), (2, 3), 0),
        (2, (1, 5), (4, 5), 1),
        (3, (3, 7), (6, 7), 1),
    ]


def test_what_a_system_does_not_say_is_left_out() -> None:
    assert cores_of(["cpu 0 - - - -", "cpu 1 0 x ? -", "noise", "cpu x 0 0 0 0"]) == (
        Core((0,), 0, (0,), -1, -1, -1),
        Core((1,), 1, (1,), 0, -1, -1),
    )


@pytest.mark.parametrize(("text", "cpus"), [("0-3,8", [0, 1, 2, 3, 8]), ("5", [5]), ("", []), ("a-b", []), ("1-", [1])])
def test_lists_of_cpus_are_read(text: str, cpus: list[int]) -> None:
    assert cpus_of(text) == cpus


def test_lists_of_cpus_are_written_as_the_system_writes_them() -> None:
    assert list_of([8, 0, 1, 3, 2]) == "0-3,8"
    assert list_of([4]) == "4"


def test_ranks_that_exchange_share_a_cache() -> None:
    cores = cores_of(host_of())
    found = mapped(["a"] * 8, {"a": by_cores(cores, 1)}, pairs(*OPPOSITE, ranks=8))
    of = [place.levels[:3] for _, place in found]
    assert all(of[one] == of[other] for one, other in OPPOSITE)
    assert sorted(place.cpus for _, place in found) == [(cpu,) for cpu in range(8)]


def test_ranks_that_exchange_come_onto_one_host() -> None:
    cores = by_cores(cores_of(host_of(caches=1)), 1)
    hosts = ["a"] * 4 + ["b"] * 4
    found = mapped(hosts, {"a": cores, "b": cores}, pairs(*OPPOSITE, ranks=8))
    assert all(found[one][0] == found[other][0] for one, other in OPPOSITE)
    assert sorted(host for host, _ in found) == hosts


@pytest.mark.parametrize(
    ("count", "cpus"), [(1, [0]), (2, [0, 4]), (4, [0, 2, 4, 6]), (5, [0, 1, 2, 4, 6]), (8, list(range(8)))]
)
def test_places_are_spread_evenly(count: int, cpus: list[int]) -> None:
    assert sorted(place.cpus[0] for place in spread(by_cores(cores_of(host_of()), 1), count)) == cpus


def test_hardware_threads_of_a_core_are_neighbours() -> None:
    found = by_threads(cores_of(host_of(sockets=1, threads=2)))
    assert [place.cpus for place in found[:4]] == [(0,), (4,), (1,), (5,)]
    assert [place.threads for place in found[:4]] == [(0,), (1,), (2,), (3,)]


def test_open_mpi_gets_a_rank_file(tmp_path: Path) -> None:
    found, _ = tried(said(host_of(), 8), pairs(*OPPOSITE, ranks=8))
    near = found["placed-near"]
    assert near.what.endswith(": 0 B between sockets, not 4.00 MB")
    written = laid_out(near, tmp_path)
    path = tmp_path / "placed-near-rankfile"
    assert written.options == ("--map-by", f"rankfile:file={path}", "--bind-to", "core")
    lines = path.read_text().splitlines()
    assert [line.partition(" slot=")[0] for line in lines] == [f"rank {rank}=node0" for rank in range(8)]
    slots = [int(line.rpartition("=")[2]) for line in lines]
    assert all(abs(slots[one] - slots[other]) == 1 for one, other in OPPOSITE)
    assert near.places == tuple(f"0:{slot}" for slot in slots)


def test_open_mpi_4_has_another_option() -> None:
    found, _ = tried(said(host_of(), 8), pairs(*OPPOSITE, ranks=8), version="4.1.4")
    assert found["placed-near"].options == ("--rankfile", "{rankfile}")


def test_fewer_ranks_than_cores_are_near_or_spread() -> None:
    found, _ = tried(said(host_of(), 4), pairs((0, 2), (1, 3), ranks=4), HYDRA)
    assert found["placed-near"].options == ("-bind-to", "user:0,2,1,3")
    assert found["placed-spread"].options == ("-bind-to", "user:0,4,2,6")
    only, why = tried(said(host_of(), 4), pairs((0, 2), (1, 3), ranks=4), HYDRA, messages=0.001)
    assert set(only) == {"placed-spread"}
    assert "take 0.1 % of the time" in why


def test_a_rank_with_threads_gets_as_many_cores() -> None:
    found, _ = tried(said(host_of(), 2), pairs((0, 1), ranks=2), SRUN, threads=4)
    assert found["placed-near"].options == ("--cpu-bind", "mask_cpu:0xf,0xf0")
    assert found["placed-near"].places == ("0:0-3", "0:4-7")


def test_intel_mpi_binds_by_its_variables() -> None:
    intel = {"library": LIBRARY["intel"]}
    found, _ = tried(said(host_of(), 4), pairs((0, 2), (1, 3), ranks=4), HYDRA, **intel)
    assert found["placed-near"].options == ()
    assert found["placed-near"].variables == {"I_MPI_PIN": "1", "I_MPI_PIN_PROCESSOR_LIST": "0,2,1,3"}
    found, _ = tried(said(host_of(), 2), pairs((0, 1), ranks=2), HYDRA, threads=4, **intel)
    assert found["placed-near"].variables == {"I_MPI_PIN": "1", "I_MPI_PIN_DOMAIN": "[0xf,0xf0]"}


def test_ranks_change_their_hosts(tmp_path: Path) -> None:
    places, traffic = said(host_of(caches=1), 8, hosts=2), pairs(*OPPOSITE, ranks=8)
    by_hydra = tried(places, traffic, HYDRA, "4.2.0")[0]["placed-near"]
    assert "between hosts" in by_hydra.what
    assert by_hydra.options[:3] == ("-bind-to", "user:0,2,1,3", "-rankmap")
    assert "no option of this launcher" in tried(places, traffic, HYDRA, "3.4.3")[1]
    by_srun = tried(places, traffic, SRUN)[0]["placed-near"]
    assert by_srun.options[:2] == ("--distribution", "arbitrary")
    hosts = Path(variables_of([by_srun], tmp_path)["SLURM_HOSTFILE"]).read_text().split()
    ranks = [int(number) for number in by_hydra.options[3].split(",")]
    assert hosts == [f"node{number}" for number in ranks]
    assert all(hosts[one] == hosts[other] for one, other in OPPOSITE)


def test_ranks_that_exchange_may_share_a_core() -> None:
    found, _ = tried(said(host_of(sockets=1, threads=2), 4), pairs((0, 2), (1, 3), ranks=4), HYDRA)
    assert found["placed-siblings"].options == ("-bind-to", "user:0,1,4,5")


def test_more_ranks_than_cores_get_a_hardware_thread_each() -> None:
    places = said(host_of(sockets=1, caches=1, threads=2), 4)
    found, _ = tried(places, pairs((0, 1), ranks=4))
    (setting,) = found.values()
    assert setting.name == "placed-threads"
    assert setting.options == ("--map-by", "rankfile:file={rankfile}", "--bind-to", "hwthread", "--use-hwthread-cpus")
    found, why = tried(said(host_of(sockets=1, caches=1, threads=2), 5), pairs((0, 1), ranks=5))
    assert (found, "more ranks than hardware threads" in why) == ({}, True)


def test_alike_cores_need_no_places() -> None:
    found, why = tried(said(host_of(sockets=1, caches=1), 2), pairs((0, 1), ranks=2))
    assert found == {}
    assert "all cores are alike" in why


def test_ranks_that_are_there_already_need_no_places() -> None:
    lines = host_of(sockets=2, caches=1, cores=1)
    texts = ["\n".join([f"place {rank} node0 {rank}", *(lines if not rank else ())]) for rank in range(2)]
    assert tried(said_places(texts, "unseen"), pairs((0, 1), ranks=2))[0] == {}


def test_only_cpus_that_ranks_may_use_are_given() -> None:
    found, _ = tried(said(host_of(), 2, cpus="1,6"), pairs((0, 1), ranks=2), HYDRA)
    assert {setting.options for setting in found.values()} == {("-bind-to", "user:1,6")}


@pytest.mark.parametrize("texts", [[], ["place 1 a 0"], ["place 0 a x"], ["", "place 0 a 0", "place 2 a 1"], ["lace"]])
def test_missing_ranks_are_reported(texts: list[str]) -> None:
    with pytest.raises(NoPlaces, match="not all ranks said where they run: unseen"):
        said_places(texts, "unseen")


def test_options_that_place_ranks_are_taken_away() -> None:
    options = (("--map-by", "node"), ("--mca", "a", "1"))
    found, _ = tried(said(host_of(), 8), pairs(*OPPOSITE, ranks=8), set_options=options)
    assert found["placed-near"].without_options == (("--map-by", "node"),)

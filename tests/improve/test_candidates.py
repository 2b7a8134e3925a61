"""What is tried for which record, from facts that are made by hand, and why the rest is not."""

from pathlib import Path
from typing import Any

import pytest

from leadline.errors import MissingPrerequisite
from leadline.improve.candidates import Asked, by_turns, candidates, kinds
from leadline.improve.facts import Collective, Facts, _is_setting, openmp_of, settings_in
from leadline.improve.setting import Setting
from leadline.launchers.hydra import HYDRA
from leadline.launchers.openmpi import OPENMPI
from leadline.libraries import LIBRARIES
from leadline.libraries.rule import Rule, Table
from leadline.libraries.settings_file import SettingsFile

LIBRARY = {library.name: library for library in LIBRARIES}
ASKED = Asked(Path("/nothing"))


def facts(**given: Any) -> Facts:
    usual = {"library": LIBRARY["openmpi"], "ranks": 4, "launcher": OPENMPI}
    return Facts(**{**usual, **given})


def tried(kind: str, about: Facts, **asked: Any) -> list[Setting]:
    return candidates(about, Asked(Path("/nothing"), only=(kind,), **asked))[0]


def why(kind: str, about: Facts, **asked: Any) -> str:
    return "; ".join(each.why for each in candidates(about, Asked(Path("/nothing"), only=(kind,), **asked))[1])


def test_nothing_that_needs_mpi_is_tried_where_only_computation_takes_time() -> None:
    found, not_tried = candidates(facts(), ASKED)
    assert {setting.kind for setting in found} == {"binding"}
    assert all(each.why for each in not_tried)


@pytest.mark.parametrize("name", ["protocol", "copying"])
def test_messages_decide_about_protocols(name: str) -> None:
    assert not tried(name, facts(messages=0.001, sizes={1 << 20: 5}))
    assert "0.1 %" in why(name, facts(messages=0.001, sizes={1 << 20: 5}))
    assert tried(name, facts(messages=0.2, sizes={1 << 20: 5}))


def test_short_messages_need_no_setting_for_copies() -> None:
    assert "no message is longer" in why("copying", facts(messages=0.2, sizes={1024: 5}))


def test_waiting_modes_are_for_ranks_that_share_cores() -> None:
    assert "every rank has a core" in why("waiting", facts(mpi=0.5, crowding=1.0))
    assert [setting.name for setting in tried("waiting", facts(mpi=0.5, crowding=2.0))] == [
        "waiting-yield",
        "waiting-busy",
        "waiting-sleep",
    ]


def test_a_progress_thread_needs_a_free_core_and_long_nonblocking_messages() -> None:
    able = {"library": LIBRARY["mpich"], "messages": 0.3, "nonblocking": True, "sizes": {1 << 20: 9}, "crowding": 0.5}
    assert tried("progress", facts(**able))
    for change in ({"crowding": 1.0}, {"nonblocking": False}, {"sizes": {64: 9}}, {"messages": 0.0}):
        assert not tried("progress", facts(**{**able, **change}))
        assert why("progress", facts(**{**able, **change}))


def test_sums_are_reordered_only_if_asked() -> None:
    about = facts(collectives=(Collective("MPI_Allreduce", "allreduce", 0.4, 100),))
    assert not tried("library-algorithms", about)
    assert "--reorder" in why("library-algorithms", about)
    assert tried("library-algorithms", about, reorder=True)


def test_algorithms_are_tried_for_collectives_that_take_time() -> None:
    about = facts(
        collectives=(
            Collective("MPI_Bcast", "bcast", 0.4, 100),
            Collective("MPI_Alltoall", "alltoall", 0.002, 100),
            Collective("MPI_Barrier", "", 0.3, 100),
        )
    )
    assert {setting.kind for setting in tried("library-algorithms", about)} == {"algorithm-bcast"}
    assert "it takes 0.2 % of the time; no setting is known for it" in why("library-algorithms", about)


def test_our_own_algorithms_are_those_that_win_alone() -> None:
    about = facts(collectives=(Collective("MPI_Bcast", "bcast", 0.4, 100),))
    rule = Rule("bcast", (4, 4), (8, 8), "binomial")
    found = tried("own-algorithms", about, tuned=lambda _: Table((rule,)))
    assert [(setting.by_shim, setting.table) for setting in found] == [(True, Table((rule,)))]
    assert "none beat the library (bcast)" in why("own-algorithms", about, tuned=lambda _: Table(()))

    def no_compiler(_: list[str]) -> Table:
        raise MissingPrerequisite("no compiler")

    assert "could not be measured: no compiler" in why("own-algorithms", about, tuned=no_compiler)


def test_binding_follows_from_where_ranks_ran() -> None:
    assert [setting.options for setting in tried("binding", facts())] == [("--bind-to", "core")]
    assert [setting.options for setting in tried("binding", facts(bound=True, launcher=HYDRA))] == [
        ("-bind-to", "none")
    ]
    assert "2 busy threads" in why("binding", facts(crowding=2.0))


def test_settings_of_the_environment_are_tried_without() -> None:
    environ = {"OMPI_MCA_a": "1", "OMPI_MCA_b": "2", "OMPI_ALLOW_RUN_AS_ROOT": "1", "HOME": "/"}
    given = settings_in(environ, LIBRARY["openmpi"])
    assert list(given) == ["OMPI_MCA_a", "OMPI_MCA_b"]
    found = tried("own-settings", facts(set_variables=given))
    assert [setting.without for setting in found] == [("OMPI_MCA_a", "OMPI_MCA_b"), ("OMPI_MCA_a",), ("OMPI_MCA_b",)]
    both, one, other = found
    assert one.goes_with(other)
    assert not both.goes_with(one)


def test_settings_of_the_user_s_file_are_tried_without() -> None:
    """The environment is given what the library has without the file; what it may need to start is left as it is."""
    settings = {"a": "1", "b": "2", "plm_rsh_agent": "ssh", "lacking": "x", "empty": "y", "same": "z"}
    file = SettingsFile(Path("/home/me/.openmpi/mca-params.conf"), settings, "OMPI_MCA_")
    without = {"a": "0", "b": "65536", "lacking": None, "empty": "", "same": "z"}
    about = facts(settings_file=file, mpi=0.4)
    found = tried("own-settings", about, defaults=lambda names: {name: without[name] for name in names})
    assert [(dict(setting.variables), dict(setting.controls), setting.share) for setting in found] == [
        (
            {"OMPI_MCA_a": "0", "OMPI_MCA_b": "65536", "OMPI_MCA_empty": ""},
            {"a": "0", "b": "65536", "empty": ""},
            1.0,
        ),
        ({"OMPI_MCA_a": "0"}, {"a": "0"}, 0.4),
        ({"OMPI_MCA_b": "65536"}, {"b": "65536"}, 0.4),
        ({"OMPI_MCA_empty": ""}, {"empty": ""}, 0.4),
    ]
    assert found[1].goes_with(found[2])
    said = why("own-settings", about, defaults=lambda names: {name: without[name] for name in names})
    assert "lacking, same in /home/me/.openmpi/mca-params.conf: the library has no value" in said


def test_a_setting_of_the_user_goes_before_others_that_could_save_as_much() -> None:
    about = facts(set_variables={"OMPI_MCA_a": "1"}, bound=True)
    assert [setting.name for setting in candidates(about, ASKED)[0]] == ["without-OMPI_MCA_a", "unbound"]


def test_a_library_that_does_not_start_without_the_user_s_file_is_said() -> None:
    def fails(_: object) -> dict[str, str | None]:
        raise MissingPrerequisite("no transport")

    about = facts(settings_file=SettingsFile(Path("/f"), {"a": "1"}, "OMPI_MCA_"))
    assert not tried("own-settings", about, defaults=fails)
    assert "those in /f: no transport" in why("own-settings", about, defaults=fails)


def test_settings_among_the_launcher_s_options_are_tried_without() -> None:
    options = (("--mca", "pml", "ob1"), ("-x", "OMPI_MCA_a=1"))
    found = tried("own-settings", facts(set_options=options))
    assert [setting.without_options for setting in found] == [options, (options[0],), (options[1],)]


def test_where_the_user_put_ranks_is_tried_without() -> None:
    options = (("--map-by", "rankfile:file=ranks"), ("--bind-to", "core"))
    found = tried("own-settings", facts(set_options=options))
    assert [setting.name for setting in found] == ["own-none", "without-map-by", "without-bind-to"]
    (free,) = tried("binding", facts(bound=True, set_options=(*options, ("--mca", "pml", "ob1"))))
    assert (free.options, free.without_options) == (("--bind-to", "none"), options)


def test_hints_are_for_collective_transfers_of_files() -> None:
    for setting in tried("file-hints", facts(library=LIBRARY["mpich"], files=0.3)):
        (text,) = setting.files.values()
        assert dict(line.split() for line in text.splitlines()) == setting.hints
    assert "0 %" in why("file-hints", facts(library=LIBRARY["mpich"]))


def test_kinds_take_turns_by_what_they_could_save() -> None:
    def a(kind: str, number: int, share: float) -> Setting:
        return Setting(f"{kind}{number}", kind, "x", "x", share)

    many = [a("protocol", number, 0.6) for number in range(9)]
    few = [a("algorithm", number, 0.5) for number in range(3)]
    small = [a("hints", 0, 0.02)]
    names = [setting.name for setting in by_turns([*small, *few, *many])]
    assert names[:6] == ["protocol0", "algorithm0", "protocol1", "algorithm1", "protocol2", "algorithm2"]
    assert names[-1] == "hints0"
    assert len(names) == 13


def test_what_the_machine_lacks_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for node in range(2):
        (tmp_path / "node" / f"node{node}").mkdir(parents=True)
    monkeypatch.setattr("leadline.improve.candidates.hardware.SYSTEM", tmp_path)
    assert "keeps it near" in why("hardware", facts())
    (tmp_path / "node" / "node1").rmdir()
    assert "one NUMA node" in why("hardware", facts())


def test_copies_by_the_kernel_are_tried_where_it_has_a_device_for_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    about = facts(messages=0.3, sizes={1 << 20: 5})
    monkeypatch.setattr("leadline.improve.candidates.copying.DEVICES", tmp_path)
    assert [setting.name for setting in tried("copying", about)] == ["copying-no-single-copy"]
    assert f"no {tmp_path}/knem" in why("copying", about)
    (tmp_path / "xpmem").touch()
    by_kernel = tried("copying", about)[1]
    assert by_kernel.variables == {
        "OMPI_MCA_smsc": "xpmem", "OMPI_MCA_btl_vader_single_copy_mechanism": "xpmem",
    }  # fmt: skip
    assert "xpmem" not in why("copying", about)


def test_rails_are_for_long_messages_between_hosts_with_several_devices(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("leadline.improve.candidates.transports.DEVICES", tmp_path)
    able = {"messages": 0.3, "hosts": 2, "sizes": {1 << 20: 5}}

    def rails(**given: Any) -> list[str]:
        return [setting.name for setting in tried("transports", facts(**given)) if setting.kind == "rails"]

    assert rails(**able) == []
    assert f"{tmp_path} has 0 devices" in why("transports", facts(**able))
    for device in range(4):
        (tmp_path / f"mlx5_{device}").touch()
    assert rails(**able) == ["rails-1", "rails-4"]
    assert rails(**{**able, "hosts": 1}) == rails(**{**able, "sizes": {64: 5}}) == []


def test_transports_are_those_that_the_library_is_built_on() -> None:
    known = LIBRARY["mpich"].transports
    assert [each.name for each in known(2, {"ofi", "ucx"})] == ["by-ofi", "by-ucx"]
    assert known(1, {"ofi", "ucx"}) == known(2, {"ofi"}) == []
    assert {each.eager_limit for each in known(1, {"ucx"})} == {4096, 65536}
    assert [each.name for each in LIBRARY["intel"].transports(1, set())] == ["shm"]
    assert LIBRARY["intel"].transports(2, set()) == []


def test_several_ranks_of_a_host_may_write_for_the_others() -> None:
    def aggregators(**given: Any) -> list[str]:
        found = tried("file-hints", facts(library=LIBRARY["mpich"], files=0.3, **given))
        return [setting.hints["cb_nodes"] for setting in found if "cb_nodes" in setting.hints]

    assert aggregators(ranks=16, hosts=2) == ["4", "16"]
    assert aggregators(ranks=2) == ["2"]
    assert aggregators(ranks=2, hosts=2) == []


def test_a_replay_says_how_much_messages_and_collectives_could_save() -> None:
    able = {"messages": 0.3, "mpi": 0.3, "crowding": 2.0, "sizes": {1 << 20: 5}}
    assert {setting.share for setting in tried("protocol", facts(**able))} == {0.3}
    assert {setting.share for setting in tried("protocol", facts(**able, ideal=0.1))} == {0.1}
    assert tried("protocol", facts(**able, ideal=0.004)) == []
    assert "the run takes 0.4 % less" in why("protocol", facts(**able, ideal=0.004))
    assert tried("waiting", facts(**able, ideal=0.004))  # ranks that wait have the cores of others


@pytest.mark.parametrize("kind", sorted(kinds()))
@pytest.mark.parametrize("library", [None, *LIBRARIES], ids=lambda library: library.name if library else "unknown")
def test_every_kind_answers_with_names_of_its_own(kind: str, library: Any) -> None:
    about = facts(
        library=library,
        mpi=0.9,
        messages=0.5,
        crowding=2.0,
        sizes={1 << 24: 10},
        nonblocking=True,
        files=0.2,
        set_variables={"OMPI_MCA_a": "1", "OMPI_MCA_b": "2"},
    )
    found, not_tried = candidates(about, Asked(Path("/nothing"), only=(kind,)))
    assert found or not_tried
    assert len({setting.name for setting in found}) == len(found)
    assert all(setting.what and setting.risk and "+" not in setting.name for setting in found)


def test_an_algorithm_is_tried_without_what_the_user_set_for_its_operation() -> None:
    """A forced algorithm is set to 0, the library's own choice: it may also stand in the user's file."""
    forced = "OMPI_MCA_coll_tuned_bcast_algorithm"
    given = {forced: "3", f"{forced}_segmentsize": "64", "OMPI_MCA_coll_tuned_alltoall_algorithm": "1"}
    for variables in (given, {}):
        about = facts(collectives=(Collective("MPI_Bcast", "bcast", 0.4, 100),), set_variables=variables)
        found = tried("library-algorithms", about)
        assert {setting.variables[forced] for setting in found} == {"0"}
        assert {setting.without for setting in found} == {(f"{forced}_segmentsize",) if variables else ()}


@pytest.mark.parametrize(
    ("name", "needed"),
    [
        ("intel", ["I_MPI_ROOT", "I_MPI_HYDRA_BOOTSTRAP", "I_MPI_PMI_LIBRARY", "I_MPI_CC", "FI_PROVIDER_PATH"]),
        ("mpich", ["HYDRA_HOST_FILE", "HYDRA_LAUNCHER"]),
        ("openmpi", ["OMPI_MCA_plm_rsh_agent", "PRTE_MCA_prte_default_hostfile", "OMPI_MCA_btl_tcp_if_include"]),
    ],
)
def test_what_a_library_may_need_to_start_is_left_as_it_is(name: str, needed: list[str]) -> None:
    assert settings_in(dict.fromkeys(needed, "1"), LIBRARY[name]) == {}


@pytest.mark.parametrize("name", ["I_MPI_PIN", "I_MPI_FABRICS", "I_MPI_ADJUST_BCAST", "FI_PROVIDER"])
def test_what_may_cost_time_is_a_setting(name: str) -> None:
    assert settings_in({name: "1"}, LIBRARY["intel"]) == {name: "1"}


def test_a_setting_that_only_starts_ranks_is_no_option_to_leave_out() -> None:
    options = [("--mca", "plm_rsh_agent", "ssh"), ("--mca", "pml", "ob1"), ("-x", "OMP_NUM_THREADS=1")]
    assert [_is_setting(option, LIBRARY["openmpi"], OPENMPI) for option in options] == [False, True, False]


def test_intel_mpi_binds_by_its_variables() -> None:
    (free,) = tried("binding", facts(library=LIBRARY["intel"], launcher=HYDRA, bound=True))
    assert (free.variables, free.options) == ({"I_MPI_PIN": "0"}, ())
    (free,) = tried("binding", facts(library=LIBRARY["mpich"], launcher=HYDRA, bound=True))
    assert (free.variables, free.options) == ({}, ("-bind-to", "none"))


def test_threads_are_as_many_as_there_are_cores_for_each_rank() -> None:
    about = {"ranks": 4, "cores": 32.0, "threads": 2, "openmp": "libgomp"}
    found = tried("threads", facts(**about), reorder=True)
    assert [setting.variables for setting in found] == [{"OMP_NUM_THREADS": "1"}, {"OMP_NUM_THREADS": "8"}]
    assert "--reorder" in why("threads", facts(**about))
    assert "OpenMP" in why("threads", facts(**{**about, "openmp": ""}), reorder=True)
    assert "1 busy thread" in why("threads", facts(**{**about, "cores": 4.0, "threads": 1}))


def test_fewer_ranks_get_the_cores_as_threads() -> None:
    about = facts(ranks=4, count_option="-n", cores=4.0, openmp="libomp")
    found = tried("ranks", about, ranks=(2, 4))
    assert [(setting.options, dict(setting.variables)) for setting in found] == [
        (("-n", "2"), {}),
        (("-n", "2"), {"OMP_NUM_THREADS": "2"}),
    ]


def test_openmp_is_known_by_the_libraries_that_a_program_loads() -> None:
    assert openmp_of(["/lib/libm.so.6", "/usr/lib/libgomp.so.1"]) == "libgomp"
    assert openmp_of(["/opt/lib/libiomp5.so"]) == "libiomp5"
    assert openmp_of(["/lib/libompi.so.1", "libopen-pal.so"]) == ""


def test_numbers_of_ranks_are_those_that_were_asked_for() -> None:
    about = facts(ranks=4, count_option="-np")
    assert [setting.options for setting in tried("ranks", about, ranks=(2, 4, 8))] == [("-np", "2"), ("-np", "8")]
    assert "--ranks" in why("ranks", about)
    assert "no option" in why("ranks", facts(ranks=4), ranks=(2,))

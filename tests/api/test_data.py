"""The data in api/ by themselves: complete, consistent, and correct as far as can be checked by hand."""

import shutil
from pathlib import Path

import pytest

from mpiapi.families import Family, load_families
from mpiapi.roles import ROLES
from mpiapi.semantics import COLLECTIVE_CLASSES, Meaning, blocking_form
from mpiapi.standard import ApiError, Function

# What each byte rule needs to find in the arguments.
RULE_NEEDS = {
    "zero": [],
    "s": ["scount", "stype"],
    "r": ["rcount", "rtype"],
    "s_times_p": ["scount", "stype", "comm"],
    "r_times_p": ["rcount", "rtype", "comm"],
    "sum_s": ["scount", "stype", "comm"],
    "sum_r": ["rcount", "rtype", "comm"],
    "sum_sw": ["scount", "stype", "comm"],
    "sum_rw": ["rcount", "rtype", "comm"],
    "r_own": ["rcount", "rtype", "comm"],
}
# What the recorder can't do without in a call of that class.
CLASS_NEEDS = {
    "send": "sbuf scount stype dest stag comm",
    "isend": "sbuf scount stype dest stag comm request",
    "send_init": "sbuf scount stype dest stag comm request",
    "psend_init": "sbuf scount stype dest stag comm request partitions",
    "recv": "rbuf rcount rtype source rtag comm status",
    "irecv": "rbuf rcount rtype source rtag comm request",
    "recv_init": "rbuf rcount rtype source rtag comm request",
    "precv_init": "rbuf rcount rtype source rtag comm request partitions",
    "sendrecv": "sbuf scount stype dest stag rbuf rcount rtype source rtag comm status",
    "sendrecv_replace": "sbuf scount stype dest stag source rtag comm status",
    "isendrecv": "sbuf scount stype dest stag source rtag comm request",
    "probe": "source rtag comm status",
    "iprobe": "source rtag comm flag status",
    "mprobe": "source rtag comm message status",
    "improbe": "source rtag comm flag message status",
    "mrecv": "rbuf rcount rtype message status",
    "imrecv": "rbuf rcount rtype message request",
    "wait": "request status",
    "waitall": "nrequests requests statuses",
    "waitany": "nrequests requests index status",
    "waitsome": "nrequests requests outcount indices statuses",
    "test": "request flag status",
    "testall": "nrequests requests flag statuses",
    "testany": "nrequests requests index flag status",
    "testsome": "nrequests requests outcount indices statuses",
    "start": "request",
    "startall": "nrequests requests",
    "pready": "request",
    "parrived": "request partition flag",
    "request_free": "request",
    "cancel": "request",
    "coll": "comm",
    "icoll": "comm request",
    "coll_init": "comm request",
    "comm_create": "newcomm",
    "comm_icreate": "comm newcomm request",
    "comm_free": "comm",
    "type_free": "newtype",
    "win_create": "comm win",
    "win_free": "win",
    "rma": "target win",
    "rma_request": "target win request",
    "rma_sync": "win",
    "file_open": "comm file",
    "file_close": "file",
    "file_io": "file",
    "file_iio": "file request",
}


def by_name(meanings: list[Meaning]) -> dict[str, Meaning]:
    return {meaning.function.name: meaning for meaning in meanings}


def argument_names(meaning: Meaning) -> dict[str, str]:
    return {role: meaning.function.arguments[index].name for role, index in meaning.roles.items()}


def test_all_functions_of_mpi_5_and_the_removed_ones_are_there(functions: list[Function]) -> None:
    names = {function.name for function in functions}
    assert len(names) == len(functions) == 542
    assert sum(function.large for function in functions) == 159
    assert {"Send", "Abi_get_version", "Session_init", "Psend_init", "Comm_toint", "T_pvar_read"} <= names
    assert {"Address", "Attr_get", "Type_hvector", "Keyval_create", "Errhandler_set", "Type_struct"} <= names


def test_every_role_is_an_argument_of_the_function(meanings: list[Meaning]) -> None:
    for meaning in meanings:
        for role, index in meaning.roles.items():
            assert role in ROLES
            assert 0 <= index < len(meaning.function.arguments), (meaning.function.name, role)


def test_every_class_has_the_roles_it_needs(meanings: list[Meaning]) -> None:
    for meaning in meanings:
        missing = set(CLASS_NEEDS.get(meaning.cls, "").split()) - set(meaning.roles)
        if meaning.cls in ("isendrecv", "pready") and missing:
            missing -= {"rbuf", "rcount", "rtype"}
        assert not missing, f"{meaning.function.name} ({meaning.cls}) has no argument for {missing}"


def test_every_collective_says_what_it_contributes_and_receives(meanings: list[Meaning]) -> None:
    collectives = [m for m in meanings if m.cls in COLLECTIVE_CLASSES]
    assert len(collectives) == 3 * 22
    for meaning in collectives:
        for side in (meaning.contributed, meaning.received):
            assert set(RULE_NEEDS[side.rule]) <= set(meaning.roles), (meaning.function.name, side)
            if side.when != "always":
                assert "root" in meaning.roles, (meaning.function.name, side)
        if blocking_form(meaning.function.name) != "Barrier":
            assert meaning.contributed.rule != "zero"
            assert meaning.received.rule != "zero"


def test_no_other_function_has_byte_rules(meanings: list[Meaning]) -> None:
    for meaning in meanings:
        if meaning.cls not in COLLECTIVE_CLASSES:
            assert (meaning.contributed.rule, meaning.received.rule) == ("zero", "zero"), meaning.function.name


def test_the_three_forms_of_a_collective_mean_the_same(meanings: list[Meaning]) -> None:
    known = by_name(meanings)
    for meaning in meanings:
        if meaning.cls not in ("icoll", "coll_init"):
            continue
        blocking = known[blocking_form(meaning.function.name)]
        assert blocking.cls == "coll"
        assert (meaning.contributed, meaning.received) == (blocking.contributed, blocking.received)
        roles = {role: index for role, index in meaning.roles.items() if role != "request"}
        assert roles == blocking.roles


def test_roles_of_functions_a_person_has_looked_up(meanings: list[Meaning]) -> None:
    known = by_name(meanings)
    assert known["Send"].roles == {"sbuf": 0, "scount": 1, "stype": 2, "dest": 3, "stag": 4, "comm": 5}
    assert known["Recv"].roles == {
        "rbuf": 0, "rcount": 1, "rtype": 2, "source": 3, "rtag": 4, "comm": 5, "status": 6,
    }  # fmt: skip
    assert argument_names(known["Gatherv"])["rdispls"] == "displs"
    assert argument_names(known["Scatterv"])["sdispls"] == "displs"
    assert argument_names(known["Reduce_scatter"])["rcount"] == "recvcounts"
    assert argument_names(known["Comm_spawn"])["newcomm"] == "intercomm"
    assert argument_names(known["Intercomm_create"])["comm"] == "local_comm"
    assert argument_names(known["Get"])["rbuf"] == "origin_addr"
    assert argument_names(known["Put"])["sbuf"] == "origin_addr"
    assert argument_names(known["File_write_at"])["sbuf"] == "buf"
    assert argument_names(known["File_read_at"])["rbuf"] == "buf"
    assert "newcomm" not in known["Comm_compare"].roles
    assert "index" not in known["Graph_create"].roles


def test_what_the_standard_says_counts_at_the_root_only_does(meanings: list[Meaning]) -> None:
    for meaning in meanings:
        for index, parameter in enumerate(meaning.function.arguments):
            at_root = "at_root" in meaning.needs.get(index, ())
            # Of the root's peers between groups, and in the one place where the standard's data err.
            if (meaning.function.name, parameter.name) == ("Scatterv_init", "recvbuf"):
                assert parameter.root_only
                assert not at_root
            elif parameter.root_only:
                assert at_root, (meaning.function.name, parameter.name)


def test_arguments_that_are_ignored_are_those_a_person_has_looked_up(meanings: list[Meaning]) -> None:
    def ignored(name: str) -> dict[str, str]:
        meaning = by_name(meanings)[name]
        return {meaning.function.arguments[i].name: " ".join(words) for i, words in meaning.needs.items()}

    assert ignored("Send") == ignored("Win_create") == ignored("Scan") == {}
    assert ignored("Allgather") == {"sendcount": "sends", "sendtype": "sends"}
    assert ignored("Alltoallw_init") == {"sendcounts": "sends", "sdispls": "sends", "sendtypes": "sends"}
    assert ignored("Igather") == {
        "sendbuf": "names_root", "sendcount": "names_root sends", "sendtype": "names_root sends",
        "recvbuf": "at_root", "recvcount": "at_root", "recvtype": "at_root",
    }  # fmt: skip
    assert ignored("Rget_accumulate") == dict.fromkeys(["origin_addr", "origin_count", "origin_datatype"], "operates")


def test_purely_local_functions_touch_no_request_they_would_complete(meanings: list[Meaning]) -> None:
    for meaning in meanings:
        if meaning.cls != "local":
            continue
        requests = [p for p in meaning.function.arguments if p.kind == "REQUEST" and p.direction == "inout"]
        assert not requests, f"{meaning.function.name} changes a request"
        communicators = [p for p in meaning.function.arguments if p.kind == "COMMUNICATOR" and p.direction == "out"]
        assert not communicators or meaning.function.name == "Comm_get_parent"


def test_families_tell_apart_what_they_must(families: dict[str, Family]) -> None:
    for family in families.values():
        integers = family.integers
        assert len({integers[n] for n in ("PROC_NULL", "ANY_SOURCE", "ROOT")}) == 3, family.name
        assert family.status["source"] + 4 <= family.status["size"]
        assert all(size in (4, 8) for size in family.handle_bytes.values())
    libraries = [library for family in families.values() for library in family.libraries]
    assert len(libraries) == len(set(libraries))


def test_a_family_that_is_not_listed_is_an_error(api: Path, tmp_path: Path) -> None:
    shutil.copytree(api / "abi", tmp_path / "abi")
    (tmp_path / "abi" / "another.toml").write_text((api / "abi" / "mpi5.toml").read_text())
    with pytest.raises(ApiError, match="another is not in FAMILIES"):
        load_families(tmp_path)


def test_data_moves_from_and_into_the_buffers_a_function_has(meanings: list[Meaning]) -> None:
    """Of one-sided and file functions: what puts or writes sends from a buffer, what gets or reads fills one."""
    moving = [m for m in meanings if set(m.moves) & {"puts", "gets", "reads", "writes"}]
    assert len(moving) == 10 + 17 + 17
    for meaning in moving:
        assert ("sbuf" in meaning.roles) == bool(set(meaning.moves) & {"puts", "writes"}), meaning.function.name
        assert ("rbuf" in meaning.roles) == bool(set(meaning.moves) & {"gets", "reads"}), meaning.function.name

"""Reports of mpiP 3.5, made with Leadline's own workloads: `data/` holds one for each form of the report."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.profiles import CallSite, Profile, UnreadableProfile, read

DATA = Path(__file__).parent / "data"
# What opatm --steps 6 --tracers 2 calls on two ranks: as Leadline and TAU's format count it, too.
CALLS = {
    "MPI_Wait": 576,
    "MPI_Isend": 288,
    "MPI_Irecv": 288,
    "MPI_Recv": 24,
    "MPI_Send": 24,
    "MPI_Reduce": 8,
    "MPI_Bcast": 2,
}


def calls(profile: Profile) -> dict[str, float]:
    return {row.function: row.calls for row in profile.rows}


@pytest.mark.parametrize("name", ["mpip.txt", "mpip-e.txt", "mpip-k0.txt"])
def test_each_form_has_the_calls_and_the_time_of_its_functions(name: str) -> None:
    """The time in MPI is there twice: by task, and as the sum of the call sites."""
    profile = read(DATA / name)
    assert (profile.format, profile.tool, profile.ranks) == ("mpiP report", "mpiP 3.5.0", 2)
    assert calls(profile) == CALLS
    error_s = sum(row.time_error_s for row in profile.rows)
    assert error_s < 0.001 * profile.mpi_s
    assert profile.mpi_s == pytest.approx(sum(profile.in_mpi_s.values()), abs=error_s + 2 * 1e-3)


def test_functions_only_means_no_call_sites() -> None:
    profile = read(DATA / "mpip-k0.txt")
    assert (profile.sites, profile.depth) == ((), 0)


def test_the_header_says_program_hosts_and_settings() -> None:
    profile = read(DATA / "mpip.txt")
    assert profile.program == "opatm"
    assert profile.arguments == tuple("--grid 16x8x4 --steps 6 --cost light --tracers 2".split())
    assert profile.environment == {"Hosts": "node1", "mpiP settings": "-k2", "mpiP timer": "PMPI_Wtime"}


def test_call_sites_have_paths_in_readable_names_and_bytes_sent() -> None:
    profile = read(DATA / "mpip.txt")
    assert profile.depth == 2
    sites: dict[str, list[CallSite]] = {}
    for site in profile.sites:
        sites.setdefault(site.function, []).append(site)
    assert {name: sum(site.calls for site in each) for name, each in sites.items()} == CALLS
    (recv,) = {site.path for site in sites["MPI_Recv"]}
    assert recv == ("opatm::Output::write", "opatm::Output::collect")
    (isend,) = sites["MPI_Isend"]
    (exact,) = (site for site in read(DATA / "mpip-e.txt").sites if site.function == "MPI_Isend")
    assert isend.n_bytes is not None
    assert exact.n_bytes == 59_904
    assert abs(isend.n_bytes - exact.n_bytes) <= isend.bytes_error <= 50


def test_a_concise_report_has_no_counts_but_of_the_sites_on_top() -> None:
    profile = read(DATA / "mpip-c.txt")
    assert profile.ranks == 2
    assert profile.application_s == {None: pytest.approx(1.189457)}
    known = {row.function: row.calls for row in profile.rows if row.calls_error == 0}
    assert known == {name: CALLS[name] for name in known}
    assert profile.mpi_s == pytest.approx(profile.in_mpi_s[None], rel=1e-4)


def test_sites_of_which_only_addresses_are_known_are_left_out_and_functions_are_whole() -> None:
    profile = read(DATA / "mpip-addresses.txt")
    assert profile.sites == ()
    assert any("have only addresses" in note for note in profile.notes)
    assert calls(profile)["MPI_Wait"] == 864  # three tracers instead of two


def test_bytes_of_io_are_those_of_its_section() -> None:
    by_function = {site.function: site for site in read(DATA / "mpip-io.txt").sites}
    assert by_function["MPI_File_write_all"].n_bytes == 640
    assert by_function["MPI_File_write_all"].path == ("view",)


def test_a_report_with_its_longest_sites_only_is_not_summed(tmp_path: Path) -> None:
    """As with a report whose statistics of each call site are suppressed."""
    text = (DATA / "mpip.txt").read_text()
    head = text[: text.index("@--- Aggregate Sent")]
    whole = tmp_path / "whole"
    whole.write_text(f"{head}\n@--- End of Report ---\n")
    assert calls(read(whole)) == CALLS  # all of its sites are among the twenty longest
    line = next(line for line in head.splitlines() if line.endswith(" Reduce"))
    more = "".join(f"{number}{line[3:]}\n" for number in range(100, 120))
    rows = "".join(
        f"Reduce {number:19} {0.001:10.3g}    0.01    0.01          1   0.00\n" for number in range(100, 109)
    )
    some = tmp_path / "some"
    some.write_text(f"{head.replace(line, more + line, 1).rstrip('-').rstrip()}\n{rows}@--- End of Report ---\n")
    profile = read(some)
    assert (profile.rows, profile.all_sites) == ((), False)
    assert any("Only " in note for note in profile.notes)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("@--- End of Report", "@--- Other", "truncated after"),
        ("@ mpiP\n", "@ mpip\n", "unknown profile format"),
        ("   1      ", "   0      ", "duplicate task 0"),
        ("@--- Callsite Message", "@--- Callsites: 3 -\n@--- Callsite Message", "duplicate section 'Callsites'"),
        ("MPI_Call", "Call", "expected the header of the call sites"),
        ("  1   1 ", "  1   0 ", "call site 1: level 0 out of order"),
        ("Wait                 1    *", "Wait                 1    * 5", "expected a call-site row"),
    ],
)
def test_damage_is_one_clear_message(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = (DATA / "mpip.txt").read_text()
    assert old in text
    (tmp_path / "report").write_text(text.replace(old, new, 1))
    with pytest.raises(UnreadableProfile, match=message):
        read(tmp_path / "report")

"""A command with settings, and the file that keeps them."""

from pathlib import Path

import pytest

from leadline import mpi
from leadline.errors import UsageError
from leadline.improve import file
from leadline.improve.results import Results
from leadline.improve.setting import Setting, command_with, count_option, variables_of, with_options
from leadline.improve.stopping import shortened
from leadline.launchers.openmpi import OPENMPI
from leadline.libraries.rule import Rule, Table


def setting(name: str = "one", **given: object) -> Setting:
    return Setting(name, str(given.pop("kind", name)), "what", "risk", 0.5, **given)  # type: ignore[arg-type]


def mpiexec(family: str) -> list[str]:
    found = next((library for library in mpi.available() if library.family == family), None)
    if found is None:
        pytest.skip(f"no library of the family {family} is here")
    return [str(found.mpiexec)]


def test_variables_and_options_come_to_the_ranks() -> None:
    (start,) = mpiexec("openmpi")
    one = setting(variables={"A": "1"}, options=("--bind-to", "core"))
    words, environ = command_with([start, "-n", "2", "./app"], {"PATH": "/bin", "B": "2"}, [one], one.variables)
    assert words == [start, "-x", "A=1", "--bind-to", "core", "-n", "2", "./app"]
    assert environ["B"] == "2"


def test_an_option_takes_the_place_of_the_user_s() -> None:
    (start,) = mpiexec("mpich")
    command = [start, "-bind-to", "none", "-n", "2", "./app", "-bind-to", "own"]
    assert with_options(command, ["-bind-to", "core"], {}) == [
        start, "-bind-to", "core", "-n", "2", "./app", "-bind-to", "own",
    ]  # fmt: skip


def test_options_are_taken_away_with_their_values() -> None:
    (start,) = mpiexec("openmpi")
    command = [start, "--mca", "a", "1", "-n", "2", "-mca", "b", "2", "./app", "--mca", "a", "1"]
    assert OPENMPI.settings_in(command[1:]) == [("--mca", "a", "1"), ("-mca", "b", "2")]
    left = with_options(command, [], {}, [("--mca", "a", "1")])
    assert left == [start, "-n", "2", "-mca", "b", "2", "./app", "--mca", "a", "1"]


@pytest.mark.parametrize(
    ("words", "option", "short"),
    [
        ("./app --steps 100 -v", "--steps 5", "./app --steps 5 -v"),
        ("./app --steps=100 -v", "--steps=5", "./app --steps=5 -v"),
        ("./app steps=100", "steps=5", "./app steps=5"),
        ("./app input", "-n 5", "./app input -n 5"),
        ("./app --steps", "--steps 5", "./app --steps --steps 5"),
        ("./app", "", "./app"),
    ],
)
@pytest.mark.parametrize("launched", [True, False])
def test_a_program_has_another_number_of_steps(words: str, option: str, short: str, *, launched: bool) -> None:
    before = [mpiexec("mpich")[0], "-n", "2"] if launched else []
    found = shortened([*before, *words.split()], option.split(), None)
    assert found == (*before, *short.split())


@pytest.mark.parametrize("family", ["mpich", "openmpi"])
@pytest.mark.parametrize("option", ["-n", "-np"])
def test_a_number_of_ranks_takes_the_place_of_the_user_s(family: str, option: str) -> None:
    (start,) = mpiexec(family)
    command = [start, option, "2", "./app", "-n", "5"]
    assert count_option(command, {}) == option
    assert with_options(command, ["-n", "8"], {}) == [start, "-n", "8", "./app", "-n", "5"]


def test_a_number_of_ranks_is_unknown_for_several_programs_and_none() -> None:
    (start,) = mpiexec("mpich")
    assert count_option([start, "-n", "1", "./a", ":", "-n", "2", "./b"], {}) == ""
    assert count_option([start, "./a", "-n", "2"], {}) == ""
    assert count_option(["./a", "-n", "2"], {}) == ""


def test_a_program_without_a_launcher_takes_no_options() -> None:
    with pytest.raises(UsageError, match="no launcher"):
        with_options(["./app"], ["-bind-to", "core"], {})


def test_what_one_takes_away_and_another_sets_is_set() -> None:
    one, other = setting(without=("A",)), setting("two", variables={"A": "1"})
    _, environ = command_with(["/bin/true"], {"A": "0"}, [one], {})
    assert "A" not in environ
    assert not one.goes_with(other)
    assert not other.goes_with(one)


def test_settings_of_a_kind_exclude_each_other() -> None:
    assert not setting(kind="k").goes_with(setting("two", kind="k"))
    assert setting(variables={"A": "1"}).goes_with(setting("two", variables={"A": "1", "B": "2"}))
    assert not setting(variables={"A": "1"}).goes_with(setting("two", variables={"A": "2"}))


def test_files_are_named_by_their_variables(tmp_path: Path) -> None:
    found = variables_of([setting(files={"HINTS": "text\n"}, variables={"A": "1"})], tmp_path / "new")
    assert found["A"] == "1"
    assert Path(found["HINTS"]).read_text() == "text\n"


def test_the_file_gives_back_what_was_written(tmp_path: Path) -> None:
    table = Table((Rule("bcast", (2, 4), (0, 1024), "binomial"),))
    settings = [
        setting(variables={"A": 'a "quoted" \\ value'}, without=("B",), options=("-bind-to", "core")),
        setting("two", files={"HINTS": "one\ntwo\n"}),
        setting("three", table=table, by_shim=True, without_options=(("--mca", "a", "1"),)),
    ]
    path = tmp_path / "improve.toml"
    file.write(path, settings, {"gain": 0.25, "command": ["mpiexec", "a b"], "none": None, "date": "today"})
    found, evidence = file.read(path)
    assert found == settings
    assert found[2].table is not None
    assert found[2].table.rules == table.rules
    assert evidence == {"gain": 0.25, "command": ["mpiexec", "a b"], "date": "today"}
    assert file.is_one(path)


@pytest.mark.parametrize(
    "text",
    [
        'kind = "improve"\nschema = 2',
        'kind = "improve"\nschema = 1\nsetting = 3',
        'kind = "improve"\nschema = 1\n[[setting]]\nname = "a"',
        'kind = "improve"\nschema = 1\n[[setting]]\nname = "a"\nkind = "b"\nvariables = 3',
        "schema = 1",
        "[",
    ],
)
def test_a_file_of_another_kind_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "improve.toml").write_text(text)
    with pytest.raises(UsageError, match=r"improve\.toml"):
        file.read(tmp_path / "improve.toml")


def differs(results: Results, output: str) -> str:
    return results.difference(output, output, (), patience=0)


def test_output_is_compared_with_what_all_unchanged_runs_printed() -> None:
    results = Results()
    results.add_unchanged("sum 1 seed 7\n", ())
    assert differs(results, "sum 2 seed 7\n") == ""  # one run does not say what differs from run to run
    results.add_unchanged("sum 1 seed 8\n", ())
    assert differs(results, "sum 1 seed 9\n") == ""
    assert "'2' where every unchanged run printed '1'" in differs(results, "sum 2 seed 7\n")


@pytest.mark.parametrize(
    "line",
    [
        "done in {} s",
        "elapsed: {}",
        "time={}s",
        "wall clock {}",
        "{} MB/s",
        "rate {}",
        "{} Gflops",
        "step 1 of 2: {} ms",
    ],
)
def test_times_are_not_compared_even_if_unchanged_runs_agree(line: str) -> None:
    results = Results()
    for _ in range(3):
        results.add_unchanged(line.format("3") + "\nsum 1\n", ())
    assert differs(results, line.format("2") + "\nsum 1\n") == ""
    assert "'4'" in differs(results, line.format("2") + "\nsum 4\n")


def test_lines_are_compared_where_the_number_of_words_differs() -> None:
    results = Results()
    results.add_unchanged("sum 1\nnote\n", ())
    results.add_unchanged("sum 1\n", ())
    assert differs(results, "another note\nsum 1\n") == ""
    assert "'sum 1'" in differs(results, "another note\nsum 2\n")


TABLE = """sum 1.2345 of 7
Timers
total  0.3221  {0}
halo   0.0042  {1}

step 10 energy -1.166063 {2}
step 20 energy -1.166048 {3}
"""


def test_a_column_in_which_unchanged_runs_differ_is_not_compared() -> None:
    """Also where they agree by chance; and nothing below the heading of a table of times."""
    results = Results()
    results.add_unchanged(TABLE.format("12.5", "0.11", "6.0986", "6.7406"), ())
    results.add_unchanged(TABLE.format("12.5", "0.12", "6.0986", "6.7407"), ())
    assert differs(results, TABLE.format("13.8", "0.11", "6.2222", "6.7406")) == ""
    other = TABLE.format("12.5", "0.11", "6.0986", "6.7406").replace("-1.166048", "-1.166049")
    assert "'-1.166049' where every unchanged run printed '-1.166048'" in differs(results, other)
    other = TABLE.format("12.5", "0.11", "6.0986", "6.7406").replace("1.2345", "1.2346")
    assert "'1.2346'" in differs(results, other)


def test_values_below_one_another_are_no_table() -> None:
    results = Results()
    for seed in "789":
        results.add_unchanged(f"seed = 1{seed}\nsum = 42\n", ())
    assert "'43'" in differs(results, "seed = 17\nsum = 43\n")


def test_a_number_is_doubted_until_more_unchanged_runs_agree_on_it() -> None:
    for third, says in (("0:", "'1:' where every unchanged run printed '0:'"), ("1:", "")):
        results = Results()
        for _ in range(2):
            results.add_unchanged("least on rank 0:\n", ())
        assert results.difference("one", "least on rank 1:\n", ()) == ""
        for _ in range(3):
            assert results.standing("one") == ""
            results.add_unchanged(f"least on rank {third}\n", ())
        assert says in results.standing("one")
        assert results.standing("two") == ""
        if not says:
            assert results.difference("one", "least on rank 2:\n", ()) == ""


def test_a_word_without_digits_is_not_doubted() -> None:
    results = Results()
    for _ in range(2):
        results.add_unchanged("test 1 passed\n", ())
    assert "'failed' where every unchanged run printed 'passed'" in results.difference("one", "test 2 failed\n", ())


def test_fractions_of_few_digits_are_not_compared() -> None:
    results = Results()
    for _ in range(3):
        results.add_unchanged("halo 0.0003 of 5\n", ())
    assert differs(results, "halo 0.0004 of 5\n") == ""
    assert "'6'" in differs(results, "halo 0.0004 of 6\n")


def test_files_are_compared_unless_unchanged_runs_differ(tmp_path: Path) -> None:
    same, drifting = tmp_path / "same", tmp_path / "drifting"
    results = Results([same, drifting])
    same.write_text("1")
    for text in ("a", "b"):
        drifting.write_text(text)
        results.add_unchanged("", results.digests())
    assert results.not_comparable() == [drifting]
    assert results.difference("one", "", results.digests()) == ""
    same.write_text("2")
    assert "same differs" in results.difference("one", "", results.digests())
    same.unlink()
    assert "same differs" in results.difference("one", "", results.digests())

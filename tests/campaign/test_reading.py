"""The file of a campaign: the cells it makes, and one clear line for what is wrong in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.campaign.plan import Recording
from leadline.campaign.reading import read
from leadline.errors import UsageError

WHOLE = Path(__file__).with_name("whole.toml").read_text()


def written(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "c.toml"
    file.write_text(text)
    return file


def kind(name: str) -> str:
    return name.partition("@")[0]


def test_a_file_is_the_cells_that_it_says(tmp_path: Path) -> None:
    plan = read(written(tmp_path, WHOLE))
    found = {tuple(cell.names.values()) for cell in plan.cells(kind)}
    expected = {
        (program, given, ranks, library, setting)
        for program, given in (("app", "small"), ("app", "large"), ("other", "small"))
        for ranks, library, setting in (
            (2, "mpich", "default"),
            (4, "mpich", "default"),
            (2, "openmpi@4.1.8", "default"),
            (2, "openmpi@4.1.8", "ob1"),
        )
    }
    assert found == expected
    app, other = plan.programs
    assert (app.command, app.build) == (("./app", "two words"), ("make", "CC={mpicc}"))
    assert (app.recording, other.recording) == (Recording.ALTERNATE, Recording.NO)
    assert (app.parts, other.parts) == ((), (("solver", "solver ([0-9.]+)"),))
    assert (app.timeout_s, other.scaling, plan.repeats, plan.name) == (60.0, "weak", 3, "c")
    assert plan.settings[1].environment == {"OMPI_MCA_pml": "ob1", "LIMIT": "4096"}


HOSTILE = """
ranks = [2]
[[program]]
name = "$(touch x);é"
command = ["a"]
[[input]]
name = "../.."
arguments = ["x"]
"""


def test_cells_have_names_of_their_own_that_harm_no_file_system(tmp_path: Path) -> None:
    text = (
        'ranks = [2]\n[[program]]\nname = "$(touch x);é"\ncommand = ["a"]\n[[input]]\nname = "../.."\narguments=["x"]'
    )
    with pytest.raises(UsageError, match="without slashes"):
        read(written(tmp_path, text))
    cells = read(written(tmp_path, text.replace("../..", "..`"))).cells(kind)
    assert len({cell.id for cell in cells}) == len(cells)
    for cell in cells:
        assert set(cell.id) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+@-")
        assert not cell.id.startswith((".", "-"))


def test_what_times_depend_on_makes_another_cell(tmp_path: Path) -> None:
    before = {cell.id for cell in read(written(tmp_path, WHOLE)).cells(kind)}
    for old, new in (("'two words'", "three"), ('"-n", "1"', '"-n", "2"'), ('"core"', '"none"'), ("took", "in")):
        after = {cell.id for cell in read(written(tmp_path, WHOLE.replace(old, new))).cells(kind)}
        assert before != after, old
    same = WHOLE.replace("repeats = 3", "repeats = 30").replace("timeout = 60", "timeout = 61")
    assert {cell.id for cell in read(written(tmp_path, same)).cells(kind)} == before


PROGRAM = '[[program]]\ncommand = ["a"]\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ranks = [", "c.toml"),
        ("ranks = [2]", "no [[program]]"),
        (PROGRAM, "no ranks"),
        (f"ranks = 2\n{PROGRAM}", "ranks: expected a list of whole numbers"),
        (f"ranks = [0]\n{PROGRAM}", "ranks: expected"),
        (f"ranks = [true]\n{PROGRAM}", "ranks: expected"),
        (f"ranks = [2, 2]\n{PROGRAM}", "ranks: 2 is there twice"),
        (f"ranks = [2]\nrepeat = 3\n{PROGRAM}", "unknown key repeat"),
        (f"ranks = [2]\nrepeats = 0\n{PROGRAM}", "repeats: expected a whole number from 1"),
        (f"ranks = [2]\nrecord = 'no'\n{PROGRAM}", "record: expected true, false or"),
        (f"ranks = [2]\ntimeout = -1\n{PROGRAM}", "timeout: expected"),
        (f"ranks = [2]\ntime = '('\n{PROGRAM}", "time: expected a regular expression"),
        (f"ranks = [2]\ntime = 'no group'\n{PROGRAM}", "whose first group"),
        (f"ranks = [2]\n{PROGRAM}workload = 'vh1'", "command or workload, and not both"),
        ("ranks = [2]\n[[program]]\nworkload = 'vh2'", "workload: expected one of"),
        (f"ranks = [2]\n{PROGRAM}build = 'make CC={{cc}}'", "build: expected"),
        (f"ranks = [2]\nlauncher = 'srun -n 4'\n{PROGRAM}", "launcher: expected words with {ranks}"),
        (f"ranks = [2]\n{PROGRAM}directory = 'nowhere'", "no such directory"),
        ('ranks = [2]\n[[program]]\ncommand = "a \'b"', "command: expected words"),
        ('ranks = [2]\n[[program]]\ncommand = ["a\\u0000"]', "command: expected words"),
        (f"ranks = [2]\n{PROGRAM}[[setting]]\nname = 's'\nenvironment = {{ 'A=B' = 'c' }}", "environment: expected"),
        (f"ranks = [2]\n{PROGRAM}[[setting]]\nenvironment = {{ A = 'c' }}", "[[setting]] 1: no name"),
        (f"ranks = [2]\n{PROGRAM}[[exclude]]\nlibrary = 'openmpi'", "library: unknown openmpi"),
        (f"ranks = [2]\n{PROGRAM}[[exclude]]\n", "[[exclude]] 1: empty"),
        (f"ranks = [2]\n{PROGRAM}{PROGRAM}", "[[program]]: a is there twice"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        read(written(tmp_path, text))
    assert said in str(error.value)
    assert str(tmp_path / "c.toml") in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_there_is_named_in_plain_words(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^cannot read .*none\.toml: No such file or directory$"):
        read(tmp_path / "none.toml")

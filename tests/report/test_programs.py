"""What a run's programs are called."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from leadline.figures.programs import names_of, programs_of, split_line


@pytest.mark.parametrize(
    ("line", "path", "arguments"),
    [
        ("/a/my code/ocean 10", "/a/my code/ocean", ["10"]),
        ("./two words", "./two words", []),
        ("two words --in two words", "two words", ["--in", "two", "words"]),
        ("python3 step.py 3", "python3", ["step.py", "3"]),
        ("/a/prog \\xfd 1", "/a/prog \\xfd", ["1"]),
        ("./unknown thing", "./unknown", ["thing"]),
        ("", "", []),
    ],
)
def test_a_path_with_blanks_is_told_from_arguments(line: str, path: str, arguments: list[str]) -> None:
    modules = ["/a/my code/ocean", "/b/two words", "/usr/bin/python3", "/a/prog \udcfd", "/lib/libc.so.6"]
    assert split_line(line, modules) == (path, arguments)


def test_a_job_of_several_programs_has_all_their_names() -> None:
    def process(line: str) -> Any:
        return SimpleNamespace(program=line)

    modules = [SimpleNamespace(path=path) for path in ("/a/ocean", "/a/the ice")]
    run: Any = SimpleNamespace(
        profile=SimpleNamespace(modules=modules),
        processes=[process("/a/ocean 1"), process("/a/ocean 1"), process("/a/the ice 2 3"), process("")],
    )
    assert names_of(run) == ["ocean", "the ice"]
    assert programs_of(run) == [("/a/ocean", ["1"]), ("/a/the ice", ["2", "3"])]

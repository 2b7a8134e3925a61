"""The build of the program in the environment of a run, however the command named the program."""

from types import SimpleNamespace
from typing import Any

import pytest

from leadline.compare.environment import _build_id


def run_of(*modules: tuple[str, str]) -> Any:
    return SimpleNamespace(
        profile=SimpleNamespace(modules=[SimpleNamespace(path=path, build_id=build) for path, build in modules])
    )


@pytest.mark.parametrize("named", ["./app", "app", "/opt/b/app", "../b/app"])
def test_the_build_is_found_by_the_name_of_the_file(named: str) -> None:
    run = run_of(("/lib/libmpi.so.12", "ffff"), ("/opt/b/app", "0123456789abcdef"))
    assert _build_id(run, named) == "0123456789ab"


def test_without_a_build_id_the_build_is_unknown() -> None:
    assert _build_id(run_of(("/opt/b/app", "")), "./app") is None

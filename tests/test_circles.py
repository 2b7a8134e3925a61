"""The check for circles of includes and calls, on edges made by hand; and that ours pass."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

from dev import circles


def test_edges_without_a_circle_are_none() -> None:
    assert list(circles.circles({"a": {"b", "c"}, "b": {"c"}, "c": set()})) == []


def test_each_circle_is_told_once_by_its_shortest_way() -> None:
    edges = {"a": {"b"}, "b": {"c"}, "c": {"a", "b"}, "d": {"a", "e"}, "e": {"d"}, "f": {"a"}}
    assert list(circles.circles(edges)) == [["b", "c", "b"], ["d", "e", "d"]]


def test_a_node_that_needs_itself_is_a_circle() -> None:
    assert list(circles.circles({"a": {"a"}})) == [["a", "a"]]


def test_a_circle_may_go_through_the_sources() -> None:
    texts = {
        "engine/graph.hpp": "#pragma once\n",
        "engine/graph.cpp": '#include "engine/graph.hpp"\n#include "engine/walk.hpp"\n',
        "engine/walk.hpp": '#include "engine/graph.hpp"\n#include <vector>\n',
        "tables/rows.cpp": '#include "engine/walk.hpp"\n',
    }
    units = circles.includes(texts)
    assert units == {
        "engine/graph": {"engine/walk"},
        "engine/walk": {"engine/graph"},
        "tables/rows": {"engine/walk"},
    }
    assert list(circles.circles(units)) == [["engine/graph", "engine/walk", "engine/graph"]]


def test_headers_beside_a_file_and_below_the_folder_are_found() -> None:
    texts = {"part/a.c": '#include "b.h"\n#  include "kit/c.h"\n', "part/b.h": "", "kit/c.h": "", "b.h": ""}
    assert circles.includes(texts)["part/a"] == {"part/b", "kit/c"}


def test_folders_are_in_a_circle_although_no_two_units_are() -> None:
    units = {"a/one": {"b/one"}, "b/one": set(), "b/two": {"a/two"}, "a/two": set(), "a/inner/x": {"a/one"}}
    assert list(circles.circles(units)) == []
    assert list(circles.circles(circles.between_folders(units))) == [["a", "b", "a"]]


def test_a_folder_and_the_one_within_it_are_two() -> None:
    units = {"a/one": {"a/inner/x"}, "a/inner/x": {"a/two"}, "a/two": set()}
    assert list(circles.circles(circles.between_folders(units))) == [["a", "a/inner", "a"]]


def test_c_files_that_call_each_other_are_a_circle() -> None:
    texts = {
        "all.h": "int first(int n);\nint second(int n);\n",
        "first.c": "int first(int n) {\n  return second(n);\n}\nstatic int own(int n) { return n; }\n",
        "second.c": "/* first(n) */\nint second(int n) {\n  return n;\n}\nint own_too(int n) { return own(n); }\n",
    }
    assert circles.calls(texts) == {"first.c": {"second.c"}, "second.c": set()}
    texts["second.c"] += "int third(int n) { return first(n); }\n"
    assert list(circles.circles(circles.calls(texts))) == [["first.c", "second.c", "first.c"]]


def test_ours_have_none() -> None:
    assert list(circles.violations()) == []

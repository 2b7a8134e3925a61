"""The bill of materials: complete, consistent, with licences, and the same in each run."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]


def printed() -> str:
    words = [sys.executable, "-B", ROOT / "tools" / "sbom.py"]
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=120).stdout


@pytest.fixture(scope="module")
def bill() -> Any:
    return json.loads(printed())


def test_everything_has_a_version_a_licence_and_a_place(bill: Any) -> None:
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    for component in bill["components"]:
        assert component["version"]
        (licence,) = component["licenses"]
        words = licence.get("expression") or licence["license"].get("id") or licence["license"]["name"]
        assert words != "not stated", component["name"]
        assert re.fullmatch(r"pkg:(pypi|npm)/[^@]+@.+", component["purl"])


def test_what_is_needed_at_run_time_is_required(bill: Any) -> None:
    required = {each["name"] for each in bill["components"] if each["scope"] == "required"}
    direct = {"click", "rich", "nanoarrow", "pyelftools", "nanobind", "uplot"}
    assert direct | {"markdown-it-py", "mdurl", "pygments"} <= required  # rich needs these
    excluded = {each["name"]: each["version"] for each in bill["components"] if each["scope"] == "excluded"}
    assert excluded["scikit-build-core"] == metadata.version("scikit-build-core")
    assert "pytest" not in required | set(excluded)


def test_references_lead_somewhere(bill: Any) -> None:
    known = {each["bom-ref"] for each in bill["components"]} | {"leadline"}
    assert len(known) == len(bill["components"]) + 1
    for each in bill["dependencies"]:
        assert {each["ref"], *each["dependsOn"]} <= known


def test_a_hash_is_as_long_as_its_algorithm_says(bill: Any) -> None:
    (uplot,) = [each for each in bill["components"] if each["name"] == "uplot"]
    (digest,) = uplot["hashes"]
    assert digest["alg"] == "SHA-512"
    assert re.fullmatch(r"[0-9a-f]{128}", digest["content"])


def test_two_runs_give_the_same_bytes() -> None:
    assert printed() == printed()

"""The recipes for Spack and EasyBuild that ./dev release writes: with its version and hashes, and readable by each."""

from __future__ import annotations

import ast
import hashlib
import json
import re
import runpy
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
WRITE = """
import sys
from pathlib import Path
from dev import recipes
recipes.write(Path(sys.argv[1]), "1.2.3", Path(sys.argv[2]))
"""
SHA256 = re.compile(r"[0-9a-f]{64}")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recipes")
    sdist = folder / "leadline-1.2.3.tar.gz"
    sdist.write_bytes(b"sources")
    words = [sys.executable, "-B", "-c", WRITE, folder, sdist]
    subprocess.run(words, check=True, cwd=ROOT / "tools", timeout=60)
    return folder


def needed() -> dict[str, str]:
    """Of pyproject.toml, by package: what the version must be."""
    read = "import sys; from dev.environment import read_project; import json; json.dump(read_project(), sys.stdout)"
    words = [sys.executable, "-B", "-c", read]
    project = json.loads(subprocess.check_output(words, cwd=ROOT / "tools", timeout=60))
    lines = [*project["build-system"]["requires"], *project["project"]["dependencies"]]
    return {re.split(r"[=<>;]", line)[0]: line for line in reversed(lines)}


def easybuild(made: Path) -> dict[str, Any]:
    """A recipe is Python, which EasyBuild executes with some constants."""
    (path,) = (made / "easybuild").iterdir()
    return runpy.run_path(str(path), {"SOURCE_PY3_WHL": "WHL"})


def test_easybuild_gets_version_and_hash_of_the_sources(made: Path) -> None:
    recipe = easybuild(made)
    assert (recipe["name"], recipe["version"]) == ("Leadline", "1.2.3")
    name, version, options = recipe["exts_list"][-1]
    assert (name, version) == ("leadline", "1.2.3")
    assert options["checksums"] == [hashlib.sha256(b"sources").hexdigest()]
    assert all(SHA256.fullmatch(digest) for _, _, options in recipe["exts_list"] for digest in options["checksums"])


def test_versions_are_those_of_the_build(made: Path) -> None:
    wanted = needed()
    for name, version, _ in easybuild(made)["exts_list"][:-1]:
        requirement = wanted[name.replace("_", "-")]
        lowest = re.search(r"[=>]=([\d.]+)", requirement)
        assert lowest
        if "==" in requirement:
            assert version == lowest[1], name
        else:
            assert tuple(map(int, version.split("."))) >= tuple(map(int, lowest[1].split("."))), name


class Directive:
    """Stands for what Spack's package.py offers: notes which directives a recipe calls, and with what."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []

    def named(self, name: str) -> Any:
        def call(*arguments: Any, **options: Any) -> Any:
            self.calls.append((name, arguments, options))
            return lambda function: function

        return call


def test_spack_packages_call_what_a_stub_of_spack_has(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not Spack itself, which is not to be had from PyPI: syntax, names, directives and their arguments."""
    repository = made / "spack" / "spack_repo" / "leadline"
    assert "namespace: leadline" in (repository / "repo.yaml").read_text()
    packages = sorted(repository.glob("packages/*/package.py"))
    assert len(packages) == 6
    for path in packages:
        stub, module = Directive(), types.ModuleType("spack.package")
        for name in (
            "version",
            "depends_on",
            "license",
            "run_after",
            "on_package_attributes",
            "join_path",
            "Executable",
        ):
            setattr(module, name, stub.named(name))
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert node.module is not None
                parent = types.ModuleType(node.module) if node.module != "spack.package" else module
                for each in node.names:
                    if each.name != "*":
                        setattr(parent, each.name, type(each.name, (), {}))
                monkeypatch.setitem(sys.modules, node.module, parent)
        for parent_name in ("spack", "spack_repo"):
            monkeypatch.setitem(sys.modules, parent_name, types.ModuleType(parent_name))
        found = runpy.run_path(str(path))
        expected = "".join(part.capitalize() for part in path.parent.name.split("_"))
        assert isinstance(found[expected], type), "Spack looks for a class of this name"
        digests = [options["sha256"] for name, _, options in stub.calls if name == "version"]
        assert len(digests) == 1
        assert SHA256.fullmatch(digests[0])
    leadline = (repository / "packages" / "py_leadline" / "package.py").read_text()
    assert hashlib.sha256(b"sources").hexdigest() in leadline
    named = set(re.findall(r'"py-([a-z-]+)', leadline))
    assert named == set(needed()), "every requirement of pyproject.toml, and no other"

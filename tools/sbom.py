"""Prints what Leadline consists of and needs, with versions and licences, as CycloneDX 1.6 (JSON).

Run by the Python that has the packages. Without a date and a random number, so that two runs give the same bytes.
"""

from __future__ import annotations

import base64
import json
import re
import sys
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
NPM = ROOT / "python" / "leadline" / "report" / "page" / "npm" / "package-lock.json"
COMPILED_IN = ("nanobind",)  # of the build's packages: the core holds a part of it
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def bill() -> dict[str, Any]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    version = re.search(r'__version__ = "([^"]+)"', (ROOT / "python" / "leadline" / "__init__.py").read_text())
    at_run_time = _closure(project["project"]["dependencies"])
    to_build = _closure(project["build-system"]["requires"])
    own = {
        "type": "application",
        "bom-ref": "leadline",
        "name": "leadline",
        "version": version[1] if version else "",
        "licenses": [{"expression": project["project"]["license"]}],
    }
    components = [_component(name, required=True) for name in sorted({*at_run_time, *COMPILED_IN})]
    components += [_component(name, required=False) for name in sorted(to_build - at_run_time - {*COMPILED_IN})]
    components += _from_npm()
    direct = {_normal(name) for name in _names(project["project"]["dependencies"])} | {*COMPILED_IN}
    used = [{"ref": "leadline", "dependsOn": sorted(_reference(name) for name in direct if _installed(name))}]
    for name in sorted(at_run_time | to_build):
        needs = sorted(_reference(each) for each in _needed_by(name))
        used.append({"ref": _reference(name), "dependsOn": needs})
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": own},
        "components": components,
        "dependencies": used,
    }


def _closure(requirements: Iterable[str]) -> set[str]:
    """The packages and all that they need, as far as they are installed: others are for other Pythons."""
    found: set[str] = set()
    left = [_normal(name) for name in _names(requirements)]
    while left:
        name = left.pop()
        if name not in found and _installed(name):
            found.add(name)
            left += _needed_by(name)
    return found


def _needed_by(name: str) -> list[str]:
    requirements = metadata.requires(name) or []
    needed = (_normal(each) for each in _names(text for text in requirements if "extra ==" not in text))
    return sorted({each for each in needed if _installed(each)})


def _names(requirements: Iterable[str]) -> Iterator[str]:
    for text in requirements:
        if found := _NAME.match(text):
            yield found[0]


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def _reference(name: str) -> str:
    return f"pkg:pypi/{_normal(name)}@{metadata.version(name)}"


def _component(name: str, *, required: bool) -> dict[str, Any]:
    facts = metadata.metadata(name)
    return {
        "type": "library",
        "bom-ref": _reference(name),
        "name": name,
        "version": facts["Version"],
        "scope": "required" if required else "excluded",  # excluded: needed to build, and no part of what is installed
        "licenses": [_licence(facts)],
        "purl": _reference(name),
    }


def _licence(facts: Any) -> dict[str, Any]:
    """As the package states it: an SPDX expression, its classifiers, or words of its own."""
    if expression := facts.get("License-Expression"):
        return {"expression": expression}
    classified = [text for text in facts.get_all("Classifier") or [] if text.startswith("License ::")]
    words = [text.rpartition(" :: ")[2] for text in classified] or [(facts.get("License") or "").partition("\n")[0]]
    return {"license": {"name": ", ".join(words) or "not stated"}}


def _from_npm() -> Iterator[dict[str, Any]]:
    """What the HTML page holds."""
    for path, facts in json.loads(NPM.read_text())["packages"].items():
        if path:
            name = path.rpartition("node_modules/")[2]
            algorithm, _, digest = facts["integrity"].partition("-")
            purl = f"pkg:npm/{name}@{facts['version']}"
            yield {
                "type": "library",
                "bom-ref": purl,
                "name": name,
                "version": facts["version"],
                "scope": "required",
                "hashes": [{"alg": algorithm.upper().replace("SHA", "SHA-"), "content": _hexadecimal(digest)}],
                "licenses": [{"license": {"id": facts["license"]}}],
                "purl": purl,
            }


def _hexadecimal(digest: str) -> str:
    return base64.b64decode(digest).hex()


if __name__ == "__main__":
    print(json.dumps(bill(), indent=2))

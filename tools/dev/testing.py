"""./dev test: the layer check, then pytest, and last what was skipped for want of a package.

./dev test --libraries: every release of every MPI library instead, which writes the table of docs/libraries.md.
"""

from __future__ import annotations

import os
import subprocess

from dev.layers import violations
from dev.paths import PYTHON
from dev.prerequisites import Prerequisite


def say_skipped(missing: list[Prerequisite]) -> None:
    for item in missing:
        remedy = f"apt-get install {' '.join(item.packages)}" if item.packages else "what PyPI has not for this Python"
        print(f"dev: skipped {item.left_out}; needs {remedy}", flush=True)


def test(missing: list[Prerequisite], arguments: list[str]) -> int:
    broken = violations()
    for line in broken:
        print(f"layers: {line}", flush=True)
    say_skipped(missing)
    environ = dict(os.environ)
    if "--libraries" in arguments:
        arguments = [*(word for word in arguments if word != "--libraries"), "tests/recorder/test_libraries.py"]
        environ["LEADLINE_TEST_LIBRARIES"] = "all"
    code = subprocess.run([PYTHON, "-m", "pytest", *arguments], check=False, env=environ).returncode
    return code or (1 if broken else 0)

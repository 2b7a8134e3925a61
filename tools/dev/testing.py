"""./dev test: the layer check, then pytest, and last what was skipped for want of a package.

--fast, --ci, --all: another tier of tests (docs/how-it-works/testing.md), which pytest learns from LEADLINE_TIER.
--ci also: a test that fails by chance does not refuse the work (chance.py).
-n N: so many workers instead of one per core, at most MOST_WORKERS; 0 for none.
What each test took is left in build/logs/tests.xml (tests/costs.py).
--libraries: every release of every MPI library instead, which writes the table of docs/reference/libraries.md.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from dev import chance
from dev.layers import violations
from dev.paths import LOGS, PYTHON
from dev.prerequisites import Prerequisite

TIERS = {"--ci": "ci", "--fast": "fast", "--all": "full"}  # beside another, --ci only says how failures are told
MOST_WORKERS = 4  # each test starts several ranks
# With these a person wants one process: the debugger, uncaptured output, the first failure, their own number.
ALONE = ("--pdb", "--trace", "-s", "--capture=no", "-x", "--exitfirst", "-n", "--numprocesses")


def say_skipped(missing: list[Prerequisite]) -> None:
    for item in missing:
        remedy = f"apt-get install {' '.join(item.packages)}" if item.packages else "what PyPI has not for this Python"
        print(f"dev: skipped {item.left_out}; needs {remedy}", flush=True)


def workers(arguments: Sequence[str]) -> list[str]:
    """pytest's option for as many workers as there are cores; none for a single file or test."""
    one_process = any(word.startswith(ALONE) for word in arguments)
    files = [word for word in arguments if not word.startswith("-")]
    single = len(files) == 1 and ".py" in files[0]
    count = min(len(os.sched_getaffinity(0)), MOST_WORKERS)
    return [] if one_process or single or count < 2 else ["-n", str(count)]


def test(missing: list[Prerequisite], arguments: list[str]) -> int:
    broken = violations()
    for line in broken:
        print(f"layers: {line}", flush=True)
    say_skipped(missing)
    environ = dict(os.environ)
    telling_chance = "--ci" in arguments
    for option, tier in TIERS.items():
        if option in arguments:
            arguments = [word for word in arguments if word != option]
            environ["LEADLINE_TIER"] = tier
    if "--libraries" in arguments:
        arguments = [*(word for word in arguments if word != "--libraries"), "tests/recorder/test_libraries.py"]
        environ["LEADLINE_TEST_LIBRARIES"] = "all"
    arguments = [*workers(arguments), f"--junitxml={LOGS / 'tests.xml'}", *arguments]
    pytest: list[str | Path] = [PYTHON, "-m", "pytest"]
    if telling_chance:
        code = chance.run(pytest, arguments, environ, LOGS)
    else:
        code = subprocess.run([*pytest, *arguments], check=False, env=environ).returncode
    return code or (1 if broken else 0)

"""./dev test: the layer check, then pytest, and last what was skipped for want of a package.

--ci: a test that fails by chance does not refuse the work (chance.py).
--fast, --all: another tier of tests (docs/how-it-works/testing.md), which pytest learns from LEADLINE_TIER.
--libraries: every release of every MPI library instead, which writes the table of docs/reference/libraries.md.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from dev import chance
from dev.layers import violations
from dev.paths import LOGS, PYTHON, ROOT
from dev.prerequisites import Prerequisite

TIERS = {"--fast": "fast", "--all": "full"}


def say_skipped(missing: list[Prerequisite]) -> None:
    for item in missing:
        remedy = f"apt-get install {' '.join(item.packages)}" if item.packages else "what PyPI has not for this Python"
        print(f"dev: skipped {item.left_out}; needs {remedy}", flush=True)


@contextlib.contextmanager
def prepared_beside(environ: Mapping[str, str]) -> Iterator[None]:
    """Compiles while tests leave a core idle; nice, so that they don't notice. See tests/prepare.py."""
    with (LOGS / "preparing.log").open("w") as log:
        process = subprocess.Popen(
            ["nice", "-n", "10", PYTHON, ROOT / "tests" / "prepare.py"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environ,
            start_new_session=True,
        )
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait()


def test(missing: list[Prerequisite], arguments: list[str]) -> int:
    broken = violations()
    for line in broken:
        print(f"layers: {line}", flush=True)
    say_skipped(missing)
    environ = dict(os.environ)
    for option, tier in TIERS.items():
        if option in arguments:
            arguments = [word for word in arguments if word != option]
            environ["LEADLINE_TIER"] = tier
    if "--libraries" in arguments:
        arguments = [*(word for word in arguments if word != "--libraries"), "tests/recorder/test_libraries.py"]
        environ["LEADLINE_TEST_LIBRARIES"] = "all"
    telling_chance = "--ci" in arguments
    arguments = [word for word in arguments if word != "--ci"]
    everything = all(word.startswith("-") for word in arguments) and environ.get("LEADLINE_TIER") != "fast"
    with prepared_beside(environ) if everything else contextlib.nullcontext():
        pytest: list[str | Path] = [PYTHON, "-m", "pytest"]
        if telling_chance:
            code = chance.run(pytest, arguments, environ, LOGS)
        else:
            code = subprocess.run([*pytest, *arguments], check=False, env=environ).returncode
    return code or (1 if broken else 0)

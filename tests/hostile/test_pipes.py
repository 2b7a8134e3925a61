"""A pipe where a command expects a file: nobody writes into it, so that whoever waited for that would wait for ever."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from leadline.launch.explain import keeps_environment_back

LIMIT_S = 60  # only against hanging
COMMANDS = {
    "report": ("report", "PIPE"),
    "page": ("report", "--html", "page.html", "PIPE"),
    "timeline": ("timeline", "PIPE"),
    "compare": ("compare", "PIPE", "PIPE"),
    "export": ("export", "goal", "PIPE", "-o", "exported"),
    "import": ("import", "PIPE", "-o", "imported"),
    "collect": ("collect", "PIPE"),
    "predict": ("predict", "PIPE"),
    "network": ("predict", "run", "--network", "PIPE"),
    "trace to tune for": ("tune", "--trace", "PIPE"),
    "table": ("apply", "PIPE", "--", "true"),
    "program": ("record", "--", "./PIPE"),
    "program to examine": ("doctor", "./PIPE"),
    "program of a rank": ("exec", "./PIPE"),
}
ALL = """
import json, sys
from leadline.__main__ import main
print(json.dumps([main(words) for words in json.loads(sys.argv[1])]))
"""


def test_no_command_waits_for_one(tmp_path: Path) -> None:
    import json

    os.mkfifo(tmp_path / "PIPE", 0o755)
    os.mkfifo(tmp_path / "leadline.toml")
    (tmp_path / "run").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", ALL, json.dumps([*COMMANDS.values()])],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    codes = dict(zip(COMMANDS, json.loads(done.stdout.splitlines()[-1]), strict=True))
    assert {name: code for name, code in codes.items() if code not in (2, 3, 4, 126)} == {}, done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("kind", ["pipe", "large"])
def test_a_script_is_read_as_far_as_it_is_one(kind: str, tmp_path: Path) -> None:
    script = tmp_path / "script"
    if kind == "pipe":
        os.mkfifo(script)
    else:
        script.write_bytes(b"#!/bin/sh\nunset LD_PRELOAD\n")
        assert keeps_environment_back(script) == "unset LD_PRELOAD"
        os.truncate(script, 1 << 40)
    assert keeps_environment_back(script) == ""

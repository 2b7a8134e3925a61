"""Programs that tests start have default dispositions, also where whoever started the tests ignores signals."""

import signal
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ASKS = (
    "import signal; print([signal.getsignal(s) is signal.SIG_DFL for s in (1, 2, 15)], signal.pthread_sigmask(0, []))"
)
# Ignores and blocks as nohup, a shell without job control and a daemon do.
SESSION = f"""
import os, signal, subprocess, sys
{{spoil}}
import signals
signals.let_children_start_afresh()
os.kill(os.getpid(), signal.SIGHUP)  # still ignored here
subprocess.run([sys.executable, "-c", {ASKS!r}], check=True)
"""
SPOIL = "for s in (1, 15): signal.signal(s, signal.SIG_IGN)\nsignal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])"


def test_ignored_signals_are_not_passed_on() -> None:
    words = [sys.executable, "-c", SESSION.format(spoil=SPOIL)]
    done = subprocess.run(words, cwd=HERE, capture_output=True, text=True, timeout=60, check=False)
    # Python catches SIGINT itself wherever it is not ignored.
    assert (done.returncode, done.stdout) == (0, "[True, False, True] set()\n"), done.stderr


def test_this_session_is_one() -> None:
    assert all(signal.getsignal(number) is not signal.SIG_IGN for number in (signal.SIGHUP, signal.SIGINT))

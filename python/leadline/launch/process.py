"""Runs the program with our own standard streams, passes signals on, and waits for it.

The program stays in our process group, so that a terminal's Ctrl-C and Ctrl-Z reach it as they would without us.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
from collections.abc import Callable, Mapping, Sequence

from leadline.errors import CannotStart
from leadline.launch.ignored_signals import to_default

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)  # a sender of these wants the program to end
FORWARDED = (*ENDING, signal.SIGUSR1, signal.SIGUSR2)
# siginfo's si_code of a signal that the kernel sent, as it does for a key on the terminal: the program has it already.
SI_KERNEL = 0x80


def run(
    words: Sequence[str],
    environ: Mapping[str, str],
    *,
    while_waiting: Callable[[], None] | None = None,
    on_signal: Callable[[int], None] | None = None,
) -> int:
    """Run the program. Returns its exit code, or, like a shell, 128 + the signal's number if a signal ended it.

    while_waiting is called several times a second, on_signal with each signal of ENDING that came. Raises CannotStart
    if the program cannot be executed.
    """
    path = resolve(words[0], environ.get("PATH"))
    waited: set[int] = {*FORWARDED, signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, waited)
    try:
        pid = _spawn(path, words, environ, before)
        return _wait(pid, waited, while_waiting, on_signal)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def resolve(word: str, search_path: str | None) -> str:
    """The file that `word` names, as a shell would find it. Raises CannotStart."""
    path = shutil.which(word, path=search_path)
    if path is not None:
        return path
    if "/" in word and os.path.exists(word):
        kind = "is a directory" if os.path.isdir(word) else "is not executable"
        raise CannotStart(f"{word} {kind}", found=True)
    raise CannotStart(f"{word or repr(word)}: command not found", found=False)


def _spawn(path: str, words: Sequence[str], environ: Mapping[str, str], mask: set[int]) -> int:
    try:
        return os.posix_spawn(path, list(words), dict(environ), setsigmask=mask, setsigdef=to_default())
    except OSError as error:
        if error.errno == errno.ENOEXEC and _is_text(path):  # a script without "#!", which a shell runs itself
            words = ["sh", path, *words[1:]]
            return os.posix_spawn("/bin/sh", words, dict(environ), setsigmask=mask, setsigdef=to_default())
        raise cannot_start(words[0], path, error) from error


def cannot_start(word: str, path: str, error: OSError) -> CannotStart:
    """Why the system refuses to execute `path`, which `word` named."""
    if error.errno == errno.ENOEXEC:
        from leadline.launch.explain import judge_word  # reads executables: slow to import, and rarely needed

        verdict = judge_word(path)
        if verdict.answer == "no":
            return CannotStart(verdict.reason, found=True, hint=verdict.hint)
    return CannotStart(f"{word}: {error.strerror}", found=True)


def _is_text(path: str) -> bool:
    with open(path, "rb") as file:
        return b"\0" not in file.read(128)


def _wait(
    pid: int,
    waited: set[int],
    while_waiting: Callable[[], None] | None,
    on_signal: Callable[[int], None] | None,
) -> int:
    def take(limit_s: float) -> bool:
        # Interrupted (stopped, continued) just as the time is over, Python returns what was in memory, not a signal.
        info = signal.sigtimedwait(waited, limit_s)
        if info is None:
            return False
        if info.si_signo in FORWARDED and info.si_code != SI_KERNEL and not finished:
            os.kill(pid, info.si_signo)
        if info.si_signo in ENDING and on_signal is not None:
            on_signal(info.si_signo)
        return info.si_signo in waited

    finished = 0
    while True:
        finished, status = os.waitpid(pid, os.WNOHANG)
        if finished:
            while take(0):  # Ctrl-C reached both of us, and the program ended first
                pass
            code = os.waitstatus_to_exitcode(status)
            return 128 - code if code < 0 else code
        take(0.2)
        if while_waiting is not None:
            while_waiting()

"""leadline-exec, the native launcher of ranks (src/exec), and what it leaves to Python.

`leadline exec` becomes leadline-exec before it imports anything else: on every rank of a large job, each module is some
file calls. leadline-exec starts `leadline exec` again, and names the part in LEADLINE_EXEC_PART, if it cannot do the
whole itself, or to have a keeper on the node.
"""

from __future__ import annotations

import os
import sys

PART = "LEADLINE_EXEC_PART"


def become(arguments: list[str]) -> None:
    """Become leadline-exec, or what it started us for. Returns if Python's `leadline exec` is to run."""
    part = os.environ.pop(PART, None)
    if part == "keeper":
        from leadline.launch import keeper

        keeper.go_on(*arguments)
    elif part is None:
        _become_native(arguments)


def _become_native(arguments: list[str]) -> None:
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = os.path.join(package, "lib", "leadline-exec")
    if not os.access(path, os.X_OK):
        return
    import _signal  # type: ignore[import-not-found]  # built in; `signal` is a dozen files

    from leadline.cli.own_locale import forget_own_locale
    from leadline.launch.ignored_signals import to_default

    forget_own_locale()
    ours = _own_words()
    before = {number: _signal.signal(number, _signal.SIG_DFL) for number in to_default()}
    try:
        os.execv(path, ["leadline-exec", f"--python-words={len(ours)}", *ours, *arguments])
    except OSError:
        for number, handler in before.items():
            _signal.signal(number, handler)


def _own_words() -> list[str]:
    """What starts this command, without its arguments: the interpreter and its options, and our script or module."""
    words = sys.orig_argv[: len(sys.orig_argv) - len(sys.argv) + 1]
    if words[-1] == sys.argv[0]:
        words[-1] = os.path.abspath(words[-1])
    return [sys.executable, *words[1:]]

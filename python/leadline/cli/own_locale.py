"""What Python changes in our environment before any of our code runs, and programs must not get."""

from __future__ import annotations

import os


def forget_own_locale() -> None:
    """Takes LC_CTYPE out of the environment of the programs that we start, if it was Python that put it there.

    In the locale "C", Python sets it to "C.UTF-8" for itself and its children (PEP 538). A program would then read and
    write text in another encoding than without us.
    """
    if "LC_CTYPE" not in os.environ:
        return
    try:
        with open("/proc/self/environ", "rb") as file:  # as it was when this process began
            given = file.read().split(b"\0")
    except OSError:
        return
    if not any(variable.startswith(b"LC_CTYPE=") for variable in given):
        del os.environ["LC_CTYPE"]

"""`leadline` and `python -m leadline`: runs the command and turns a failure into a message and an exit code."""

from __future__ import annotations

import atexit
import errno
import gc
import os
import sys

from leadline import isolated
from leadline.errors import LeadlineError, UsageError

TYPE_CHECKING = False  # `typing` itself is two dozen files, which `leadline exec` would open on every rank
if TYPE_CHECKING:
    from typing import NoReturn


def main(arguments: list[str] | None = None) -> int:
    gc.disable()  # modules being imported leave no garbage; the command's file turns collection on again
    from leadline.cli import command

    try:
        return command.main(sys.argv[1:] if arguments is None else arguments)
    except LeadlineError as error:
        if not error.silent:
            _say(str(error))
            if error.hint:
                _say(error.hint)
        return error.exit_code
    except OSError as error:  # a full disk, a file that vanished: the system's words say more than a traceback
        _say(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}")
        return UsageError.exit_code if error.errno == errno.ENAMETOOLONG else LeadlineError.exit_code


def _say(text: str) -> None:
    from leadline.cli.saying import say

    say(text)


def run() -> NoReturn:
    """Run the command and end the process.

    Python takes about 5 ms to take down its modules, which every user who records a program would pay.
    """
    if sys.argv[1:2] == ["exec"]:
        from leadline.cli import native_exec  # imports nothing that the working directory could have

        native_exec.become(sys.argv[2:])
    isolated.leave_working_directory_out()
    from leadline.cli.own_locale import forget_own_locale
    from leadline.cli.pipes import drop_what_nobody_reads
    from leadline.text.printing import guard

    forget_own_locale()
    drop_what_nobody_reads()
    guard()
    code = main()
    threading = sys.modules.get("threading")
    if threading is None or threading.active_count() == 1:
        try:
            for stream in (sys.stdout, sys.stderr):
                if stream is not None:
                    stream.flush()
        except (OSError, ValueError):
            sys.exit(code)  # Python says what it could not write
        atexit._run_exitfuncs()
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    run()

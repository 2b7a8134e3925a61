"""`leadline` and `python -m leadline`: runs the command and turns a failure into a message and an exit code."""

from __future__ import annotations

import sys

from leadline.errors import LeadlineError


def main(arguments: list[str] | None = None) -> int:
    from leadline.cli import command

    try:
        return command.main(sys.argv[1:] if arguments is None else arguments)
    except LeadlineError as error:
        print(f"leadline: {error}", file=sys.stderr)
        if error.hint:
            print(f"leadline: {error.hint}", file=sys.stderr)
        return error.exit_code
    except OSError as error:  # a full disk, a file that vanished: the system's words say more than a traceback
        print(f"leadline: {error}", file=sys.stderr)
        return LeadlineError.exit_code


if __name__ == "__main__":
    sys.exit(main())

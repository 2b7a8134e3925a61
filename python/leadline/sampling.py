"""Whether the system lets a process sample itself (perf_event_open), which --sample needs."""

from __future__ import annotations

import errno
import os
import platform
import struct

CALL_NUMBERS = {"x86_64": 298, "aarch64": 241, "ppc64le": 319, "riscv64": 241, "s390x": 331}
SOFTWARE, CPU_CLOCK, ADDRESS = 1, 0, 1
# enum perf_event_attr's flags, least significant bit first: exclude_kernel is the sixth, exclude_hv the seventh.
USER_MODE_ONLY = (1 << 5) | (1 << 6)
SIZE = 64  # of the first published version of perf_event_attr
PERIOD_NS = 1_000_000
CLOSE_ON_EXEC = 8


def refusal() -> str:
    """The system's words, with what would help; "" if it allows samples."""
    number = CALL_NUMBERS.get(platform.machine())
    if number is None:
        return f"sampling is not supported on {platform.machine()}"
    attributes = struct.pack("=IIQQQQQ", SOFTWARE, SIZE, CPU_CLOCK, PERIOD_NS, ADDRESS, 0, USER_MODE_ONLY).ljust(
        SIZE, b"\0"
    )
    import ctypes  # not above: a report imports this file, but does not ask

    libc = ctypes.CDLL(None, use_errno=True)
    opened = libc.syscall(
        ctypes.c_long(number),
        ctypes.c_char_p(attributes),
        ctypes.c_int(0),
        ctypes.c_int(-1),
        ctypes.c_int(-1),
        ctypes.c_ulong(CLOSE_ON_EXEC),
    )
    if opened >= 0:
        os.close(opened)
        return ""
    error = ctypes.get_errno()
    return with_help(os.strerror(error), forbidden=error in (errno.EACCES, errno.EPERM))


def with_help(words: str, *, forbidden: bool) -> str:
    """words: the system's.   forbidden: because of who asks, and not because it cannot."""
    text = f"perf_event_open failed: {words}"
    if forbidden:
        text += "; it needs kernel.perf_event_paranoid of 2 or less, or CAP_PERFMON; containers may block it"
    return text

"""The system's ssh: how it is called, and what its failures mean.

Host keys are those that the user's ssh knows. One that is new or has changed is refused, whatever the user's
configuration says, and nothing is added to what is known. No connection of another ssh is used: that may have been made
without looking at the key.
"""

from __future__ import annotations

import re
from pathlib import Path

LOST = 255  # ssh's own exit code: no connection, or none any more
ALIVE_S, MISSED = 5, 3
OPTIONS = (
    *("BatchMode=yes", "StrictHostKeyChecking=yes", "UpdateHostKeys=no", "ControlMaster=no", "ControlPath=none"),
    *("ConnectTimeout=15", f"ServerAliveInterval={ALIVE_S}", f"ServerAliveCountMax={MISSED}", "LogLevel=ERROR"),
    *("ForwardAgent=no", "ForwardX11=no", "ClearAllForwardings=yes", "PermitLocalCommand=no", "RequestTTY=no"),
    *("RemoteCommand=none", "EscapeChar=none", "StdinNull=no", "ForkAfterAuthentication=no"),
)
SAFE = re.compile(r"[A-Za-z0-9 _./@+=:;&|<>{}()*$\"\[\]%,~^#?-]*")  # within single quotes, for every login shell
CHANGED, UNKNOWN = "REMOTE HOST IDENTIFICATION HAS CHANGED", "Host key verification failed"
REFUSED = ("Permission denied", "Bad configuration", "Bad owner or permissions", "Could not resolve hostname")


def words(host: str, config: Path | str | None, script: str) -> list[str]:
    """script: for /bin/sh there, whatever the login shell is."""
    if not SAFE.fullmatch(script):
        raise ValueError(f"not safe in every shell: {script}")
    given = ["-F", str(config)] if config else []
    options = [word for option in OPTIONS for word in ("-o", option)]
    return ["ssh", *given, *options, "--", host, f"exec /bin/sh -c '{script}'"]


def explained(errors: str, host: str) -> tuple[str, bool]:
    """Why there is no connection, in one line; and whether a later attempt may find one."""
    if CHANGED in errors:
        return f"{host}: its host key is another than the known one: not connected", False
    if UNKNOWN in errors or "host key is known" in errors:
        return f"{host}: its host key is unknown here: not connected; look at it once with ssh {host}", False
    said = [line.strip() for line in errors.splitlines() if line.strip()]
    last = said[-1] if said else "the connection was lost"
    return f"{host}: {last}", not any(word in errors for word in REFUSED)

"""What the tests of shared machines do as another user, and what they give to one."""

import importlib
import os
import socket
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

NOBODY, DAEMON = 65534, 1
SECRET = "what only root may read"
HOST = socket.gethostname()[:64]
TABLE = """schema = 1
[[rule]]
operation = "bcast"
processes = [1, 64]
bytes = [1, 1024]
algorithm = "native"
"""


def can_give_files_away() -> bool:
    """Only root can, and not in a container without other users."""
    if os.geteuid() != 0:
        return False
    with tempfile.NamedTemporaryFile() as file:
        try:
            os.chown(file.name, NOBODY, NOBODY)
        except OSError:
            return False
    return True


as_root = pytest.mark.skipif(not can_give_files_away(), reason="files cannot be given to someone else here")


def given_to(user: int, *paths: Path) -> None:
    for path in paths:
        os.chown(path, user, user, follow_symlinks=False)


# Files that steer a program, as others may have prepared them: what is said of each.
OTHERS = {
    "foreign": "owned by another user",
    "writable": "world-writable",
    "group-writable": "group-writable",
    "link": "not a regular file",
    "pipe": "not a regular file",
}


def others_file(kind: str, path: Path, content: bytes) -> Path | None:
    """Makes one of OTHERS. Returns the file that has the content, if there is one."""
    if kind == "pipe":
        os.mkfifo(path)
        return None
    held = path.with_name(f"{path.name}-linked") if kind == "link" else path
    held.write_bytes(content)
    if kind == "link":
        path.symlink_to(held.name)
    elif kind == "writable":
        held.chmod(0o666)
    elif kind == "group-writable":
        give_to_group(held)
    elif can_give_files_away():
        given_to(NOBODY, held)
    else:
        pytest.skip("files cannot be given to someone else here")
    return held


def give_to_group(file: Path) -> None:
    """Another group than the one that is the user's own, whose number is the user's."""
    groups = [group for group in (DAEMON, *os.getgroups(), os.getegid()) if group != os.geteuid()]
    if os.geteuid() != 0:
        groups = [group for group in groups if group in (*os.getgroups(), os.getegid())]
    if not groups:
        pytest.skip("no other group here")
    os.chown(file, -1, groups[0])
    file.chmod(0o664)


def opened_for_all(folder: Path) -> None:
    """Lets other users into the temporary folders of the tests."""
    for each in (folder, *folder.parents):
        if "pytest-of-" in str(each):
            each.chmod(each.stat().st_mode | 0o055)


def as_nobody(action: Callable[[], object]) -> None:
    """Runs the action in a child that has become nobody; fails if it raises."""
    child = os.fork()
    if not child:
        code = 1
        try:
            importlib.import_module("pwd")  # Python itself may lie where only root may enter
            importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            action()
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

"""Who can change a file or a directory. On shared machines, files that others can change are named and not obeyed."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path


def who_else_writes(status: os.stat_result) -> str:
    """Who besides the user and root can change it, as in "it belongs to ann"; "" if nobody."""
    if status.st_uid not in (os.geteuid(), 0):
        return f"owned by {name_of(status.st_uid)}"
    if status.st_mode & stat.S_IWOTH:
        return "world-writable"
    if status.st_mode & stat.S_IWGRP and not _is_own_group(status.st_gid, status.st_uid):
        return f"writable by group {_name_of_group(status.st_gid)}"
    return ""


def why_not_obeyed(path: Path) -> str:
    """Why a file that steers us is not obeyed: others can change it, or put another one in its place; "" if it is.

    Its links are followed, and each may be only the user's or root's.
    """
    try:
        return link_of_others(path) or who_else_writes(path.stat()) or _prefixed(who_else_replaces(path.parent.stat()))
    except OSError as error:
        return f"cannot stat it: {error.strerror}"


def _prefixed(why: str) -> str:
    return why and f"its directory is unsafe: {why}"


def link_of_others(path: Path) -> str:
    """Whose link it is, if it is one that neither the user nor root made; "" otherwise. Raises OSError."""
    status = path.lstat()
    if not stat.S_ISLNK(status.st_mode) or status.st_uid in (os.geteuid(), 0):
        return ""
    return f"symbolic link owned by {name_of(status.st_uid)}"


def who_else_replaces(folder: os.stat_result) -> str:
    """Who besides the user and root can put other files in place of those in a directory; "" if nobody.

    Where it is sticky, as /tmp is, they can only add files of their own.
    """
    if folder.st_mode & stat.S_ISVTX:
        return ""
    return who_else_writes(folder)


def foreign_owner(status: os.stat_result) -> str:
    """The owner's name if that is not the user; "" if it is."""
    return "" if status.st_uid == os.geteuid() else name_of(status.st_uid)


def name_of(user: int) -> str:
    import pwd  # asks the network where users are kept there

    with contextlib.suppress(KeyError):
        return pwd.getpwuid(user).pw_name
    return f"user {user}"


def _is_own_group(group: int, owner: int) -> bool:
    """Whether it is the group that many systems make for each user, of the user's name and with no other member."""
    import grp
    import pwd

    with contextlib.suppress(KeyError):
        user, found = pwd.getpwuid(owner), grp.getgrgid(group)
        return found.gr_name == user.pw_name and set(found.gr_mem) <= {user.pw_name}
    return False


def _name_of_group(group: int) -> str:
    import grp

    with contextlib.suppress(KeyError):
        return grp.getgrgid(group).gr_name
    return str(group)

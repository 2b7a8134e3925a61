"""How the C library gets memory: large pages, and whether what was freed is kept."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from pathlib import Path

from leadline.improve.candidates.asking import Asked, NotTried
from leadline.improve.facts import LONG, Facts
from leadline.improve.setting import HEAP, LARGE_PAGES, Setting
from leadline.text import format as fmt

WHAT = "memory allocation"
KEPT = {"MALLOC_MMAP_THRESHOLD_": str(32 << 20), "MALLOC_TRIM_THRESHOLD_": str(512 << 20)}
PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")
LARGE_PAGES_SINCE = (2, 35)  # of glibc: glibc.malloc.hugetlb


def candidates(facts: Facts, asked: Asked) -> Iterator[Setting | NotTried]:
    name, version = platform.libc_ver()
    if name != "glibc":
        yield NotTried(WHAT, "only settings of glibc are known")
        return
    share = max(facts.computing, facts.messages)
    if facts.largest_message <= LONG:
        yield NotTried(WHAT, f"no message is longer than {fmt.size(LONG)}: nothing tells of large buffers")
        return
    yield Setting(
        "memory-kept",
        "allocation",
        "freed memory is kept by the process",
        "takes more memory where much is freed for good",
        share / 2,
        variables=KEPT,
        memory=HEAP,
    )
    if tuple(int(part) for part in version.split(".")[:2]) < LARGE_PAGES_SINCE:
        yield NotTried("large pages", f"glibc {version} has no setting for them")
    elif "[madvise]" not in _pages():
        yield NotTried("large pages", f"the system gives them to all or to nobody ({_pages() or 'unknown'})")
    else:
        yield Setting(
            "large-pages",
            "large-pages",
            "large pages for what the program allocates",
            "takes more memory where little of a page is used",
            share / 2,
            variables={"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"},
            memory=LARGE_PAGES,
        )


def _pages() -> str:
    try:
        return PAGES.read_text().strip()
    except OSError:
        return ""

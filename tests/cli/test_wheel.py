"""What a wheel consists of needs no new glibc, and no particular Python."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from leadline.launch.recorder import library_path

OLDEST_GLIBC = (2, 17)
# In glibc since long before, with a newer version: moved from other libraries into libc (2.32 to 2.34), or once inline.
MOVED = frozenset("dladdr dlclose dlerror dlopen dlsym dlvsym stat lstat fstat fstatat mknod mknodat".split())
MOVED_PREFIXES = ("pthread_", "sem_", "__isoc23_")


def newer_functions(library: Path) -> Iterator[str]:
    """What a library takes from a libc that is newer than the oldest."""
    with library.open("rb") as file:
        elf = ELFFile(file)
        versions, needs = elf.get_section_by_name(".gnu.version"), elf.get_section_by_name(".gnu.version_r")
        for number, symbol in enumerate(elf.get_section_by_name(".dynsym").iter_symbols()):
            index = versions.get_symbol(number)["ndx"]
            if symbol["st_shndx"] != "SHN_UNDEF" or not isinstance(index, int):
                continue
            version = needs.get_version(index)[1].name
            if version.startswith("GLIBC_") and numbers(version) > OLDEST_GLIBC:
                yield symbol.name


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.removeprefix("GLIBC_").split("."))


@pytest.mark.parametrize("name", ["libleadline.so", "libleadline_shim.so"])
def test_what_is_preloaded_calls_nothing_that_an_old_libc_lacks(name: str) -> None:
    """getrandom(), gettid() and memfd_create() came later: they are called by their numbers."""
    wanted = set(newer_functions(library_path().with_name(name)))
    assert not {f for f in wanted if f not in MOVED and not f.startswith(MOVED_PREFIXES)}


def test_leadline_exec_finds_the_recorder_of_any_python(tmp_path: Path) -> None:
    """A wheel's command is compiled once and installed beside any version."""
    modules = tmp_path / "lib" / "python3.99" / "site-packages" / "leadline" / "lib"
    (tmp_path / "bin").mkdir()
    modules.mkdir(parents=True)
    shutil.copy(library_path(), modules)
    command = shutil.copy(library_path().with_name("leadline-exec"), tmp_path / "bin")
    words = [command, "-o", "run", "printenv", "LD_PRELOAD"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.split(":")[0].strip() == str(modules / "libleadline.so"), done.stderr

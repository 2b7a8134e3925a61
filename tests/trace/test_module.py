"""The native module, as a shared object."""

from __future__ import annotations

from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.enums import ENUM_DT_FLAGS

from leadline import _core


def test_it_can_be_loaded_after_others() -> None:
    """A module that needs static TLS cannot if libstdc++ was loaded before: by `import matplotlib.figure`, say."""
    with Path(_core.__file__).open("rb") as file:
        dynamic = ELFFile(file).get_section_by_name(".dynamic")
        flags = [tag.entry.d_val for tag in dynamic.iter_tags("DT_FLAGS")]
    assert not any(each & ENUM_DT_FLAGS["DF_STATIC_TLS"] for each in flags)

"""Which module of script/sections draws which section: that of the same name."""

from __future__ import annotations

from pathlib import Path

from leadline.registry import file_name
from leadline.report.section import Section


def drawings_in(folder: Path, sections: tuple[Section, ...]) -> dict[str, Path]:
    """By section. Raises ValueError for a section without a file and a file without a section."""
    files = {file.stem: file for file in folder.glob("*.js")}
    wanted = {file_name(section.id): section.id for section in sections if section.in_page}
    if missing := sorted(wanted.keys() - files.keys()):
        raise ValueError(f"missing drawing {folder.name}/{missing[0]}.js (or set `elsewhere`)")
    if left := sorted(files.keys() - wanted.keys()):
        raise ValueError(f"{folder.name}/{left[0]}.js belongs to no section")
    return {wanted[name]: files[name] for name in sorted(wanted)}

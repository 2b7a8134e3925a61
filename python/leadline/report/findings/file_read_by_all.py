"""Several ranks each read the whole of a file."""

from __future__ import annotations

from leadline.report import format as fmt
from leadline.report.content import Content
from leadline.report.files import OTHER_FILES, FileEntry
from leadline.report.finding import Evidence, Rule, at_least

WHOLE = 0.99  # of the file's bytes


def evidence(content: Content) -> Evidence | None:
    """Describes the file from which most was read, among those that several ranks each read completely."""
    files = content.files.files
    most = max(files, key=lambda file: file.own.bytes_read if _readers(file) > 1 else 0, default=None)
    if most is None:
        return None
    return {
        "file": most.file or OTHER_FILES,
        "ranks": _readers(most),
        "size_bytes": most.size_bytes,
        "bytes_read": most.own.bytes_read,
    }


def _readers(file: FileEntry) -> int:
    return sum(rank.fraction_read is not None and rank.fraction_read >= WHOLE for rank in file.ranks)


def sentence(content: Content, found: Evidence) -> str:
    return (
        f"{fmt.plural(found['ranks'], 'rank')} each read all of {found['file']} ({fmt.size(found['size_bytes'])}): "
        f"{fmt.size(found['bytes_read'])} in all."
    )


RULE = Rule(
    id="file-read-by-all",
    order=290,
    severity="notice",
    section="files",
    evidence=evidence,
    sentence=sentence,
    threshold={"ranks": at_least(2), "bytes_read": at_least(1_000_000)},
)

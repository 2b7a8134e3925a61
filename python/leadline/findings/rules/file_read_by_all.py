"""Several ranks each read the whole of a file."""

from __future__ import annotations

from leadline.figures import file_costs
from leadline.figures.content import Content
from leadline.figures.files import OTHER_FILES, FileEntry, FileOnRank
from leadline.findings.finding import About, Evidence, Fact, Rule, at_least
from leadline.text import format as fmt

WHOLE = 0.99  # of the file's bytes


def facts(content: Content) -> Fact | None:
    """Describes the file from which most was read, among those that several ranks each read completely.

    more_than_once_s: the time of these ranks' calls, but for the longest reading. None if that is known not to be what
    the file costs: MPI_File_* may have read it once for all.
    """
    files = content.files.files
    most = max(files, key=lambda file: file.own.bytes_read if len(_readers(file)) > 1 else 0, default=None)
    if most is None or _is_pattern(content, most):
        return None
    readers = _readers(most)
    times = [rank.within.time_s for rank in readers]
    by_mpi = any(rank.mpi.bytes_read for rank in readers)
    again_s = sum(times) - max(times, default=0.0)
    return Fact(
        {
            "file": most.file or OTHER_FILES,
            "ranks": len(readers),
            "size_bytes": most.size_bytes,
            "bytes_read": most.own.bytes_read,
            "more_than_once_s": None if by_mpi else again_s,
            "more_than_once_share": None if by_mpi else content.share(again_s),
        },
        About(files=(most.file,) if most.file else (), ranks=tuple(rank.rank for rank in readers)),
    )


def _readers(file: FileEntry) -> list[FileOnRank]:
    return [rank for rank in file.ranks if rank.fraction_read is not None and rank.fraction_read >= WHOLE]


def _is_pattern(content: Content, file: FileEntry) -> bool:
    """Whether it is already reported by the finding that nearly all ranks read such files, which may name only the
    first."""
    return any(
        entry.name == "read_all_by_all" and (file.file in entry.files or entry.evidence["files"] > len(entry.files))
        for entry in file_costs.costly(content)
    )


def sentence(content: Content, found: Evidence) -> str:
    text = (
        f"{fmt.plural(found['ranks'], 'rank')} each read all of {found['file']} ({fmt.size(found['size_bytes'])}), "
        f"{fmt.size(found['bytes_read'])} in total"
    )
    share = found["more_than_once_share"]
    if share is not None and share >= file_costs.LEAST_SHARE:
        return f"{fmt.percent(share)}: redundant reads. {text}."
    return text + "."


def cost_s(found: Evidence) -> float | None:
    share = found["more_than_once_share"]
    return float(found["more_than_once_s"]) if share is not None and share >= file_costs.LEAST_SHARE else None


RULE = Rule(
    id="file-read-by-all",
    order=290,
    severity="notice",
    section="files",
    facts=facts,
    sentence=sentence,
    threshold={"ranks": at_least(2), "bytes_read": at_least(1_000_000)},
    cost_s=cost_s,
)

"""File I/O takes a noticeable part of the time."""

from __future__ import annotations

from leadline.figures import file_costs
from leadline.figures.content import Content
from leadline.figures.files import OTHER_FILES
from leadline.findings.finding import About, Evidence, Fact, Rule, at_least
from leadline.text import format as fmt
from leadline.wording.files import in_words

ALL = 0.995  # of the time


def facts(content: Content) -> Fact | None:
    """rest_s: in calls that no other finding about files is about. What could be saved of it is unknown."""
    io = content.files
    if not io.files or not content.base_s > 0:
        return None
    # What was read before MPI_Init is not part of the time.
    most = max(io.families, key=lambda family: family.within.time_s)
    within_s = sum(family.within.time_s for family in io.families)
    claimed_s = sum(entry.time_s for entry in file_costs.costly(content))
    return Fact(
        {
            "file": most.files[0].file or OTHER_FILES,
            "files": len(most.files),
            "files_in_all": len(io.files),
            "file_time_s": most.within.time_s,
            "bytes_read": most.within.bytes_read,
            "bytes_written": most.within.bytes_written,
            "transfers": most.within.reads + most.within.writes,
            "time_s": within_s,
            "all_by_mpi": sum(file.mpi.time_s for file in io.files) >= ALL * within_s,
            "share": content.share(within_s),
            "rest_s": max(within_s - claimed_s, 0.0),
            "rest_share": content.share(max(within_s - claimed_s, 0.0)),
        },
        About(files=tuple(file.file for file in most.files if file.file)),
    )


def sentence(content: Content, found: Evidence) -> str:
    moved = [f"{fmt.size(found[f'bytes_{way}'])} {way}" for way in ("read", "written") if found[f"bytes_{way}"]]
    did = f", {' and '.join(moved)} in {fmt.plural(found['transfers'], 'transfer')}" if moved else ""
    by = " in MPI_File_*" if found["all_by_mpi"] else ""
    words, took = in_words(found["file"], found["files"]), f"({fmt.seconds(found['file_time_s'])}{did})"
    on = f", most of it for {words} {took}"
    if found["file_time_s"] <= found["time_s"] / 2:
        on = f" on {fmt.count(found['files_in_all'])} files; the most expensive: {words} {took}"
    return f"{fmt.percent(found['share'])} of the {content.time_of}' time is file I/O{by}{on}."


RULE = Rule(
    id="file-time",
    order=280,
    severity="notice",
    section="files",
    facts=facts,
    sentence=sentence,
    threshold={"share": at_least(0.01)},
    cost_s=lambda found: float(found["rest_s"]) if found["rest_share"] >= file_costs.LEAST_SHARE else None,
)

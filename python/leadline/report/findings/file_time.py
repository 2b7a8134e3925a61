"""File I/O takes a part of the time that can be seen."""

from __future__ import annotations

from leadline.report import format as fmt
from leadline.report.content import Content
from leadline.report.files import OTHER_FILES
from leadline.report.finding import Evidence, Rule, at_least


def evidence(content: Content) -> Evidence | None:
    io = content.files
    if not io.files or not content.base_s > 0:
        return None
    most = io.files[0]
    within_s = io.own.time_s - io.outside.time_s  # what was read before MPI_Init is not part of the time
    return {
        "file": most.file or OTHER_FILES,
        "file_time_s": most.own.time_s,
        "time_s": within_s,
        "share": content.share(within_s),
    }


def sentence(content: Content, found: Evidence) -> str:
    return (
        f"File I/O takes {fmt.percent(found['share'])} of the {content.time_of}' time, most of it on {found['file']} "
        f"({fmt.seconds(found['file_time_s'])})."
    )


RULE = Rule(
    id="file-time",
    order=280,
    severity="notice",
    section="files",
    evidence=evidence,
    sentence=sentence,
    threshold={"share": at_least(0.01)},
)

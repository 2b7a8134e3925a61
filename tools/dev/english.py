"""Words and phrases that this project does not use in its prose, and what to write instead.

Comments, docstrings, messages and pages are checked; changelogs tell history and are not. A phrase comes into the table
after somebody had to read it twice. Most of them are words of another language's order, or a private word where the
field has one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from dev.paths import ROOT
from dev.sentences import texts

# A space stands for any white space, so that a phrase is found across lines, too.
AVOID = {
    r"\ban own\b": "its own",
    r"\banew\b": "again, or a verb: restart, rebalance, rebuild",
    r"\b(is|are|was) said to (be|have)\b": "is reported as",
    r"\bnobody knows\b": "unknown",
    r"\bno (begin|end) belongs to\b": "unmatched",
    r"\b(ms|µs|ns|seconds|[kMG]?B|bytes|calls|messages|samples) an? (rank|step|call|host|process|thread)\b": "per",
    r"\bhas to do( for it)?[.;:]": "falls back to",
    r"\bwhich come last\b": "the remaining",
    r"\bthose have something to do with\b": "that match",
    r"\bWhat is not allowed\b": "name who must not do what",
    r"\bnot there behind\b": "the next library does not provide it",
    r"\bwhich there is not\b|\bthat there is not\b": "does not exist",
    r"\bis none that\b|\bare none that\b": "is not one that",
    r"\bkept from its core\b": "preempted",
    r"\border(s|ed)? their ends\b": "synchronise both ranks",
    r"\bis not known: no\b": "unknown: no",
    r"\b(ways?|times) round (a|the|its) loop\b": "iteration",
    r"\bcan be said in it\b": "a program can",
    r"\bonce more in fresh ones\b": "and then again in fresh launches",
    r"\bhas not the\b|\bhave not the\b": "does not have the",
    r"\bincludes? that wait\b": "All times below include that.",
    r"\bunder which name\b": "name what is recorded",
    r"\bbehind (the recorder|the shim|it provides)\b": "loaded after",
    r"\b(ranks?|processes|threads|cores) an? (host|node|core)\b": "per",
    r"\bstarted again (once|\d+ times)\b": "restarted",
    r"\bwe have to do with\b|\bis to be had\b": "a verb",
    r"\bso many (ranks|bytes|calls|times|iterations) as\b": "as many as",
    r"\bpurely local\b": "local",
    r"\bcalls on files\b": "file calls",
    r"\bmay hold any (figure|value|time|number)\b": "may contain any",
    r"\bmay mean anything\b": "may be invalid",
    r"\bnumbers? that (is|are) none\b": "NaN",
    r"\bas without us\b": "as it would without us",
    r"\bsays it for\b": "name who prints what",
}
# In messages, on top of that: in code a loop may have trips. "independent trips" is a value in JSON, which stays.
AVOID_IN_MESSAGES = {
    r"(?<!round.)(?<!independent.)\btrips?\b": "iteration",
    r"\b(is|are) not known\b|\bnot known\b": "unknown",
    r"\bfolders?\b": "directory",
    r"\bnumbers? of processes\b": "number of ranks",
    r"\bbehind\b": "after",
    # The settled words of docs/how-it-works/sentences.md, where no other sense of the phrase is in use.
    r"\bexactly if\b": "state the rule",
    r"\bas it was\b": "original",
    r"\bthe noise\b": "noise",
    r"\b(ca|do|is|does|are|wo)n[’']t\b": "cannot, do not, is not",
    r"\bpolls? that found nothing\b": "failed poll",
    r"\bclass(es)? of sizes?\b": "size range",
    r"\bat the other end\b": "partner, target",
    r"\btimes as fast\b": "speedup, 1.20×",
    r"\bis not (here|there)\b": "not found",
    r"\bmean of the ranks\b": "mean over ranks",
    r"\ball ranks together\b": "summed over ranks",
    r"\bmade of sends\b": "hand-written",
    r"\binstall leadline again\b": "reinstall Leadline",
    r"\bno memory\b": "out of memory",
    r"\bthe typical\b|\btypical time\b": "median",
    r"\bchains? of routines\b": "call path",
    r"\bis expected\b|\bmust look like\b": "expected X, got Y",
    r"\band the like\b": "and related calls, or name them",
    r"\bends? early\b": "truncated",
    r"\bfurther threads\b": "threads other than the first",
    r"\brecordings\b": "runs, or traces",
    r"\brecorded runs?\b": "run",
    r"\bleft out\b": "omitted, skipped",
    r"\bthe library's (defaults?|own(?= in\b|[.,;:]|$))\b": "the library default",
    r"\btime of all ranks\b|\ball ranks' time\b": "time summed over ranks",
    r"\bthe mean rank\b": "the mean over ranks",
    r"\bnot clear\b": "within noise, unclear",
    r"\b(some|every)body\b": "another user, all ranks",
    r"\bdoes nothing\b": "has no effect",
    r"\b(have|has) to be\b": "must be",
    r"\bin front of\b": "before",
    r"\bcut off\b": "truncated",
    r"\bas long as (it|they) did\b": "as long as in the run",
    r"\b(samples|calls|messages|bytes) a second\b": "per second",
    r"; allowed:": "; available:",
}
# Names of the same kind.
NAMES = {
    "come_in": "enter_call",
    "Acts": "CallEffects",
    "same_numbers": "similar_counts",
}
PAGES = ("docs", "README.md", "CONTRIBUTING.md")
SOURCES = {
    "python": {".py", ".js"},
    "src": {".cpp", ".hpp", ".c", ".h", ".f90"},
    "parts": {".cpp", ".hpp", ".c", ".h", ".f90", ".py"},
    "workloads": {".cpp", ".hpp", ".c", ".h", ".f90"},
    "tests": {".cpp", ".hpp", ".c", ".h", ".f90", ".py"},
    "benchmarks": {".py"},
    "codegen": {".py"},
    "tools": {".py"},
}
PRODUCT = ("python", "src", "parts", "workloads")  # whose messages users see
Table = list[tuple[re.Pattern[str], str]]

EXEMPT = {Path(__file__), ROOT / "tests" / "test_english.py"}


def _compiled(table: dict[str, str]) -> Table:
    return [(re.compile(phrase.replace(" ", r"\s+"), re.IGNORECASE), instead) for phrase, instead in table.items()]


_AVOID, _IN_MESSAGES = _compiled(AVOID), _compiled(AVOID_IN_MESSAGES)
_NAME = re.compile(rf"\b({'|'.join(NAMES)})\b")
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
_VALUE = re.compile(r"\{[^{}]*\}")  # in a message


def to_avoid() -> list[str]:
    """A line for each phrase of the table that stands in a comment, a message or a page."""
    found = []
    for top in PAGES:
        pages = [ROOT / top] if (ROOT / top).is_file() else sorted((ROOT / top).rglob("*.md"))
        for path in pages:
            found += [_line(path, *each) for each in in_page(path.read_text())]
    for top, suffixes in SOURCES.items():
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix in suffixes and path not in EXEMPT and "from_npm" not in path.parts:
                found += [_line(path, *each) for each in in_source(path)]
    return found


def in_page(text: str) -> Iterator[tuple[int, str, str]]:
    """Line, phrase and what to write instead. Code is left out."""
    blanked = _CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), text)
    yield from _phrases(blanked, 1, _AVOID)


def in_source(path: Path) -> Iterator[tuple[int, str, str]]:
    source = path.read_text()
    product = any(path.is_relative_to(ROOT / top) for top in PRODUCT)
    for line, text, comment in texts(path):
        if " " not in text:
            continue
        yield from _phrases(_CODE.sub("", text), line, _AVOID)
        if product and not comment:
            yield from _phrases(_VALUE.sub("", text), line, _IN_MESSAGES)
    for match in _NAME.finditer(source):
        yield source.count("\n", 0, match.start()) + 1, match[0], NAMES[match[0]]


def _phrases(text: str, first: int, table: Table) -> Iterator[tuple[int, str, str]]:
    for phrase, instead in table:
        for match in phrase.finditer(text):
            yield first + text.count("\n", 0, match.start()), " ".join(match[0].split()), instead


def _line(path: Path, line: int, phrase: str, instead: str) -> str:
    return f'{path.relative_to(ROOT)}:{line}: not "{phrase}", but "{instead}"'

"""Asks an MPI library what it does: starts leadline-probe exactly as the user's program will be started.

There are two kinds of answer. Both concern the requested call itself, and neither depends on timing:
    * traps on the library's routines for the operation (if it has symbols: Open MPI, Intel MPI) show which one ran;
    * a provoked error (MPICH, which has no symbols): a count that differs by one between ranks, which MPICH describes
      with the names of the routines in which it happened.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from leadline.errors import LeadlineError, MissingPrerequisite
from leadline.json_text import parsed
from leadline.launch.executable import inspect
from leadline.launch.launcher import Launcher, find_launcher, with_program, words_for_ranks
from leadline.launch.program import program_word
from leadline.launch.wrappers import command_start, with_variables
from leadline.launchers import srun
from leadline.libraries import LIBRARIES, MpiLibrary, of_file
from leadline.libraries.answers import Answer, Answers, Memory, Point
from leadline.operations import operations
from leadline.runs.execute import execute
from leadline.runs.launch import Launch
from leadline.runs.outcome import Ending
from leadline.tuning.shared import shared_folder, unseen

TIME_LIMIT_S = 60.0
POINT_TIME_LIMIT_S = 2.0  # for each point on top: where ranks share cores one takes far longer than its calls
ERROR_TIME_LIMIT_S = 15.0
HINTS = "file"  # in the plan: with the file that is opened
UNSEEN = "leadline-probe: cannot "  # how a rank begins that sees no plan or can't answer (src/probe/main.cpp)


class ProbeFailed(LeadlineError):
    """The probe did not run to its end under these settings; the message is the library's."""


class ProbeStuck(ProbeFailed):
    """The library started, but messages did not arrive in time."""


@dataclass(frozen=True)
class Subject:
    """The subject of the questions. file: its libmpi. library: None if it is unknown."""

    command: tuple[str, ...]
    launcher: Launcher | None
    file: Path
    library: MpiLibrary | None
    environ: dict[str, str] = field(hash=False)


def probe_path() -> Path:
    """The probe's path. Raises MissingPrerequisite if it was not built."""
    path = Path(__file__).resolve().parents[1] / "lib" / "leadline-probe"
    if not path.is_file():
        raise MissingPrerequisite(f"probe not found: {path}", hint="in a source tree: ./dev build")
    return path


def subject(command: Sequence[str], environ: Mapping[str, str] | None = None) -> Subject:
    """The subject for a command. Raises MissingPrerequisite if the program's MPI library is unknown."""
    environ = dict(os.environ if environ is None else environ)
    launcher = find_launcher(command, environ.get("PATH"))
    path = libmpi_of(command, launcher, environ)
    if path is None:
        word = program_word(command, launcher) or command[0]
        if launcher is None:
            raise MissingPrerequisite(
                f"{word} is neither a known launcher nor an MPI program, so settings cannot be tested before the run",
                hint="name the launcher (-- mpiexec -n 4 ./app), or use --via shim",
            )
        raise MissingPrerequisite(
            f"cannot determine the MPI library of {word}", hint="use --via shim, which detects the library at run time"
        )
    return Subject(tuple(command), launcher, path, of_file(path), environ)


def libmpi_of(command: Sequence[str], launcher: Launcher | None, environ: Mapping[str, str]) -> Path | None:
    """The library that the program, or a script behind this launcher, loads; None if it cannot be told."""
    word = program_word(command, launcher)
    if word is not None and "/" in word:
        word = os.path.abspath(word)  # the loader, asked for its libraries, takes a bare name for a library's
    program = inspect(word, environ.get("PATH")) if word is not None else None
    if program is not None and program.mpi_library.startswith("/"):
        return Path(program.mpi_library).resolve()
    if launcher is None:
        return None
    # Python and scripts load it late: what lies beside the launcher is what its ranks can use.
    root = Path(launcher.path).resolve().parents[1]
    likely = sorted(LIBRARIES, key=lambda library: library.launcher is not launcher.kind)
    files = [root / name for library in likely for name in library.files]
    return next((file.resolve() for file in files if file.exists()), None)


def routines(subject: Subject) -> dict[str, int]:
    """The library's routines that can be watched, and their places in it; {} if its symbols do not show them."""
    pattern = None if subject.library is None else subject.library.routines
    if pattern is None:
        return {}
    found: dict[str, int] = {}
    try:
        with subject.file.open("rb") as file:
            for section in ELFFile(file).iter_sections():
                if isinstance(section, SymbolTableSection):
                    for symbol in section.iter_symbols():
                        is_code = symbol["st_info"]["type"] == "STT_FUNC" and symbol["st_shndx"] != "SHN_UNDEF"
                        if is_code and pattern.match(symbol.name):
                            found[symbol.name] = symbol["st_value"]
    except (ELFError, OSError):
        return {}
    return found


def words_with(subject: Subject, variables: dict[str, str]) -> tuple[list[str], dict[str, str]]:
    """The command with `variables` for every rank, and the environment to start it with."""
    words = list(subject.command)
    preload = variables.get("LD_PRELOAD", "")
    if subject.launcher is not None:
        words = words_for_ranks(words, subject.launcher, variables, preload) if variables else words
    words = with_variables(words, variables, preload) if variables else words
    if subject.launcher is not None and subject.launcher.kind.hands_on:
        return words, dict(subject.environ)
    return words, {**subject.environ, **variables, **srun.environment(subject.environ, variables)}


def ask(
    subject: Subject,
    variables: dict[str, str],
    *,
    points: Sequence[Point] = (),
    named: Sequence[str] = (),
    controls: Sequence[str] = (),
    errant: Mapping[int, dict[str, str]] = MappingProxyType({}),
    eager: int = 0,
    memory: int = 0,
    hints: bool = False,
    limit_s: float = TIME_LIMIT_S,
) -> Answers:
    """Start the probe in the program's place. named: environment variables whose values to report.

    errant: variables for the ranks that send this many bytes more than they should, to provoke an error.
    eager: look for the longest message, up to this many bytes, that is sent before it is received.   memory: see where
    a block of so many bytes comes from.   hints: see those that MPI-IO uses for a file. All without points only.
    limit_s: for a launch, besides the time of points.

    Raises ProbeFailed if the library cannot even be initialised in this way, or messages get stuck.
    """
    watched = routines(subject)
    if watched or not points:
        more = [f"eager {eager}"] if eager else []
        more += [f"memory {memory}"] if memory else []
        more += [HINTS] if hints else []
        return _launch(subject, variables, list(points), "even", watched, named, controls, {}, more, limit_s)
    # One error is all that a launch can take.
    found = Answers()
    for point in points:
        others = errant.get(1 if point.n_bytes % 8 else 8, {})
        answers = _launch(subject, variables, [point], "uneven", {}, named, controls, others)
        found = Answers(answers.size, answers.variables, answers.controls, {**found.points, **answers.points})
    return found


def time_points(subject: Subject, variables: dict[str, str], points: Sequence[Point]) -> dict[Point, list[float]]:
    """Microseconds of an operation by block, as the program would find it. Raises ProbeFailed where any is missing."""
    found = _launch(subject, variables, list(points), "timed", {}, (), (), {})
    times = {point: found.points[point].times_us for point in points if point in found.points}
    missing = [point for point in points if not times.get(point)]
    if missing:
        first = f"{missing[0].operation} of {missing[0].n_bytes} bytes on {missing[0].processes} ranks"
        timed = f"{len(points) - len(missing)} of {len(points)} points"
        raise ProbeFailed(f"the probe timed only {timed} (missing: {first}, ...)")
    return times


def _launch(
    subject: Subject,
    variables: dict[str, str],
    points: list[Point],
    how: str,
    watched: dict[str, int],
    named: Sequence[str],
    controls: Sequence[str],
    errant: Mapping[str, str],
    more: Sequence[str] = (),
    limit_s: float = TIME_LIMIT_S,
) -> Answers:
    """more: lines of the plan."""
    with shared_folder("probe") as folder:
        lines = [f"mpi {_on_a_line(subject.file)}", f"output {_on_a_line(folder / 'said')}"]
        lines += [f"variable {variable}" for variable in named] + [f"control {control}" for control in controls]
        lines += [f"function {offset} {function}" for function, offset in watched.items()]
        lines += [f"{HINTS} {_on_a_line(folder / 'opened')}" if line == HINTS else line for line in more]
        lines += [f"errant {variable} {value}" for variable, value in errant.items()]
        lines += [f"point {point.operation} {point.n_bytes} {point.processes} {how}" for point in points]
        (folder / "plan").write_bytes(os.fsencode("\n".join(lines) + "\n"))
        words, environ = _probe_words(subject, variables, folder / "plan")
        limit = ERROR_TIME_LIMIT_S if how == "uneven" else limit_s + POINT_TIME_LIMIT_S * len(points)
        said, ended = _run(words, environ, limit)
        found = _read(folder)
        for path in sorted(folder.glob("said-errors.*")):
            said += _lines(path.read_text(errors="replace"))
    blind = next((line for line in said if line.startswith(UNSEEN)), None)
    if blind is not None:
        raise ProbeFailed(f"{blind.removeprefix('leadline-probe: ')}: {unseen(folder)}")
    if found.size == 0:
        message = " | ".join(said[:6]) or "(no output)"
        raise ProbeFailed(f"the MPI library fails to start with these settings: {message}")
    if not ended and found.eager is None and any(line.startswith("eager ") for line in more):
        raise ProbeStuck(f"messages of leadline-probe were still on their way after {limit:.0f} s")
    if how == "uneven":
        for rank, text in fatal_errors(said):
            answer = found.points.setdefault(points[0], Answer())
            sends_more = (rank == 0) != operations()[points[0].operation].root_receives  # as in src/probe/main.cpp
            (answer.errors_of_errant if sends_more else answer.errors).append(text)
    return found


def _on_a_line(path: Path) -> str:
    """As read_path in src/probe/plan.cpp reads it."""
    return str(path).replace("\\", "\\\\").replace("\n", "\\n")


def fatal_errors(lines: Sequence[str]) -> list[tuple[int, str]]:
    """Rank and text of errors that ended the job, whatever the communicator's handler: MPICH prints their routines."""
    found: list[tuple[int, list[str]]] = []
    for line in lines:
        begin = re.match(r"Abort\(\d+\) on node (\d+) .*error", line)
        if begin:
            found.append((int(begin[1]), []))
        if found:
            found[-1][1].append(line)
    return [(rank, "\n".join(text)) for rank, text in found]


def _probe_words(subject: Subject, variables: dict[str, str], plan: Path) -> tuple[list[str], dict[str, str]]:
    words, environ = words_with(subject, variables)
    ours = [str(probe_path()), str(plan)]
    if subject.launcher is None:
        return [*words[: command_start(words)], *ours], environ
    launcher = find_launcher(words, subject.environ.get("PATH"))
    if launcher is None:
        return with_program(words, ours), environ
    start = launcher.index + 1
    return [*words[:start], *with_program(words[start:], ours, launcher.kind)], environ


def _run(words: list[str], environ: dict[str, str], limit_s: float) -> tuple[list[str], bool]:
    """The lines it wrote, and whether it ended by itself.

    Ended after limit_s: after an error ranks may wait forever. If a rank says that it can't see the plan, the others
    wait in MPI_Init for it.
    """
    found = execute(Launch("the probe", tuple(words), environ, limit_s=limit_s, merged=True, gives_up_on=UNSEEN))
    if found.ending is Ending.NOT_STARTED:
        raise ProbeFailed(found.reason)
    return found.lines(), found.ending is not Ending.TIMED_OUT


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _read(folder: Path) -> Answers:
    found = Answers()
    for path in sorted(folder.glob("said.*"), key=lambda path: int(path.suffix[1:])):
        for line in path.read_text(errors="replace").splitlines():
            try:
                _take(found, parsed(line))
            except (ValueError, KeyError, TypeError):
                continue  # cut short when the job was ended
    return found


def _take(found: Answers, said: dict[str, Any]) -> None:
    if "variable" in said:
        found.variables.setdefault(said["variable"], said["value"])
    elif "control" in said:
        found.controls.setdefault(said["control"], said["value"])
    elif "memory" in said:
        found.memory = found.memory or Memory(said["mapped"], said["returned"], said["large_pages"])
    elif "hint" in said:
        found.hints.setdefault(said["hint"], said["value"])
    elif "size" in said:
        found.size = said["size"]
    elif "eager" in said:
        found.eager = said["eager"]
        found.copied = said["copied"] if said["copied"] >= -1 else None
    elif "timed" in said:
        timed = found.points.setdefault(Point(said["timed"], said["bytes"], said["processes"]), Answer())
        timed.times_us = [max(pair) for pair in zip(said["us"], timed.times_us or said["us"], strict=True)]
    elif "point" in said:
        answer = found.points.setdefault(Point(said["point"], said["bytes"], said["processes"]), Answer())
        answer.entered += [name for name in said["entered"] if name not in answer.entered]
        if said["error"] is not None:
            (answer.errors_of_errant if said["errant"] else answer.errors).append(said["error"])

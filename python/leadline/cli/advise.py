"""leadline advise: what to change first in a recorded program, and what that gains."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from leadline.cli.reporting import open_run, step_option, working
from leadline.cli.run_argument import run_argument, run_or_newest
from leadline.errors import UsageError
from leadline.text import format as fmt
from leadline.text import printing
from leadline.text.screen import folded
from leadline.text.visible import visible_lines
from leadline.wording.gains import gain_words, signed

if TYPE_CHECKING:
    from leadline.advice import Advice, Check, Proposal

SCHEMA = 1
MOST = 5  # proposals and findings in the terminal's lists
MOST_BESIDE = 3  # proposals beside a measurement


@click.command("advise")
@click.option(
    "--steps",
    type=click.IntRange(min=1),
    metavar="N",
    envvar="LEADLINE_STEPS",
    help="Predict gains for N iterations of the main loop.  [default: as recorded]",
)
@click.option(
    "--network",
    metavar="FILE|PRESET",
    envvar="LEADLINE_NETWORK",
    help="Predict gains on the network of this file, or on a preset, such as gigabit or infiniband-hdr.  "
    "[default: costs as recorded, on one host]",
)
@click.option("--brief", type=click.IntRange(min=1), metavar="N", help="Write proposal N as a page for a colleague.")
@click.option(
    "-o", "--output", metavar="FILE", type=click.Path(dir_okay=False), help="With --brief: FILE instead of the screen."
)
@click.option(
    "--check",
    "after",
    metavar="AFTER",
    type=click.Path(),
    help="Beside the proposals, what the changed program's run in AFTER gained.",
)
@click.option(
    "--artefacts",
    metavar="FOLDER",
    type=click.Path(file_okay=False),
    help="Write files that need no edit of the program: settings of the library, a rank file, hints for MPI-IO.",
)
@click.option("--json", "as_json", is_flag=True, envvar="LEADLINE_JSON", help="Print the advice as JSON.")
@step_option
@run_argument
def command(
    steps: int | None,
    network: str | None,
    brief: int | None,
    output: str | None,
    after: str | None,
    artefacts: str | None,
    as_json: bool,
    step: str | None,
    directory: str | None,
) -> int:
    """Propose what to change in the program of the run in DIR, with what each change would gain.

    By default DIR is the newest run under leadline-runs.

    Each change is made to the recording, which is then replayed. What gains less than 1 % is not proposed.
    """
    if output is not None and brief is None:
        raise UsageError("-o: only --brief writes a file", hint="leadline advise DIR --brief 1 -o FILE.md")
    if brief is not None and as_json:
        raise UsageError("--brief and --json exclude each other")
    if artefacts is not None:
        return _write_artefacts(Path(artefacts), directory, step)
    with working("replaying"):
        run = open_run(run_or_newest(directory), step)
        from leadline import network as networks
        from leadline.advice import advise, check

        given = networks.named(network).network if network else None
        measured = check(run, open_run(Path(after))) if after is not None else None
        found = advise(run, steps=steps or 0, network=given)
    if brief is not None:
        if brief > len(found.proposals):
            raise UsageError(f"--brief {brief}: the run has {fmt.plural(len(found.proposals), 'proposal')}")
        from leadline.advice.brief import page_of

        page = visible_lines(page_of(found, brief, run))
        if output is None:
            sys.stdout.write(page)
        else:
            try:
                Path(output).write_text(page, encoding="utf-8", errors="surrogateescape")
            except OSError as error:
                raise UsageError(f"-o: cannot write {output}: {error.strerror}") from error
        return 0
    if as_json:
        more = {"check": measured.as_data(found)} if measured is not None else {}
        printing.write_json({"schema": SCHEMA, **found.as_data(), **more}, sys.stdout)
        return 0
    screen = printing.console()
    width = screen.width if sys.stdout.isatty() else sys.maxsize
    for line in [*lines_of(found), *(checked(found, measured) if measured is not None else [])]:
        screen.print("\n".join(folded(line, width)), markup=False, highlight=False, soft_wrap=True)
    return 0


def _write_artefacts(folder: Path, directory: str | None, step: str | None) -> int:
    with working("replaying"):
        run = open_run(run_or_newest(directory), step)
        from leadline.advice.artefacts import artefacts_of

        made, not_made = artefacts_of(run)
    try:
        if made:
            folder.mkdir(parents=True, exist_ok=True)
        for each in made:
            (folder / each.file).write_text(visible_lines(each.text), encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise UsageError(f"--artefacts: cannot write into {folder}: {error.strerror}") from error
    for each in made:
        sys.stdout.write(visible_lines(f"{folder / each.file}: {each.what}\n"))
    for missing in not_made:
        sys.stdout.write(visible_lines(f"no {missing.what}: {missing.reason}\n"))
    return 0


def lines_of(found: Advice) -> list[str]:
    lines = []
    for number, proposal in enumerate(found.proposals[:MOST], 1):
        lines += [f"{number}. {gain_words(proposal.gain)}: {proposal.candidate.title}", f"   {proposal.candidate.text}"]
        lines += [f"   if {each}" for each in proposal.candidate.assumes]
    if more := len(found.proposals) - MOST:
        lines += [f"and {fmt.plural(more, 'more proposal')}: --json"] if more > 0 else []
    if not found.proposals:
        lines.append("nothing to propose: no change that can be predicted gains 1 % of the run's time")
    if found.together is not None:
        lines.append(f"all of these together: {gain_words(found.together)}")
    if unsure := found.unsure:
        lines.append("unsure, as the run is too short or too irregular to tell:")
        lines += _each(unsure)
    if nothing := [each for each in found.not_worth_it if each not in unsure]:
        lines.append("not worth it:")
        lines += _each(nothing)
    for candidate, reason in found.refused[:MOST]:
        lines.append(f"gain unknown: {candidate.title}: {reason}")
    if found.unpredicted:
        lines.append("costs whose remedy cannot be predicted yet:")
        lines += [f"   {finding.text} {finding.help}" for finding in found.unpredicted[:MOST]]
    if found.ceiling is not None:
        lines.append(
            f"at most {fmt.percent(max(found.ceiling, 0))} can be gained from communication: "
            f"{_part(found.network)} with a perfect network, {_part(found.balance)} with perfect balance"
        )
    error = f", {fmt.change(1 + found.error)} beside the recording" if found.error is not None else ""
    lines.append(f"shares are of {fmt.seconds(found.seconds)}, the whole run as replayed{error}")
    return lines + found.notes


def checked(found: Advice, measured: Check) -> list[str]:
    """The last lines: what was measured, and the proposals whose interval holds it; phases; where time went."""
    verb = "gained" if measured.gain >= 0 else "lost"
    lines = [
        f"measured: {fmt.seconds(measured.before.seconds)} became {fmt.seconds(measured.after.seconds)}, {verb} "
        f"{fmt.percent(abs(measured.gain))}; one run each does not prove it: leadline compare takes several"
    ]
    for number, proposal in enumerate(found.proposals[:MOST], 1):
        within = "within" if measured.holds(proposal) else "outside"
        line = f"   {number}. predicted {signed(proposal.gain.share)}: measured {within} its interval"
        if factor := measured.unforeseen(proposal):
            line += f"; computation took {fmt.change(factor)}, which the prediction does not have"
        lines.append(line)
    return lines + _by_phase(found, measured) + _by_part(measured)


def _by_phase(found: Advice, measured: Check) -> list[str]:
    """Recorded, predicted, and measured, on average over the ranks."""
    proposals = found.proposals[:MOST_BESIDE]
    names = [name for name, seconds in measured.before.phases.items() if seconds is not None]
    if not names:
        return []
    heads = ["before", *(f"with {number}." for number in range(1, len(proposals) + 1)), "measured"]
    lines = [_row("phase", heads)]
    for name in names:
        columns = [measured.before.phases, *(each.phases_s for each in proposals), measured.after.phases]
        lines.append(_row(name, [_known(each.get(name)) for each in columns]))
    return lines


def _by_part(measured: Check) -> list[str]:
    from leadline.report.json_report import PARTS_OF_TIME

    before, after = measured.before.parts, measured.after.parts
    names = {
        kind: name for kind, name in PARTS_OF_TIME.items() if kind != "startup" and (kind in before or kind in after)
    }
    return [
        _row("a rank's time", ["before", "measured"]),
        *(_row(name, [fmt.seconds(run.get(kind, 0.0)) for run in (before, after)]) for kind, name in names.items()),
    ]


def _row(name: str, cells: list[str]) -> str:
    return f"   {name:16}{''.join(f'{each:>12}' for each in cells)}"


def _known(seconds: float | None) -> str:
    return fmt.seconds(seconds) if seconds is not None else "unknown"


def _part(share: float | None) -> str:
    return fmt.percent(max(share, 0)) if share is not None else "an unknown share"


def _each(proposals: list[Proposal]) -> list[str]:
    return [f"   {gain_words(each.gain)}: {each.candidate.title}" for each in proposals[:MOST]]

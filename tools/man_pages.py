"""Writes the manual pages of leadline and its commands, from what click knows of them: man_pages.py FOLDER.

The build runs it; it needs click only. Pages hold no date, so that two builds give the same bytes.
"""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import MagicMock

import click

PYTHON = Path(__file__).resolve().parents[1] / "python"
EXIT_CODES = "That of the program, if one is run, else 0; docs/reference/exit-codes.md lists Leadline's own."
_UNWRAPPED = "\b"


def pages() -> Iterator[tuple[str, str]]:
    """(name, text) of each page: leadline, leadline-report, leadline-workload-run, …"""
    from leadline import __version__
    from leadline.cli.command import leadline

    yield from _pages(leadline, ["leadline"], None, __version__)


def _pages(
    command: click.Command, words: list[str], parent: click.Context | None, version: str
) -> Iterator[tuple[str, str]]:
    context = command.make_context(words[-1], [], parent=parent, resilient_parsing=True)
    within = list(_within(command, context))
    yield "-".join(words), _page(context, words, within, version)
    for name, each in within:
        yield from _pages(each, [*words, name], context, version)


def _within(command: click.Command, context: click.Context) -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            if found and not found.hidden:
                yield name, found


def _page(context: click.Context, words: list[str], within: list[tuple[str, click.Command]], version: str) -> str:
    command, name = context.command, "-".join(words)
    short = command.get_short_help_str(200).removesuffix(".")
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [f'.TH "{name.upper()}" "1" "" "Leadline {version}" "Leadline"']
    lines += [".SH NAME", f"{_text(name)} \\- {_text(short)}"]
    lines += [".SH SYNOPSIS", f".B {_text(' '.join(words))}", _text(usage)]
    lines += [".SH DESCRIPTION", *_paragraphs(command.help or "")]
    options = [found for each in command.get_params(context) if (found := each.get_help_record(context))]
    if options:
        lines += [".SH OPTIONS", *_listed(options)]
    if within:
        lines += [".SH COMMANDS"]
        lines += _listed([(each, found.get_short_help_str(200)) for each, found in within])
    variables = [(str(each.envvar), f"sets {each.opts[0]}") for each in command.get_params(context) if each.envvar]
    if variables:
        lines += [".SH ENVIRONMENT", *_listed(variables)]
    others = ["-".join(words[:-1])] if len(words) > 1 else [f"{name}-{each}" for each, _ in within]
    lines += [".SH EXIT STATUS", _text(EXIT_CODES)]
    lines += [".SH SEE ALSO", _text(", ".join(f"{other}(1)" for other in others))]
    return "\n".join(lines) + "\n"


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(text.partition("\f")[0])):
        yield ".PP"
        if paragraph.startswith(_UNWRAPPED):
            yield from (".nf", *map(_text, paragraph.removeprefix(_UNWRAPPED).strip("\n").splitlines()), ".fi")
        else:
            yield _text(" ".join(paragraph.split()))


def _listed(records: list[tuple[str, str]]) -> Iterator[str]:
    for term, meaning in records:
        yield from (".TP", f".B {_text(term)}", _text(" ".join(meaning.split())))


def _text(text: str) -> str:
    """As roff prints it: no line begins with a request, and a hyphen stays one that can be copied."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


def main(folder: str) -> None:
    sys.path.insert(0, str(PYTHON))
    sys.modules["leadline._core"] = MagicMock()  # imported by some commands, and not built yet
    for variable in [name for name in os.environ if name.startswith("LEADLINE_")]:
        del os.environ[variable]  # defaults of options are not this machine's
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, text in pages():
        (Path(folder) / f"{name}.1").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])

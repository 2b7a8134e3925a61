"""Every command line of Leadline's that README.md and the pages of docs/ show is one: its command and options exist."""

from __future__ import annotations

import importlib
import itertools
import keyword
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from leadline.cli.command import COMMANDS

ROOT = Path(__file__).parents[2]
PAGES = [
    page
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
    if "decisions" not in page.parts
]
QUOTED = re.compile(r"`([^`]+)`")
# What a launcher starts, with everything that follows, is no word of ours.
PLACEHOLDER = re.compile(r"[…|\[\]]")


def commands_of(text: str) -> Iterator[str]:
    """In code blocks, and in the running text between backticks, where an option is named."""
    fenced = False
    block = ""
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            block += line.strip()
            if block.endswith("\\"):
                block = block[:-1]
                continue
            yield from _of_line(block)
        else:
            for quoted in QUOTED.findall(line):
                yield from _of_line(quoted)
        block = ""


def _of_line(line: str) -> Iterator[str]:
    """From a `leadline` that begins a command on: after a launcher with its options, or variables."""
    line = re.split(r"\s{2,}|\s#\s|;| && | > |/\*", line.strip())[0]
    found = re.match(r"(?:[A-Z_]+=\S+ )*(leadline(?:-exec)? .+)$", line)
    if found is None:
        found = re.search(r"(?:^|\s)(?:mpiexec|mpirun|srun|aprun|jsrun)\b.*?\s(leadline(?:-exec| exec) .+)$", line)
    if found:
        yield found[1].rstrip(".,:")


def command_named(words: list[str]) -> tuple[click.Command, list[str]] | None:
    """The command, below its groups, and the words after its name; None: there is no such command."""
    if words[0] == "leadline-exec":
        words = ["leadline", "exec", *words[1:]]
    name = words[1]
    if name not in COMMANDS:
        return None
    found: click.Command = importlib.import_module(f"leadline.cli.{name}{'_' * keyword.iskeyword(name)}").command
    rest = words[2:]
    while isinstance(found, click.Group) and rest and rest[0] in found.commands:
        found, rest = found.commands[rest[0]], rest[1:]
    return found, rest


def unknown_options(command: click.Command, words: list[str]) -> list[str]:
    known = {option for param in command.params if isinstance(param, click.Option) for option in param.opts}
    known |= {option for param in command.params for option in param.secondary_opts} | {"--help", "-h"}
    ours = list(itertools.takewhile(lambda word: word != "--", words))
    if command.name == "exec":  # the program and its own options follow without "--"
        ours = list(itertools.takewhile(lambda word: not word.startswith(("./", "python")), ours))
    given = [PLACEHOLDER.split(word)[0].rstrip(",.") for word in ours if re.match(r"-{1,2}[a-zA-Z]", word)]
    return [word for word in given if (word.split("=")[0] if word.startswith("--") else word[:2]) not in known]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_pages_commands_exist_with_their_options(page: Path) -> None:
    wrong = []
    for line in commands_of(page.read_text()):
        try:
            words = shlex.split(line.replace("[", "").replace("]", ""))
        except ValueError:
            words = line.split()
        if len(words) < 2 or not re.fullmatch(r"[a-z_-]+", words[1]):
            continue  # `leadline -h`, `leadline …`
        found = command_named(words)
        if found is None:
            wrong.append(f"{line}: no such command")
        elif unknown := unknown_options(*found):
            wrong.append(f"{line}: no such option: {', '.join(unknown)}")
    assert wrong == []


def test_commands_are_found() -> None:
    found = [line for page in PAGES for line in commands_of(page.read_text())]
    assert len(found) > 200
    assert "leadline run -- mpiexec -n 64 ./model input.nml" in found


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("    leadline report DIR --all    # tables\n", ["leadline report DIR --all"]),
        ("    mpiexec -n 4 leadline-exec -o s ./app       # or\n", ["leadline-exec -o s ./app"]),
        ("Say `leadline record -o DIR -- COMMAND`, or `A=1 leadline run -- x`.\n", 2),
        ("    leadline tune \\\n        -o t.toml\n", ["leadline tune -o t.toml"]),
        ("    leadline: recording to x\n\nleadline says\n", []),
    ],
)
def test_a_pages_text_is_read(text: str, commands: list[str] | int) -> None:
    found = list(commands_of(text))
    assert found == commands if isinstance(commands, list) else len(found) == commands


def test_what_does_not_exist_is_noticed() -> None:
    def unknown(line: str) -> list[str]:
        found = command_named(line.split())
        assert found is not None
        return unknown_options(*found)

    assert command_named(["leadline", "nosuch"]) is None
    assert unknown("leadline report DIR --al") == ["--al"]
    assert unknown("leadline run --all -- mpiexec -n 4 ./app") == ["--all"]
    assert unknown("leadline exec --nosuch ./app --their") == ["--nosuch"]
    assert unknown("leadline workload run opatm --nosuch") == ["--nosuch"]

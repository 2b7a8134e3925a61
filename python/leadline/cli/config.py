"""leadline config: prints where the files are that programs are built with, and sets up a shell's completion."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from leadline.text.printing import write_path

INCLUDE = Path(__file__).resolve().parents[1] / "include"


@click.command("config")
@click.option("--include-dir", "what", flag_value="include-dir", help="Print the directory of leadline.h (C, C++).")
@click.option("--cflags", "what", flag_value="cflags", help="That directory as a compiler option.")
@click.option(
    "--fortran",
    "what",
    flag_value="fortran",
    help="Print the path of the Fortran module's source; compile it with your program.",
)
@click.option(
    "--segments", "what", flag_value="segments", help="Print the directory of the message-packing library's sources."
)
@click.option(
    "--fieldio", "what", flag_value="fieldio", help="Print the directory of the parallel field I/O library's sources."
)
@click.option(
    "--recorder", "what", flag_value="recorder", help="Print the path of the recorder library (for LD_PRELOAD)."
)
@click.option(
    "--completion",
    is_flag=False,
    flag_value="",
    default=None,
    type=click.Choice(["", "bash", "zsh", "fish"]),
    metavar="[bash|zsh|fish]",
    help="Install shell completion for $SHELL; --completion bash (or zsh, fish) prints the script instead.",
)
def command(what: str | None, completion: str | None) -> int:
    """Print paths and compiler options for building with Leadline, e.g. cc $(leadline config --cflags) app.c"""
    from leadline.compiled_in import sources
    from leadline.launch.recorder import library_path

    if completion is not None:
        return _complete(completion)

    known = {
        "include-dir": str(INCLUDE),
        "cflags": f"-I{INCLUDE}",
        "fortran": str(INCLUDE / "leadline.f90"),
        "segments": str(sources("segments")),
        "fieldio": str(sources("fieldio")),
        "recorder": str(library_path()),
    }
    if what is not None:
        write_path(known[what])
    else:
        for name, value in known.items():
            print(f"{name:12} {value}")
    return 0


def _complete(shell: str) -> int:
    from leadline.cli import completion

    if shell:
        sys.stdout.write(completion.script(shell))
        return 0
    for line in completion.install(os.environ):
        print(line)
    return 0

"""leadline import: an archive that another tool recorded, as a run."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from leadline.cli.reporting import working
from leadline.cli.saying import say
from leadline.errors import UsageError
from leadline.text import sizes

BYTES_OF_TIMES = 1.25  # of a call, as the recorder counts them (src/recorder/memory/budgets.cpp)


@click.command("import")
@click.option("-o", "--output", "output", metavar="RUN", required=True, help="Directory for the run; must not exist.")
@click.option(
    "--series",
    metavar="SIZE|N|all|none",
    envvar="LEADLINE_IMPORT_SERIES",
    default="all",
    show_default=True,
    help="Call times to keep per thread: SIZE (e.g. 64MB), a number of calls, all, or none.",
)
@click.argument("path", metavar="PATH")
def command(path: str, output: str, series: str) -> int:
    """Turn the OTF2 archive at PATH into a run, on which every other command works.

    PATH is the archive's *.otf2 file or the directory that contains it, as Score-P, EZTrace and leadline export write
    it.
    """
    from leadline.interchange.importing import import_archive
    from leadline.run_directory import describe, write_description

    target = Path(output)
    if target.exists() or target.is_symlink():
        raise UsageError(f"{target} already exists; choose a new directory", hint="-o NEWDIR")
    kept = _series(series)
    try:
        target.mkdir(mode=0o755)  # whatever the umask: others must not be able to add traces
    except OSError as error:
        raise UsageError(f"cannot create {target}: {error.strerror}", hint="-o NEWDIR") from error
    try:
        with working("importing"):
            imported = import_archive(Path(path), target, kept)
        description = describe([], state="imported", imported_from=str(imported.anchor), creator=imported.creator)
        description["lacks"] = [vars(lack) for lack in imported.lacks]
        write_description(target, description)
    except BaseException:
        shutil.rmtree(target, ignore_errors=True)
        raise
    for lack in imported.lacks:
        say(f"import: {lack.message}")
    processes = f"{imported.processes:,} process{'' if imported.processes == 1 else 'es'}"
    say(f"{target}: {processes}, {imported.calls:,} calls")
    return 0


def _series(text: str) -> int | None:
    """Times of calls that are kept; None: all. Raises UsageError."""
    if text in ("all", "none"):
        return None if text == "all" else 0
    n_bytes = sizes.parse(text)
    if n_bytes is None or not (sizes.has_unit(text) or isinstance(n_bytes, int)):
        raise UsageError(f"--series {text}: expected a size (64MB), a number of calls, all, or none")
    return int(n_bytes / BYTES_OF_TIMES) if sizes.has_unit(text) else int(n_bytes)

"""Archives for the way there and back. One that comes back was made by a machine that may be anybody's."""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Sequence
from pathlib import Path

from leadline.errors import MeasurementFailed

LEFT_OUT = (".git", ".hg", ".svn", "leadline-campaigns", "leadline-runs")
MOST_FILES, MOST_BYTES = 1 << 20, 1 << 38
NAME_LETTERS = 24


def packed(root: Path, names: Sequence[str], into: Path, *, without: Path | None = None) -> Path:
    """A compressed archive of what is named in root, called after its content.   without: a folder that is left out."""
    into.mkdir(parents=True, exist_ok=True)
    out = without.resolve() if without is not None else None

    def kept(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
        name = os.path.basename(entry.name)
        if name in LEFT_OUT or not (entry.isfile() or entry.isdir() or entry.issym() or entry.islnk()):
            return None
        if entry.isdir() and out is not None and (root / entry.name).resolve() == out:
            return None
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        entry.mtime = int(entry.mtime)
        return entry

    with (
        tempfile.NamedTemporaryFile(dir=into, delete=False) as file,
        gzip.GzipFile(fileobj=file, filename="", mode="wb", mtime=0, compresslevel=6) as stream,
        tarfile.open(fileobj=stream, mode="w", format=tarfile.GNU_FORMAT) as archive,
    ):
        for name in names:
            archive.add(root / name, arcname=name, filter=kept)
    digest = hashlib.sha256(Path(file.name).read_bytes()).hexdigest()
    place = into / f"{digest[:NAME_LETTERS]}.tar.gz"
    os.replace(file.name, place)
    return place


def unpacked(archive: Path, into: Path) -> None:
    """Its plain files, in a new directory; links and devices are left out. Raises MeasurementFailed for one that would
    write elsewhere, or is damaged."""
    into.mkdir(parents=True)
    total = 0
    try:
        with gzip.open(archive) as stream, tarfile.open(fileobj=stream, mode="r:") as content:
            for number, entry in enumerate(content):
                parts = Path(entry.name).parts
                if entry.isdir() and not parts:
                    continue
                total += entry.size
                if ".." in parts or entry.name.startswith("/") or number > MOST_FILES or total > MOST_BYTES:
                    raise MeasurementFailed(f"what came back is not what a run leaves: {entry.name[:80]!r}")
                if entry.isdir():
                    (into / entry.name).mkdir(parents=True, exist_ok=True)
                elif entry.isfile():
                    _written(content, entry, into / entry.name)
            while stream.read(1 << 20):  # to its end, where its checksum is
                pass
    except (OSError, EOFError, ValueError, tarfile.TarError, zlib.error) as error:
        raise MeasurementFailed(f"what came back is damaged: {error}") from error


def _written(content: tarfile.TarFile, entry: tarfile.TarInfo, place: Path) -> None:
    source = content.extractfile(entry)
    assert source is not None
    place.parent.mkdir(parents=True, exist_ok=True)
    with source, open(place, "xb") as out:
        shutil.copyfileobj(source, out)

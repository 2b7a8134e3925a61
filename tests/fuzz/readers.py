"""Everything that reads what others may have written, as samples: each makes a damaged input and uses all of it."""

from __future__ import annotations

import contextlib
import io
import json
import lzma
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import kept_builds

import leadline
from leadline import _core
from leadline.advice import advise, check
from leadline.anonymise import anonymise
from leadline.campaign import reading as campaign_file
from leadline.campaign.journal import Journal
from leadline.cli.advise import checked, lines_of
from leadline.cli.timeline import drawn
from leadline.compare.opening import open_subject
from leadline.errors import LeadlineError
from leadline.figures.run import open_run
from leadline.interchange import FORMATS, Selection, exporter
from leadline.network import file as network_file
from leadline.profiles import read as read_profile
from leadline.report import open_report
from leadline.report.page import page
from leadline.symbols.resolve import Symbolizer
from leadline.tables import TABLES
from leadline.text.printing import console, write_json
from leadline.toml import load
from leadline.tuning import table as tuning_table

from . import native_readers as native
from .limits import Sample
from .mutation import damaged, damaged_chunks, damaged_words

HERE = Path(__file__).parent
CORPUS = HERE / "corpus"
PROFILES = HERE.parent / "profiles" / "data"
MOST_CALLS = 2000
RECORDED = ("exported", "features", "files", "one_sided", "sampled")


@dataclass(frozen=True)
class Reader:
    """normal: how many samples CI has; the normal tier has a third.   full: the full tier's.   needs: see missing()."""

    name: str
    sample: Sample
    normal: int
    full: int
    needs: str = ""


def _copy(run: str, folder: Path) -> Path:
    return Path(shutil.copytree(CORPUS / run, folder / "run"))


def _everything(path: Path) -> None:
    """What the commands make of a run."""
    found = open_report(path)
    write_json(found.data, io.StringIO())
    page(found.data)
    found.print_summary(console(file=io.StringIO(), width=100))
    found.print(console(file=io.StringIO(), width=100), all_sites=True)


def trace(folder: Path, random: Random) -> None:
    """The figures of one process, and each of its calls."""
    run = random.choice(RECORDED)
    path = random.choice(sorted((CORPUS / run).glob("*.trace")))
    (folder / path.name).write_bytes(
        random.choice((damaged_chunks, damaged_chunks, damaged))(path.read_bytes(), random)
    )
    for shared in (CORPUS / run).glob("*.structure"):
        shutil.copy(shared, folder)
    _decode(folder / path.name)


def structure(folder: Path, random: Random) -> None:
    run = random.choice([name for name in RECORDED if [*(CORPUS / name).glob("*.structure")]])
    for path in (CORPUS / run).iterdir():
        data = path.read_bytes()
        (folder / path.name).write_bytes(damaged_chunks(data, random) if path.suffix == ".structure" else data)
    for path in sorted(folder.glob("*.trace")):
        _decode(path)


def live(folder: Path, random: Random) -> None:
    """The memory of a killed process."""
    data = bytearray(_live())
    used = [at for at in range(0, len(data), 4096) if any(data[at : at + 64])]
    for _ in range(random.randint(1, 6)):
        at = random.choice(used) + random.randrange(512) * 8
        data[at : at + 8] = (damaged(bytes(data[at : at + 8]), random) + bytes(8))[:8]
    path = folder / "node1-16885.live"
    path.write_bytes(data)
    _decode(path)


_kept: dict[str, bytes] = {}


def _live() -> bytes:
    if "live" not in _kept:
        _kept["live"] = lzma.decompress((CORPUS / "killed" / "node1-16885.live.xz").read_bytes())
    return _kept["live"]


def _decode(path: Path) -> None:
    try:
        process = _core.open_process(str(path))
    except _core.TraceError:
        return
    profile = _core.Profile()
    profile.add(process)
    for summary in profile.processes:
        for name in dir(summary):
            if not name.startswith("_") and not callable(getattr(summary, name)):
                repr(getattr(summary, name))
        summary.files()
    for thread in range(min(process.threads, 4)):
        process.sites(thread), process.locals(thread), process.poll_runs(thread)
        for number, _ in enumerate(process.calls(thread)):
            if number > MOST_CALLS:
                break


def report(folder: Path, random: Random) -> None:
    """All that the report says of a run with one damaged trace."""
    path = _copy(random.choice(RECORDED), folder)
    file = random.choice(sorted(path.glob("*.trace")))
    file.write_bytes(damaged_chunks(file.read_bytes(), random))
    _everything(path)


def timeline_and_tables(folder: Path, random: Random) -> None:
    path = _copy(random.choice(RECORDED), folder)
    file = random.choice(sorted(path.glob("*.trace")))
    file.write_bytes(damaged_chunks(file.read_bytes(), random))
    run = open_run(path)
    with contextlib.suppress(LeadlineError):
        drawn(run, random.choice(("typical", "slowest", "output")), None, 100)
    recording = leadline.open(path)
    for table in TABLES:
        with contextlib.suppress(LeadlineError):
            getattr(recording, table.id)().to_csv(io.StringIO())


def advice(folder: Path, random: Random) -> None:
    """What changes gain, and what a second run gained: of the same program, or of another one."""
    path, other = _copy(random.choice(RECORDED), folder), CORPUS / random.choice(RECORDED)
    file = random.choice(sorted(path.glob("*.trace")))
    file.write_bytes(damaged_chunks(file.read_bytes(), random))
    before, after = (path, other) if random.random() < 0.5 else (other, path)
    run = open_run(before)
    found, measured = advise(run), check(run, open_run(after))
    write_json({**found.as_data(), "check": measured.as_data(found)}, io.StringIO())
    [*lines_of(found), *checked(found, measured)]


def exports(folder: Path, random: Random) -> None:
    path = _copy(random.choice(RECORDED), folder)
    file = random.choice(sorted(path.glob("*.trace")))
    file.write_bytes(damaged_chunks(file.read_bytes(), random))
    run = open_run(path)
    name = random.choice([name for name in FORMATS if name not in ("otf2", "parquet")])
    exporter(name)(Selection(run, tuple(run.order)), folder / "out")


def descriptions(folder: Path, random: Random) -> None:
    """run.json, job.json and symbols.json, with a whole run."""
    path = _copy("exported", folder)
    good = {
        "run.json": {
            "schema": 1, "leadline": "0.1.0", "state": "finished", "command": ["mpiexec", "-n", "2", "./model", "12"],
            "directory": "/tmp", "host": "node1", "start": "2026-11-26T09:15:03+0000", "duration_s": 1.5,
            "launcher": {"kind": "hydra", "path": "/usr/bin/mpiexec", "version": "4.0.2"}, "exit_code": 143,
            "machine": {"cpu": "x", "cores": 2, "kernel": "6", "threads": {"OMP_NUM_THREADS": "1"}},
            "signals": ["SIGTERM"], "signalled_s": 1.0, "end_unix_ns": 1764148504000000000, "timed_out": True,
            "lacks": [{"code": "x", "amount": 1, "message": "m"}],
        },
        "job.json": {
            "job": "hydra-node1-15497", "name": "hydra-node1-15497", "host": "node1",
            "batch": {"system": "slurm", "id": "12", "partition": "short", "nodes": "n1", "restarts": "0",
                      "array_job": "1", "array_task": "2", "end_time": "1764148504"},
        },
        "symbols.json": _symbols(path),
    }  # fmt: skip
    name = random.choice([*good])
    for each, content in good.items():
        data = json.dumps(content, indent=1).encode()
        if each == name:
            data = random.choice((damaged_words, damaged_words, damaged))(data, random)
        (path / each).write_bytes(data)
    _everything(path)


def _symbols(path: Path) -> dict[str, Any]:
    module = "/tmp/fuzz/model"
    build_id = next((m.build_id for m in open_run(path).profile.modules if m.path == module), "")
    row = ["main", "main", "model.c", 12, 0]
    frames = {f"{offset:x}": [row] for offset in range(0x1100, 0x1800)}
    return {"schema": "leadline.symbols/1", "modules": [{"path": module, "build_id": build_id, "frames": frames}]}


TUNING = b"""schema = 1

[evidence]
library = "MPICH 4.0.2"
processes = [2, 4]

[[rule]]
operation = "bcast"
processes = [2, 4]
bytes = [1024, 65536]
algorithm = "binomial"
segment_bytes = 0
evidence = {low = 1.2, median = 1.5, high = 1.9}
"""


def tuning(folder: Path, random: Random) -> None:
    text = random.choice((damaged_words, damaged))(TUNING, random)
    (folder / "table.toml").write_bytes(text)
    found = tuning_table.read(folder / "table.toml")
    tuning_table.write(found)
    tuning_table.lines_for_shim(found)
    tuning_table.merged(found.rules)


SETTINGS = b"""[run]
output = "runs"
quiet = true
buffer = "10MB"
[bench]
ranks = [2, 4]
launcher = "mpiexec -n {ranks}"
"""


def settings(folder: Path, random: Random) -> None:
    from leadline.cli import command as cli
    from leadline.cli.settings import default_map

    (folder / "leadline.toml").write_bytes(random.choice((damaged_words, damaged))(SETTINGS, random))
    load(folder / "leadline.toml")
    os.chdir(folder)
    try:
        default_map(set(cli.COMMANDS))
    finally:
        os.chdir("/")


CAMPAIGN = Path(__file__).parents[1] / "campaign" / "whole.toml"


JOURNAL = b"""{"environment": "e1", "facts": {"kernel": "6.1", "cores": null}}
{"cell": "a mpich 2", "repeat": 0, "recorded": false, "names": {"ranks": "2"}, "ok": true, "time_s": 1.5, "wall_s": 2}
{"cell": "a mpich 2", "repeat": 1, "recorded": true, "names": {"ranks": "2"}, "ok": false, "time_s": null, "wall_s": 1}
"""


def campaign(folder: Path, random: Random) -> None:
    """The file of a campaign, and what has finished of it."""
    (folder / "c.toml").write_bytes(random.choice((damaged_words, damaged))(CAMPAIGN.read_bytes(), random))
    (folder / "journal.jsonl").write_bytes(random.choice((damaged_words, damaged))(JOURNAL, random))
    repr(Journal(folder).rows)
    repr(campaign_file.read(folder / "c.toml"))


def anonymised(folder: Path, random: Random) -> None:
    """A copy of a run with one damaged trace: it is refused, or can be read as the run can."""
    path = _copy(random.choice(RECORDED), folder)
    file = random.choice(sorted(path.glob("*.trace")))
    file.write_bytes(damaged_chunks(file.read_bytes(), random))
    (folder / "copy").mkdir()
    anonymise(path, folder / "copy")
    _everything(folder / "copy")


NETWORK = b"""schema = 1
source = "calibrate"
date = 2026-11-25
reduce_per_byte_ns = 0.2
call_ns = {value = 40, source = "datasheet", date = "2025"}

[port]
gap_ns = 100
per_byte_ns = 0.08

[link.node]
eager_bytes = 4096
handshake_ns = 900

[[link.node.piece]]
latency_ns = 200
gap_ns = 50
"""


def network(folder: Path, random: Random) -> None:
    (folder / "network.toml").write_bytes(random.choice((damaged_words, damaged))(NETWORK, random))
    network_file.write(network_file.read(folder / "network.toml"))


def profiles(folder: Path, random: Random) -> None:
    """mpiP, pprof, TAU's folders and columns."""
    files = sorted(path for path in PROFILES.rglob("*") if path.is_file())
    path = random.choice(files)
    target = folder / path.name
    target.write_bytes(random.choice((damaged_words, damaged))(path.read_bytes(), random))
    read_profile(folder if path.name.startswith("profile.") else target)
    open_subject(folder if path.name.startswith("profile.") else target)


def programs(folder: Path, random: Random) -> None:
    """The symbols and debug information of a program."""
    good = _program()
    data = bytearray(good)
    if random.random() < 0.4:  # headers of the file and of its sections, and the notes
        table = int.from_bytes(good[40:48], "little")
        places = [*range(0x400), *range(table, len(good))]
    else:
        places = list(_debug_places(good))
    for _ in range(random.randint(1, 8)):
        at = random.choice(places)
        data[at : at + 8] = damaged(bytes(data[at : at + 8]), random)[:8].ljust(min(8, len(data) - at), b"\0")
    path = folder / "program"
    path.write_bytes(data)
    symbolizer = Symbolizer()
    for offset in (0x10, *range(0x1040, 0x1900, 48)):
        symbolizer.resolve(str(path), "", offset)
    symbolizer.problems()


SOURCE = r"""
struct pair { double a, b; };
static inline double half(double x) { return x / 2; }
double sum(struct pair* p, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += half(p[i].a) + half(p[i].b);
  return s;
}
int main(int argc, char** argv) { struct pair p[3] = {{1, 2}, {3, 4}, {argc, 6}}; return sum(p, 3) > 100; }
"""


def _program() -> bytes:
    if "program" not in _kept:

        def compile_to(path: Path) -> None:
            subprocess.run(["gcc", "-g", "-O2", "-x", "c", "-", "-o", path], input=SOURCE, text=True, check=True)

        _kept["program"] = kept_builds.kept("fuzzed", [SOURCE], compile_to).read_bytes()
    return _kept["program"]


def _debug_places(good: bytes) -> range:
    """From the first section of debug information on: they lie at the end."""
    at = good.rfind(b".comment")
    return range(max(good.find(b"GCC:"), 0x400), at if at > 0 else len(good))


def unwind_tables(folder: Path, random: Random) -> None:
    native.unwind_tables(_program(), folder, random)


def otf2(folder: Path, random: Random) -> None:
    """An archive with one damaged file. What could be imported is used as any run."""
    _everything(native.imported(CORPUS, folder, random))


def nodes(folder: Path, random: Random) -> None:
    """The pointers to what lies on nodes, and what their ends say."""
    path = _copy("exported", folder)
    for name, content in {
        "node1.away": b"/dev/shm/leadline-0-xyz\n",
        "node1.ends": b"15499 exited 0 1764148504000000000\n15500 signal 9 1764148504000000000\n",
    }.items():
        (path / name).write_bytes(random.choice((damaged_words, damaged))(content, random))
    _everything(path)


READERS = [
    Reader("trace", trace, 600, 9000),
    Reader("structure", structure, 100, 1500),
    Reader("live", live, 150, 2000),
    Reader("report", report, 15, 500),
    Reader("timeline and tables", timeline_and_tables, 10, 200),
    Reader("exports", exports, 20, 400),
    Reader("advice", advice, 10, 400),
    Reader("descriptions", descriptions, 15, 400),
    Reader("nodes", nodes, 5, 100),
    Reader("tuning", tuning, 600, 2500),
    Reader("settings", settings, 300, 1500),
    Reader("network", network, 300, 1500),
    Reader("campaign", campaign, 200, 3000),
    Reader("anonymised", anonymised, 12, 400),
    Reader("profiles", profiles, 200, 1500),
    Reader("programs", programs, 40, 1000),
    Reader("unwind tables", unwind_tables, 60, 3000),
    Reader("netcdf", native.netcdf, 5, 400, "netcdf"),
    Reader("otf2", otf2, 3, 300, "otf2"),
]

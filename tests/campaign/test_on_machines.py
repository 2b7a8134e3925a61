"""Campaigns on machines that share no file system with this one: a real sshd, files of their own, slow links."""

from __future__ import annotations

import io
import json
import random
import subprocess
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tiers
from jobs import hosts

from leadline import mpi
from leadline.campaign.journal import Journal
from leadline.campaign.machines import script
from leadline.campaign.machines.packing import unpacked
from leadline.errors import MeasurementFailed

from . import machines
from .machines import Machines

BOTH = ("mpich", "openmpi")
PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Prints a time that the file "input" has, and leaves what its environment has in its output.
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, sum = 0, one = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 10; ++i) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  char text[64] = "", host[256] = "";
  FILE* file = fopen("input", "r");
  if (!file || !fgets(text, sizeof text, file)) MPI_Abort(MPI_COMM_WORLD, 9);
  gethostname(host, sizeof host - 1);
  if (argc > 1 && strcmp(argv[1], "wait") == 0) usleep(700000);
  if (argc > 1 && strcmp(argv[1], "hang") == 0) sleep(600);
  if (rank == 0) printf("%d ranks took %s s on %s: %s|%s\n", sum, text, host, argc > 1 ? argv[1] : "", getenv("ODD"));
  MPI_Finalize();
  return argc > 1 && strcmp(argv[1], "fail") == 0 ? 3 : 0;
}
"""
HOSTILE = "a'b\"c $(touch /tmp/owned) `touch /tmp/owned`; touch /tmp/owned\n!x"


@pytest.fixture(scope="module")
def made() -> Iterator[Machines]:
    if why := machines.why_not():
        pytest.skip(why)
    known = {library.name: library for library in mpi.available()}
    if not {*BOTH} <= {*known}:
        pytest.skip("MPICH and Open MPI are not installed")
    with machines.made([known[name] for name in BOTH]) as found:
        prepared(found)
        yield found


def prepared(made: Machines) -> None:
    (made.folder / "app").mkdir()
    (made.folder / "app" / "app.c").write_text(PROGRAM)
    (made.folder / "app" / "input").write_text("1.25")


def written(
    made: Machines,
    name: str,
    rest: str,
    top: str = "",
    libraries: tuple[str, ...] = BOTH,
    repeats: int = 2,
    at: tuple[str, ...] = ("root@node1",),
) -> str:
    paths = ", ".join(f'{each} = "{mpi.find(each).mpiexec}"' for each in libraries)
    (made.folder / f"{name}.toml").write_text(
        f"""
ranks = [2]
libraries = {json.dumps([f"far:{each}" for each in libraries])}
repeats = {repeats}
timeout = 60
time = 'took ([0-9.]+) s'
{top}
[[machine]]
name = "far"
hosts = {json.dumps(at)}
ssh_config = "config"
libraries = {{ {paths} }}
[[program]]
name = "app"
command = ["./app"]
directory = "app"
build = ["{{mpicc}}", "-g", "app.c", "-o", "app"]
{rest}
"""
    )
    return f"{name}.toml"


def results(made: Machines, file: str, *words: str) -> Any:
    ended = made.campaign(file, "-o", f"{file}.out", "--json", *words)
    assert ended.code in (0, 7), ended.everything
    return json.loads(ended.out)


def test_runs_are_carried_there_and_back(made: Machines) -> None:
    rest = f"""
[[setting]]
name = "odd"
environment = {{ ODD = {json.dumps(HOSTILE)} }}
[[input]]
name = "good"
arguments = [{json.dumps(HOSTILE)}]
[[input]]
name = "bad"
arguments = ["fail"]
[[exclude]]
input = "bad"
library = "openmpi"
"""
    found = results(made, written(made, "a", rest, 'record = "alternate"', repeats=1))
    good = [cell for cell in found["cells"] if cell["input"] == "good"]
    assert [(cell["library"], cell["n"], cell["median"]) for cell in good] == [
        (f"far:{each}", 1, 1.25) for each in BOTH
    ]
    for cell in found["cells"]:
        if cell["input"] == "bad":
            assert (cell["n"], "exit code 3" in cell["reason"]) == (0, True)
    out = made.folder / "a.toml.out"
    for cell in good:
        for run in cell["runs"]:
            if run["recorded"]:
                place = out / "runs" / f"{cell['id']}-{run['repeat'] + 1}"
                assert len([*place.glob("*.trace")]) == 2
                assert (place / "report.html").is_file()
                assert "app.c" in (place / "report.json").read_text()  # routines and lines are known
    assert "node1" in (out / "environments.toml").read_text()
    node = made.hosts.nodes[0]
    assert node.shell("ls /tmp/owned").code != 0
    assert node.shell(f"find {machines.HOME} -name '*.trace' -o -name app").out == ""  # all of it was removed
    assert machines_known(made) == 1
    again = made.campaign("a.toml", "-o", "a.toml.out", "--json")
    assert json.loads(again.out)["cells"] == found["cells"]


TWO_HOSTS = {
    "mpich": "{mpiexec} -launcher ssh -hosts {{hosts}} -n {{ranks}}",
    "openmpi": "{mpiexec} --host {{hosts}} --map-by node --mca btl_tcp_if_include eth0 -n {{ranks}}",
}


@pytest.mark.ci
@pytest.mark.parametrize("library", BOTH)
def test_ranks_on_two_hosts_without_a_common_file(library: str) -> None:
    """The launcher there starts them by its own ssh; the traces come back from both."""
    if why := machines.why_not():
        pytest.skip(why)
    with machines.made([mpi.find(library)], 2) as pair:
        prepared(pair)
        launcher = TWO_HOSTS[library].format(mpiexec=mpi.find(library).mpiexec)
        top = f"record = true\nlauncher = {json.dumps(launcher)}"
        file = written(pair, "t", "", top, (library,), repeats=1, at=("node1", "node2"))
        (cell,) = results(pair, file)["cells"]
        assert (cell["n"], cell["reason"]) == (1, "")
        (place,) = (pair.folder / f"{file}.out" / "runs").iterdir()
        assert len([*place.glob("*.trace")]) == 2
        report = json.loads((place / "report.json").read_text())
        assert (report["ranks"], report["hosts"]) == (2, ["node1", "node2"])
        assert all(node.shell(f"ls {machines.HOME}/leadline-campaigns/*").out == "" for node in pair.hosts.nodes)


def machines_known(made: Machines) -> int:
    return len(made.known.read_text().splitlines())


def test_a_run_that_hangs_is_ended_there(made: Machines) -> None:
    top = "record = false"
    file = written(made, "h", '[[input]]\nname = "h"\narguments = ["hang"]', top, ("mpich",), repeats=1)
    text = (made.folder / file).read_text().replace("timeout = 60", "timeout = 2")
    (made.folder / file).write_text(text)
    (cell,) = results(made, file)["cells"]
    assert cell["reason"] == "timed out after 2 s"
    assert left_running(made) == ""


def left_running(made: Machines) -> str:
    """Programs there, and what starts them."""
    return made.hosts.nodes[0].shell("grep -ls LEADLINE_THERE /proc/[0-9]*/environ | head").out


def test_a_host_key_that_changed_is_refused_and_nothing_is_written(made: Machines) -> None:
    file = written(made, "k", "", "record = false", ("mpich",))
    known = made.known.read_text()
    kind, key = known.split()[1:3]
    other = f"node1 {kind} {key[:-8]}AAAAAAAA\n"
    try:
        for content, said in ((other, "another than the known one"), ("", "is unknown here")):
            made.known.write_text(content)
            (cell,) = results(made, file, "--retry-failed")["cells"]
            assert (cell["n"], said in cell["reason"], "\n" in cell["reason"]) == (0, True, False)
            assert made.known.read_text() == content
    finally:
        made.known.write_text(known)


KILLS = 100 if tiers.everything() else 6 if tiers.reaches("ci") else 3


def test_whatever_is_killed_nothing_is_lost_doubled_or_left(made: Machines) -> None:
    """The connection's ends, the campaign, or what runs there, by chance: each costs an attempt, or is resumed."""
    repeats = 2 + KILLS // 2
    file = written(made, "x", '[[input]]\nname = "w"\narguments = ["wait"]', "record = true", repeats=repeats)
    words = [*machines.LEADLINE, "campaign", file, "-o", "x.out"]
    chance, kills, before = random.Random(KILLS), 0, []
    while kills < KILLS:
        process = made.hosts.login.start(words, directory=made.folder)
        while process.poll() is None and kills < KILLS:
            time.sleep(chance.uniform(0.3, 2.0))
            kills += killed(made, chance)
        if process.poll() is None:
            process.kill()
        process.communicate()
        before = grown(before, made.folder / "x.out")
        if process.returncode == 0:  # all runs are finished: there is nothing left to kill
            break
    assert kills
    ended = made.campaign(file, "-o", "x.out", "--json", "--retry-failed", timeout=600)
    assert ended.code == 0, ended.everything
    found = json.loads(ended.out)
    assert [cell["n"] for cell in found["cells"]] == [repeats, repeats]
    rows = [json.loads(line) for line in (made.folder / "x.out" / "journal.jsonl").read_text().splitlines()]
    keys = [(row["cell"], row["repeat"]) for row in rows if row.get("ok")]
    assert len(keys) == len(set(keys)) == 2 * repeats
    for place in (made.folder / "x.out" / "runs").iterdir():
        assert len([*place.glob("*.trace")]) == 2
    assert left_running(made) == ""


def killed(made: Machines, chance: random.Random) -> bool:
    """One process: of the connection, on either side, of the campaign, or a rank."""
    login, node = made.hosts.login, made.hosts.nodes[0]
    which = [
        (login, "pgrep -x ssh"),
        (login, "pgrep -f 'leadline campaign'"),
        (login, "pgrep -f campaign.machines.carry"),
        (node, "pgrep -f 'sshd: root'"),
        (node, "pgrep -x app"),
        (node, "pgrep -f 'mpiexec|prte|hydra'"),
        (node, "pgrep -f start.sh"),
    ]
    host, find = chance.choice(which)
    return host.shell(f"kill -9 $({find} | shuf -n 1)").code == 0


def grown(before: list[Any], directory: Path) -> list[Any]:
    rows = list(Journal(directory).rows.values()) if directory.exists() else []
    assert rows[: len(before)] == before
    return rows


def test_a_link_that_is_cut_for_a_while_costs_nothing(made: Machines) -> None:
    file = written(made, "c", '[[input]]\nname = "w"\narguments = ["wait"]', "record = false", ("mpich",))
    process = made.hosts.login.start([*machines.LEADLINE, "campaign", file, "-o", "c.out"], directory=made.folder)
    hosts.wait_for("a run is going on", lambda: bool(left_running(made)))
    made.hosts.login.shell("ip link set w1 down")
    time.sleep(1)
    made.hosts.login.shell("ip link set w1 up")
    _, said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    assert all(row["ok"] for row in Journal(made.folder / "c.out").rows.values())
    assert left_running(made) == ""


@pytest.mark.parametrize(
    "line",
    [
        'hosts = ["-oProxyCommand=touch /tmp/owned"]',
        'hosts = ["a b"]',
        'hosts = ["node1\\n"]',
        'hosts = ["$(x)"]',
        'hosts = ["n"]\nfolder = "../x"',
        'hosts = ["n"]\nfolder = "a; rm -rf x"',
        'hosts = ["n"]\nfolder = "a\'b"',
    ],
)
def test_hostile_names_are_refused(tmp_path: Path, line: str) -> None:
    from leadline.campaign.reading import read
    from leadline.errors import UsageError

    (tmp_path / "t.toml").write_text(
        f'ranks = [1]\nlibraries = ["far:mpich"]\n[[program]]\ncommand = ["true"]\n'
        f'[[machine]]\nname = "far"\nlibraries = {{ mpich = "/x/mpiexec" }}\n{line}\n'
    )
    with pytest.raises(UsageError, match=r"hosts|folder"):
        read(tmp_path / "t.toml")


def test_what_comes_back_writes_nowhere_else(tmp_path: Path) -> None:
    def archived(name: str, kind: bytes, target: str = "") -> Path:
        place = tmp_path / f"{len([*tmp_path.iterdir()])}.tar.gz"
        with tarfile.open(place, "w:gz") as archive:
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname, entry.size = kind, target, 4 if kind == tarfile.REGTYPE else 0
            archive.addfile(entry, io.BytesIO(b"text"))
        return place

    for number, name in enumerate(("../out", "/tmp/leadline-owned", "a/../../out")):
        with pytest.raises(MeasurementFailed, match="not what a run leaves"):
            unpacked(archived(name, tarfile.REGTYPE), tmp_path / f"refused{number}")
    for number, kind in enumerate((tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE)):
        unpacked(archived("link", kind, "/etc/passwd"), tmp_path / f"left-out{number}")
        assert [*(tmp_path / f"left-out{number}").iterdir()] == []
    damaged = archived("file", tarfile.REGTYPE)
    damaged.write_bytes(damaged.read_bytes()[:-9])
    with pytest.raises(MeasurementFailed, match="damaged"):
        unpacked(damaged, tmp_path / "damaged")


LETTERS = "ab\\'\"$`!*?~#&;|<>(){}[]=%^,\n\t -é\u202e"


@pytest.mark.parametrize("seed", range(20))
def test_no_word_is_read_by_the_shell_there(seed: int) -> None:
    chance = random.Random(seed)
    words = ["".join(chance.choices(LETTERS, k=chance.randrange(8))) for _ in range(chance.randrange(1, 9))]
    text = script.text(script.There("b", "n", "t", ["printf", "%s\\0", *words]))
    line = text.split("&& exec ")[1].split(" ) < /dev/null")[0]
    done = subprocess.run(["/bin/sh", "-c", line], capture_output=True, check=True, timeout=20)
    assert done.stdout.decode() == "".join(f"{word}\0" for word in words)

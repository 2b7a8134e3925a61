"""What is left of launches when the process that made them is killed: nothing. Tests wait for what they expect."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import tiers

from leadline import mpi
from leadline.runs.execute import execute
from leadline.runs.guard import VARIABLE
from leadline.runs.launch import Launch
from leadline.runs.marked import marked

from .processes import is_over

OWNER = """
import sys
from leadline.runs.execute import execute
from leadline.runs.launch import Launch
for number in range(1000):
    execute(Launch("x", tuple(sys.argv[1:])))
"""
# A launcher that says who it is, asks for the end of its ranks, and waits for them; two ranks, one of which has left
# the session, and with it all that the launcher could find it by.
LAUNCHER = """
import os, signal, sys, time
place = sys.argv[1]
def told(name):
    open(f"{place}/.{name}-{os.getpid()}", "w").close()
    os.rename(f"{place}/.{name}-{os.getpid()}", f"{place}/{name}-{os.getpid()}")
def ask(number, frame):
    told("asked")
    os._exit(0)
signal.signal(signal.SIGTERM, ask)
for name in ("rank", "apart"):
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if name == "apart":
            os.setsid()
        told(name)
        time.sleep(250)
        os._exit(0)
told("launcher")
time.sleep(250)
"""


def said(place: Path) -> dict[str, list[int]]:
    """The numbers of processes, by what they are."""
    found: dict[str, list[int]] = {}
    for path in place.glob("*-*"):
        name, _, pid = path.name.partition("-")
        found.setdefault(name, []).append(int(pid))
    return found


def test_a_killed_process_s_launch_is_asked_to_end_and_then_ended(tmp_path: Path) -> None:
    owner = subprocess.Popen([sys.executable, "-c", OWNER, sys.executable, "-c", LAUNCHER, str(tmp_path)])
    while len(said(tmp_path)) < 3:
        time.sleep(0.01)
    owner.kill()
    owner.wait()
    while "asked" not in said(tmp_path):
        time.sleep(0.01)
    pids = [pid for found in said(tmp_path).values() for pid in found]
    while not all(is_over(pid) for pid in pids):
        time.sleep(0.01)
    assert len(said(tmp_path)["launcher"]) == 1


ONE_LAUNCH = """
import os
import leadline.runs.guard as guard
from leadline.runs.execute import execute
from leadline.runs.launch import Launch
left = execute(Launch("x", ("sh", "-c", "sleep 250 & echo $!")))  # the launch is over, and this is ended with it
print(guard._guard.process.pid, left.output, flush=True)
"""


@pytest.mark.parametrize("ending", ["", "os.kill(os.getpid(), 9)"])
def test_the_guard_itself_goes_with_the_process(ending: str) -> None:
    done = subprocess.run([sys.executable, "-c", ONE_LAUNCH + ending], capture_output=True, text=True, check=False)
    guard, left = map(int, done.stdout.split())
    while not (is_over(guard) and is_over(left)):
        time.sleep(0.01)


FOLDER = """
import os, subprocess, sys
from pathlib import Path
from leadline.runs.guard import guarded_folder
with guarded_folder(Path(sys.argv[1])):
    named = {**os.environ, "SETTINGS": f"{sys.argv[1]}/settings"}
    print(subprocess.Popen(["sleep", "250"], env=named, stdout=subprocess.DEVNULL).pid, flush=True)
    os.kill(os.getpid(), int(sys.argv[2]))
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_process_s_folder_is_removed_once_no_program_names_it(number: int, tmp_path: Path) -> None:
    folder = tmp_path / "a b\nc"
    words = [sys.executable, "-c", FOLDER, str(folder), str(int(number))]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        program = int(owner.stdout.readline())
        assert owner.wait() == -number
    assert folder.is_dir()
    os.kill(program, signal.SIGKILL)
    while folder.exists():
        time.sleep(0.01)


def test_a_launcher_that_is_killed_leaves_no_ranks(tmp_path: Path) -> None:
    script = "import os, signal\nif os.fork() == 0:\n    os.setpgid(0, 0)\n    print(os.getpid(), flush=True)\n"
    script += "    os.kill(os.getppid(), signal.SIGKILL)\n    signal.pause()\nsignal.pause()\n"
    found = execute(Launch("x", (sys.executable, "-c", script)))
    assert found.signal == "SIGKILL"
    while not is_over(int(found.output)):
        time.sleep(0.01)


def test_a_launch_has_a_word_of_its_own() -> None:
    ask = Launch("x", ("sh", "-c", f"echo ${VARIABLE}"), env={})
    words = [execute(ask).output.strip() for _ in range(2)]
    assert len(set(words)) == 2
    assert all(len(word) == 16 and not marked(VARIABLE, word) for word in words)


KILLS = 100 if tiers.everything() else 10 if tiers.reaches("ci") else 3


@pytest.mark.parametrize("name", ["mpich", "openmpi"])
def test_ranks_of_a_killed_process_are_ended_whenever_it_is_killed(name: str, tmp_path: Path) -> None:
    library = next((library for library in mpi.available() if library.name == name), None)
    if library is None:
        pytest.skip(f"the MPI library {name} is not here")
    chance = random.Random(KILLS)
    mark = f"rank of {tmp_path}"
    for _ in range(KILLS):
        words = [*library.launch(2), sys.executable, "-c", "import time; time.sleep(250)", mark]
        owner = subprocess.Popen([sys.executable, "-c", OWNER, *words], env=library.env())
        time.sleep(chance.uniform(0.1, 1.0))
        owner.send_signal(signal.SIGKILL)
        owner.wait()
        while running(mark):
            time.sleep(0.01)


def running(mark: str) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        pid = int(path.parent.name)
        try:
            if mark.encode() in path.read_bytes() and pid != os.getpid() and not is_over(pid):
                found.append(pid)
        except OSError:
            continue
    return found

"""The on-node engine under a thread sanitizer: ranks are threads of one process, so that it sees every access."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NODE = ROOT / "src" / "collectives" / "node"
PROGRAM = ROOT / "tests" / "programs" / "team_of_threads.cpp"

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("threads")


def built(directory: Path, *sources: Path) -> Path:
    """With the engine's sources, of which those given take the place of those of the same name."""
    probe = ["c++", "-fsanitize=thread", "-x", "c++", "-", "-o", str(directory / "probe")]
    if subprocess.run(probe, input="int main() {}", text=True, capture_output=True, check=False).returncode != 0:
        pytest.skip("the compiler has no run-time library for -fsanitize=thread")
    engine = {path.name: path for path in (*NODE.glob("*.cpp"), *sources) if path.name != "segment.cpp"}
    includes = [f"-I{ROOT / 'src'}", f"-I{ROOT / 'build' / 'dev' / 'generated'}"]
    target = directory / f"team-{len(sources)}"
    words = ["c++", "-std=c++20", "-O1", "-g", "-fsanitize=thread", *includes, PROGRAM, *engine.values(), "-o", target]
    subprocess.run(words, check=True, timeout=300)
    return target


def run(program: Path, threads: int, turns: int) -> subprocess.CompletedProcess[str]:
    # Some releases of the sanitizer cannot place their memory where addresses are random.
    setarch = shutil.which("setarch")
    words = [*([setarch, "-R"] if setarch else []), str(program), str(threads), str(turns)]
    return subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.timeout(900)
def test_no_two_ranks_race(directory: Path) -> None:
    program = built(directory)
    for threads in (1, 2, 3, 5, 8):
        done = run(program, threads, 3)
        assert (done.returncode, done.stdout) == (0, f"{threads} threads, 3 turns: 0 wrong\n"), done.stderr[:4000]


@pytest.mark.timeout(900)
def test_a_missing_order_would_be_found(directory: Path) -> None:
    """If what a rank has combined is not published before its counter."""
    published, told = "progress.reduced.store(team_.counted(round.number + 1), std::memory_order_", []
    text = (NODE / "reducing.cpp").read_text()
    assert text.count(published + "release") == 1
    changed = directory / "reducing.cpp"
    changed.write_text(text.replace(published + "release", published + "relaxed"))
    program = built(directory, changed)
    for _ in range(3):
        told.append("ThreadSanitizer: data race" in run(program, 3, 1).stderr)
    assert any(told)

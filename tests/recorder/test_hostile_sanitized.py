"""The recorder built with AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer under hostile conditions.

Over the fake library everything in the process is ours, so every finding is a bug. With real libraries the program is
not instrumented, only the recorder is.
"""

from pathlib import Path

import pytest

from . import hostile, sanitized
from .building import Builder
from .hostile import Fake
from .libraries import Library
from .reading import report_of
from .running import run_mpi

pytestmark = pytest.mark.ci  # two minutes of compiling; test_hostile.py has the same programs without sanitizers

FOUND = 66  # a sanitizer's exit code
STEPS = 300
OPTIONS = f"exitcode={FOUND}:halt_on_error=1:abort_on_error=0"
ADDRESS = f"{OPTIONS}:detect_leaks=0:verify_asan_link_order=0:handle_segv=0:handle_sigbus=0:handle_abort=0"
# The limits on memory and descriptors leave no room for the sanitizers' own.
ADDRESS_HOWS = ["plain", "noise", "file-size", "spawned", "daemon", "exec-itself", "eight", "churn", "storm"]
ADDRESS_HOWS += ["communicators", "requests", "copied-requests", "errors", "nulls", "low-descriptors", "close-all"]
ADDRESS_HOWS += ["vanish", "exit-in-handler", "left-running", "moves", "no-environment"]
THREAD_HOWS = ["plain", "eight", "churn", "crowd", "noisy-threads", "communicators", "copied-requests"]


def variant(sanitizers: str, runtime: str, options: str) -> tuple[Fake, Path]:
    recorder = sanitized.build_recorder(sanitizers)
    fake = hostile.build([f"-fsanitize={sanitizers}", "-fno-sanitize=alignment"])
    name = {"libasan.so": "ASAN_OPTIONS", "libtsan.so": "TSAN_OPTIONS"}[runtime]
    environment = ((name, options), ("UBSAN_OPTIONS", f"{OPTIONS}:print_stacktrace=1"), ("LEADLINE_BUDGET", "2m"))
    return Fake(fake.program, fake.library, (sanitized.runtime(runtime),), environment), recorder


@pytest.fixture(scope="session")
def address() -> tuple[Fake, Path]:
    return variant("address,undefined", "libasan.so", ADDRESS)


@pytest.fixture(scope="session")
def thread() -> tuple[Fake, Path]:
    return variant("thread", "libtsan.so", OPTIONS)


def steps_of(how: str) -> int:
    return {"noise": 200_000, "file-size": 200_000, "requests": 20_000, "copied-requests": 20_000, "churn": 10}.get(
        how, STEPS
    )


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("how", ADDRESS_HOWS)
def test_no_access_outside_of_objects(how: str, address: tuple[Fake, Path], tmp_path: Path) -> None:
    fake, recorder = address
    file = tmp_path / ("run" if how == "vanish" else "of")
    done = fake.run(how, steps_of(how), directory=tmp_path, recorder=recorder, file=file)
    assert done.returncode == (5 if how == "exit-in-handler" else 0), done.stderr
    assert "ERROR: " not in done.stderr
    assert "runtime error" not in done.stderr
    if how != "vanish":
        assert report_of(tmp_path / "run")["ranks"] >= 1


@pytest.mark.full
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("how", THREAD_HOWS)
def test_no_data_race(how: str, thread: tuple[Fake, Path], tmp_path: Path) -> None:
    fake, recorder = thread
    done = fake.run(how, steps_of(how), directory=tmp_path, recorder=recorder)
    assert (done.returncode, "WARNING: ThreadSanitizer" in done.stderr) == (0, False), done.stderr[:8000]
    assert report_of(tmp_path / "run")["ranks"] == 1


@pytest.mark.full("fork", "jump")
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("program", ["fork", "jump", "threads"])
def test_no_access_outside_of_objects_with_real_libraries(
    program: str, one_of_each_family: Library, builder: Builder, address: tuple[Fake, Path], tmp_path: Path
) -> None:
    library = one_of_each_family
    _, recorder = address
    words: list[str | Path] = [builder.c(library, "endings.c"), program, "300"]
    if program == "threads":
        words = [builder.c(library, "threads.c", "-pthread"), "60"]
    run = tmp_path / "run"
    run.mkdir()
    plain = run_mpi(library, 2, words, cwd=tmp_path)
    recorded = run_mpi(
        library,
        2,
        words,
        cwd=tmp_path,
        preload=[sanitized.runtime("libasan.so"), recorder],
        environment={"ASAN_OPTIONS": ADDRESS, "UBSAN_OPTIONS": OPTIONS, "LEADLINE_DIR": str(run)},
    )
    assert "AddressSanitizer" not in recorded.stderr, recorded.stderr
    assert "runtime error" not in recorded.stderr
    assert recorded.returncode == plain.returncode, recorded.stderr
    assert report_of(run)["ranks"] == 2

"""What a test took is in the file that pytest writes, and is summed by file and folder."""

from pathlib import Path

import costs
import pytest

pytest_plugins = ["pytester"]


def test_processor_time_of_started_processes_is_written(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        f"import sys; sys.path.insert(0, {str(Path(costs.__file__).parent)!r})\n"
        "import costs\n"
        "def pytest_configure(config): config.pluginmanager.register(costs.Costs())\n"
    )
    pytester.makepyfile(
        test_a="""
            import subprocess, sys
            PROGRAM = "import time; sum(range(10**6)); open('took', 'w').write(str(time.process_time()))"
            def test_it(): subprocess.run([sys.executable, "-c", PROGRAM], check=True)
            """,
        test_b="def test_nothing(): pass",
    )
    assert pytester.runpytest_subprocess("--junitxml=out.xml").ret == 0
    found = {name: processor for name, processor, _ in costs.read(pytester.path / "out.xml")}
    assert found.keys() == {"test_a.py::test_it", "test_b.py::test_nothing"}
    assert found["test_a.py::test_it"] >= float((pytester.path / "took").read_text()) - 0.002  # rounded


def test_files_and_folders_are_sums() -> None:
    taken = [("tests/x/a.py::one", 1.0, 2.0), ("tests/x/a.py::two", 2.0, 3.0), ("tests/y/b.py::one", 4.0, 4.0)]
    assert costs.summed(taken, None) == [("tests/y/b.py", 4.0, 4.0), ("tests/x/a.py", 3.0, 5.0)]
    assert costs.summed(taken, 1) == [("tests", 7.0, 9.0)]

"""./dev COMMAND: set-up, demo, tests, linters and benchmarks of a checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from dev import demo, linting, site, testing
from dev.building import build, build_debug, build_once
from dev.environment import ensure_optional, ensure_venv
from dev.libraries import FOR_DEMO, FOR_TESTS, ensure_libraries
from dev.paths import BUILD, MPI_HOME, PYTHON, ROOT
from dev.prerequisites import BUILDING, CHARTS, Prerequisite, provide, provide_for_tests
from dev.release import release
from dev.scripts import ensure_linter
from dev.sentences import sentences
from dev.steps import StepFailed, exclusive, say
from dev.wheel import make_wheel

USAGE = """usage: ./dev COMMAND

  demo              set up, build, record the OPATM workload and print its report
  test [ARGS]       set up everything the tests use, then run pytest with ARGS
  test --fast       the tests to run after an edit: minutes; test --all: also the exhaustive ones
  test --ci         what CI runs, more than before a commit; what fails runs again alone, and what then passes is
                    reported, but does not refuse the work
  test --libraries  record with every available release of every MPI library; writes docs/reference/libraries.md
  lint [--fix] [--tidy]  clang-format, ruff, mypy, Biome, codespell, layers, phrases, links; clang-tidy on request
  bench [ARGS]      set up, then run the benchmarks
  build [--debug]   build again after an edit (seconds); the C++ tests with assertions, in build/debug
  setup             set up everything that the above need
  docs              check the links in the documentation, and make a site of it in build/site
  sbom              write what Leadline consists of and needs, with licences, to build/sbom.json (CycloneDX)
  wheel             make a wheel for every Python and glibc from 2.17 on, in dist/ (needs Python 3.10, 3.11 and 3.12)
  release [--once]  make wheel and sdist twice, compare, check and try them in fresh environments; recipes; hashes
  sentences [--comments] [PART]  every sentence that Leadline can print, or its comments, of files with PART in the path
"""
MISSING_PREREQUISITE = 5


def set_up(*, tests: bool) -> list[Prerequisite]:
    """Set up whatever is missing. Returns what stays missing and is therefore skipped."""
    with exclusive():
        missing = provide(BUILDING)
        if missing:
            raise StepFailed("; ".join(item.left_out for item in missing), exit_code=MISSING_PREREQUISITE)
        skipped = provide(CHARTS) + (provide_for_tests() if tests else [])
        ensure_venv(("dev", "figures") if tests else ())
        with ThreadPoolExecutor(1) as beside:  # what waits for the network, while the compiler works
            fetched = beside.submit(fetch, tests=tests)
            build(("all", "leadline_tests")) if tests else build_once()
        skipped += fetched.result()
    return skipped


def fetch(*, tests: bool) -> list[Prerequisite]:
    """Fetch what the build does not need: the MPI libraries, and packages for tests. Returns what is not available."""
    ensure_libraries(FOR_TESTS if tests else FOR_DEMO)
    return [Prerequisite(bool, (), f"tests of {name}") for name in ensure_optional()] if tests else []


def bench(arguments: list[str]) -> int:
    set_up(tests=True)
    return subprocess.run([PYTHON, ROOT / "benchmarks", *arguments], check=False).returncode


def lint(arguments: list[str]) -> int:
    with exclusive():
        ensure_venv(("dev",))
        ensure_linter()
    return linting.lint(fix="--fix" in arguments, tidy="--tidy" in arguments)


def rebuild(arguments: list[str]) -> int:
    with exclusive():
        ensure_venv()
        build_debug() if "--debug" in arguments else build()
    return 0


def docs(_: list[str]) -> int:
    if code := linting.check_links():
        return code
    with exclusive():
        ensure_venv(("site",))
        site.make()
    return 0


def sbom(_: list[str]) -> int:
    with exclusive():
        ensure_venv()
    target = BUILD / "sbom.json"
    target.write_bytes(subprocess.check_output([PYTHON, "-B", ROOT / "tools" / "sbom.py"]))
    for each in json.loads(target.read_text())["components"]:
        licence = each["licenses"][0]
        words = licence.get("expression") or " ".join(licence["license"].values())
        print(f"{each['scope']:9} {each['name']} {each['version']}: {words}")
    say(f"wrote {target.relative_to(ROOT)}")
    return 0


def wheel(_: list[str]) -> int:
    with exclusive():
        make_wheel()
    return 0


def make_release(arguments: list[str]) -> int:
    with exclusive():
        return release(arguments)


def setup(_: list[str]) -> int:
    testing.say_skipped(set_up(tests=True))
    return 0


def run_tests(arguments: list[str]) -> int:
    missing = set_up(tests=True)
    if "--all" in arguments:
        with exclusive():
            build_debug()
    return testing.test(missing, arguments)


def run_demo(arguments: list[str]) -> int:
    set_up(tests=False)
    return demo.demo(arguments)


COMMANDS = {
    "demo": run_demo,
    "test": run_tests,
    "lint": lint,
    "bench": bench,
    "build": rebuild,
    "setup": setup,
    "sentences": sentences,
    "docs": docs,
    "sbom": sbom,
    "wheel": wheel,
    "release": make_release,
}


def main() -> int:
    os.environ.pop("PYTHONPATH", None)
    os.environ.setdefault("LEADLINE_MPI_HOME", str(MPI_HOME))
    os.chdir(ROOT)
    if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
        asked_for_help = len(sys.argv) > 1 and sys.argv[1] in {"-h", "--help", "help"}
        print(USAGE, end="", file=sys.stdout if asked_for_help else sys.stderr)
        return 0 if asked_for_help else 2
    try:
        return COMMANDS[sys.argv[1]](sys.argv[2:])
    except StepFailed as failure:
        say(str(failure))
        return failure.exit_code
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())

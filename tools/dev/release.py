"""./dev release: what is given away, made, checked and tried in fresh environments, into dist/.

Wheel and sdist are made twice, the second time in a clone elsewhere, and must be the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from dev import recipes
from dev.environment import ensure_venv
from dev.libraries import FOR_RELEASE, ensure_libraries
from dev.paths import BUILD, MPI_HOME, PYTHON, ROOT
from dev.steps import StepFailed, say, step
from dev.wheel import DIST, WITH_STABLE_ABI, WITHOUT_STABLE_ABI, environment_of, find_python, make_wheel, pythons

AGAIN = BUILD / "release" / "again"
TRIALS = BUILD / "release" / "trials"
FROM_NPM = "leadline/report/page/from_npm/"
TRIAL = ROOT / "tools" / "release" / "trial.c"
MAKE_SDIST = "import sys; from scikit_build_core.build import build_sdist; print(build_sdist(sys.argv[1]))"
# What a launcher's or our own script calls; no compiler, so that nothing is compiled unnoticed.
PROGRAMS = "sh env uname hostname dirname basename cat ls which sed grep".split()


def release(arguments: list[str]) -> int:
    """--once: without the second build. Raises StepFailed."""
    if dirty := subprocess.check_output(["git", "status", "--porcelain"], cwd=ROOT, text=True):
        raise StepFailed(f"a release is of what is committed; not committed:\n{dirty}")
    ensure_venv(("wheel", "release"))
    ensure_libraries(FOR_RELEASE)
    shutil.rmtree(DIST, ignore_errors=True)
    wheel = make_wheel()
    sdist = make_sdist(wheel)
    check(wheel, sdist)
    try_all(wheel, sdist)
    if "--once" not in arguments:
        make_again(wheel, sdist)
    recipes.write(DIST / "recipes", sdist.name.removeprefix("leadline-").removesuffix(".tar.gz"), sdist)
    say_hashes()
    return 0


def make_sdist(wheel: Path) -> Path:
    """With what the page takes from npm, which whoever builds from it need not have."""
    with zipfile.ZipFile(wheel) as opened:
        names = [name for name in opened.namelist() if name.startswith(FROM_NPM)]
        if not names:
            raise StepFailed(f"{wheel.name} lacks the page's charts: npm could not be reached")
        opened.extractall(ROOT / "python", names)
    step("making the sdist", [environment_of(*pythons()[-1]), "-c", MAKE_SDIST, DIST], {"SOURCE_DATE_EPOCH": "0"})
    (made,) = DIST.glob("*.tar.gz")
    return made


def check(wheel: Path, sdist: Path) -> None:
    """Metadata, names, licences and the bill of materials. make_wheel() has checked glibc and size."""
    step("checking metadata", [PYTHON, "-m", "twine", "check", "--strict", wheel, sdist])
    version = wheel.name.split("-")[1]
    if sdist.name != f"leadline-{version}.tar.gz":
        raise StepFailed(f"{sdist.name} and {wheel.name} are of different versions")
    with tarfile.open(sdist) as opened:
        in_sdist = opened.getnames()
    for where, names in ((wheel, zipfile.ZipFile(wheel).namelist()), (sdist, in_sdist)):
        for wanted in ("LICENSE", "uPlot.LICENSE"):
            if not any(name.endswith(f"/{wanted}") for name in names):
                raise StepFailed(f"{where.name} lacks {wanted}")
    bill = DIST / "sbom.json"
    bill.write_bytes(subprocess.check_output([PYTHON, "-B", ROOT / "tools" / "sbom.py"]))
    for each in json.loads(bill.read_text())["components"]:
        (licence,) = each["licenses"]
        if licence.get("license", {}).get("name") == "not stated":
            raise StepFailed(f"{each['name']} states no licence")


def try_all(wheel: Path, sdist: Path) -> None:
    """Each in fresh environments: the wheel with every Python that is here, the sdist with the newest."""
    shutil.rmtree(TRIALS, ignore_errors=True)
    TRIALS.mkdir(parents=True)
    found = [(v, p) for v in (*WITHOUT_STABLE_ABI, *WITH_STABLE_ABI) if (p := find_python(v))]
    programs = list(compiled())
    for version, python in found:
        try_one(wheel, version, python, programs)
    try_one(sdist, *found[-1], programs)
    missing = sorted({*WITHOUT_STABLE_ABI, *WITH_STABLE_ABI} - {version for version, _ in found})
    if missing:
        say(f"not tried, for want of them here: Python {', '.join(missing)}")


def compiled() -> Iterator[tuple[str, Path]]:
    """The trial program with each MPI library."""
    for name in FOR_RELEASE:
        program = TRIALS / f"trial-{name}"
        step(f"compiling a program with {name}", [MPI_HOME / name / "bin" / "mpicc", TRIAL, "-o", program])
        yield name, program


def try_one(package: Path, version: str, python: Path, programs: list[tuple[str, Path]]) -> None:
    """Install it alone, then record and report a program with each library, with nothing of this clone's environment.

    A wheel must not need a compiler; an sdist needs one to be installed.
    """
    kind = "wheel" if package.suffix == ".whl" else "sdist"
    folder = TRIALS / f"{kind}-{version}"
    step(f"an environment for the {kind}, Python {version}", [python, "-m", "venv", folder])
    pip: list[str | Path] = [folder / "bin" / "python", "-m", "pip", "--disable-pip-version-check"]
    step(f"installing the {kind} with Python {version}", [*pip, "install", package])
    tools = folder / "tools"
    tools.mkdir()
    for name in PROGRAMS:
        if path := shutil.which(name):
            (tools / name).symlink_to(path)
    kept = {name: value for name, value in os.environ.items() if name.startswith(("OMPI_", "PRTE_"))}
    if os.geteuid() == 0:  # as root, Open MPI starts only if it is told to
        kept |= {f"{prefix}_ALLOW_RUN_AS_ROOT{end}": "1" for prefix in ("OMPI", "PRTE") for end in ("", "_CONFIRM")}
    environ = {**kept, "PATH": str(tools), "HOME": str(folder)}
    for name, program in programs:
        launch: list[str | Path] = [MPI_HOME / name / "bin" / "mpiexec", "-n", "2", program]
        record: list[str | Path] = ["record", "-o", f"run-{name}", "--", *launch]
        for words in (record, ["report", f"run-{name}", "--all"]):
            command = [folder / "bin" / "leadline", *words]
            done = subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, check=False)
            if done.returncode != 0 or (words[0] == "report" and "MPI_Allreduce" not in done.stdout):
                raise StepFailed(f"{package.name} with Python {version} and {name}:\n{done.stdout}{done.stderr}")
        say(f"{kind}, Python {version}: a program with {name} is recorded and reported")


def make_again(wheel: Path, sdist: Path) -> None:
    """In a clone in another folder. Raises StepFailed if a byte differs."""
    shutil.rmtree(AGAIN, ignore_errors=True)
    step("cloning", ["git", "clone", "--quiet", ROOT, AGAIN])
    code = "from dev import release, wheel; release.make_sdist(wheel.make_wheel())"
    step("building once more", [sys.executable, "-c", code], {"PYTHONPATH": str(AGAIN / "tools")})
    for made in (wheel, sdist):
        if (AGAIN / "dist" / made.name).read_bytes() != made.read_bytes():
            raise StepFailed(f"a second build of {made.name} gave other bytes: {AGAIN / 'dist'}")
    say("a second build, in another folder, gave the same bytes")


def say_hashes() -> None:
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(DIST)}"
        for path in sorted(DIST.rglob("*"))
        if path.is_file() and path.name != "SHA256SUMS"
    ]
    (DIST / "SHA256SUMS").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))

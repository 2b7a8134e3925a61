"""System libraries that a workload uses if they are here, and does without if they are not."""

from __future__ import annotations

import functools
import re
import subprocess
import tempfile
from pathlib import Path

MPI = re.compile(r"^\s*(?:libmpi|libmpich)\.so\S*", re.MULTILINE)


@functools.cache
def usable(names: tuple[str, ...], compiler: str, environ: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    """Those of the libraries `names` that a program can use that is built with the MPI compiler wrapper `compiler`.

    Library X has the header X.h and is linked with -lX. A library that was itself built for another MPI library is not
    usable: its program would hold both. environ: for the compiler.
    """
    return tuple(name for name in names if _is_usable(name, compiler, dict(environ)))


def _is_usable(name: str, compiler: str, environ: dict[str, str]) -> bool:
    source = f"#if !__has_include(<{name}.h>)\n#error missing\n#endif\nint main() {{ return 0; }}\n"
    with tempfile.TemporaryDirectory(prefix="leadline-") as folder:
        program = str(Path(folder) / "program")
        linking = ["-x", "c++", "-", "-Wl,--no-as-needed", f"-l{name}", "-o", program]
        try:
            subprocess.run([compiler, *linking], input=source, capture_output=True, text=True, check=True, env=environ)
            loaded = subprocess.run(["ldd", "-r", program], capture_output=True, text=True, check=True, env=environ)
        except (OSError, subprocess.CalledProcessError):
            return False
    said = loaded.stdout + loaded.stderr
    return "undefined symbol" not in said and "not found" not in said and len(set(MPI.findall(said))) <= 1

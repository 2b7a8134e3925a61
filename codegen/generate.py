"""Writes the recorder's generated sources: python codegen/generate.py --out DIR   (into DIR/leadline/)."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from mpiapi import emit, emit_operations
from mpiapi.classes import classes_header
from mpiapi.data import read_toml
from mpiapi.exec_tables import exec_tables_header
from mpiapi.families import families_header, load_families
from mpiapi.launchers import launchers_header, load_launchers
from mpiapi.operations import load_operations
from mpiapi.semantics import load_semantics
from mpiapi.send_modes import load_send_modes, send_modes_header
from mpiapi.standard import PYMPISTANDARD_VERSION, ApiError, load_functions

ROOT = Path(__file__).resolve().parent.parent
API = ROOT / "api"
COLLECTIVES = ROOT / "src" / "collectives"


def sources(api: Path, wrapped: set[str] | None = None) -> dict[str, str]:
    """File name -> text of everything that is generated. Raises ApiError if the data are wrong.

    wrapped: the functions that get wrappers (without MPI_); None for all.
    """
    functions = load_functions(api)
    with_wrappers = [f for f in functions if wrapped is None or f.name in wrapped]
    meanings, classes = load_semantics(api, functions)
    operations = load_operations(api, COLLECTIVES, meanings)
    return {
        "call_classes.hpp": classes_header(classes),
        "send_modes.hpp": send_modes_header(load_send_modes(read_toml(api / "semantics.toml")["send_modes"], meanings)),
        "functions.hpp": emit.functions_header(meanings),
        "wrappers.cpp": emit.wrappers(with_wrappers),
        "wrappers_c.cpp": emit.large_count_wrappers(with_wrappers),
        "symbols.hpp": emit.symbols_header(functions),
        "families.hpp": families_header(load_families(api)),
        "launchers.hpp": launchers_header(*load_launchers(api)),
        "exec_tables.hpp": exec_tables_header(),
        "operations.hpp": emit_operations.operations_header(operations),
        "algorithms.hpp": emit_operations.algorithms_header(operations),
        "native_calls.inc": emit_operations.native_calls(operations),
        "shim_collectives.hpp": emit_operations.shim_header(operations),
        "shim_wrappers.inc": emit_operations.shim_wrappers(operations),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder that gets leadline/*.hpp and *.cpp")
    parser.add_argument("--api", type=Path, default=API, help="folder of the data (default: api/ beside codegen/)")
    parser.add_argument("--wrap", default="", help="wrappers of these functions only: Send,Recv (quick to compile)")
    options = parser.parse_args()
    try:
        texts = sources(options.api, set(options.wrap.split(",")) if options.wrap else None)
    except ModuleNotFoundError as error:
        print(f"codegen: {error}: pip install pympistandard=={PYMPISTANDARD_VERSION}", file=sys.stderr)
        return 5
    except ApiError as error:
        print(f"codegen: {error}", file=sys.stderr)
        return 1
    folder = options.out / "leadline"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        path = folder / name
        # Unchanged files keep their time stamp, so that nothing is compiled again.
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

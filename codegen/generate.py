"""Writes the recorder's generated sources: python codegen/generate.py --out DIR   (into DIR/leadline/)."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from mpiapi import emit
from mpiapi.families import families_header, load_families
from mpiapi.semantics import load_meanings
from mpiapi.standard import PYMPISTANDARD_VERSION, ApiError, load_functions

API = Path(__file__).resolve().parent.parent / "api"


def sources(api: Path) -> dict[str, str]:
    """File name -> text of everything that is generated. Raises ApiError where the data are wrong."""
    functions = load_functions(api)
    meanings = load_meanings(api, functions)
    return {
        "functions.hpp": emit.functions_header(meanings),
        "wrappers.cpp": emit.wrappers(functions),
        "wrappers_c.cpp": emit.large_count_wrappers(functions),
        "symbols.hpp": emit.symbols_header(functions),
        "families.hpp": families_header(load_families(api)),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder that gets leadline/*.hpp and *.cpp")
    parser.add_argument("--api", type=Path, default=API, help="folder of the data (default: api/ beside codegen/)")
    options = parser.parse_args()
    try:
        texts = sources(options.api)
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

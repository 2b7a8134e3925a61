"""Puts JavaScript modules into one classic script, which a page opened from a file can run (modules it may not load).

A strict part of the language of modules, so that what stands in script/ is also what editors and other tools
understand: imports come first and name what they take (`import { a, b } from "./c.js";`), exports stand before a
declaration at the beginning of a line (`export function`, `export class`, `export const`).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.{1,2}/[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const) (\w+))", re.MULTILINE)
_OTHER = re.compile(r"^\s*(?:import|export)\b.*", re.MULTILINE)


def bundle(entry: Path, drawings: Mapping[str, Path] | None = None, given: Mapping[str, object] | None = None) -> str:
    """One script: each module a block in strict mode, after those it needs. Raises ValueError for other forms.

    drawings: by section, the module that exports `drawing`. The script ends with a call of the entry's `show` with all
    of them: so no module has to list the others.
    given: what stands in no file, but in Python's data: `import { NAME } from "./given.js";` in the entry's folder.
    """
    root = entry.parent.resolve()
    blocks: list[str] = []
    done: set[Path] = set()
    if given is not None:
        values = ", ".join(f"{name}: {json.dumps(value)}" for name, value in given.items())
        blocks.append(f'modules["given.js"] = {{ {values} }};\n')
        done.add(root / "given.js")
    entry = entry.resolve()
    drawn = {name: file.resolve() for name, file in (drawings or {}).items()}
    for module in (*drawn.values(), entry):
        _add(module, root, blocks, done, pending=[])
    if drawings is not None:
        each = [f"{json.dumps(name)}: modules[{_name(file, root)!r}].drawing" for name, file in drawn.items()]
        blocks.append(f"modules[{_name(entry, root)!r}].show({{ {', '.join(each)} }});\n")
    return '(() => {\n"use strict";\nconst modules = {};\n' + "".join(blocks) + "})();\n"


def _add(module: Path, root: Path, blocks: list[str], done: set[Path], pending: list[Path]) -> None:
    if module in done:
        return
    if module in pending:
        raise ValueError(f"{module}: imports itself by way of {', '.join(path.name for path in pending)}")
    source = module.read_text(encoding="utf-8")
    taken = []
    for names, target in _IMPORT.findall(source):
        imported = Path(os.path.normpath(module.parent / target))
        _add(imported, root, blocks, done, [*pending, module])
        taken.append(f"const {{{names}}} = modules[{_name(imported, root)!r}];\n")
    body = _IMPORT.sub("", source)
    exported = _EXPORT.findall(body)
    body = _EXPORT.sub("", body)
    if left := _OTHER.search(body):
        raise ValueError(f"{module}: this form is not supported: {left.group().strip()}")
    gives = f"modules[{_name(module, root)!r}] = {{ {', '.join(exported)} }};\n"
    blocks.append(f"// {_name(module, root)}\n{{\n{''.join(taken)}{body}{gives}}}\n")
    done.add(module)


def _name(module: Path, root: Path) -> str:
    return module.relative_to(root).as_posix()

"""The parts of a page: the bundle of its modules, its data, and uPlot as the build provides it."""

from __future__ import annotations

import copy
import hashlib
import itertools
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest

from leadline import _core
from leadline.report.page import document, page
from leadline.report.page.bundle import bundle
from leadline.report.page.packing import as_script_text, packed
from leadline.text import format as fmt

from .synthetic import report_of

PAGE = Path(document.__file__).parent
INSTALL = PAGE / "npm" / "install.cmake"


def write(folder: Path, **modules: str) -> Path:
    for name, text in modules.items():
        (folder / f"{name}.js").write_text(text)
    return folder / "main.js"


def test_modules_become_one_script_each_after_those_it_needs(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        main='import { twice } from "./b.js";\nimport { one } from "./c.js";\nconst two = twice(one);\n',
        b='import {\n  one,\n} from "./c.js";\nexport function twice(n) {\n  return 2 * n * one;\n}\n',
        c="export const one = 1;\n",
    )
    script = bundle(main)
    assert [script.index(f"// {name}.js\n") for name in ("c", "b", "main")] == sorted(
        script.index(f"// {name}.js\n") for name in ("c", "b", "main")
    )
    assert not re.search(r"^\s*(import|export)\b", script, re.MULTILINE)


def test_modules_take_what_python_gives_them(tmp_path: Path) -> None:
    main = write(tmp_path, main='import { KINDS } from "./given.js";\nconst n = KINDS.length;\n')
    assert 'modules["given.js"] = { KINDS: ["a", "b"] };' in bundle(main, given={"KINDS": ["a", "b"]})


def test_every_kind_of_time_has_its_colour() -> None:
    styles = "".join(path.read_text() for path in (PAGE / "style").glob("*.css"))
    for name in _core.CATEGORIES:
        assert f"--{name.replace('_', '-')}:" in styles, name


def test_the_entry_is_given_the_drawings_that_the_folder_holds(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node here")
    main = write(
        tmp_path,
        main='import { twice } from "./b.js";\nexport function show(drawings) {\n'
        "  for (const [name, drawing] of Object.entries(drawings)) console.log(name, twice(drawing.value));\n}\n",
        b="export function twice(n) {\n  return 2 * n;\n}\n",
        one_two='import { twice } from "./b.js";\nexport const drawing = { value: twice(3) };\n',
        other="export const drawing = { value: 5 };\n",
    )
    drawings = {"one-two": tmp_path / "one_two.js", "other": tmp_path / "other.js"}
    done = subprocess.run([node, "-e", bundle(main, drawings)], capture_output=True, text=True, check=True)
    assert done.stdout == "one-two 12\nother 10\n"


@pytest.mark.parametrize(
    "text", ['import x from "./b.js";\n', "export default 1;\n", 'import { a } from "b";\n', "export { a };\n"]
)
def test_other_forms_of_modules_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ValueError, match="not supported"):
        bundle(write(tmp_path, main=text, b="export const a = 1;\n"))


def test_modules_that_need_each_other_are_refused(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        main='import { b } from "./b.js";\nexport const a = 1;\n',
        b='import { a } from "./main.js";\nexport const b = 1;\n',
    )
    with pytest.raises(ValueError, match="imports itself"):
        bundle(main)


def test_nothing_that_stands_in_the_page_can_end_its_element() -> None:
    for text in document._assets():
        assert "</script" not in text
        assert "</style" not in text
        assert "<!--" not in text
    text = as_script_text(packed({"a": "</script><!-- & \u2028\ud800"}))
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text)["a"] == "</script><!-- & \u2028\ud800"


def test_nothing_in_the_page_is_loaded_from_anywhere() -> None:
    html = page(report_of(4))
    assert not re.search(r"\b(?:src|srcset)\s*=|<link|@import|url\(", html)
    assert "default-src 'none'" in html


def unpacked(value: Any) -> Any:
    if isinstance(value, list):
        return [unpacked(item) for item in value]
    if isinstance(value, dict):
        if "$keys" in value:
            return [dict(zip(value["$keys"], map(unpacked, row), strict=True)) for row in value["$rows"]]
        if "$integers" in value:
            return integers(value["$integers"])
        if "$deltas" in value:
            return list(itertools.accumulate(integers(value["$deltas"])))
        return {key: unpacked(item) for key, item in value.items()}
    return value


def integers(text: str) -> list[int]:
    """Digits of five bits, the lowest first, with a sixth bit if more follow; the lowest bit is the sign."""
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    found, value, shift = [], 0, 0
    for digit in map(digits.index, text):
        value |= (digit & 31) << shift
        shift += 5
        if digit < 32:
            found.append(-(value + 1) // 2 if value & 1 else value // 2)
            value, shift = 0, 0
    return found


def test_packing_loses_nothing_and_makes_it_smaller() -> None:
    report = report_of(500)
    text = as_script_text(packed(report))
    assert unpacked(json.loads(text)) == report
    assert len(text) < 0.5 * len(json.dumps(report))
    assert packed([math.nan, math.inf, 1.5]) == [None, None, 1.5]


def test_lists_of_integers_come_back_in_the_page(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node here")
    chance = random.Random(7)
    lists = [
        [0] * 16,
        [-1, 0, 1, 15, 16, -15, -16, 31, 32, -32, 2**31, -(2**31), 2**49, -(2**49), 2**50 - 1, 1 - 2**50],
        [chance.randint(-(10**6), 10**6) for _ in range(500)],
        list(range(10**12, 10**12 + 20)),
        [2**53] * 20,
        [True] * 20,
        [1] * 15,
    ]
    text = [packed(each) for each in lists]
    assert [unpacked(each) for each in text] == lists
    assert ["".join(each) if isinstance(each, dict) else "" for each in text] == [
        "$integers", "$integers", "$integers", "$deltas", "", "", "",
    ]  # fmt: skip
    shutil.copy(PAGE / "script" / "data.js", tmp_path / "data.mjs")
    (tmp_path / "lists.json").write_text(json.dumps(text))
    (tmp_path / "all.mjs").write_text(
        'import { unpack } from "./data.mjs";\nimport { readFileSync } from "node:fs";\n'
        'console.log(JSON.stringify(unpack(JSON.parse(readFileSync("lists.json", "utf8")))));\n'
    )
    done = subprocess.run([node, "all.mjs"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == lists


def test_the_page_undoes_every_form_of_deflate(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node here")
    chance = random.Random(11)
    texts = [
        b"",
        b"a" * 70_000,
        bytes(chance.randrange(256) for _ in range(100_000)),
        b"".join(b"MPI_%d at %d;" % (chance.randrange(9), chance.randrange(10**6)) for _ in range(20_000)),
        bytes(range(256)) * 200,
    ]
    cases = []
    for text in texts:
        for level, strategy in ((0, 0), (1, 0), (9, 0), (9, zlib.Z_FIXED), (9, zlib.Z_HUFFMAN_ONLY), (6, zlib.Z_RLE)):
            deflate = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS, 8, strategy)
            cases.append({"bytes": len(text), "data": (deflate.compress(text) + deflate.flush()).hex()})
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    shutil.copy(PAGE / "script" / "inflate.js", tmp_path / "inflate.mjs")
    (tmp_path / "all.mjs").write_text(
        'import { inflate } from "./inflate.mjs";\nimport { createHash } from "node:crypto";\n'
        'import { readFileSync } from "node:fs";\n'
        "const digest = (bytes) => createHash('sha256').update(bytes).digest('hex');\n"
        "const undo = ({ data, bytes }) => digest(inflate(new Uint8Array(Buffer.from(data, 'hex')), bytes));\n"
        "const fails = (each) => { try { undo(each); } catch (error) { return true; } return false; };\n"
        'const cases = JSON.parse(readFileSync("cases.json", "utf8"));\n'
        "const shorter = (each) => ({ ...each, data: each.data.slice(0, -16) });\n"
        "const cut = cases.filter(({ data }) => data.length > 40).map(shorter);\n"
        "console.log(JSON.stringify({ digests: cases.map(undo), failed: cut.map(fails) }));\n"
    )
    done = json.loads(subprocess.run([node, "all.mjs"], cwd=tmp_path, capture_output=True, check=True).stdout)
    assert done["digests"] == [hashlib.sha256(text).hexdigest() for text in texts for _ in range(6)]
    assert done["failed"]
    assert all(done["failed"])


def test_a_page_of_many_call_sites_or_ranks_is_at_most_2_mb() -> None:
    assert len(page(report_of(1_000))) < 2_000_000
    report = report_of(32)
    chance = random.Random(3)
    many = []
    for number in range(5_000):
        site = copy.deepcopy(report["sites"][number % 5])
        site |= {"routine": f"routine_{number}", "line": number}
        site |= {"calls": chance.randrange(10**6), "time_s": chance.random(), "mean_s": chance.random() / 1e6}
        for name in ("time_min_s", "time_median_s", "time_max_s", "min_s", "max_s"):
            site[name] = chance.random()
        site["frames"] = [
            {**frame, "routine": f"solver_{(number // 3**depth) % 800}", "full": f"ocean::solver_{number // 3**depth}"}
            for depth, frame in enumerate(site["frames"] * 3)
        ]
        site["path"] = [f"{frame['routine']} (halo.cpp:{number})" for frame in site["frames"]]
        many.append(site)
    report["sites"] = many
    assert len(as_script_text(packed(report))) > 6_000_000
    assert len(page(report)) < 2_000_000


def test_a_page_of_4096_ranks_with_26_partners_stays_small_enough_to_open() -> None:
    report = report_of(4_096)
    pair = report["matrix"][0]
    report["matrix"] = [{**pair, "source": i, "target": (i * 7 + j) % 4_096} for i in range(4_096) for j in range(26)]
    assert len(page(report)) < 2_000_000


def test_numbers_are_written_as_on_the_terminal(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node here")
    chance = random.Random(5)
    values = [0, 1, 0.5, 1.5, 2.5, 0.125, 0.375, 9_999, 10_000, 999_500, 999_499, 9.995, 99.95, 1e-9, 0.0009995, 2**60]
    values += [chance.uniform(1, 10) * 10.0 ** chance.randint(-9, 15) for _ in range(2_000)]
    values += [chance.randint(0, 10**9) / 8 for _ in range(500)]
    (tmp_path / "values.json").write_text(json.dumps(values))
    shutil.copy(PAGE / "script" / "format.js", tmp_path / "format.mjs")
    (tmp_path / "all.mjs").write_text(
        'import { count, percent, seconds, size } from "./format.mjs";\nimport { readFileSync } from "node:fs";\n'
        'const values = JSON.parse(readFileSync("values.json", "utf8"));\n'
        "console.log(JSON.stringify(values.map((v) => [size(v), seconds(v), count(v), percent(v % 1)])));\n"
    )
    done = subprocess.run([node, "all.mjs"], cwd=tmp_path, capture_output=True, text=True, check=True)
    for value, shown in zip(values, json.loads(done.stdout), strict=True):
        expected = [fmt.size(value), fmt.seconds(value), fmt.count(value), fmt.percent(value % 1)]
        assert shown == expected, value


def cmake() -> str:
    own = Path(sys.executable).parent / "cmake"
    found = str(own) if own.exists() else shutil.which("cmake")
    if found is None:
        pytest.skip("there is no cmake here")
    return found


def installed(out: Path, placed: Path, path: str) -> subprocess.CompletedProcess[str]:
    words = [cmake(), f"-DPLACED={placed}", f"-DOUT={out}", "-P", str(INSTALL)]
    return subprocess.run(words, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False)


def test_a_build_without_npm_goes_on_and_says_what_is_left_out(tmp_path: Path) -> None:
    done = installed(tmp_path / "out", tmp_path / "none", str(tmp_path))
    assert done.returncode == 0
    assert "there is no npm here" in done.stderr
    assert "HTML pages will have all tables but not all charts" in " ".join(done.stderr.split())
    assert not (tmp_path / "out" / "uPlot.js").exists()


def test_a_build_that_cannot_reach_the_registry_says_what_npm_said(tmp_path: Path) -> None:
    npm = tmp_path / "bin" / "npm"
    npm.parent.mkdir()
    npm.write_text("#!/bin/sh\necho 'npm error network: no way there' >&2\nexit 1\n")
    npm.chmod(0o755)
    done = installed(tmp_path / "out", tmp_path / "none", f"{npm.parent}:/bin:/usr/bin")
    assert done.returncode == 0
    assert "npm error network: no way there" in done.stderr
    assert not (tmp_path / "out").exists()


def test_what_an_earlier_build_placed_is_used_without_npm(tmp_path: Path) -> None:
    placed = tmp_path / "placed"
    placed.mkdir()
    for name in ("uPlot.js", "uPlot.css", "uPlot.LICENSE"):
        (placed / name).write_text(f"{name} of @an@ earlier ${{build}};\n")
    shutil.copy(PAGE / "npm" / "package-lock.json", placed)
    done = installed(tmp_path / "out", placed, str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "out" / "uPlot.js").read_text() == "uPlot.js of @an@ earlier ${build};\n"
    (placed / "package-lock.json").write_text("{}\n")
    shutil.rmtree(tmp_path / "out")
    assert "there is no npm here" in installed(tmp_path / "out", placed, str(tmp_path)).stderr


def test_what_comes_from_npm_is_pinned_to_one_version_and_content() -> None:
    wanted = json.loads((PAGE / "npm" / "package.json").read_text())["dependencies"]
    locked = json.loads((PAGE / "npm" / "package-lock.json").read_text())["packages"]
    assert wanted == {"uplot": "1.6.32"}
    assert locked["node_modules/uplot"]["version"] == wanted["uplot"]
    assert locked["node_modules/uplot"]["integrity"].startswith("sha512-")


def test_the_title_names_all_programs_with_their_blanks() -> None:
    programs = [{"name": name, "path": name, "arguments": []} for name in ("ocean model", "ice", "ice")]
    text = page({**report_of(2), "programs": programs})
    assert "<title>ocean model + ice on 2 ranks – Leadline</title>" in text

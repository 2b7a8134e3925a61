"""What was kept, as files for those who run a program without Leadline: read by what reads them."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from leadline.errors import UsageError
from leadline.improve import file
from leadline.improve.setting import Setting
from leadline.improve.written import FORMS, written

ODD = """a "b" $HOME [c] {d} \\e 'f'; `g` #h"""


def kept(tmp_path: Path, **given: object) -> Path:
    path = tmp_path / "improve.toml"
    settings = [Setting("one", "one", "what", "risk", 0.5, **given)] if given else []  # type: ignore[arg-type]
    file.write(path, settings, {})
    return path


@pytest.mark.parametrize("value", ["1", ODD, ""])
def test_a_shell_sets_what_was_kept(tmp_path: Path, value: str) -> None:
    text = written(kept(tmp_path, variables={"A": value}, without=("B",)), "shell")
    script = f'{text}printf "%s|%s" "$A" "${{B-gone}}"'
    found = subprocess.run(["sh", "-c", script], env={"B": "1"}, capture_output=True, text=True, check=True)
    assert found.stdout == f"{value}|gone"


@pytest.mark.parametrize("value", ["1", ODD])
def test_a_prolog_prints_what_slurm_reads(tmp_path: Path, value: str) -> None:
    text = written(kept(tmp_path, variables={"A": value}, without=("B",)), "prolog")
    found = subprocess.run(["sh", "-c", text], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines() == ["unset B", f"export A={value}"]
    assert text.startswith("#!/bin/sh\n")


@pytest.mark.skipif(shutil.which("tclsh") is None, reason="there is no Tcl here")
@pytest.mark.parametrize("value", ["1", ODD])
def test_a_module_file_is_read_by_tcl(tmp_path: Path, value: str) -> None:
    text = written(kept(tmp_path, variables={"A": value}, without=("B",)), "module")
    procedures = 'proc setenv {name value} { puts "$name=$value" }\nproc unsetenv {name} { puts "without $name" }\n'
    found = subprocess.run(["tclsh"], input=procedures + text, capture_output=True, text=True, check=True)
    assert found.stdout.splitlines() == ["without B", f"A={value}"]


def test_a_module_file_escapes_what_tcl_would_read(tmp_path: Path) -> None:
    text = written(kept(tmp_path, variables={"A": ODD}), "module")
    assert text.splitlines()[0] == "#%Module1.0"
    assert text.splitlines()[-1] == (r"""setenv A "a \"b\" \$HOME \[c\] \{d\} \\e 'f'\; `g` #h" """.rstrip())


@pytest.mark.parametrize("form", FORMS)
def test_what_variables_cannot_say_is_a_comment(tmp_path: Path, form: str) -> None:
    text = written(kept(tmp_path, options=("-bind-to", "core"), without_options=(("--mca", "a", "1"),)), form)
    assert "# options of the launcher: -bind-to core" in text.splitlines()
    assert "# without these options of the launcher: --mca a 1" in text.splitlines()


@pytest.mark.parametrize("form", FORMS)
def test_nothing_to_set_is_said(tmp_path: Path, form: str) -> None:
    assert "# nothing to set" in written(kept(tmp_path), form).splitlines()


@pytest.mark.parametrize("form", ["prolog", "module"])
def test_a_value_of_several_lines_is_refused_where_it_cannot_be_written(tmp_path: Path, form: str) -> None:
    with pytest.raises(UsageError, match="A has several lines"):
        written(kept(tmp_path, variables={"A": "1\n2"}), form)


def test_files_that_settings_name_are_written_beside(tmp_path: Path) -> None:
    text = written(kept(tmp_path, files={"HINTS": "cb_buffer_size 1\n"}), "module")
    named = Path(text.splitlines()[-1].split('"')[1])
    assert named.is_relative_to(tmp_path)
    assert named.read_text() == "cb_buffer_size 1\n"
    assert json.dumps(str(named)) in text

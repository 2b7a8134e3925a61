"""What the commands import: each module costs every user time at the start."""

import subprocess
import sys


def test_a_report_imports_no_library_for_terminals() -> None:
    asked = """
import sys
import leadline.cli.report, leadline.report.json_report, leadline.report.sections
print(*({"rich", "ctypes", "shutil"} & set(sys.modules)))
"""
    found = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert found.stdout.split() == []

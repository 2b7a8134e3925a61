"""The report of a run: as data for scripts, on the terminal for people."""

from leadline.report.json_report import to_json
from leadline.report.terminal import print_iterations, print_report
from leadline.report.verdict import verdict

__all__ = ["print_iterations", "print_report", "to_json", "verdict"]

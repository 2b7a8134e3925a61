"""The report of a run: as data for scripts, on the terminal for people.

the recording ─► content (figures) ─► findings ─► verdict
                        └─► sections: each in JSON and on the terminal, and in the page, which draws the JSON object
"""

from leadline.report.json_report import to_json
from leadline.report.sections.iterations import print_iterations
from leadline.report.summary import print_summary
from leadline.report.terminal import print_report, print_sections
from leadline.report.verdict import verdict

__all__ = ["print_iterations", "print_report", "print_sections", "print_summary", "to_json", "verdict"]

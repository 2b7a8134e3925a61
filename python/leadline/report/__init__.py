"""The report of a run: as data for scripts, on the terminal for people.

the recording ─► content (figures) ─► findings ─► verdict
                        └─► sections: each in JSON and on the terminal, and in the page, which draws the JSON object
"""

from leadline.report.report import Report, open_report, to_json
from leadline.report.verdict import verdict

__all__ = ["Report", "open_report", "to_json", "verdict"]

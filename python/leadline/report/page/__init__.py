"""The report as one HTML file that works offline: the object of `--json`, and scripts that show it.

report object ─► packing ─► document ─► FILE          script/, style/: ours, no build
                 (smaller)     ▲                      from_npm/: uPlot, put there by the build
                            bundle (modules in one script, script/sections/ by the report's list of sections)
"""

from leadline.report.page.document import page, write_page

__all__ = ["page", "write_page"]

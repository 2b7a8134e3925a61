"""The HTML file: a skeleton that is readable without scripts, the styles, the report object and the scripts."""

from __future__ import annotations

import base64
import functools
import hashlib
import html
from pathlib import Path
from typing import Any

from leadline import _core, own_files
from leadline.report.columns import as_data
from leadline.report.page.bundle import bundle
from leadline.report.page.drawings import drawings_in
from leadline.report.page.packing import as_script_text, compressed, packed
from leadline.report.sections import SECTIONS
from leadline.text.visible import in_shell, strings_in, visible_lines

_HERE = Path(__file__).parent
_FROM_NPM = _HERE / "from_npm"
_STYLES = ("base.css", "sections.css", "tables.css", "charts.css", "timeline.css", "print.css")


def write_page(report: dict[str, Any], file: Path) -> None:
    """Writes the page in place of an older one. Raises OSError.

    report: what `leadline report --json` prints, and `advice`: what `leadline advise --json` prints, or null.
    """
    _write(page(report), file)


def write_comparison(comparison: dict[str, Any], file: Path) -> None:
    """The same of what `leadline compare --json` prints."""
    _write(comparison_page(comparison), file)


def write_study(study: dict[str, Any], file: Path) -> None:
    """The same of what `leadline study --json` prints."""
    _write(_document(study, "Study – Leadline", "leadline study opatm", _study_script()), file)


def write_campaign(campaign: dict[str, Any], file: Path) -> None:
    """The same of what `leadline campaign --json` prints, with `directory`, and `report` of each run: a link."""
    command = f"leadline campaign {in_shell(str(campaign['directory']))}"
    _write(_document(campaign, f"{campaign['name']} – Leadline", command, _campaign_script()), file)


def _write(text: str, file: Path) -> None:
    with own_files.replacing(file) as out:
        out.write(text)


def page(report: dict[str, Any]) -> str:
    """The whole page as text."""
    return _document(
        report, _title(report), f"leadline report {in_shell(str(report.get('run', 'DIR')))}", _report_script()
    )


def comparison_page(comparison: dict[str, Any]) -> str:
    groups = " ".join(in_shell(str(group["name"])) for group in comparison["groups"])
    return _document(comparison, "Comparison – Leadline", f"leadline compare {groups} --all", _comparison_script())


def _document(content: dict[str, Any], title: str, command: str, script: str) -> str:
    """Its policy lets the page load nothing, and run no scripts and styles but its own."""
    style, chart_library = _assets()
    data = compressed(as_script_text(packed(strings_in(content, visible_lines))))
    policy = (
        f"default-src 'none'; base-uri 'none'; form-action 'none'; style-src '{_hash(style)}'; "
        f"script-src '{_hash(chart_library)}' '{_hash(script)}'"
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{_text(title)}</title>
<style>{style}</style>
</head>
<body>
<div id="page"><main><h1>{_text(content.get("verdict", ""))}</h1>
<p>This page's scripts did not run. For the same figures, type
<code>{_text(command)}</code></p></main></div>
<script type="application/json" id="report">{data}</script>
<script>{chart_library}</script>
<script>{script}</script>
</body>
</html>
"""


@functools.cache
def _assets() -> tuple[str, str]:
    """(styles, uPlot with its licence or an empty script)."""
    styles = [(_HERE / "style" / name).read_text(encoding="utf-8") for name in _STYLES]
    library = "// uPlot was not available when Leadline was built, so charts that need it are missing."
    if (_FROM_NPM / "uPlot.js").is_file():
        licence = (_FROM_NPM / "uPlot.LICENSE").read_text(encoding="utf-8").replace("*/", "")
        library = f"/*!\n{licence}*/\n{(_FROM_NPM / 'uPlot.js').read_text(encoding='utf-8')}"
        styles.insert(0, (_FROM_NPM / "uPlot.css").read_text(encoding="utf-8"))
    return "\n".join(styles), library


@functools.cache
def _comparison_script() -> str:
    return _script("comparison.js")


@functools.cache
def _study_script() -> str:
    return _script("study.js")


@functools.cache
def _campaign_script() -> str:
    return _script("campaign.js")


def _script(name: str) -> str:
    return bundle(_HERE / "script" / name, {}, {"CATEGORIES": [], "COLUMNS": as_data()})


@functools.cache
def _report_script() -> str:
    folder = _HERE / "script"
    categories = [
        {"key": c.name, "name": c.title, "column": c.abbreviation}
        for c in map(_core.CATEGORY_NAMES.__getitem__, _core.CATEGORIES)
    ]
    return bundle(
        folder / "main.js", drawings_in(folder / "sections", SECTIONS), {"CATEGORIES": categories, "COLUMNS": as_data()}
    )


def _text(value: object) -> str:
    """The text in HTML."""
    return html.escape(visible_lines(str(value)))


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _title(report: dict[str, Any]) -> str:
    names = dict.fromkeys(str(program["name"]) for program in report.get("programs") or ())
    predicted = ", predicted" if report.get("predicted") else ""
    return f"{' + '.join(names) or 'MPI program'} on {report.get('ranks')} ranks{predicted} – Leadline"

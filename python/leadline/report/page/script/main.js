// Puts the page together: verdict, what to look at, then the sections that the report lists, in its order. How one is
// drawn is in the file of its name in sections/, which exports drawing: { remark(report), render(report) -> elements }.

import { contents, followScrolling } from "./contents.js";
import { drawCharts } from "./chart.js";
import { h } from "./dom.js";
import { head } from "./head.js";
import { printing } from "./printing.js";
import { read } from "./read.js";
import { fitTables } from "./table.js";

/** drawings: by section. Called when all modules are there (report/page/document.py). */
export function show(drawings) {
  const report = read();
  const present = report.sections.filter((each) => each.id in drawings);
  const page = document.getElementById("page");
  page.replaceChildren(
    h("a", { class: "skip", href: "#main" }, "Skip to the report"),
    contents(present),
    h(
      "main",
      { id: "main", tabindex: -1 },
      head(report, new Map(present.map((each) => [each.id, each.title]))),
      present.map((each) => section(each, drawings[each.id], report)),
    ),
  );
  drawCharts();
  fitTables();
  followScrolling(present);
  printing();
  // For the browser's console, and the tests: the same object that `--json` prints.
  globalThis.leadline = { report };
}

function section(each, drawing, report) {
  const heading = `${each.id}-title`;
  let inside;
  try {
    inside = drawing.render(report);
  } catch (error) {
    // One part that fails must not take the others with it.
    console.error(`${each.id}:`, error);
    inside = h(
      "p",
      { class: "note" },
      `This part could not be drawn (${error.message}). For its figures, type leadline report --json`,
    );
  }
  return h(
    "section",
    { id: each.id, "aria-labelledby": heading },
    h("h2", { id: heading }, each.title),
    drawing.remark ? h("p", { class: "remark" }, drawing.remark(report)) : null,
    inside,
  );
}

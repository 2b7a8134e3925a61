// Puts the page together: verdict, what to look at, then the sections that the report lists, in its order. How one is
// drawn is in the file of its name in sections/, which exports drawing: { remark(report), render(report) -> elements }.

import { h } from "./dom.js";
import { showPage } from "./frame.js";
import { head } from "./head.js";
import { read } from "./read.js";

/** drawings: by section. Called when all modules are there (report/page/document.py). */
export function show(drawings) {
  const { advice, ...report } = read();
  const present = report.sections.filter((each) => each.id in drawings);
  const titles = new Map(present.map((each) => [each.id, each.title]));
  const sections = present.map((each) => ({ ...each, inside: drawn(each.id, drawings[each.id], report) }));
  showPage("the report", head(report, titles, advice ?? null), sections);
  // For the browser's console, and the tests: the same objects that `--json` of report and advise print.
  globalThis.leadline = { report, advice };
}

function drawn(id, drawing, report) {
  const remark = drawing.remark ? h("p", { class: "remark" }, drawing.remark(report)) : null;
  try {
    return [remark, drawing.render(report)];
  } catch (error) {
    // One part that fails must not take the others with it.
    console.error(`${id}:`, error);
    const said = `Cannot draw this section (${error.message}). Its figures: leadline report --json`;
    return [remark, h("p", { class: "note" }, said)];
  }
}

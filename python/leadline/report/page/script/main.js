// Puts the page together: verdict, what to look at, then the sections in this order. A section is one file that exports
//   { id, title, remark(report), present(report), render(report) -> elements }.

import { drawCharts } from "./chart.js";
import { read } from "./data.js";
import { h } from "./dom.js";
import { head } from "./head.js";
import { contents, followScrolling } from "./contents.js";
import { printing } from "./printing.js";
import { calls } from "./sections/calls.js";
import { files } from "./sections/files.js";
import { functions } from "./sections/functions.js";
import { iterations } from "./sections/iterations.js";
import { itself } from "./sections/itself.js";
import { matrix } from "./sections/matrix.js";
import { missing } from "./sections/missing.js";
import { oneSided } from "./sections/one_sided.js";
import { ranks } from "./sections/ranks.js";
import { regions } from "./sections/regions.js";
import { routines } from "./sections/routines.js";
import { sizes } from "./sections/sizes.js";
import { variables } from "./sections/variables.js";

const SECTIONS = [
  ranks,
  iterations,
  functions,
  calls,
  routines,
  regions,
  sizes,
  matrix,
  oneSided,
  files,
  variables,
  missing,
  itself,
];

function section(each, report) {
  const heading = `${each.id}-title`;
  let inside;
  try {
    inside = each.render(report);
  } catch (error) {
    // One part that fails must not take the others with it.
    console.error(`${each.id}:`, error);
    inside = h(
      "p",
      { class: "note" },
      `This part could not be drawn (${error.message}). Its figures: leadline report --json`,
    );
  }
  return h(
    "section",
    { id: each.id, "aria-labelledby": heading },
    h("h2", { id: heading }, each.title),
    each.remark ? h("p", { class: "remark" }, each.remark(report)) : null,
    inside,
  );
}

function show(report) {
  const present = SECTIONS.filter((each) => each.present(report));
  const page = document.getElementById("page");
  page.replaceChildren(
    h("a", { class: "skip", href: "#main" }, "Skip to the report"),
    contents(present),
    h(
      "main",
      { id: "main", tabindex: -1 },
      head(report, new Set(present.map((each) => each.id))),
      present.map((each) => section(each, report)),
    ),
  );
  drawCharts();
  followScrolling(present);
  printing();
}

const report = read();
show(report);
// For the browser's console, and the tests: the same object that `--json` prints.
globalThis.leadline = { report };

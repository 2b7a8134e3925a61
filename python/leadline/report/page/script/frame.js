// What all pages have: the link past the contents, the contents, a head, and titled sections.

import { contents, followScrolling } from "./contents.js";
import { drawCharts } from "./chart.js";
import { h } from "./dom.js";
import { printing } from "./printing.js";
import { fitTables } from "./table.js";

/**
 * Draws the page. called: "the report".   heading: elements of the head.
 * sections: { id, title, short, inside }, where `inside` holds elements.
 */
export function showPage(called, heading, sections) {
  document
    .getElementById("page")
    .replaceChildren(
      h("a", { class: "skip", href: "#main" }, `Skip to ${called}`),
      contents(sections),
      h("main", { id: "main", tabindex: -1 }, heading, sections.map(section)),
    );
  drawCharts();
  fitTables();
  followScrolling(sections);
  printing();
}

function section({ id, title, inside }) {
  const heading = `${id}-title`;
  return h("section", { id, "aria-labelledby": heading }, h("h2", { id: heading }, title), inside);
}

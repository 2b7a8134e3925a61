// By call site: function, routine, file, line, and the chain of routines that leads there.

import { ENTRY_COLUMNS, entryDetail } from "../cells.js";
import { lineText, place } from "../data.js";
import { h } from "../dom.js";
import { count, percent, plural, seconds } from "../format.js";
import { chainOf } from "../names.js";
import { table } from "../table.js";

const MOST_PATHS = 50;
const MOST_ROUTINES = 8;

export const drawing = {
  remark: () =>
    "MPI call sites, with call paths. Open a line for its paths and its values by rank.",
  render: (report) => [
    table({
      of: "calls",
      label: "Call sites",
      columns: [where, ...ENTRY_COLUMNS],
      rows: report.places,
      one: "call site",
      words,
      detail: (each) => [paths(each, report.sites), entryDetail(each)],
    }),
  ],
};

const where = {
  id: "where",
  head: true,
  text: true,
  value: (e) => `${e.function} ${e.file ?? ""} ${String(e.line ?? "").padStart(8)}`,
  cell: (e) =>
    h(
      "span",
      { class: "site" },
      h(
        "span",
        { class: "call" },
        h("code", null, e.function),
        " ",
        h("span", { class: "at", title: e.file }, place(e) || "(location unknown)"),
        e.sites.length > 1 ? h("small", null, ` ${plural(e.sites.length, "path")}`) : null,
      ),
      h("span", { class: "path" }, shortened(e.path)),
    ),
};

/** The chain of routines without a main that only calls the others; the innermost in full ink. */
function shortened(path) {
  if (!path.length) return "(call path unknown)";
  const all = path.length > 1 && path[0] === "main" ? path.slice(1) : path;
  const routines = all.length > MOST_ROUTINES ? ["…", ...all.slice(-MOST_ROUTINES)] : all;
  return chainOf(routines);
}

function words(each) {
  return [each.function, each.file, `${place(each)}`, ...each.path].join(" ");
}

/** Each path with its frames; where there are several, with what each has of the calls and the time. */
function paths(each, sites) {
  const own = each.sites.map((index) => sites[index]);
  const shown = own
    .slice(0, MOST_PATHS)
    .map((site) =>
      h(
        "li",
        null,
        own.length > 1
          ? h(
              "span",
              { class: "of" },
              `${plural(site.calls, "call")}, ${seconds(site.time_s)}${site.share === null ? "" : ` (${percent(site.share)} of the time)`}`,
            )
          : null,
        site.frames.length
          ? h(
              "ol",
              { class: "frames" },
              site.path_whole ? null : h("li", { class: "cut" }, "… rest of the path unknown"),
              site.frames.map(frame),
            )
          : h("p", null, "The call path is unknown."),
      ),
    );
  return [
    h("ul", { class: "paths" }, shown),
    own.length > MOST_PATHS
      ? h("p", null, `${count(own.length - MOST_PATHS)} more paths: leadline report --json`)
      : null,
  ];
}

function frame(each) {
  const at = each.file ? `${each.file}:${lineText(each)}` : each.module;
  return h("li", null, h("code", { title: each.full }, each.full || each.routine), " ", h("span", { class: "at" }, at));
}

// Routines of the program, with all MPI calls made in them and in routines they call, and chains of routines.

import { ENTRY_COLUMNS, entryDetail } from "../cells.js";
import { h } from "../dom.js";
import { count } from "../format.js";
import { chainOf, nameOf } from "../names.js";
import { table } from "../table.js";

export const drawing = {
  remark: () =>
    "Inclusive: all MPI calls made in a routine and its callees.",
  render: (report) => [
    table({
      of: "routines",
      label: "Routines",
      columns: [routine, ...ENTRY_COLUMNS],
      rows: report.routines,
      one: "routine",
      first: 12,
      words: (e) => `${e.routine} ${e.full}`,
      detail: entryDetail,
    }),
    report.routines.some((e) => e.at_least)
      ? h("p", { class: "note" }, "≥: at least, because some call paths are incomplete.")
      : null,
    report.call_paths.length
      ? h(
          "details",
          null,
          h("summary", null, `By call path (${count(report.call_paths.length)})`),
          table({
            of: "chains",
            label: "Call paths",
            columns: [chain, ...ENTRY_COLUMNS],
            rows: report.call_paths,
            one: "chain",
            words: (e) => e.path,
            detail: entryDetail,
          }),
        )
      : null,
  ],
};

const routine = {
  id: "routine",
  head: true,
  text: true,
  value: (e) => e.routine,
  cell: (e) => [e.at_least ? "≥ " : "", h("code", null, nameOf(e.routine, e.full))],
};
const chain = {
  id: "chain",
  head: true,
  text: true,
  value: (e) => e.path,
  cell: (e) => h("span", { class: "chain" }, chainOf(e.path.split(" > "))),
};

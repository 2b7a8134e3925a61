// Patterns of communication and I/O, each with what shows that it is one.

import { bar } from "../cells.js";
import { h } from "../dom.js";
import { capital, count, fixed, percentColumn, seconds, size } from "../format.js";
import { chainOf } from "../names.js";
import { table } from "../table.js";

const MOST_ROUTINES = 3;
const whole = (e) => (e.files.length ? e.files.join(", ") : e.routines.join(" › "));

export const drawing = {
  remark: () =>
    "Patterns of communication and file I/O; a call may belong to several. Open a line for its evidence.",
  render: (report) => [
    table({
      of: "patterns",
      label: "Patterns",
      columns: [
        { id: "pattern", head: true, text: true, value: (e) => e.title, cell: (e) => e.title },
        { id: "share", keep: 2, value: (e) => e.time_s, cell: (e) => bar(e.share, percentColumn(e.share)) },
        { id: "time", value: (e) => e.time_s, cell: (e) => seconds(e.time_s) },
        {
          id: "messages",
          value: (e) => e.messages_per_step ?? 0,
          cell: (e) => (e.messages_per_step ? count(Math.round(e.messages_per_step)) : ""),
        },
        {
          id: "bytes",
          value: (e) => e.bytes_per_step ?? 0,
          cell: (e) => (e.bytes_per_step ? size(Math.round(e.bytes_per_step)) : ""),
        },
        { id: "ranks", value: (e) => e.ranks, cell: (e) => count(e.ranks) },
        { id: "where", text: true, keep: 1, value: whole, cell: (e) => h("span", { class: "chain", title: whole(e) }, where(e)) },
      ],
      rows: report.patterns,
      one: "pattern",
      first: 12,
      words: (e) => `${e.title} ${whole(e)}`,
      detail: (e) => [sites(e), evidence(e)],
    }),
  ],
};

function where(e) {
  const files = e.evidence.files ?? e.files.length;
  if (files) return [e.files[0], files > 1 ? ` and ${count(files - 1)} more` : ""];
  const last = e.routines.slice(-MOST_ROUTINES);
  return [e.routines.length > last.length ? "… › " : "", chainOf(last)];
}

function sites(e) {
  const all = [...new Set((e.sites ?? []).map((site) => `${site.function} in ${site.routine}${site.file ? ` (${site.file}:${site.line ?? "?"})` : ""}`))];
  return all.length ? h("ul", { class: "plain" }, all.slice(0, 12).map((text) => h("li", null, text)), all.length > 12 ? h("li", null, `and ${count(all.length - 12)} more`) : null) : null;
}

/** The numbers that make it this pattern; docs/read/patterns.md says what each is. */
function evidence(e) {
  const known = Object.entries(e.evidence).filter(([, value]) => value !== null && value !== "" && value?.length !== 0);
  return h(
    "dl",
    { class: "others" },
    known.map(([name, value]) => h("div", null, h("dt", null, capital(name.replaceAll("_", " "))), h("dd", null, shown(value)))),
  );
}

function shown(value) {
  if (Array.isArray(value)) return value.map(shown).join(" × ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "number") return String(value);
  return Number.isInteger(value) ? count(value) : fixed(value, Math.abs(value) < 10 ? 3 : 1);
}

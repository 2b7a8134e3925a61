// Patterns of communication and I/O.

import { h } from "../dom.js";
import { bar } from "../cells.js";
import { count, percentColumn, seconds, size } from "../format.js";
import { table } from "../table.js";

const place = (e) => (e.files.length ? e.files.join(", ") : e.routines.join(" > "));
const evidence = (e) =>
  Object.entries(e.evidence)
    .filter(([, value]) => value !== null && value !== "")
    .map(([name, value]) => `${name.replaceAll("_", " ")}: ${Array.isArray(value) ? value.join(" x ") : value}`)
    .join("; ");

export const drawing = {
  remark: () => "What the messages and transfers amount to. Messages and bytes are those of all ranks in a step of the main loop.",
  render: (report) => {
    const columns = [
      { title: "Pattern", head: true, text: true, value: (e) => e.title, cell: (e) => e.title },
      { title: "% of time", value: (e) => e.time_s, cell: (e) => bar(e.share, percentColumn(e.share)) },
      { title: "Time", value: (e) => e.time_s, cell: (e) => seconds(e.time_s) },
      {
        title: "Messages",
        hint: "per step",
        value: (e) => e.messages_per_step ?? 0,
        cell: (e) => (e.messages_per_step ? count(Math.round(e.messages_per_step)) : ""),
      },
      {
        title: "Bytes",
        hint: "per step",
        value: (e) => e.bytes_per_step ?? 0,
        cell: (e) => (e.bytes_per_step ? size(Math.round(e.bytes_per_step)) : ""),
      },
      { title: "Ranks", value: (e) => e.ranks, cell: (e) => count(e.ranks) },
      {
        title: "Where",
        text: true,
        value: place,
        cell: (e) => h("span", { title: place(e) }, e.files.length ? e.files[0] : e.routines.slice(-4).join(" > ")),
      },
      { title: "Evidence", text: true, value: evidence, cell: (e) => h("small", null, evidence(e)) },
    ];
    return [
      table({
        label: "Patterns",
        columns,
        rows: report.patterns,
        one: "pattern",
        first: 20,
        wide: true,
        words: (e) => `${e.title} ${place(e)}`,
      }),
    ];
  },
};

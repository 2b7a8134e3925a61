// Collectives by the way their data goes.

import { bar } from "../cells.js";
import { h } from "../dom.js";
import { count, percentColumn, seconds, size } from "../format.js";
import { table } from "../table.js";

export const drawing = {
  remark: () => "Collectives by direction of data, over all functions and calls.",
  render: (report) => [
    table({
      of: "collectives",
      label: "Collectives by class",
      columns: [
        { id: "class", head: true, text: true, value: (e) => e.title, cell: (e) => h("span", { class: "whole" }, e.title) },
        { id: "share", keep: 2, value: (e) => e.share, cell: (e) => bar(e.share, percentColumn(e.share)) },
        { id: "time", value: (e) => e.time_s, cell: (e) => seconds(e.time_s) },
        { id: "waited", value: (e) => e.wait_s ?? -1, cell: (e) => (e.wait_s === null ? "" : seconds(e.wait_s)) },
        { id: "calls", value: (e) => e.calls, cell: (e) => count(e.calls) },
        { id: "bytes", value: (e) => e.bytes_each, cell: (e) => size(Math.round(e.bytes_each)) },
        { id: "received", value: (e) => e.bytes_received_each, cell: (e) => size(Math.round(e.bytes_received_each)) },
        { id: "ranks", value: (e) => e.ranks, cell: (e) => count(e.ranks) },
        { id: "functions", text: true, keep: 1, value: (e) => e.functions[0], cell: (e) => e.functions.join(", ") },
      ],
      rows: report.collective_classes,
      one: "class",
      words: (e) => `${e.title} ${e.functions.join(" ")}`,
    }),
  ],
};

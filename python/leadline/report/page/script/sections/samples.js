// Routines in which the program computes, as samples show them.

import { bar } from "../cells.js";
import { h } from "../dom.js";
import { count, percentColumn, seconds } from "../format.js";
import { table } from "../table.js";

const place = (e) => (e.file ? `${e.file.split("/").pop()}:${e.line}` : "");

export const drawing = {
  remark: (report) =>
    `${count(report.samples.taken)} samples, ${report.samples.rate} per second of thread CPU time, ` +
    `covering ${seconds(report.samples.time_s)} of ${seconds(report.samples.computation_s)} of computation.`,
  render: (report) => [
    table({
      of: "samples",
      label: "Routines in which the program computes",
      columns: [
        { id: "routine", head: true, text: true, value: (e) => e.routine, cell: (e) => h("span", { class: "whole", title: e.full }, e.routine) },
        { id: "share", keep: 2, value: (e) => e.share, cell: (e) => bar(e.share, percentColumn(e.share)) },
        { id: "time", value: (e) => e.time_s, cell: (e) => seconds(e.time_s) },
        { id: "samples", value: (e) => e.samples, cell: (e) => count(e.samples) },
        { id: "ranks", value: (e) => e.ranks, cell: (e) => count(e.ranks) },
        { id: "imbalance", value: (e) => e.most_s / e.mean_s, cell: (e) => (e.most_s / e.mean_s).toFixed(2) },
        { id: "loop", value: (e) => e.in_main_loop, cell: (e) => percentColumn(e.in_main_loop) },
        { id: "place", text: true, keep: 1, value: place, cell: place },
        { id: "before", text: true, value: (e) => e.before, cell: (e) => e.before },
      ],
      rows: report.samples.routines,
      one: "routine",
      words: (e) => `${e.routine} ${e.full} ${e.before}`,
    }),
  ],
};

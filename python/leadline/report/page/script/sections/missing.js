// Missing parts of the recording, and things that were not recorded, with the reasons.

import { h } from "../dom.js";
import { count, seconds } from "../format.js";
import { table } from "../table.js";

export const drawing = {
  render: (report) => [
    report.losses.length ? losses(report.losses) : h("p", null, "Nothing is missing: all traces are complete."),
    report.paused?.length ? pauses(report.paused) : null,
    h("h3", null, "Not recorded"),
    h(
      "dl",
      { class: "reasons" },
      report.not_recorded.map((each) => h("div", null, h("dt", null, each.what), h("dd", null, each.why))),
    ),
  ],
};

function losses(rows) {
  const columns = [
    { id: "loss", head: true, text: true, value: (e) => e.code, cell: (e) => h("code", null, e.code) },
    { id: "rank", value: (e) => e.rank, cell: (e) => (e.rank === null ? "all" : String(e.rank)) },
    { id: "amount", value: (e) => e.amount, cell: (e) => count(e.amount) },
    { id: "meaning", text: true, cell: (e) => h("span", { class: "message" }, e.message) },
  ];
  return table({
    of: "losses",
    label: "Losses",
    columns,
    rows,
    one: "loss",
    several: "losses",
    words: (e) => `${e.code} ${e.rank} ${e.message}`,
  });
}

function pauses(rows) {
  const columns = [
    { id: "rank", head: true, value: (e) => e.rank, cell: (e) => String(e.rank) },
    { id: "times", value: (e) => e.times, cell: (e) => count(e.times) },
    { id: "for", value: (e) => e.seconds, cell: (e) => seconds(e.seconds) },
    {
      id: "calls",
      value: (e) => e.calls_not_recorded,
      cell: (e) => (e.calls_not_recorded === null ? "unknown" : count(e.calls_not_recorded)),
    },
  ];
  return [
    h("h3", null, "Paused by the program"),
    table({ of: "pauses", label: "Pauses", columns, rows, one: "rank", words: (e) => String(e.rank) }),
  ];
}

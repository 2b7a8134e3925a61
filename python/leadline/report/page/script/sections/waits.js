// Wait states, their causes, and the critical path of a step.

import { h } from "../dom.js";
import { bar } from "../cells.js";
import { percent, percentColumn, seconds } from "../format.js";
import { wholeOf } from "../kinds.js";
import { table } from "../table.js";

const DOING = { computation: "computes before", io: "file I/O", mpi: "in", unknown: "not known, before" };
const place = (site) => (site ? `${site.function} in ${site.routine}${site.line ? `:${site.line}` : ""}` : "?");
const causeOf = (e) => {
  const first = e.cause[0];
  return first ? `rank ${first.rank} ${DOING[first.doing]} ${place(first.site)} (${percent(first.share)})` : "";
};

export const drawing = {
  remark: (report) =>
    "What calls waited for other ranks, and what these did meanwhile. " +
    (report.waits_estimated_from
      ? `Estimated from ${report.waits_estimated_from} iterations whose calls' times were kept.`
      : "All calls' times were kept."),
  render: (report) => {
    const whole = report.ranks_detail.reduce((total, rank) => total + wholeOf(rank), 0) || 1;
    const columns = [
      { title: "Wait", head: true, text: true, value: (e) => e.kind, cell: (e) => e.kind.replaceAll("_", " ") },
      { title: "% of time", value: (e) => e.seconds, cell: (e) => bar(e.seconds / whole, percentColumn(e.seconds / whole)) },
      { title: "Time", value: (e) => e.seconds, cell: (e) => seconds(e.seconds) },
      { title: "Rank", value: (e) => e.rank, cell: (e) => String(e.rank) },
      { title: "Call", text: true, value: (e) => place(e.site), cell: (e) => place(e.site) },
      { title: "Cause", text: true, value: causeOf, cell: (e) => h("small", null, causeOf(e)) },
    ];
    const drawn = [
      table({ label: "Waits", columns, rows: report.waits, one: "wait", first: 20, wide: true, words: (e) => `${e.kind} ${place(e.site)}` }),
    ];
    const path = report.critical_path;
    if (path) {
      const what = (e) => `${DOING[e.doing]} ${place(e.site)}`;
      drawn.push(
        h("h3", null, `Critical path of a step (${path.steps} steps)`),
        table({
          label: "Critical path",
          columns: [
            { title: "What", head: true, text: true, value: what, cell: what },
            { title: "Rank", value: (e) => e.rank, cell: (e) => String(e.rank) },
            { title: "Share", value: (e) => e.share, cell: (e) => bar(e.share, percentColumn(e.share)) },
          ],
          rows: path.parts,
          one: "part",
          first: 10,
          words: what,
        }),
      );
    }
    return drawn;
  },
};

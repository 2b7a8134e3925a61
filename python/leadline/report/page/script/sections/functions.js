// By MPI function, all ranks together.

import { ENTRY_COLUMNS, entryDetail } from "../cells.js";
import { sum } from "../data.js";
import { h } from "../dom.js";
import { count, plural, seconds } from "../format.js";
import { table } from "../table.js";

export const drawing = {
  remark: () => "Summed over ranks, most time first. Open a line for its values by rank.",
  render: (report) => {
    const timed = report.functions.filter((each) => !each.local);
    const local = report.functions.filter((each) => each.local);
    return [
      table({
        of: "functions",
        label: "MPI functions",
        columns: [name, ...ENTRY_COLUMNS],
        rows: timed,
        one: "function",
        first: 25,
        words: (e) => e.function,
        detail: entryDetail,
      }),
      local.length ? locals(local) : null,
    ];
  },
};

const name = {
  id: "function",
  head: true,
  text: true,
  value: (e) => e.function,
  cell: (e) => h("code", null, e.function),
};

function locals(entries) {
  const calls = sum(entries, (e) => e.calls);
  const columns = [
    name,
    { id: "calls", value: (e) => e.calls, cell: (e) => count(e.calls) },
    { id: "time", value: (e) => e.time_s, cell: (e) => seconds(e.time_s) },
    { id: "mean", value: (e) => e.mean_s, cell: (e) => seconds(e.mean_s) },
  ];
  return h(
    "details",
    null,
    h("summary", null, `Local functions: ${plural(calls, "call")} in ${seconds(sum(entries, (e) => e.time_s))}`),
    table({ of: "local_functions", label: "Local functions", columns, rows: entries, one: "function", words: (e) => e.function }),
  );
}

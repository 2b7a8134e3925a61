// The program's own named regions, each followed by the regions within it.

import { h } from "../dom.js";
import { bar } from "../cells.js";
import { count, percentColumn, seconds, size } from "../format.js";
import { nameOf } from "../names.js";
import { table } from "../table.js";

const DEEPEST = 24;

export const drawing = {
  remark: () => "Regions named by the program. Times are inclusive, summed over ranks.",
  render: (report) => {
    const whole = report.time_s - report.startup_s || 1;
    const parents = new Map(report.regions.map((e) => [e.path, e.parent]));
    const depth = (e) => {
      let levels = 0;
      for (let at = e.parent; levels < DEEPEST && parents.has(at); at = parents.get(at)) levels++;
      return levels;
    };
    const columns = [
      {
        id: "region",
        head: true,
        text: true,
        value: (e) => e.path ?? e.region,
        cell: (e) => h("span", { class: "nested", style: { "--depth": depth(e) }, title: e.path }, nameOf(e.region)),
      },
      {
        id: "share",
        value: (e) => e.time_s,
        cell: (e) => bar(e.time_s / whole, percentColumn(e.time_s / whole)),
      },
      { id: "time", value: (e) => e.time_s, cell: (e) => seconds(e.time_s) },
      { id: "mpi", value: (e) => e.mpi_s, cell: (e) => seconds(e.mpi_s) },
      {
        id: "mpi_share",
        value: (e) => (e.time_s > 0 ? e.mpi_s / e.time_s : 0),
        cell: (e) => (e.time_s > 0 ? percentColumn(e.mpi_s / e.time_s) : ""),
      },
      { id: "entries", value: (e) => e.entries, cell: (e) => count(e.entries) },
      { id: "calls", value: (e) => e.calls, cell: (e) => count(e.calls) },
      { id: "bytes", value: (e) => e.bytes, cell: (e) => (e.bytes ? size(e.bytes) : "") },
      { id: "least", value: (e) => e.time_min_s, cell: (e) => seconds(e.time_min_s) },
      {
        id: "most",
        value: (e) => e.time_max_s,
        cell: (e) => [seconds(e.time_max_s), h("small", null, ` rank ${e.max_rank}`)],
      },
    ];
    return [
      table({
        of: "regions",
        label: "Regions",
        columns,
        rows: report.regions,
        one: "region",
        first: 40,
        words: (e) => e.path ?? e.region,
      }),
    ];
  },
};

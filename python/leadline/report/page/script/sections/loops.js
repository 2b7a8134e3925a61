// The loops of the program's source, inner ones beneath those they lie in.

import { h } from "../dom.js";
import { bar } from "../cells.js";
import { bound, count, percentColumn, seconds } from "../format.js";
import { nameOf } from "../names.js";
import { table } from "../table.js";

const DEEPEST = 24;

export const drawing = {
  remark: () => "Source loops with MPI or file calls. Times are inclusive, summed over ranks.",
  render: (report) => {
    const loops = new Map(report.loops.map((e) => [e.id, e]));
    const depth = (e) => {
      let levels = 0;
      for (let at = e.parent; levels < DEEPEST && loops.has(at); at = loops.get(at).parent) levels++;
      return levels;
    };
    const place = (e) => (e.file && e.line ? `${e.file.split("/").pop()}:${e.line}` : "");
    const range = ({ min, max }) => (min === max ? count(min) : `${count(min)} to ${count(max)}`);
    const trips = (e) => (e.trips_per_parent ? bound({ ...e, at_least: e.trips_per_parent_at_least }) + range(e.trips_per_parent) : "");
    const columns = [
      {
        id: "loop",
        head: true,
        text: true,
        value: (e) => `${e.routine} ${place(e)}`,
        cell: (e) =>
          h(
            "span",
            { class: "nested", style: { "--depth": depth(e) }, title: e.file ?? "" },
            nameOf(e.routine),
            h("small", null, ` ${place(e)}${e.main ? " (main loop)" : ""}`),
          ),
      },
      { id: "share", value: (e) => e.time_s, cell: (e) => bar(e.share, percentColumn(e.share)) },
      { id: "time", value: (e) => e.time_s, cell: (e) => seconds(e.time_s) },
      {
        id: "trips",
        value: (e) => e.trips_per_parent?.median ?? 0,
        cell: trips,
      },
      { id: "in_all", value: (e) => e.trips, cell: (e) => (e.at_least ? "≥ " : "") + count(e.trips) },
      { id: "bodies", value: (e) => e.variants ?? 0, cell: (e) => (e.variants ? count(e.variants) : "") },
      { id: "calls", value: (e) => e.calls, cell: (e) => count(e.calls) },
    ];
    return [
      table({
        of: "loops",
        label: "Loops",
        columns,
        rows: report.loops,
        one: "loop",
        first: 20,
        words: (e) => `${e.routine} ${e.file ?? ""}`,
      }),
    ];
  },
};

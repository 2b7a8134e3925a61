// The call paths that reach MPI, as a tree with inclusive and exclusive times.

import { bar } from "../cells.js";
import { h } from "../dom.js";
import { count, percentColumn, seconds } from "../format.js";
import { nameOf } from "../names.js";
import { table } from "../table.js";

const DEEPEST = 24;

export const drawing = {
  remark: () => "Call tree: MPI times, summed over ranks.",
  render: (report) => {
    const nodes = new Map(report.call_tree.map((e) => [e.id, e]));
    const depth = (e) => {
      let levels = 0;
      for (let at = e.parent; levels < DEEPEST && nodes.has(at); at = nodes.get(at).parent) levels++;
      return levels;
    };
    const columns = [
      {
        id: "routine",
        head: true,
        text: true,
        value: (e) => e.routine,
        cell: (e) => h("span", { class: "nested", style: { "--depth": depth(e) }, title: e.full }, nameOf(e.routine)),
      },
      { id: "share", value: (e) => e.time_s, cell: (e) => bar(e.share, percentColumn(e.share)) },
      { id: "time", value: (e) => e.time_s, cell: (e) => seconds(e.time_s) },
      { id: "own", value: (e) => e.own_s, cell: (e) => (e.own_s > 0 ? seconds(e.own_s) : "") },
      { id: "function", text: true, value: (e) => e.function ?? "", cell: (e) => e.function ?? "" },
      { id: "calls", value: (e) => e.calls, cell: (e) => count(e.calls) },
      { id: "messages", value: (e) => e.messages, cell: (e) => (e.messages ? count(e.messages) : "") },
    ];
    return [
      table({
        of: "call_tree",
        label: "Call paths",
        columns,
        rows: report.call_tree,
        one: "routine",
        first: 20,
        words: (e) => `${e.routine} ${e.full}`,
      }),
    ];
  },
};

// Efficiency of the run and of its phases.

import { bar } from "../cells.js";
import { percentColumn } from "../format.js";
import { table } from "../table.js";

const share = (title, of) => ({ title, value: of, cell: (e) => bar(of(e), percentColumn(of(e))) });

export const drawing = {
  remark: (report) => report.efficiency.method,
  render: (report) => {
    const rows = [
      { name: "the run", ...report.efficiency.run },
      ...report.efficiency.phases.filter((e) => e.parallel !== undefined),
    ];
    return [
      table({
        label: "Efficiency",
        columns: [
          { title: "Phase", head: true, text: true, value: (e) => e.name, cell: (e) => e.name },
          share("Parallel", (e) => e.parallel),
          share("Load balance", (e) => e.load_balance),
          share("Communication", (e) => e.communication),
        ],
        rows,
        one: "phase",
        first: 12,
        words: (e) => e.name,
      }),
    ];
  },
};

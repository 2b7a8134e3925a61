// Efficiency of the run and of its phases.

import { bar } from "../cells.js";
import { percentColumn } from "../format.js";
import { table } from "../table.js";

const share = (id, of) => ({ id, value: of, cell: (e) => bar(of(e), percentColumn(of(e))) });

export const drawing = {
  remark: (report) => report.efficiency.method,
  render: (report) => {
    const rows = [
      { name: "the run", ...report.efficiency.run },
      ...report.efficiency.phases.filter((e) => e.parallel !== undefined),
    ];
    return [
      table({
        of: "efficiency",
        label: "Efficiency",
        columns: [
          { id: "phase", head: true, text: true, value: (e) => e.name, cell: (e) => e.name },
          share("parallel", (e) => e.parallel),
          share("load_balance", (e) => e.load_balance),
          share("communication", (e) => e.communication),
        ],
        rows,
        one: "phase",
        first: 12,
        words: (e) => e.name,
      }),
    ];
  },
};

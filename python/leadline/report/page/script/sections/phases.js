// Phases of the run: initialisation, the main loop with what recurs in it, finalisation.

import { h } from "../dom.js";
import { bar } from "../cells.js";
import { bound, count, percentColumn, seconds } from "../format.js";
import { nameOf } from "../names.js";
import { perhapsParts } from "../steps.js";
import { table } from "../table.js";

const CLASSES = {
  computation: "computation",
  communication: "communication",
  io: "file I/O",
  imbalanced: "imbalance",
  empty: "",
};
const share = (part, e) => (e.time_s > 0 ? percentColumn(part / e.time_s) : "");
const often = (e) => {
  if (e.every) return `every ${e.every} iterations`;
  return e.iterations ? `${bound(e)}${count(e.iterations)}` : "";
};

export const drawing = {
  remark: (report) => {
    const main = report.phases.find((e) => e.kind === "loop" && e.parent === null);
    const counted = "Summed over ranks, without MPI_Init and MPI_Finalize. Routines without MPI calls count as computation.";
    return [counted, perhapsParts(main)].filter(Boolean).join(" ");
  },
  render: (report) => {
    const whole = report.time_s - report.startup_s || 1;
    const place = (e) => (e.file && e.line ? `${e.file.split("/").pop()}:${e.line}` : "");
    const sampled = report.phases.some((e) => e.computes_in);
    const routines = (e) =>
      (e.computes_in ?? []).map((one) => `${nameOf(one.routine)} ${percentColumn(one.part)}`).join(", ");
    return [
      table({
        of: "phases",
        label: "Phases",
        columns: [
          {
            id: "phase",
            head: true,
            text: true,
            value: (e) => e.name,
            cell: (e) => h("span", { class: "nested", style: { "--depth": e.parent === null ? 0 : 1 }, title: place(e) }, nameOf(e.name)),
          },
          { id: "share", value: (e) => e.time_s, cell: (e) => bar(e.time_s / whole, percentColumn(e.time_s / whole)) },
          { id: "time", value: (e) => e.time_s, cell: (e) => seconds(e.time_s) },
          { id: "iterations", value: (e) => e.iterations, cell: often },
          { id: "period", value: (e) => e.period_s ?? 0, cell: (e) => (e.period_s ? seconds(e.period_s) : "") },
          { id: "computes", value: (e) => e.computation_s, cell: (e) => share(e.computation_s, e) },
          { id: "mpi", value: (e) => e.mpi_s, cell: (e) => share(e.mpi_s, e) },
          { id: "waits", value: (e) => e.wait_s ?? 0, cell: (e) => (e.wait_s === null ? "" : share(e.wait_s, e)) },
          { id: "files", value: (e) => e.io_s, cell: (e) => share(e.io_s, e) },
          ...(sampled ? [{ id: "routines", text: true, value: routines, cell: routines }] : []),
          { id: "bound", text: true, value: (e) => e.class, cell: (e) => CLASSES[e.class] },
        ],
        rows: report.phases,
        one: "phase",
        first: 20,
        words: (e) => e.name,
      }),
    ];
  },
};

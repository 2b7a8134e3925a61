// Where each rank's time went: a strip a rank in the table, and over many ranks a chart above it.

import { stack } from "../cells.js";
import { axis, canChart, chart, timeTicks } from "../chart.js";
import { count, percentColumn, plural, seconds, size } from "../format.js";
import { h } from "../dom.js";
import { COMPUTATION, kindsOf, timeOf, wholeOf } from "../kinds.js";
import { table } from "../table.js";

const CHART_FROM = 24; // ranks: fewer are easier to see as strips, one below the other

export const drawing = {
  remark: () => "Computation, file I/O and MPI between MPI_Init and MPI_Finalize, in threads that called MPI.",
  render: (report) => {
    const all = report.ranks_detail;
    const kinds = kindsOf(all);
    const charted = all.length >= CHART_FROM;
    return [
      charted ? overview(all, kinds) : null,
      charted && canChart() ? null : legend(kinds),
      ranksTable(all, kinds),
    ];
  },
};

function legend(kinds) {
  return h(
    "ul",
    { class: "legend" },
    kinds.map((kind) =>
      h("li", null, h("i", { class: "swatch", style: { background: `var(${kind.color})` } }), kind.name),
    ),
  );
}

/** Kinds on top of one another, rank after rank. Drawn from the whole down, each over the ones before. */
function overview(all, kinds) {
  const stacked = [];
  for (const [i, kind] of kinds.entries()) {
    stacked.push(all.map((rank, at) => (i ? stacked[i - 1][at] : 0) + timeOf(rank, kind)));
  }
  for (const values of stacked) values.push(values[values.length - 1]); // the last rank's step ends where it would end
  const order = kinds.map((_, i) => kinds.length - 1 - i);
  const own = (i) => (plot, value, series, at) =>
    at === null || at === undefined ? "" : seconds(timeOf(all[Math.min(at, all.length - 1)], kinds[i]));
  return chart({
    label: `Time of ${all.length} ranks by kind, side by side`,
    data: [stacked[0].map((_, at) => at), ...order.map((i) => stacked[i])],
    height: 240,
    describe: (color) => ({
      cursor: { dataIdx: (plot, series, nearest, x) => Math.max(0, Math.min(all.length - 1, Math.floor(x))) },
      scales: { x: { time: false }, y: { range: (_, low, high) => [0, high * 1.03 || 1] } },
      axes: [
        axis(color, {
          label: "rank",
          size: 34,
          labelGap: 0,
          values: (_, at) => at.map((i) => (Number.isInteger(i) && all[i] ? String(all[i].rank) : "")),
        }),
        axis(color, { size: 64, values: timeTicks }),
      ],
      series: [
        { label: "rank", value: (_, at) => (at === null ? "" : String(all[at]?.rank ?? "")) },
        ...order.map((i) => ({
          label: kinds[i].name,
          value: own(i),
          fill: color.of(kinds[i].color),
          width: 0,
          points: { show: false },
          paths: globalThis.uPlot.paths.stepped({ align: 1 }),
        })),
      ],
    }),
  });
}

function ranksTable(all, kinds) {
  const longest = all.reduce((most, rank) => Math.max(most, wholeOf(rank)), 0) || 1;
  const share = (rank) => {
    const startup = rank.by_kind_s.startup ?? 0;
    return wholeOf(rank) > startup ? (rank.mpi_s - startup) / (wholeOf(rank) - startup) : 0;
  };
  const columns = [
    {
      id: "rank",
      head: true,
      value: (r) => r.rank,
      cell: (r) => [
        String(r.rank),
        r.complete ? null : h("small", { class: "cut", title: "trace truncated" }, " cut"),
      ],
    },
    { id: "strip", text: true, cell: (r) => strip(r, kinds, longest) },
    { id: "computation", value: (r) => r.computation_s, cell: (r) => seconds(r.computation_s) },
    { id: "mpi", value: (r) => r.mpi_s, cell: (r) => seconds(r.mpi_s) },
    { id: "mpi_share", value: share, cell: (r) => percentColumn(share(r)) },
    ...kinds
      .filter((kind) => kind !== COMPUTATION)
      .map((kind) => ({
        id: kind.key,
        value: (r) => timeOf(r, kind),
        cell: (r) => seconds(timeOf(r, kind)),
      })),
    { id: "calls", value: (r) => r.calls, cell: (r) => count(r.calls) },
    { id: "messages", value: (r) => r.messages, cell: (r) => count(r.messages) },
    ...(all.some((r) => r.one_sided_operations > 0)
      ? [
          {
            id: "one_sided_operations",
            value: (r) => r.one_sided_operations,
            cell: (r) => count(r.one_sided_operations),
          },
        ]
      : []),
    { id: "sent", value: (r) => r.bytes, cell: (r) => size(r.bytes) },
    { id: "received", value: (r) => r.bytes_received, cell: (r) => size(r.bytes_received) },
    ...(all.some((r) => r.threads > 1)
      ? [{ id: "threads", value: (r) => r.threads, cell: (r) => count(r.threads) }]
      : []),
    { id: "host", text: true, value: (r) => r.host, cell: (r) => r.host },
  ];
  return table({
    of: "ranks",
    label: "Time by rank",
    columns,
    rows: all,
    one: "rank",
    first: all.length > 32 ? 16 : 32,
    words: (r) => `${r.rank} ${r.host}`,
    detail: (r) =>
      h(
        "p",
        null,
        [
          `process ${r.pid} on ${r.host}`,
          seconds(r.duration_s) + " from MPI_Init to the rank's end",
          plural(r.threads, "thread"),
          `collectives: ${size(r.collective_bytes)} contributed, ${size(r.collective_bytes_received)} received`,
          r.one_sided_operations ? `one-sided: ${size(r.bytes_put)} put, ${size(r.bytes_got)} got` : null,
          `Leadline's overhead: ${seconds(r.own_s)}; trace: ${size(r.trace_bytes)}`,
          r.finalized ? null : "MPI_Finalize not completed",
          r.complete ? null : "trace truncated",
        ]
          .filter(Boolean)
          .join("; "),
      ),
  });
}

function strip(rank, kinds, longest) {
  const parts = kinds.map((kind) => ({ ...kind, value: timeOf(rank, kind), text: seconds(timeOf(rank, kind)) }));
  return stack(
    parts,
    longest,
    parts
      .filter((part) => part.value > 0)
      .map((part) => `${part.name} ${part.text}`)
      .join(", "),
  );
}

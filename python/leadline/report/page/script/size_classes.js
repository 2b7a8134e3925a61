// Messages, or one-sided operations, by size: a chart, a table and the exact sizes.

import { bar } from "./cells.js";
import { axis, chart } from "./chart.js";
import { h } from "./dom.js";
import { capital, count, percent, power, size } from "./format.js";
import { table } from "./table.js";

/** what: "messages" or "operations", the field of the rows and of the exact sizes that says how many. */
export function sizesOf(rows, distinct, what) {
  const all = rows.reduce((total, row) => total + row[what], 0);
  const bytes = rows.reduce((total, row) => total + row.bytes, 0) || 1;
  return [
    h("div", { class: "beside" }, histogram(rows, all, bytes, what), sizesTable(rows, all, bytes, what)),
    exact(distinct, what),
  ];
}

function colorOf(what) {
  return what === "messages" ? "--point-to-point" : "--one-sided";
}

function name(row) {
  return row.to === 1 ? "0" : `${power(row.from)} … <${power(row.to)}`;
}

/** Every class from the least to the greatest, empty ones too: a gap is to be seen as a gap. */
function classes(rows, what) {
  const all = [];
  for (let to = rows[0].to; to <= rows[rows.length - 1].to; to *= 2) {
    all.push(rows.find((row) => row.to === to) ?? { from: to / 2, to, [what]: 0, bytes: 0 });
  }
  return all;
}

function histogram(rows, total, bytes, what) {
  const all = classes(rows, what);
  const paths = (side) => globalThis.uPlot.paths.bars({ size: [0.42, 60], align: side, gap: 1 });
  return chart({
    label: `Share of ${what} and of bytes by size range`,
    data: [
      all.map((_, i) => i),
      all.map((row) => (100 * row[what]) / total),
      all.map((row) => (100 * row.bytes) / bytes),
    ],
    height: 230,
    hint: null,
    describe: (color) => ({
      cursor: { drag: { x: false, y: false }, points: { show: false } },
      scales: {
        x: { time: false, range: [-0.6, all.length - 0.4] },
        y: { range: (_, low, high) => [0, high * 1.08 || 1] },
      },
      axes: [
        axis(color, {
          label: "bytes, from",
          size: 34,
          labelGap: 0,
          grid: { show: false },
          splits: () => all.map((_, i) => i),
          space: 1,
          values: (plot, at) =>
            at.map((i) =>
              i % Math.ceil((all.length * 48) / plot.width) ? "" : all[i].to === 1 ? "0" : power(all[i].from),
            ),
        }),
        axis(color, { size: 56, values: (_, at) => at.map((value) => `${value} %`) }),
      ],
      series: [
        { label: "bytes", value: (_, at) => (at === null ? "" : name(all[at])) },
        {
          label: `% of ${what}`,
          fill: color.of(colorOf(what)),
          stroke: color.of(colorOf(what)),
          width: 0,
          paths: paths(-1),
          points: { show: false },
          value: (_, value, series, at) =>
            at === null || at === undefined
              ? ""
              : `${count(all[at][what])} (${percent(all[at][what] / total)})`,
        },
        {
          label: "% of bytes",
          fill: color.of("--io"),
          stroke: color.of("--io"),
          width: 0,
          paths: paths(1),
          points: { show: false },
          value: (_, value, series, at) =>
            at === null || at === undefined ? "" : `${size(all[at].bytes)} (${percent(all[at].bytes / bytes)})`,
        },
      ],
    }),
  });
}

function sizesTable(rows, total, bytes, what) {
  const columns = [
    { id: "size", head: true, value: (r) => r.from, cell: name },
    {
      id: "number",
      value: (r) => r[what],
      cell: (r) => bar(r[what] / total, count(r[what]), colorOf(what)),
    },
    { id: "bytes", value: (r) => r.bytes, cell: (r) => bar(r.bytes / bytes, size(r.bytes), "--io") },
  ];
  return table({
    of: what === "messages" ? "message_sizes" : "operation_sizes",
    label: `${capital(what)} by size`,
    columns,
    rows,
    one: "size range",
    several: "size ranges",
    first: 64,
  });
}

function exact(sizes, what) {
  if (!sizes?.length) return null;
  return h(
    "details",
    null,
    h("summary", null, `By exact size (${sizes.length})`),
    h("p", null, sizes.map((s) => `${count(s[what])} × ${count(s.bytes)} B`).join(", ")),
  );
}

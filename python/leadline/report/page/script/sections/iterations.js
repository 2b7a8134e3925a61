// Time per iteration from the first to the last, with the slow iterations.

import { WHOLE, axis, canChart, chart, timeTicks } from "../chart.js";
import { place } from "../data.js";
import { h } from "../dom.js";
import { bound, count, fixed, plural, seconds, times } from "../format.js";
import { restartsInBrackets } from "../steps.js";
import { table } from "../table.js";

const KEPT = {
  full: () => "All call times were kept.",
  sampled: (it) =>
    it.sampled?.length
      ? `Call times exceed the limit (--series). They were kept for ${plural(it.sampled.length, "iteration")}, the same on all ranks; the others have only the times shown here.`
      : "Call times exceed the limit (--series): only the times shown here were kept.",
  none: () => "Call times were not kept.",
};

export const drawing = {
  remark: (report) => `${about(report.iterations)}${others(report.other_loops)}`,
  render: (report) => {
    const it = report.iterations;
    return [
      it.strip?.length > 1 ? strip(it) : null,
      h("h3", null, "Iterations of 2 × the median or more"),
      it.outliers?.length ? outliers(it.outliers) : h("p", null, "None."),
      it.strip?.length
        ? h(
            "details",
            { open: !canChart() || it.strip.length < 2 },
            h("summary", null, `Table of the chart (${plural(it.strip.length, "row")})`),
            stripTable(it.strip),
          )
        : null,
    ];
  },
};

/** The next best candidates for the main loop. */
function others(loops) {
  if (!loops?.length) return "";
  const paths = (loop) => (loop.call_paths > 1 ? ` on one of ${loop.call_paths} call paths` : "");
  const named = loops.map(
    (loop) => `${loop.place}, ${bound(loop)}${count(loop.count)} ×${paths(loop)}, ${fixed(100 * loop.share, 0)} %`,
  );
  return ` Or: ${named.join("; ")} (--step FILE:LINE).`;
}

function about(it) {
  const loop = it.routine
    ? `The loop${it.file ? ` at ${place(it)}` : ""} in ${it.routine}, ${fixed(100 * it.share, 0)} % of the ranks' time: `
    : "";
  const iterations = `${it.at_least ? "at least " : bound(it)}${plural(it.count, "iteration")}${restartsInBrackets(it.restarts)}`;
  const around = it.around
    ? ` Iterations of the loop${it.around.file ? ` at ${place(it.around)}` : ""} in ${it.around.routine}, which encloses it${restartsInBrackets(it.around.restarts)}, make identical calls and cannot be separated.`
    : "";
  if (it.mean_s === null) return `${loop}${iterations}. ${KEPT[it.kept]?.(it) ?? ""}${around}`;
  const where = it.routine ? "" : [
    it.site?.function && `with ${it.site.function}`,
    it.site?.routine && `in ${it.site.routine}`,
    it.site?.file && `(${place(it.site)})`,
  ]
    .filter(Boolean)
    .join(" ");
  return [
    loop,
    `${iterations}${it.calls_per_iteration ? ` of ${fixed(it.calls_per_iteration, 1).replace(/\.0$/, "")} MPI calls per rank` : ""}`,
    where ? `; each ${it.site.ends_with_it ? "ends" : "begins"} ${where}` : "",
    it.timed_are_unlike ? `: ${seconds(it.average_s)} on average; the timed ones, which are not typical` : "",
    `: mean ${seconds(it.mean_s)}, ${seconds(it.min_s)} to ${seconds(it.max_s)}${it.timed < it.count ? ` (${count(it.timed)} of ${count(it.count)} were timed)` : ""}. `,
    KEPT[it.kept]?.(it) ?? "",
    around,
  ].join("");
}

/** The mean of each part of the run, with its range behind, and slow iterations as points. */
function strip(it) {
  const parts = it.strip;
  const x = parts.map((part) => (part.first + part.last) / 2);
  const slow = new Map();
  for (const each of it.outliers ?? []) {
    const at = parts.findIndex((part) => part.first <= each.iteration && each.iteration <= part.last);
    if (at >= 0) slow.set(at, Math.max(slow.get(at) ?? 0, each.time_s));
  }
  const numbers = (key) => parts.map((part) => part[key] ?? null);
  const shown = (_, value) => (value === null || value === undefined ? "" : seconds(value));
  return chart({
    label: `Time per iteration (${it.count}): mean, min and max`,
    data: [x, numbers("max_s"), numbers("min_s"), numbers("mean_s"), parts.map((_, at) => slow.get(at) ?? null)],
    height: 220,
    describe: (color) => ({
      scales: { x: { time: false } },
      axes: [axis(color, { label: "iteration", size: 34, labelGap: 0, incrs: WHOLE }), axis(color, { size: 64, values: timeTicks })],
      bands: [{ series: [1, 2], fill: color.of("--band") }],
      series: [
        {
          label: "iteration",
          value: (plot, value, series, at) => (at === null || at === undefined ? "" : span(parts[at])),
        },
        { label: "max over ranks", stroke: color.of("--band-edge"), width: 1, points: { show: false }, value: shown },
        { label: "min over ranks", stroke: color.of("--band-edge"), width: 1, points: { show: false }, value: shown },
        {
          label: "mean over ranks",
          stroke: color.of("--point-to-point"),
          width: 1.5,
          points: { show: parts.length < 2 },
          value: shown,
        },
        {
          label: "2 × the median or more",
          stroke: color.of("--completion"),
          fill: color.of("--completion"),
          paths: () => null,
          points: { show: true, size: 8, fill: color.of("--completion"), stroke: color.of("--completion") },
          value: shown,
        },
      ],
    }),
  });
}

function span(part) {
  return part.first === part.last ? count(part.first) : `${count(part.first)}–${count(part.last)}`;
}

function outliers(rows) {
  const columns = [
    { id: "iteration", head: true, value: (e) => e.iteration, cell: (e) => count(e.iteration) },
    { id: "rank", value: (e) => e.rank, cell: (e) => (e.rank === null ? "" : String(e.rank)) },
    { id: "time", value: (e) => e.time_s, cell: (e) => seconds(e.time_s) },
    ...(rows.some((e) => e.longest_computation_s !== undefined)
      ? [
          {
            id: "computing",
            value: (e) => e.longest_computation_s,
            cell: (e) => seconds(e.longest_computation_s),
          },
        ]
      : []),
    { id: "typical", value: (e) => e.typical_s, cell: (e) => seconds(e.typical_s) },
    {
      id: "longer",
      value: (e) => e.time_s / e.typical_s,
      cell: (e) => (e.typical_s > 0 ? times(e.time_s / e.typical_s) : ""),
    },
  ];
  return table({
    of: "slow_iterations",
    label: "Slow iterations",
    columns,
    rows,
    one: "iteration",
    first: 10,
    words: (e) => `iteration ${e.iteration} rank ${e.rank}`,
  });
}

function stripTable(rows) {
  const columns = [
    { id: "iterations", head: true, value: (e) => e.first, cell: span },
    { id: "mean", value: (e) => e.mean_s, cell: (e) => seconds(e.mean_s) },
    { id: "least", value: (e) => e.min_s, cell: (e) => seconds(e.min_s) },
    { id: "most", value: (e) => e.max_s, cell: (e) => seconds(e.max_s) },
    { id: "iteration", value: (e) => e.max_iteration, cell: (e) => count(e.max_iteration) },
    {
      id: "rank",
      value: (e) => e.max_rank,
      cell: (e) => (e.max_rank === null || e.max_rank === undefined ? "" : String(e.max_rank)),
    },
  ];
  return table({ of: "strip", label: "Time per iteration", columns, rows, one: "row", first: 20, words: (e) => span(e) });
}

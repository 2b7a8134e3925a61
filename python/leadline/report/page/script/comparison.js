// The page of `leadline compare`: verdict, environments, what differs, small multiples of the iterations, tables.

import { WHOLE, axis, chart, timeTicks } from "./chart.js";
import { h } from "./dom.js";
import { timesTable } from "./comparison_tables.js";
import { count, fixed, plural, seconds } from "./format.js";
import { showPage } from "./frame.js";
import { read } from "./read.js";
import { table } from "./table.js";

const LEVELS = [
  ["whole", "Times", ["run", "iteration", "mean", "computation", "rank"]],
  ["phases", "Phases", ["phase"]],
  ["functions", "Functions", ["function"]],
  ["sites", "Call sites", ["site"]],
];
const COLORS = ["--point-to-point", "--completion", "--collective", "--one-sided", "--setup", "--files"];

/** Called when all modules are there (report/page/document.py). */
export function show() {
  const comparison = read();
  const sections = [
    { id: "environments", title: "Environments", inside: environments(comparison) },
    { id: "limits", title: "Caveats", inside: limits(comparison) },
    { id: "differences", title: "What differs", inside: differences(comparison) },
    { id: "iterations", title: "Iterations", inside: iterations(comparison) },
    { id: "scaling", title: "Scaling", inside: comparison.scaling ? scaling(comparison.scaling) : null },
    ...LEVELS.map(([id, title, levels]) => ({ id, title, inside: timesTable(comparison, title, levels) })),
  ]
    .filter((each) => each.inside !== null)
    .map((each) => ({ ...each, short: each.title }));
  showPage("the comparison", h("header", null, h("h1", null, sentences(comparison)), groups(comparison)), sections);
  globalThis.leadline = { comparison };
}

/** One line for each group but the first, or one for all that differ in the number of ranks. */
function sentences({ pairs, scaling: found, verdict }) {
  if (found && pairs.length > 1) return h("strong", null, verdict);
  return pairs.map((pair, at) => [at ? h("br") : null, h("strong", null, pairs.length > 1 ? `${pair.compared}: ${pair.verdict}` : pair.verdict)]);
}

function groups({ groups }) {
  return h(
    "ul",
    { class: "plain" },
    groups.map((each) =>
      h("li", null, `${each.id}: ${each.name}, ${plural(each.ranks, "rank")}, ${plural(each.runs.length, "run")}`),
    ),
  );
}

function environments({ environment, groups }) {
  if (!environment.length) return h("p", null, "No recorded difference.");
  return table({
    of: "environments",
    label: "Environments",
    columns: [
      { id: "title", head: true, text: true, value: (e) => e.title, cell: (e) => e.title },
      ...groups.map((group, at) => ({
        id: group.id,
        text: true,
        keep: 1,
        value: (e) => e.values[at],
        cell: (e) => e.values[at],
      })),
    ],
    rows: environment,
    one: "difference",
    words: (e) => e.title,
  });
}

/** What is wrong with the runs, such as ranks without cores, and what is compared instead of what was asked. */
function limits({ groups, limits }) {
  const alike = new Map(); // what several runs have alike, but for its numbers, is said of the first of them
  for (const { run, notes } of groups.flatMap(({ runs }) => runs)) {
    for (const text of notes) {
      const key = text.replace(/[0-9]+/g, "#");
      if (alike.has(key)) alike.get(key).others.add(run);
      else alike.set(key, { text: `${run}: ${text}`, others: new Set() });
    }
  }
  const texts = [
    ...[...alike.values()].map(({ text, others }) => (others.size ? `${text} Likewise: ${[...others].join(", ")}.` : text)),
    ...limits,
  ];
  if (!texts.length) return null;
  return h(
    "ul",
    null,
    texts.map((text) => h("li", null, text)),
  );
}

function differences({ pairs }) {
  const bases = [...new Set(pairs.map((pair) => pair.basis))];
  const remark = (basis) => h("p", { class: "remark" }, `${basis[0].toUpperCase()}${basis.slice(1)}.`);
  const each = pairs.map((pair) => [
    pairs.length > 1 ? h("h3", null, `${pair.compared} against ${pair.base}`) : null,
    pair.differences.length
      ? h(
          "ul",
          null,
          pair.differences.map((each) => h("li", null, each.text, details(each))),
        )
      : h("p", null, `${pair.unchanged[0].toUpperCase()}${pair.unchanged.slice(1)}.`),
    concerns("No longer found", pair.findings_gone),
    concerns("Now found", pair.findings_new),
    bases.length > 1 ? remark(pair.basis) : null,
  ]);
  return [each, bases.length === 1 ? remark(bases[0]) : null];
}

function concerns(title, findings) {
  if (!findings.length) return null;
  return h("div", null, h("p", null, `${title}:`), h("ul", null, findings.map((each) => h("li", null, each.text))));
}

function details({ details, alongside }) {
  return [
    details.length
      ? h(
          "details",
          null,
          h("summary", null, plural(details.length, "change")),
          h(
            "ul",
            null,
            details.map((text) => h("li", null, text)),
          ),
        )
      : null,
    alongside.length ? h("p", null, `Other times that changed: ${alongside.join("; ")}.`) : null,
  ];
}

/** A chart for each group, its repeats as lines; all with the same scale. */
function iterations({ groups }) {
  const most = Math.max(...groups.flatMap((group) => group.runs.flatMap((run) => run.iteration_s)));
  if (!(most > 0)) return null;
  return h(
    "div",
    { class: "beside" },
    groups.map((group) => multiple(group, most)),
  );
}

function multiple(group, most) {
  if (!group.runs.some((run) => run.iteration_s.length)) {
    return h("div", null, h("h3", null, `${group.id}: ${group.name}`), h("p", null, "No main loop was found."));
  }
  const n = Math.max(...group.runs.map((run) => run.iteration_s.length));
  const single = group.runs.every((run) => run.iteration_s.length === run.iterations);
  const figure = chart({
    label: `Time per iteration of ${group.name}`,
    data: [
      Array.from({ length: n }, (_, at) => at),
      ...group.runs.map((run) => Array.from({ length: n }, (_, at) => run.iteration_s[at] ?? null)),
    ],
    height: 170,
    describe: (color) => ({
      scales: { x: { time: false }, y: { range: [0, most * 1.05] } },
      axes: [
        axis(color, { label: single ? "iteration" : "part of the main loop", size: 34, labelGap: 0, incrs: WHOLE }),
        axis(color, { size: 64, values: timeTicks }),
      ],
      series: [
        { label: single ? "iteration" : "part" },
        ...group.runs.map((run, at) => ({
          label: group.runs.length > 1 ? run.run : "mean over ranks",
          stroke: color.of(COLORS[at % COLORS.length]),
          width: 1.2,
          points: { show: n < 2 },
          value: (_, value) => (value === null || value === undefined ? "" : seconds(value)),
        })),
      ],
    }),
  });
  figure.prepend(h("h3", null, `${group.id}: ${group.name}`));
  return figure;
}

/** Time over ranks, a line for each curve, beside the one that the first point would give. */
function scaling({ kind, basis, curves }) {
  const ranks = curves[0].points.map((point) => point.ranks);
  const [main] = curves;
  const ideal = ranks.map((n) => (kind === "strong" ? (main.points[0].time_s * ranks[0]) / n : main.points[0].time_s));
  const picture = chart({
    label: `${main.name}: time by number of ranks`,
    data: [ranks, main.points.map((point) => point.time_s), ideal],
    height: 200,
    describe: (color) => ({
      scales: { x: { time: false, distr: 3, log: 2 }, y: { range: (_, low, high) => [0, high * 1.05] } },
      axes: [
        axis(color, { label: "ranks", size: 34, labelGap: 0, splits: () => ranks, values: (_, at) => at.map(count) }),
        axis(color, { size: 64, values: timeTicks }),
      ],
      series: [
        { label: "ranks" },
        {
          label: main.name,
          stroke: color.of(COLORS[0]),
          width: 1.5,
          points: { show: true, size: 7 },
          value: (_, value) => seconds(value),
        },
        {
          label: "without losses",
          stroke: color.muted,
          dash: [4, 4],
          points: { show: false },
          value: (_, value) => seconds(value),
        },
      ],
    }),
  });
  const percent = (value) => (value === null ? "" : fixed(value * 100, 0));
  const rows = curves.flatMap((curve) => curve.points.map((point) => ({ name: curve.name, ...point })));
  return [
    h("p", { class: "remark" }, kind ? `Assumed ${kind} scaling: ${basis}.` : `Scaling type unknown: ${basis}.`),
    picture,
    table({
      of: "scaling",
      label: "Scaling",
      columns: [
        { id: "name", head: true, text: true, value: (e) => e.name, cell: (e) => e.name },
        { id: "ranks", keep: 2, value: (e) => e.ranks, cell: (e) => count(e.ranks) },
        { id: "time", keep: 2, value: (e) => e.time_s, cell: (e) => seconds(e.time_s) },
        { id: "scalability", keep: 1, value: (e) => e.scalability, cell: (e) => percent(e.scalability) },
        { id: "efficiency", value: (e) => e.efficiency, cell: (e) => percent(e.efficiency) },
        { id: "computation", value: (e) => e.computation_scaling, cell: (e) => percent(e.computation_scaling) },
      ],
      rows,
      one: "point",
      words: (e) => e.name,
    }),
  ];
}

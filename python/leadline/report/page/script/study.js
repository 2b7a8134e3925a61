// The page of `leadline study`: verdict, what the recording proposes, the papers' tables measured here, segments.

import { axis, chart, timeTicks } from "./chart.js";
import { h } from "./dom.js";
import { count, fixed, plural, seconds } from "./format.js";
import { showPage } from "./frame.js";
import { read } from "./read.js";
import { table } from "./table.js";

/** Called when all modules are there (report/page/document.py). */
export function show() {
  const study = read();
  const sections = [
    { id: "findings", title: "Findings of the first run", inside: findings(study) },
    { id: "phases", title: "Time by phase", inside: phases(study) },
    { id: "routines", title: "Communication by routine", inside: routines(study) },
    ...(study.files.length ? [{ id: "files", title: "Input and output", inside: files(study.files) }] : []),
    { id: "segments", title: "Segments", inside: segments(study.segments) },
    { id: "papers", title: "Comparison with the papers", inside: papers(study) },
  ].map((each) => ({ ...each, short: each.title }));
  showPage("the study", h("header", null, h("h1", null, h("strong", null, study.verdict)), basis(study)), sections);
  globalThis.leadline = { study };
}

function basis(study) {
  return [
    h(
      "p",
      null,
      `${study.program.join(" ")} · ${study.ranks.join(" and ")} ranks · ${plural(study.rounds, "repeat")}, interleaved · ` +
        "results bit-identical",
    ),
    study.notes.map((note) => h("p", { class: "note" }, note)),
  ];
}

function findings(study) {
  return h(
    "ul",
    null,
    study.findings.map((text) => h("li", null, text)),
  );
}

function phases(study) {
  const rows = study.phases.flatMap((each) => each.here.map((here) => ({ ...here, title: each.title })));
  return table({
    of: "study_phases",
    label: "Time by phase",
    columns: [
      { id: "phase", head: true, text: true, value: (e) => e.title, cell: (e) => e.title },
      { id: "ranks", value: (e) => e.ranks, cell: (e) => count(e.ranks) },
      { id: "before", keep: 2, value: (e) => e.before_s, cell: (e) => seconds(e.before_s) },
      { id: "before_mpi", value: (e) => e.before_mpi_s, cell: (e) => seconds(e.before_mpi_s) },
      { id: "after", keep: 2, value: (e) => e.after_s, cell: (e) => seconds(e.after_s) },
      { id: "after_mpi", value: (e) => e.after_mpi_s, cell: (e) => seconds(e.after_mpi_s) },
      { id: "ratio", keep: 1, value: (e) => e.ratio?.median ?? 0, cell: (e) => words(e.ratio) },
    ],
    rows,
    one: "phase",
    words: (e) => e.title,
  });
}

function routines(study) {
  const rows = study.routines.flatMap((each) =>
    each.forms.map((form) => ({ ...form, routine: each.routine, ranks: each.ranks })),
  );
  return table({
    of: "study_routines",
    label: "Communication by routine",
    columns: [
      { id: "routine", head: true, text: true, value: (e) => e.routine, cell: (e) => e.routine },
      { id: "ranks", value: (e) => e.ranks, cell: (e) => count(e.ranks) },
      { id: "form", text: true, keep: 2, value: (e) => e.title, cell: (e) => e.title },
      { id: "messages", keep: 1, value: (e) => e.messages, cell: (e) => count(e.messages) },
      { id: "mpi", keep: 2, value: (e) => e.mpi_s, cell: (e) => seconds(e.mpi_s) },
      { id: "ratio", keep: 1, value: (e) => e.ratio?.median ?? 0, cell: (e) => words(e.ratio) },
    ],
    rows,
    one: "routine",
    first: 32,
    words: (e) => `${e.routine} ${e.title}`,
  });
}

function files(rows) {
  return table({
    of: "study_files",
    label: "Input and output",
    columns: [
      { id: "form", head: true, text: true, value: (e) => e.title, cell: (e) => e.title },
      { id: "ranks", value: (e) => e.ranks, cell: (e) => count(e.ranks) },
      { id: "read", keep: 2, value: (e) => e.read_s, cell: (e) => seconds(e.read_s) },
      { id: "times", keep: 1, value: (e) => e.read_times, cell: (e) => `${fixed(e.read_times, 1)} ×` },
      { id: "read_ratio", keep: 1, value: (e) => e.read_ratio?.median ?? 0, cell: (e) => words(e.read_ratio) },
      { id: "write", keep: 2, value: (e) => e.write_s, cell: (e) => seconds(e.write_s) },
      { id: "write_ratio", value: (e) => e.write_ratio?.median ?? 0, cell: (e) => words(e.write_ratio) },
    ],
    rows,
    one: "form",
    words: (e) => e.title,
  });
}

/** Time over the number of segments, beside the time without any. */
function segments(found) {
  const numbers = found.rows.map((row) => row.segments);
  const line = (label, color, values) => ({ label, color, values });
  const lines = [
    line("segments", "--point-to-point", found.rows.map((row) => row.loop_s)),
    line("original", "--completion", numbers.map(() => found.none_s)),
    line("found automatically", "--collective", numbers.map(() => found.auto_s)),
  ];
  return [
    h("p", { class: "remark" }, `The main loop with ${plural(found.ranks, "rank")}. Fastest: ${plural(found.best, "segment")}.`),
    chart({
      label: "Time of the main loop over the number of segments",
      data: [numbers, ...lines.map((each) => each.values)],
      height: 220,
      describe: (color) => ({
        scales: { x: { time: false, distr: 3, log: 2 }, y: { range: (_, low, high) => [0, high * 1.05] } },
        axes: [
          axis(color, { label: "segments", size: 34, labelGap: 0, splits: () => numbers, values: (_, at) => at.map(count) }),
          axis(color, { size: 64, values: timeTicks }),
        ],
        series: [
          { label: "segments" },
          ...lines.map((each, at) => ({
            label: each.label,
            stroke: color.of(each.color),
            width: 1.5,
            dash: at ? [4, 4] : undefined,
            points: { show: at === 0, size: 7 },
            value: (_, value) => seconds(value),
          })),
        ],
      }),
    }),
    table({
      of: "study_segments",
      label: "Segments",
      columns: [
        { id: "segments", head: true, value: (e) => e.segments, cell: (e) => count(e.segments) },
        { id: "loop", keep: 2, value: (e) => e.loop_s, cell: (e) => seconds(e.loop_s) },
        { id: "mpi", keep: 1, value: (e) => e.mpi_s, cell: (e) => seconds(e.mpi_s) },
        { id: "messages", value: (e) => e.messages, cell: (e) => count(e.messages) },
        { id: "ratio", keep: 1, value: (e) => e.ratio?.median ?? 0, cell: (e) => words(e.ratio) },
      ],
      rows: found.rows,
      one: "number",
      words: (e) => String(e.segments),
    }),
  ];
}

function papers(study) {
  return table({
    of: "study_papers",
    label: "Comparison with the papers",
    columns: [
      { id: "what", head: true, text: true, value: (e) => e.what, cell: (e) => h("span", { class: "whole" }, e.what) },
      { id: "papers", text: true, keep: 1, value: (e) => e.published, cell: (e) => e.published },
      {
        id: "here",
        text: true,
        keep: 2,
        value: (e) => (typeof e.here === "string" ? e.here : words(e.here)),
        cell: (e) => (typeof e.here === "string" ? e.here : words(e.here)),
      },
    ],
    rows: study.side_by_side,
    one: "figure",
    words: (e) => e.what,
  });
}

function words(ratio) {
  if (!ratio) return "";
  const range = `${fixed(ratio.least, 2)} to ${fixed(ratio.most, 2)}`;
  return `${fixed(ratio.median, 2)} × (${range}${ratio.clear ? "" : ", within noise"})`;
}

// The page of `leadline campaign`: what differs between the environments, what is proven, curves, all cells and runs.

import { h } from "./dom.js";
import { count, fixed, percent, plural, seconds } from "./format.js";
import { showPage } from "./frame.js";
import { linked, multiples, named } from "./multiples.js";
import { read } from "./read.js";
import { table } from "./table.js";

/** Called when all modules are there (report/page/document.py). */
export function show() {
  const campaign = read();
  const failed = campaign.cells.flatMap((cell) =>
    (cell.part ? [] : cell.runs).filter((run) => run.reason).map((run) => ({ ...run, cell })),
  );
  const sections = [
    { id: "environments", title: "Environments", inside: environments(campaign.environments) },
    { id: "proven", title: "What is proven", inside: proven(campaign.paragraphs) },
    ...(campaign.claims ? [{ id: "claims", title: "Claims of the paper", inside: claims(campaign.claims) }] : []),
    { id: "curves", title: "Time by number of ranks", inside: multiples(campaign.cells) },
    { id: "cells", title: "Cells", inside: cells(campaign.cells) },
    ...(campaign.scaling.length ? [{ id: "scaling", title: "Scaling", inside: scaling(campaign.scaling) }] : []),
    ...(failed.length ? [{ id: "failed", title: "Failed runs", inside: failures(failed) }] : []),
  ].map((each) => ({ ...each, short: each.title }));
  const notes = campaign.notes.map((note) => h("p", { class: "note" }, note));
  showPage("the campaign", h("header", null, h("h1", null, h("strong", null, campaign.verdict)), notes), sections);
  globalThis.leadline = { campaign };
}

function environments({ candidates, differences, alike }) {
  const same = Object.entries(alike).map(([title, value]) => h("li", null, `${title}: ${value}`));
  const rows = differences.flatMap((each) =>
    candidates.map((candidate, at) => ({ title: each.title, candidate, value: each.values[at] })),
  );
  return [
    differences.length
      ? table({
          of: "campaign_environments",
          label: "What differs between those compared",
          columns: [
            { id: "what", head: true, text: true, value: (e) => e.title, cell: (e) => e.title },
            { id: "candidate", text: true, keep: 2, value: (e) => e.candidate, cell: (e) => e.candidate },
            { id: "value", text: true, keep: 1, value: (e) => e.value, cell: (e) => e.value },
          ],
          rows,
          one: "value",
          words: (e) => `${e.title} ${e.candidate} ${e.value}`,
        })
      : h("p", { class: "remark" }, "No difference was recorded."),
    same.length ? h("details", null, h("summary", null, "The same in all"), h("ul", null, same)) : null,
  ];
}

function proven(paragraphs) {
  const remark = "The probability of any false claim in the whole campaign is at most 5 % (Welch's test, Holm's correction).";
  return [
    h("p", { class: "remark" }, remark),
    h(
      "ul",
      null,
      paragraphs.map((text) => h("li", null, text)),
    ),
  ];
}

function claims(rows) {
  return table({
    of: "campaign_claims",
    label: "Claims of the paper",
    columns: [
      { id: "claim", head: true, text: true, value: (e) => e.claim, cell: (e) => e.claim },
      { id: "published", text: true, value: (e) => e.published, cell: (e) => e.published },
      { id: "verdict", text: true, keep: 2, value: (e) => e.verdict, cell: (e) => e.verdict },
      { id: "why", text: true, keep: 1, value: (e) => e.why, cell: (e) => e.why },
    ],
    rows,
    one: "claim",
    words: (e) => e.claim,
  });
}

function cells(rows) {
  return table({
    of: "campaign_cells",
    label: "Cells",
    columns: [
      { id: "program", head: true, text: true, value: (e) => named(e), cell: (e) => named(e) },
      { id: "ranks", keep: 2, value: (e) => e.ranks, cell: (e) => count(e.ranks) },
      { id: "candidate", text: true, keep: 3, value: (e) => e.candidate, cell: (e) => e.candidate },
      { id: "n", value: (e) => e.n, cell: (e) => count(e.n) },
      { id: "median", keep: 3, value: (e) => e.median ?? Infinity, cell: (e) => seconds(e.median) },
      { id: "interval", value: (e) => e.low ?? 0, cell: (e) => between(e.low, e.high, seconds) },
      { id: "best", keep: 1, value: (e) => e.to_best?.value ?? 1, cell: (e) => ratio(e.to_best) },
      { id: "group", text: true, value: (e) => e.group, cell: (e) => e.group },
      { id: "overhead", value: (e) => e.overhead?.median ?? 0, cell: (e) => (e.overhead ? percent(e.overhead.median - 1) : "") },
      { id: "outliers", value: (e) => e.outliers, cell: (e) => (e.outliers ? count(e.outliers) : "") },
      { id: "failed", value: (e) => e.failed, cell: (e) => (e.failed ? count(e.failed) : "") },
    ],
    rows,
    one: "cell",
    words: (e) => `${named(e)} ${e.candidate} ${e.reason}`,
    detail: (e) => detail(e),
  });
}

function detail(cell) {
  const settings = Object.entries(cell.settings).map(([name, state]) => h("li", null, `${name}: ${state}`));
  const runs = cell.runs.map((run) => {
    const text = run.reason || seconds(run.time_s);
    const marks = [run.recorded ? "recorded" : "", run.outlier ? "outlier" : "", run.environment ?? ""].filter(Boolean);
    const shown = run.report ? h("a", { href: linked(run.report) }, text) : text;
    return h("li", null, `repeat ${run.repeat + 1}: `, shown, ` (${marks.join(", ")})`);
  });
  return [h("ul", null, runs), settings.length ? h("ul", null, settings) : null];
}

function scaling(rows) {
  const points = rows.flatMap((curve) => curve.points.map((point) => ({ ...curve, ...point })));
  return table({
    of: "campaign_scaling",
    label: "Scaling",
    columns: [
      { id: "program", head: true, text: true, value: (e) => named(e), cell: (e) => named(e) },
      { id: "candidate", text: true, keep: 3, value: (e) => e.candidate, cell: (e) => e.candidate },
      { id: "ranks", keep: 2, value: (e) => e.ranks, cell: (e) => count(e.ranks) },
      { id: "time", value: (e) => e.time_s, cell: (e) => seconds(e.time_s) },
      { id: "scalability", value: (e) => e.scalability, cell: (e) => fixed(e.scalability, 2) },
      { id: "efficiency", keep: 1, value: (e) => e.efficiency, cell: (e) => percent(e.efficiency) },
      { id: "serial", value: (e) => e.serial_share ?? 0, cell: (e) => (e.serial_share === null ? "" : percent(e.serial_share)) },
    ],
    rows: points,
    one: "point",
    words: (e) => `${named(e)} ${e.candidate}`,
  });
}

function failures(rows) {
  return h(
    "ul",
    null,
    rows.slice(0, 200).map(({ cell, repeat, reason }) =>
      h("li", null, `${named(cell)}, ${plural(cell.ranks, "rank")}, ${cell.candidate}, repeat ${repeat + 1}: ${reason}`),
    ),
    rows.length > 200 ? h("li", null, `and ${count(rows.length - 200)} more`) : null,
  );
}

function between(low, high, words) {
  return low === null || low === undefined ? "" : `${words(low)} – ${words(high)}`;
}

function ratio(found) {
  if (!found) return "";
  return `${fixed(found.value, 2)} × (${fixed(found.low, 2)} to ${fixed(found.high, 2)}${found.claimed ? "" : ", not proven"})`;
}

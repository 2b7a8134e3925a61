// Wait states by kind and call, with the ranks that waited and what caused it, and the critical path of a step.

import { bar } from "../cells.js";
import { place, sum } from "../data.js";
import { h } from "../dom.js";
import { count, percent, percentColumn, plural, seconds } from "../format.js";
import { nameOf } from "../names.js";
import { table } from "../table.js";
import { waitName } from "../timeline/words.js";

const DOING = { computation: "computes before", io: "is in the file call", mpi: "is in", unknown: "is late for an unknown reason before" };
const ON_PATH = { computation: "computation before", io: "file I/O", mpi: "", unknown: "unknown, before" };

export const drawing = {
  remark: (report) =>
    "Calls that waited for other ranks, and why. Open a line for the ranks that waited. " +
    (report.waits_estimated_from
      ? `Estimated from ${plural(report.waits_estimated_from, "iteration")} with call times.`
      : "All calls' times were kept."),
  render: (report) => {
    const whole = report.time_s - report.startup_s || 1;
    const rows = groupsOf(report.waits);
    return [
      table({
        of: "waits",
        label: "Waits",
        columns: [
          { id: "wait", head: true, text: true, value: (e) => e.kind, cell: (e) => h("span", { class: "whole" }, waitName(e.kind)) },
          { id: "share", keep: 2, value: (e) => e.seconds, cell: (e) => bar(e.seconds / whole, percentColumn(e.seconds / whole)) },
          { id: "time", value: (e) => e.seconds, cell: (e) => seconds(e.seconds) },
          { id: "ranks", value: (e) => e.ranks, cell: (e) => count(e.ranks) },
          { id: "most", value: (e) => e.worst.seconds, cell: (e) => [seconds(e.worst.seconds), h("small", null, ` rank ${e.worst.rank}`)] },
          { id: "call", text: true, keep: 2, value: (e) => words(e.site), cell: (e) => call(e.site) },
          { id: "cause", text: true, keep: 1, value: (e) => causeWords(e.cause[0]), cell: (e) => (e.cause.length ? cause(e.cause[0]) : "") },
        ],
        rows,
        one: "wait",
        first: 12,
        words: (e) => `${waitName(e.kind)} ${words(e.site)} ${causeWords(e.cause[0])}`,
        detail: (e) => [h("p", null, call(e.site), " ", h("span", { class: "at" }, e.site ? place(e.site) : "")), byRank(e.entries)],
      }),
      report.waits_left_out
        ? h("p", { class: "note" }, `Only the ${count(report.waits.length)} longest waits are listed; ${count(report.waits_left_out)} shorter ones are not included in these sums.`)
        : null,
      report.critical_path ? criticalPath(report.critical_path) : null,
    ];
  },
};

/** The waits of one kind at one call, of all ranks, with their causes by part of the time; most time first. */
function groupsOf(waits) {
  const groups = new Map();
  for (const each of waits) {
    const key = JSON.stringify([each.kind, each.site]);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(each);
  }
  return [...groups.values()].map(group).sort((a, b) => b.seconds - a.seconds);
}

function group(entries) {
  const total = sum(entries, (e) => e.seconds);
  const causes = new Map();
  for (const each of entries) {
    for (const one of each.cause) {
      const key = JSON.stringify([one.rank, one.doing, one.site]);
      if (!causes.has(key)) causes.set(key, { ...one, share: 0 });
      causes.get(key).share += total > 0 ? (one.share * each.seconds) / total : 0;
    }
  }
  return {
    kind: entries[0].kind,
    site: entries[0].site,
    seconds: total,
    ranks: new Set(entries.map((e) => e.rank)).size,
    worst: entries.reduce((most, e) => (e.seconds > most.seconds ? e : most)),
    cause: [...causes.values()].sort((a, b) => b.share - a.share),
    entries: [...entries].sort((a, b) => b.seconds - a.seconds),
  };
}

function byRank(rows) {
  return table({
    of: "waits_by_rank",
    label: "Ranks that waited",
    columns: [
      { id: "rank", head: true, value: (e) => e.rank, cell: (e) => String(e.rank) },
      { id: "time", value: (e) => e.seconds, cell: (e) => seconds(e.seconds) },
      { id: "cause", text: true, value: (e) => causeWords(e.cause[0]), cell: (e) => e.cause.map((one, i) => [i ? h("br") : null, cause(one)]) },
    ],
    rows,
    one: "rank",
    first: 8,
    words: (e) => `${e.rank} ${e.cause.map(causeWords).join(" ")}`,
  });
}

function words(site) {
  return site ? `${site.function} in ${site.routine}${site.line ? `:${site.line}` : ""}` : "an unknown call";
}

function call(site) {
  if (!site) return words(site);
  return [h("code", null, site.function), " in ", nameOf(site.routine), site.line ? `:${site.line}` : ""];
}

function causeWords(one) {
  return one ? `rank ${one.rank} ${DOING[one.doing]} ${words(one.site)}` : "";
}

function cause(one) {
  return [`rank ${one.rank} ${DOING[one.doing]} `, call(one.site), ` (${percent(one.share).replace(" ", "\u00a0")})`];
}

function criticalPath(path) {
  const what = (e) => [ON_PATH[e.doing], words(e.site)].filter(Boolean).join(" ");
  return [
    h("h3", null, `Critical path of an iteration, mean over ${plural(path.steps, "iteration")}`),
    table({
      of: "critical_path",
      label: "Critical path",
      columns: [
        { id: "what", head: true, text: true, value: what, cell: (e) => [ON_PATH[e.doing], " ", call(e.site)] },
        { id: "rank", value: (e) => e.rank, cell: (e) => String(e.rank) },
        { id: "share", value: (e) => e.share, cell: (e) => bar(e.share, percentColumn(e.share)) },
      ],
      rows: path.parts,
      one: "part",
      first: 10,
      words: (e) => `${what(e)} rank ${e.rank}`,
    }),
  ];
}

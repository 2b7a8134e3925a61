// Times of a comparison as tables: two groups side by side, or more with a column each.

import { h } from "./dom.js";
import { fixed, seconds, times } from "./format.js";
import { table } from "./table.js";

const TOO_WIDE = 20; // an interval that holds ratios so far apart says nothing (compare/words.py)

/** The times of some levels; null if there are none. */
export function timesTable({ groups, pairs }, title, levels) {
  const steps = pairs.some((pair) => pair.times.some((each) => each.per_iteration && each.level !== "rank"));
  const name = (e) => (!steps || e.per_iteration || ["run", "rank"].includes(e.level) ? e.name : `${e.name} (per run)`);
  const found = pairs.map((pair) => pair.times.filter((each) => levels.includes(each.level)));
  if (!found.some((rows) => rows.length)) return null;
  return pairs.length > 1 ? several(groups, found, title, name) : two(found[0], title, name);
}

function two(rows, title, name) {
  const intervals = rows.some((e) => interval(e));
  return table({
    of: "comparison",
    label: title,
    columns: [
      { id: "name", head: true, text: true, value: (e) => e.name, cell: name },
      { id: "a", keep: 1, value: (e) => e.a, cell: (e) => value(e, e.a) },
      { id: "b", keep: 1, value: (e) => e.b, cell: (e) => value(e, e.b) },
      { id: "change", keep: 2, value: (e) => e.ratio ?? 0, cell: (e) => change(e.ratio) },
      ...(intervals
        ? [
            { id: "interval", value: (e) => e.low ?? 0, cell: interval },
            { id: "claimed", value: (e) => (e.claimed ? 1 : 0), cell: (e) => (e.claimed ? "yes" : "") },
          ]
        : []),
    ],
    rows,
    one: "time",
    words: name,
  });
}

/** A row for each time that any group has; in a column the time of a group and its change against A. */
function several(groups, found, title, name) {
  const rows = new Map();
  for (const [at, each] of found.entries()) {
    for (const e of each) {
      const key = [e.level, ...e.key].join("\n");
      if (!rows.has(key)) rows.set(key, { first: e, others: [] });
      rows.get(key).others[at] = e;
    }
  }
  return table({
    of: "comparisons",
    label: title,
    columns: [
      { id: "name", head: true, text: true, value: (row) => row.first.name, cell: (row) => name(row.first) },
      { id: "A", keep: 1, value: (row) => row.first.a, cell: (row) => value(row.first, row.first.a) },
      ...groups.slice(1).map((group, at) => ({
        id: group.id,
        keep: 1,
        value: (row) => row.others[at]?.b ?? 0,
        cell: (row) => against(row.others[at]),
      })),
    ],
    rows: [...rows.values()],
    one: "time",
    words: (row) => name(row.first),
  });
}

function against(e) {
  if (!e) return "";
  const words = `${change(e.ratio)}${e.claimed ? ", beyond noise" : ""}`;
  const span = interval(e);
  return h("span", null, value(e, e.b), h("br"), e.claimed ? h("strong", null, words) : words, span && [h("br"), span]);
}

function value({ level }, number) {
  return level === "rank" ? fixed(number, 3) : seconds(number);
}

function change(ratio) {
  if (ratio === null || !(ratio > 0)) return "";
  if (ratio >= 2) return times(ratio);
  return `${ratio >= 1 ? "+" : ""}${fixed((ratio - 1) * 100, 1)} %`;
}

function interval({ low, high }) {
  if (low === null || high === null) return "";
  return low > 1 / TOO_WIDE && high < TOO_WIDE ? `${bound(low)} to ${bound(high)}` : "too wide";
}

function bound(ratio) {
  return ratio >= 3 ? times(ratio) : `${ratio >= 1 ? "+" : ""}${fixed((ratio - 1) * 100, 0)} %`;
}

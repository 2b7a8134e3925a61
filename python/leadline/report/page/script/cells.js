// Parts of tables that several sections use: bars, spreads over ranks, the columns of an entry.

import { h } from "./dom.js";
import { count, fixed, percentColumn, plural, seconds, size } from "./format.js";

/** A number with a bar before it, filled to `part`. */
export function bar(part, text, color = "--accent") {
  const width = `${Math.max(0, Math.min(1, part || 0)) * 100}%`;
  return h(
    "span",
    { class: "bar" },
    h("i", { style: { "--width": width, "--bar": `var(${color})` } }),
    h("b", null, text),
  );
}

/** A coloured strip: [{ value, color, name }] as parts of `whole`. */
export function stack(parts, whole, label) {
  const pieces = parts
    .filter((part) => part.value > 0)
    .map((part) =>
      h("i", {
        title: `${part.name}: ${part.text}`,
        style: { width: `${whole > 0 ? (100 * part.value) / whole : 0}%`, background: `var(${part.color})` },
      }),
    );
  return h("span", { class: "stack", role: "img", "aria-label": label }, pieces);
}

/** Least, median and most over ranks, as a picture from 0 to the most; the figures are in the row's details. */
export function range(least, middle, most, show) {
  if (!(most > 0)) return "";
  const at = (value) => `${(100 * value) / most}%`;
  const words = show(most) ? `min ${show(least)}, median ${show(middle)}, max ${show(most)}` : "an example";
  return h(
    "span",
    { class: "range", title: words },
    h(
      "span",
      { class: "track", role: "img", "aria-label": words },
      h("i", { class: "from-to", style: { left: at(least), right: "0" } }),
      h("i", { class: "middle", style: { left: at(middle) } }),
    ),
  );
}

/** The figures of a function, call site or routine. */
export const ENTRY_COLUMNS = [
  {
    id: "share",
    value: (e) => e.share ?? 0,
    cell: (e) => (e.share === null ? "" : bar(e.share, percentColumn(e.share))),
  },
  { id: "time", value: (e) => e.time_s, cell: (e) => seconds(e.time_s) },
  {
    id: "over_ranks",
    value: (e) => imbalance(e),
    cell: (e) => range(e.time_min_s, e.time_median_s, e.time_max_s, seconds),
    key: () => ["Over ranks: ", range(0.4, 0.7, 1, () => ""), " min, median and max over ranks; the axis starts at 0."],
  },
  { id: "calls", value: (e) => e.calls, cell: (e) => count(e.calls) },
  { id: "mean", value: (e) => e.mean_s, cell: (e) => seconds(e.mean_s) },
  { id: "longest", value: (e) => e.max_s, cell: (e) => seconds(e.max_s) },
  {
    id: "messages",
    value: (e) => e.messages,
    cell: (e) => (e.messages ? count(e.messages) : ""),
  },
  {
    id: "bytes",
    value: (e) => movedBytes(e),
    cell: (e) => (movedBytes(e) ? size(movedBytes(e)) : ""),
  },
];

const FILE_IO = new Set(["file_io", "file_iio"]);

/** Bytes got are moved as well as those put, and those read. */
function movedBytes(entry) {
  return entry.bytes + ((FILE_IO.has(entry.class) ? entry.bytes_received : entry.bytes_got) || 0);
}

function imbalance(entry) {
  return entry.time_max_s > 0 ? entry.time_max_s - entry.time_median_s : 0;
}

/** The details below an entry: its spread over ranks, the longest call's rank, exact message sizes. */
export function entryDetail(entry) {
  const rows = [
    [
      "Time",
      seconds,
      entry.time_min_s,
      entry.time_min_rank,
      entry.time_median_s,
      entry.time_max_s,
      entry.time_max_rank,
    ],
    ["Calls", count, entry.calls_min, entry.calls_min_rank, entry.calls_median, entry.calls_max, entry.calls_max_rank],
    [
      "Messages",
      count,
      entry.messages_min,
      entry.messages_min_rank,
      entry.messages_median,
      entry.messages_max,
      entry.messages_max_rank,
    ],
    ["Bytes", size, entry.bytes_min, entry.bytes_min_rank, entry.bytes_median, entry.bytes_max, entry.bytes_max_rank],
  ].filter(([name, , least, , , most]) => name === "Time" || name === "Calls" || least || most);
  const lines = rows.map(([name, show, least, leastRank, middle, most, mostRank]) =>
    h(
      "tr",
      null,
      h("th", { scope: "row", class: "text" }, name),
      h("td", { class: "number" }, show(least), h("small", null, ` rank ${leastRank}`)),
      h("td", { class: "number" }, show(middle)),
      h("td", { class: "number" }, show(most), h("small", null, ` rank ${mostRank}`)),
    ),
  );
  const heads = ["over ranks", "least", "median", "most"].map((name, i) =>
    h("th", { scope: "col", class: i ? "number" : "text" }, name),
  );
  return [
    h("table", { class: "small" }, h("thead", null, h("tr", null, heads)), h("tbody", null, lines)),
    h("p", null, facts(entry)),
  ];
}

function facts(entry) {
  const parts = [`called by ${plural(entry.ranks, "rank")}`];
  if (entry.max_s !== null && entry.max_s !== undefined) {
    parts.push(
      `call time ${seconds(entry.min_s)} to ${seconds(entry.max_s)}, max on rank ${entry.max_s_rank}`,
    );
  }
  if (entry.bytes_received && entry.bytes_received !== entry.bytes && entry.bytes_received !== entry.bytes_got)
    parts.push(`${size(entry.bytes_received)} received`);
  if (entry.sizes?.length) {
    parts.push(
      `message sizes: ${entry.sizes
        .slice(0, 12)
        .map((s) => `${count(s.messages)} of ${fixed(s.bytes, 0)} B`)
        .join(", ")}${entry.sizes.length > 12 ? ` and ${entry.sizes.length - 12} more sizes` : ""}`,
    );
  } else if (entry.sizes === null && entry.messages) parts.push("more than 64 message sizes");
  if (entry.one_sided_operations) {
    parts.push(
      `${plural(entry.one_sided_operations, "one-sided operation")}: ${size(entry.bytes_put)} by puts, ${size(entry.bytes_got)} by gets`,
    );
  }
  return parts.join("; ") + ".";
}

// The calls that the picture shows, as a table: the longest ones, where they are many.

import { lineText, place } from "../data.js";
import { h } from "../dom.js";
import { count, plural, seconds, size } from "../format.js";
import { table } from "../table.js";
import { COLORS } from "./colors.js";
import { duration } from "./words.js";

const MOST = 400;

export function callsInView({ data, view, shown, hidden }) {
  const lanes = new Set(shown);
  const rows = [];
  for (let row = 0; row < data.count; row++) {
    if (data.end[row] < view.from || data.begin[row] > view.to) continue;
    if (lanes.has(data.laneOf[row]) && !hidden.has(data.category(row))) rows.push(row);
  }
  const longest = [...rows].sort((a, b) => data.end[b] - data.begin[b] - data.end[a] + data.begin[a]).slice(0, MOST);
  const note =
    rows.length > MOST || data.tiles
      ? h("p", { class: "note" }, `The longest ${count(longest.length)} of ${plural(data.tiles ? data.step.calls : rows.length, "call")}.`)
      : null;
  return [note, tableOf(data, longest)];
}

function tableOf(data, rows) {
  const site = (row) => data.sites[data.site[row]];
  const time = (row) => data.end[row] - data.begin[row];
  const columns = [
    {
      id: "call",
      head: true,
      text: true,
      value: (row) => site(row).function,
      cell: (row) => [site(row).function, h("small", null, ` ${site(row).routine ?? ""} ${site(row).file ? place(site(row)) : ""}`)],
    },
    { id: "rank", value: (row) => data.laneOf[row], cell: (row) => String(data.ranks[data.laneOf[row]]) },
    { id: "kind", text: true, value: (row) => data.category(row), cell: (row) => COLORS[data.category(row)]?.name ?? data.category(row) },
    { id: "begin", value: (row) => data.begin[row], cell: (row) => seconds(data.begin[row] * data.unit) },
    { id: "time", value: time, cell: (row) => duration(data, row) },
    {
      id: "waited",
      value: (row) => data.waited[row],
      cell: (row) => (data.waited[row] ? [seconds(data.waited[row] * data.unit), h("small", null, ` for rank ${data.waitOf(row).rank}`)] : ""),
    },
    {
      id: "before",
      value: (row) => (data.tiles ? 0 : data.gap(row)),
      cell: (row) => (data.tiles || data.afterOthers.has(row) ? "" : `${seconds(data.gap(row) * data.unit)}${data.polled.has(row) ? " *" : ""}`),
    },
    { id: "bytes", value: (row) => data.bytes[row], cell: (row) => (data.bytes[row] > 0 ? size(data.bytes[row]) : "") },
    { id: "partner", value: (row) => partners(data, row).length, cell: (row) => partners(data, row).join(", ") },
  ];
  return table({
    of: "calls_in_view",
    label: "Calls in the picture",
    columns,
    rows,
    one: "call",
    first: 20,
    words: (row) => `rank ${data.ranks[data.laneOf[row]]} ${site(row).function} ${site(row).routine} ${lineText(site(row))}`,
  });
}

function partners(data, row) {
  const { send, receive, of } = data.messages;
  const ranks = (of.get(row) ?? []).map((m) => data.ranks[data.laneOf[send[m] === row ? receive[m] : send[m]]]);
  return [...new Set(ranks)];
}

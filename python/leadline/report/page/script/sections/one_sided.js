// One-sided communication: puts, gets and accumulates by target and by size.

import { h } from "../dom.js";
import { count, plural, size } from "../format.js";
import { blocksOf } from "../matrix_cells.js";
import { picture } from "../matrix_picture.js";
import { sizesOf } from "../size_classes.js";
import { table } from "../table.js";

const VALUES = [
  { field: "bytes_put", title: "bytes put", text: size, short: size },
  { field: "bytes_got", title: "bytes got", text: size, short: size },
  {
    field: "one_sided_operations",
    title: "operations",
    text: (value) => plural(Math.round(value), "operation"),
    short: count,
  },
].map((value) => ({ ...value, where: value.field }));

export const drawing = {
  remark: ({ totals }) =>
    `${kinds(totals)}. Row: origin; column: target. Puts and accumulates move data from row to column, gets from column to row. These operations are not messages.`,
  render: (report) => {
    const cells = blocksOf(report, ["one_sided_operations", "bytes_put", "bytes_got"]);
    const values = VALUES.filter(({ field }) => report.totals[field] > 0);
    const how = { name: "one-sided-of", across: "at rank", values, says };
    return [
      h("div", { class: "beside" }, picture(cells, how), pairs(report)),
      cells.unknown
        ? h("p", { class: "note" }, `Not shown: ${plural(cells.unknown, "operation")} with unknown targets.`)
        : null,
      h("h3", null, "Sizes per direction"),
      sizesOf(report.one_sided_size_histogram, report.one_sided_sizes, "operations"),
    ];
  },
};

function kinds(totals) {
  const parts = ["put", "get", "accumulate"]
    .filter((kind) => totals[`${kind}s`] > 0)
    .map((kind) => plural(totals[`${kind}s`], kind));
  return parts.length > 1 ? `${parts.slice(0, -1).join(", ")} and ${parts[parts.length - 1]}` : parts.join("");
}

function says({ of }, index, origin, target) {
  const operations = of.one_sided_operations[index];
  const what = operations
    ? `${plural(operations, "operation")}, ${size(of.bytes_put[index])} by puts, ${size(of.bytes_got[index])} by gets`
    : "no operations";
  return `Origin ${origin}, target ${target}: ${what}`;
}

function pairs(report) {
  const known = (rank) => (rank === null ? "unknown" : String(rank));
  const columns = [
    { id: "source", head: true, value: (e) => e.source, cell: (e) => String(e.source) },
    { id: "target", value: (e) => e.target, cell: (e) => known(e.target) },
    { id: "operations", value: (e) => e.one_sided_operations, cell: (e) => count(e.one_sided_operations) },
    { id: "put", value: (e) => e.bytes_put, cell: (e) => size(e.bytes_put) },
    { id: "got", value: (e) => e.bytes_got, cell: (e) => size(e.bytes_got) },
  ];
  return table({
    of: "one_sided",
    label: "One-sided operations by pair of ranks",
    columns,
    rows: report.matrix.filter((entry) => entry.one_sided_operations > 0),
    one: "pair of ranks",
    several: "pairs of ranks",
    first: 16,
    words: (e) => `by ${e.source} at ${known(e.target)}`,
  });
}

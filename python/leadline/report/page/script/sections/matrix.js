// Messages by sender and receiver, as a picture and as a table. One-sided operations have a separate section.

import { sum } from "../data.js";
import { h } from "../dom.js";
import { count, plural, size } from "../format.js";
import { blocksOf } from "../matrix_cells.js";
import { picture } from "../matrix_picture.js";
import { table } from "../table.js";

const messagesOf = (report) => report.matrix.filter((entry) => entry.messages > 0);

const HOW = {
  name: "matrix-of",
  across: "to rank",
  values: [
    { field: "bytes", where: "messages", title: "bytes", text: size, short: size },
    {
      field: "messages",
      where: "messages",
      title: "messages",
      text: (value) => plural(Math.round(value), "message"),
      short: count,
    },
  ],
  says: ({ of }, index, from, to) => {
    const messages = of.messages[index];
    const what = messages ? `${plural(messages, "message")}, ${size(of.bytes[index])}` : "no messages";
    return `From ${from} to ${to}: ${what}`;
  },
};

export const drawing = {
  remark: () =>
    "Row: source; column: destination. Ranks are those of MPI_COMM_WORLD.",
  render: (report) => {
    const cells = blocksOf(report, ["messages", "bytes"]);
    return [
      h("div", { class: "beside" }, picture(cells, HOW), pairs(report)),
      h("p", { class: "note" }, partners(report, cells)),
    ];
  },
};

function pairs(report) {
  const known = (rank) => (rank === null ? "unknown" : String(rank));
  const columns = [
    { id: "source", head: true, value: (e) => e.source, cell: (e) => String(e.source) },
    { id: "target", value: (e) => e.target, cell: (e) => known(e.target) },
    { id: "messages", value: (e) => e.messages, cell: (e) => count(e.messages) },
    { id: "bytes", value: (e) => e.bytes, cell: (e) => size(e.bytes) },
    {
      id: "each",
      value: (e) => (e.messages ? e.bytes / e.messages : 0),
      cell: (e) => (e.messages ? size(e.bytes / e.messages) : ""),
    },
  ];
  return table({
    of: "matrix",
    label: "Messages by pair of ranks",
    columns,
    rows: messagesOf(report),
    one: "pair of ranks",
    several: "pairs of ranks",
    first: 16,
    words: (e) => `from ${e.source} to ${known(e.target)}`,
  });
}

function partners(report, cells) {
  const to = new Map(report.ranks_detail.map((rank) => [rank.rank, 0]));
  for (const entry of messagesOf(report)) to.set(entry.source, (to.get(entry.source) ?? 0) + 1);
  const counts = [...to.values()];
  const [least, most] = [counts.reduce((a, b) => Math.min(a, b)), counts.reduce((a, b) => Math.max(a, b))];
  const pairsText = plural(
    sum(counts, (n) => n),
    "pair of ranks",
    "pairs of ranks",
  );
  const text =
    least === most
      ? `${pairsText}; each rank sends to ${plural(least, "partner")}.`
      : `${pairsText}; a rank sends to ${least} … ${most} partners.`;
  return cells.unknown
    ? `${text} Not shown: ${plural(cells.unknown, "message")} to unknown ranks.`
    : text;
}

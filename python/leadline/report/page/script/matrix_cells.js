// Sums of the traffic between blocks of ranks, small enough to draw and to hold whatever the number of ranks.

const MOST_BLOCKS = 512;

/**
 * fields: of the entries of the matrix, the first of which says how many there were (messages, operations).
 * { labels, block, n, there, of: { field: Float64Array of n × n, source by source }, unknown: number with an unknown partner }
 * labels: all ranks in order; a block holds `block` of them. there: `of` the first field.
 */
export function blocksOf(report, fields) {
  const labels = rankLabels(report);
  const block = Math.max(1, Math.ceil(labels.length / MOST_BLOCKS));
  const n = Math.ceil(labels.length / block);
  const at = new Map(labels.map((label, i) => [label, Math.floor(i / block)]));
  const of = Object.fromEntries(fields.map((field) => [field, new Float64Array(n * n)]));
  const cells = { labels, block, n, of, there: of[fields[0]], unknown: 0 };
  for (const entry of report.matrix) {
    const [row, column] = [at.get(entry.source), at.get(entry.target)];
    if (row === undefined || column === undefined) {
      cells.unknown += entry[fields[0]];
      continue;
    }
    for (const field of fields) of[field][row * n + column] += entry[field];
  }
  return cells;
}

/** Recorded ranks and, after them, those that others sent to without having a trace. */
function rankLabels(report) {
  const labels = new Set(report.ranks_detail.map((rank) => rank.rank));
  for (const entry of report.matrix) if (entry.target !== null) labels.add(entry.target);
  const all = [...labels];
  return all.every((label) => typeof label === "number") ? all.sort((a, b) => a - b) : all;
}

/** The ranks of a block as text: "rank 3", "ranks 8–11". */
export function blockName(cells, index) {
  const first = cells.labels[index * cells.block];
  const last = cells.labels[Math.min((index + 1) * cells.block, cells.labels.length) - 1];
  return first === last ? `rank ${first}` : `ranks ${first}–${last}`;
}

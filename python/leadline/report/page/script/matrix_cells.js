// Sums of messages and bytes over blocks of ranks, small enough to draw and to hold whatever the number of ranks.

const MOST_BLOCKS = 512;

/**
 * { labels, block, n, messages, bytes (Float64Array of n × n, sender by sender), unknown: messages to nobody known }
 * labels: all ranks in order; a block holds `block` of them.
 */
export function blocksOf(report) {
  const labels = rankLabels(report);
  const block = Math.max(1, Math.ceil(labels.length / MOST_BLOCKS));
  const n = Math.ceil(labels.length / block);
  const at = new Map(labels.map((label, i) => [label, Math.floor(i / block)]));
  const cells = { labels, block, n, messages: new Float64Array(n * n), bytes: new Float64Array(n * n), unknown: 0 };
  for (const entry of report.matrix) {
    const [row, column] = [at.get(entry.source), at.get(entry.target)];
    if (row === undefined || column === undefined) {
      cells.unknown += entry.messages;
      continue;
    }
    cells.messages[row * n + column] += entry.messages;
    cells.bytes[row * n + column] += entry.bytes;
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

// The kinds of a rank's time, in the order in which they are drawn.

import { CATEGORIES } from "./given.js";

export const COMPUTATION = { key: "computation", name: "computation", color: "--computation" };

export const KINDS = CATEGORIES.map(({ key, name, column }) => ({
  key,
  name,
  column: column === name ? undefined : column,
  color: `--${key.replaceAll("_", "-")}`,
}));

/** File I/O of the program's own: calls of libc, not of MPI. */
const FILES = { key: "files", name: "file I/O", color: "--files" };

/** What recording took between calls. */
const OWN = { key: "own", name: "overhead", color: "--own" };

export function timeOf(rank, kind) {
  if (kind === COMPUTATION) return rank.computation_s;
  if (kind === OWN) return rank.own_between_s ?? 0;
  return kind === FILES ? (rank.io_s ?? 0) : (rank.by_kind_s[kind.key] ?? 0);
}

/** All of a rank's time. */
export function wholeOf(rank) {
  return rank.computation_s + rank.mpi_s + (rank.io_s ?? 0) + (rank.own_between_s ?? 0);
}

/** The kinds on which at least a thousandth of the ranks' time went, computation first. */
export function kindsOf(ranks) {
  const whole = ranks.reduce((total, rank) => total + wholeOf(rank), 0);
  const spent = (kind) => ranks.reduce((total, rank) => total + timeOf(rank, kind), 0);
  return [COMPUTATION, ...[FILES, OWN, ...KINDS].filter((kind) => spent(kind) > 0 && spent(kind) >= 0.001 * whole)];
}

/** Of the parts of the ranks' time, by kind. */
export const PART_COLORS = {
  computation: "--computation",
  waiting: "--completion",
  transfer: "--point-to-point",
  mpi: "--point-to-point",
  files: "--files",
  own: "--own",
  startup: "--startup",
};

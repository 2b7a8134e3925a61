// What to look at first: facts that the figures themselves make stand out. No advice, and nothing that was not measured.

import { greatest, median, place, sum } from "./data.js";
import { count, percent, plural, power, seconds, size, times } from "./format.js";
import { wholeOf } from "./kinds.js";

const NOTABLE = 1.1; // times the median rank's computation
const MUCH_BYTES = 1e6; // read of a file by all ranks together
const STARTUP = new Set(["init", "finalize", "abort"]);

/** [{ text, section, link }], at most one of each kind. */
export function observations(report) {
  if (report.ended_at_start?.all_ranks) return [];
  return [
    incomplete,
    paused,
    slowIteration,
    costliestSite,
    unevenRanks,
    longestCall,
    oneRankOfMany,
    smallMessages,
    files,
    readWhole,
    startup,
  ]
    .map((look) => look(report))
    .filter(Boolean);
}

function incomplete(report) {
  if (report.complete) return null;
  const recorded = report.ranks_recorded;
  const text =
    recorded < report.ranks
      ? `${count(recorded)} of ${plural(report.ranks, "rank")} can be read; every figure is of those.`
      : "A trace ends before its program did; every figure is of what was written until then.";
  return { text, section: "missing", link: "What is missing" };
}

function paused(report) {
  const ranks = report.paused ?? [];
  const longest = greatest(ranks, (each) => each.seconds);
  if (!longest) return null;
  return {
    text: `Recording was paused on ${plural(ranks.length, "rank")}, for ${seconds(longest.seconds)} at most: MPI calls made meanwhile are in no figure.`,
    section: "missing",
    link: "Pauses",
  };
}

function slowIteration(report) {
  const worst = greatest(report.iterations?.outliers ?? [], (each) => each.time_s / each.typical_s);
  if (!worst || !(worst.typical_s > 0)) return null;
  return {
    text: `Iteration ${count(worst.iteration)} took ${seconds(worst.time_s)} on rank ${worst.rank}, ${times(worst.time_s / worst.typical_s)} the typical ${seconds(
      worst.typical_s,
    )}.`,
    section: "iterations",
    link: "Iterations",
  };
}

function costliestSite(report) {
  const site = report.places?.find((each) => !STARTUP.has(each.class) && !each.local);
  if (!site || !(site.share >= 0.01)) return null;
  const at = place(site);
  return {
    text: `${percent(site.share)} of the time is in ${site.function}${site.routine && site.routine !== "?" ? ` of ${site.routine}` : ""}${
      at ? ` at ${at}` : ""
    }: ${plural(site.calls, "call")} of ${seconds(site.mean_s)} on average.`,
    section: "calls",
    link: "Call sites",
  };
}

function unevenRanks(report) {
  const ranks = report.ranks_detail;
  if (ranks.length < 2) return null;
  const most = greatest(ranks, (rank) => rank.computation_s);
  const middle = median(ranks.map((rank) => rank.computation_s));
  const whole = sum(report.ranks_detail, wholeOf);
  if (!(middle > 0) || most.computation_s < NOTABLE * middle || most.computation_s * ranks.length < 0.01 * whole)
    return null;
  return {
    text: `Rank ${most.rank} computes ${seconds(most.computation_s)}, ${times(most.computation_s / middle)} as long as the median rank (${seconds(
      middle,
    )}).`,
    section: "ranks",
    link: "Time by rank",
  };
}

function longestCall(report) {
  const called = report.functions.filter((each) => !STARTUP.has(each.class) && !each.local && each.max_s > 0);
  const worst = greatest(called, (each) => each.max_s);
  if (!worst || worst.max_s < 10 * worst.mean_s || worst.max_s < 0.001 * report.duration_s) return null;
  return {
    text: `The longest single call: ${worst.function} on rank ${worst.max_s_rank}, ${seconds(worst.max_s)}, ${times(
      worst.max_s / worst.mean_s,
    )} its mean.`,
    section: "functions",
    link: "MPI functions",
  };
}

function oneRankOfMany(report) {
  const ranks = report.ranks_detail;
  const received = new Map(ranks.map((rank) => [rank.rank, 0])); // in messages
  for (const { target, bytes } of report.matrix) {
    if (received.has(target)) received.set(target, received.get(target) + bytes);
  }
  const volume = sum(ranks, (rank) => received.get(rank.rank));
  if (ranks.length < 4 || !volume) return null;
  const most = greatest(ranks, (rank) => received.get(rank.rank));
  const bytes = received.get(most.rank);
  const middle = median([...received.values()]);
  if (bytes < 2 * middle) return null;
  return {
    text: `Rank ${most.rank} receives ${percent(bytes / volume)} of the message bytes (${size(bytes)}); the median rank ${size(
      middle,
    )}.`,
    section: "matrix",
    link: "Who sends to whom",
  };
}

function smallMessages(report) {
  const total = report.totals.messages;
  const bucket = greatest(report.size_histogram, (each) => each.messages);
  if (!bucket || bucket.messages < 0.5 * total || bucket.to > 4096 || total < 1000) return null;
  const range = bucket.to === 1 ? "0 bytes" : `${power(bucket.from)} to less than ${power(bucket.to)} bytes`;
  const volume = report.totals.message_bytes;
  const parts = `${percent(bucket.messages / total)} of the messages, ${percent(volume ? bucket.bytes / volume : 0)} of the bytes`;
  const text =
    bucket.messages === total
      ? `All ${plural(total, "message")} carry ${range}.`
      : `${count(bucket.messages)} of ${plural(total, "message")} carry ${range}: ${parts}.`;
  return { text, section: "sizes", link: "Message sizes" };
}

function files(report) {
  const file = greatest(report.io?.files ?? [], (each) => each.time_s);
  const whole = sum(report.ranks_detail, wholeOf);
  // What was read before MPI_Init is not part of the time.
  const within = (report.io?.time_s ?? 0) - (report.io?.outside?.time_s ?? 0);
  if (!file || !(whole > 0) || within < 0.01 * whole) return null;
  return {
    text: `File I/O takes ${percent(within / whole)} of the ${report.time_of}' time; most of it ${file.file} (${seconds(file.time_s)}).`,
    section: "files",
    link: "File I/O",
  };
}

function readWhole(report) {
  const candidates = (report.io?.files ?? []).map((file) => ({
    file,
    ranks: file.by_rank.filter((rank) => rank.fraction_read >= 0.99).length,
  }));
  const most = greatest(candidates, (each) => (each.ranks > 1 ? each.file.bytes_read : 0));
  if (!most || most.ranks < 2 || most.file.bytes_read < MUCH_BYTES) return null;
  return {
    text: `${plural(most.ranks, "rank")} read the whole of ${most.file.file} (${size(most.file.size_bytes)}): ${size(most.file.bytes_read)} in all.`,
    section: "files",
    link: "File I/O",
  };
}

function startup(report) {
  const spent = sum(report.ranks_detail, (rank) => rank.by_kind_s.startup ?? 0);
  const whole = sum(report.ranks_detail, wholeOf);
  if (!(whole > spent) || spent < 0.25 * whole) return null;
  return {
    text: `${percent(spent / whole)} of the time is MPI_Init and MPI_Finalize; of the rest ${percent((report.mpi_s - spent) / (whole - spent))} is MPI.`,
    section: "functions",
    link: "MPI functions",
  };
}

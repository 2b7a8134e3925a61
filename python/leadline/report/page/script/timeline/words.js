// What is known of a call, or of the time between calls, in words.

import { place } from "../data.js";
import { plural, seconds, size } from "../format.js";
import { COLORS } from "./colors.js";

/** "MPI_Waitall in exchange (src/halo.cpp:47)" */
export function callName(site) {
  const where = site.file ? ` (${place(site)})` : "";
  return `${site.function}${site.routine ? ` in ${site.routine}` : ""}${where}`;
}

/** A time of the step, from its start. */
function at(data, time) {
  return time <= 0 ? "the start" : seconds(time * data.unit);
}

/** How long a call took: times are rounded to units. */
export function duration(data, row) {
  const units = data.end[row] - data.begin[row];
  return units ? seconds(units * data.unit) : `<${seconds(data.unit)}`;
}

export function callWords(data, row) {
  const site = data.sites[data.site[row]];
  const took = duration(data, row);
  const parts = [`Rank ${data.ranks[data.laneOf[row]]}: ${callName(site)}, ${took}, from ${at(data, data.begin[row])} to ${at(data, data.end[row])}`];
  const gap = data.gap(row);
  if (!data.tiles && gap > 0) parts.push(`preceded by ${seconds(gap * data.unit)} ${gapKind(data, row)}`);
  const wait = data.waitOf(row);
  if (wait) parts.push(`waiting ${seconds(data.waited[row] * data.unit)}${wait.kind ? ` for rank ${wait.rank} (${waitName(wait.kind)})` : ""}`);
  const own = data.messages.of.get(row) ?? [];
  if (data.bytes[row] > 0 && !own.length) parts.push(size(data.bytes[row]));
  for (const message of own.slice(0, 4)) parts.push(messageWords(data, row, message));
  if (own.length > 4) parts.push(`and ${plural(own.length - 4, "more message")}`);
  return `${parts.join("; ")}.`;
}

/** "late sender" */
export function waitName(kind) {
  return kind.replaceAll("_", " ").replace("n to n", "n-to-n");
}

/** Polls that found nothing are no computation. */
export function gapKind(data, row) {
  if (data.afterOthers.has(row)) return "with calls outside any iteration";
  return data.polled.has(row) ? "of computation and failed polls" : "of computation";
}

function messageWords(data, row, message) {
  const { send, receive, arrival, bytes } = data.messages;
  const sends = send[message] === row;
  const other = sends ? receive[message] : send[message];
  const what = bytes[message] >= 0 ? size(bytes[message]) : "a message";
  const rank = data.ranks[data.laneOf[other]];
  const when = sends
    ? arrival[message] >= 0
      ? `, received at ${at(data, arrival[message])}`
      : ""
    : `, sent at ${at(data, data.begin[send[message]])}`;
  return `${what} ${sends ? "to" : "from"} rank ${rank}${when}`;
}

/** Of a place in a lane where no call is. */
export function groundWords(data, lane, time) {
  const { first, last, from, to } = data.lanes[lane];
  const rank = `Rank ${data.ranks[lane]}`;
  if (to < 0) return `${rank} makes no call in this iteration.`;
  if (data.tiles) return tileWords(data, lane, time);
  if (time < from) return `${rank} starts the iteration at ${at(data, from)}.`;
  if (time > to) return `${rank} ends the iteration at ${at(data, to)}.`;
  const row = data.firstAfter(lane, time);
  if (row >= last) return `${rank} ends the iteration at ${at(data, to)}.`;
  const begin = row > first ? data.end[row - 1] : from;
  const others = data.afterOthers.has(row);
  const what = others ? "makes calls that are not shown," : data.polled.has(row) ? "computes (with failed polls)" : "computes";
  return `${rank} ${what} for ${seconds((data.begin[row] - begin) * data.unit)}, from ${at(data, begin)} to ${at(data, data.begin[row])}.`;
}

function tileWords(data, lane, time) {
  const { tiles, levels, categories, share, waiting } = data.tiles;
  const tile = Math.max(0, Math.min(tiles - 1, Math.floor((time / data.span) * tiles)));
  const parts = categories
    .map((category, i) => [COLORS[category]?.name ?? category, share[(lane * tiles + tile) * categories.length + i] / levels])
    .filter(([, part]) => part > 0)
    .map(([name, part]) => `${Math.round(100 * part)} % ${name}`);
  if (waiting?.[lane * tiles + tile]) parts.push(`${Math.round((100 * waiting[lane * tiles + tile]) / levels)} % waiting for other ranks`);
  const width = data.span / tiles;
  const span = `from ${at(data, tile * width)} to ${at(data, (tile + 1) * width)}`;
  return `Rank ${data.ranks[lane]} ${span}: ${parts.length ? parts.join(", ") : "no calls"}.`;
}

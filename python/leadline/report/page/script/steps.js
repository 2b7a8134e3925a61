// What calls show of the steps that a main loop is perhaps a part of, in the words of the terminal (wording/loops.py,
// report/sections/phases.py).

import { count, percent, plural } from "./format.js";

/** "its call sequence restarts 10 times, after every 70 iterations of its inner loop"; "" if not. */
export function restarting(restarts) {
  if (!restarts) return "";
  const trips = restarts.after_trips;
  const iterations = trips === 1 ? "iteration" : plural(trips ?? 0, "iteration");
  const after = trips ? `, after every ${iterations} of its inner loop` : "";
  return `its call sequence restarts ${count(restarts.times)} times${after}`;
}

/** " (its call sequence ...)", or "". */
export function restartsInBrackets(restarts) {
  const words = restarting(restarts);
  return words && ` (${words})`;
}

/** "Perhaps parts of a step: how often ... is unknown.", of the main loop's phase; "" if nothing is around it and no
 * interpreter runs it. */
export function perhapsParts(phase) {
  const around = phase?.around ?? [];
  const places = [...new Set([...around.slice(0, 1), ...around.slice(-1)].map(place))];
  const driver = phase?.driver ?? "";
  const other = phase?.commanding;
  if (other && !places.length && !driver)
    return `Perhaps parts of a step: rank ${other.rank} is in ${place(other)} instead, ${count(other.iterations)} ×.`;
  if (phase?.waits_for_cores)
    return "Hardly computes: other loops may be the steps, if ranks had cores of their own.";
  if (!places.length && driver)
    return `Perhaps parts of a step: which loops ${driver} runs around them is unknown.`;
  if (!places.length) return rivalOf(phase?.rival);
  const repeats = places.length === 1 ? "repeats" : "repeat";
  return `Perhaps parts of a step: how often ${places.join(" and ")} ${repeats} is unknown.`;
}

function rivalOf(loop) {
  if (!loop) return "";
  const trips = `${loop.at_least ? "≥ " : loop.about ? "about " : ""}${count(loop.iterations)} ×`;
  return `Perhaps not the steps: ${place(loop)}, ${trips}, makes more calls in ${percent(loop.share)} of the time.`;
}

function place(loop) {
  const at = loop.file && loop.line ? `${loop.file.split("/").pop()}:${loop.line} in ` : "";
  return `${at}${loop.routine}${restartsInBrackets(loop.restarts)}`;
}

// What to change, as cards: each with its gain as a bar, what to do, where, and what must hold.

import { beforeAfter } from "./before_after.js";
import { h } from "./dom.js";
import { percent } from "./format.js";

const MOST_CARDS = 3;
const MOST_PLACES = 6;

export function adviceCards(advice) {
  const shown = advice.proposals.slice(0, MOST_CARDS);
  const scale = Math.max(...shown.map((each) => each.gain_high), advice.ceiling ?? 0, 0.01);
  const unsure = advice.not_worth_it.filter((each) => each.unsure);
  const nothing = advice.not_worth_it.filter((each) => !each.unsure);
  const rest = [
    advice.proposals.length > shown.length ? `${advice.proposals.length - shown.length} more: leadline advise.` : null,
    titles("Gain not certain, from a run this short or irregular", unsure),
    titles("Not worth it here", nothing),
    ceiling(advice),
  ].filter(Boolean);
  if (!shown.length && !advice.not_worth_it.length) return null;
  return h(
    "div",
    { class: "look advice" },
    h("h2", null, "What to change"),
    shown.length
      ? h("ol", null, shown.map((each, i) => card(each, scale, beforeAfter(advice.timelines, i, i === 0))))
      : h("p", null, "No change that can be predicted gains 1 % or more."),
    h("p", { class: "note" }, rest.join(" ")),
  );
}

/** scale: the share of the run's time that the whole width of a bar stands for. */
function card({ title, text, gain, gain_low, gain_high, sites, assumes, sketch, pitfalls }, scale, timelines) {
  const range = `${percent(gain_low)} to ${percent(gain_high)}`;
  return h(
    "li",
    null,
    h(
      "p",
      { class: "gain" },
      bar(gain, gain_low, gain_high, scale),
      h("b", null, `${percent(gain)} less time`),
      ` (${range})`,
    ),
    h("p", { class: "what" }, title),
    h("p", null, text),
    assumes.length ? h("p", null, "Check first that ", assumes.join(", and that "), ".") : null,
    places(sites),
    timelines,
    howTo(sketch, pitfalls),
  );
}

/** Folded: code for these calls, and what can go wrong. */
function howTo(sketch, pitfalls) {
  if (!sketch && !pitfalls.length) return null;
  const has = [sketch ? `a sketch in ${sketch.language}` : null, pitfalls.length ? "pitfalls" : null].filter(Boolean);
  const summary = has.join(", and ");
  return h(
    "details",
    null,
    h("summary", null, summary[0].toUpperCase() + summary.slice(1)),
    sketch ? h("pre", { class: "sketch" }, h("code", null, sketch.text)) : null,
    pitfalls.length
      ? h(
          "ul",
          null,
          pitfalls.map((each) => h("li", null, each)),
        )
      : null,
  );
}

/** The gain, and its interval behind it. */
function bar(gain, low, high, scale) {
  const at = (share) => `${(100 * Math.min(Math.max(share / scale, 0), 1)).toFixed(2)}%`;
  return h(
    "span",
    { class: "gain-bar", role: "img", "aria-label": `gains ${percent(gain)}` },
    h("i", { class: "gain-range", style: { left: at(low), width: at(high - Math.max(low, 0)) } }),
    h("i", { class: "gain-value", style: { width: at(gain) } }),
  );
}

function places(sites) {
  if (!sites.length) return null;
  const told = [...new Set(sites.map(place))];
  const more = told.length - MOST_PLACES;
  return h(
    "p",
    { class: "note" },
    told.slice(0, MOST_PLACES).map((each, i) => [i ? ", " : "", h("code", null, each)]),
    more > 0 ? ` and ${more} more` : null,
  );
}

function place({ function: name, routine, file, line }) {
  if (file && line) return `${name} at ${file.split("/").pop()}:${line}`;
  return routine ? `${name} in ${routine}` : name;
}

function titles(begin, proposals) {
  const found = [...new Set(proposals.map((each) => each.title))];
  return found.length ? `${begin}: ${found.map((each) => each[0].toLowerCase() + each.slice(1)).join("; ")}.` : null;
}

function ceiling({ ceiling: most, ceiling_of_network: network, ceiling_of_balance: balance }) {
  if (most === null || network === null || balance === null) return null;
  const least = (share) => percent(Math.max(share, 0));
  return (
    `No change to communication gains more than ${least(most)}: ` +
    `${least(network)} with a perfect network, ${least(balance)} with perfect balance.`
  );
}

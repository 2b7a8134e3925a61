// Small charts side by side, one for each program and input: each run a point that leads to its report, a line through
// the medians of each candidate, and their intervals. All have the same numbers of ranks from left to right.

import { h } from "./dom.js";
import { count, plural, seconds } from "./format.js";

const NAMESPACE = "http://www.w3.org/2000/svg";
const WIDTH = 320;
const HEIGHT = 220;
const LEFT = 58;
const BOTTOM = 26;
const TOP = 8;
const APART = 0.5; // of the room of a number of ranks, for all candidates beside one another
const COLORS = ["--point-to-point", "--completion", "--collective", "--one-sided", "--io", "--setup", "--files", "--own"];
const TICKS = 4;

/** cells: those of the campaign. */
export function multiples(cells) {
  const candidates = [...new Set(cells.map((cell) => cell.candidate))];
  const ranks = [...new Set(cells.map((cell) => cell.ranks))].sort((a, b) => a - b);
  const panels = new Map();
  for (const cell of cells) {
    const name = named(cell);
    if (!panels.has(name)) panels.set(name, []);
    panels.get(name).push(cell);
  }
  const key = candidates.map((name, at) => {
    const mark = element("svg", { width: 12, height: 12, "aria-hidden": "true" }, circle(6, 6, 4, COLORS[at % COLORS.length]));
    return h("li", null, mark, ` ${name}`);
  });
  return [
    h("p", { class: "remark" }, "Each point is a run and leads to its report if it was recorded. Bars: 95 % CI of the median."),
    h("ul", { class: "multiples-key" }, key),
    h(
      "div",
      { class: "multiples" },
      [...panels].map(([name, of]) => h("figure", null, h("figcaption", null, name), panel(name, of, candidates, ranks))),
    ),
  ];
}

function panel(name, cells, candidates, ranks) {
  const times = cells.flatMap((cell) => [cell.high ?? 0, ...counted(cell).map((run) => run.time_s)]);
  const most = Math.max(...times, 0) * 1.05 || 1;
  const room = (WIDTH - LEFT) / ranks.length;
  const x = (cell) => {
    const at = candidates.indexOf(cell.candidate);
    const aside = candidates.length > 1 ? (at / (candidates.length - 1) - 0.5) * APART : 0;
    return LEFT + (ranks.indexOf(cell.ranks) + 0.5 + aside) * room;
  };
  const y = (time) => TOP + (1 - time / most) * (HEIGHT - TOP - BOTTOM);
  const label = `${name}: time by number of ranks for ${plural(candidates.length, "candidate")}; the table below has the numbers`;
  const picture = element("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label, class: "multiple" });
  for (let tick = 0; tick <= TICKS; tick += 1) {
    const time = (most * tick) / TICKS;
    picture.append(
      line(LEFT, y(time), WIDTH, y(time), "--rule"),
      text(LEFT - 4, y(time) + 3, tick ? seconds(time) : "0", "end"),
    );
  }
  picture.append(...ranks.map((each, at) => text(LEFT + (at + 0.5) * room, HEIGHT - 10, count(each), "middle")));
  candidates.forEach((candidate, at) => {
    const color = COLORS[at % COLORS.length];
    const own = cells.filter((cell) => cell.candidate === candidate && cell.median !== null).sort((a, b) => a.ranks - b.ranks);
    const points = own.map((cell) => `${x(cell)},${y(cell.median)}`).join(" ");
    picture.append(paint(element("polyline", { points, fill: "none", "stroke-width": 1.5 }), { stroke: color }));
    for (const cell of own) {
      if (cell.low !== null) picture.append(line(x(cell), y(cell.low), x(cell), y(cell.high), color, 3));
      for (const run of counted(cell)) picture.append(point(cell, run, x(cell), y(run.time_s), color));
    }
  });
  picture.addEventListener("pointerover", titled);
  return picture;
}

/** What a point says when it is pointed at is made then: there may be thousands. */
function titled({ target }) {
  const link = target.closest("a");
  if (link && !target.firstChild) target.append(element("title", {}, link.getAttribute("aria-label")));
}

function counted(cell) {
  return cell.runs.filter((run) => run.counts);
}

function point(cell, run, x, y, color) {
  const words = `${cell.candidate}, ${plural(cell.ranks, "rank")}, repeat ${run.repeat + 1}: ${seconds(run.time_s)}${run.outlier ? ", outlier" : ""}`;
  const mark = circle(x, y, 2.6, run.outlier ? "--panel" : color, color);
  if (!run.report) {
    mark.append(element("title", {}, words));
    return mark;
  }
  return element("a", { href: linked(run.report), "aria-label": words }, mark);
}

export function named(cell) {
  const given = cell.input === "default" ? "" : ` ${cell.input}`;
  return `${cell.program}${given}${cell.part ? `: ${cell.part}` : ""}`;
}

/** A path beside the page as an address: its names may contain anything. */
export function linked(path) {
  return path.split("/").map(encodeURIComponent).join("/");
}

function element(tag, attributes, ...children) {
  const made = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/** Colours by their names, so that they follow the page's theme. */
function paint(made, colors) {
  for (const [name, color] of Object.entries(colors)) made.style.setProperty(name, `var(${color})`);
  return made;
}

function circle(cx, cy, r, fill, stroke = fill) {
  return paint(element("circle", { cx, cy, r }), { fill, stroke });
}

function line(x1, y1, x2, y2, color, width = 1) {
  return paint(element("line", { x1, y1, x2, y2, "stroke-width": width }), { stroke: color });
}

function text(x, y, words, anchor) {
  return paint(element("text", { x, y, "text-anchor": anchor, "font-size": 10 }, words), { fill: "--muted" });
}

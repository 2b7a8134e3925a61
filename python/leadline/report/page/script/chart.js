// Charts by uPlot, in the page's colours, as wide as their place. Each stands beside a table with the same numbers.

import { custom, h } from "./dom.js";
import { seconds } from "./format.js";
import { onThemeChange } from "./theme.js";

const PAPER_WIDTH = 680;
const charts = [];

/** Whether uPlot is in this page; it is not where npm could not be reached when Leadline was built. */
export function canChart() {
  return typeof globalThis.uPlot === "function";
}

/**
 * A figure with a chart. describe(colors) -> uPlot's options without sizes; data: uPlot's columns.
 * label: what it shows, in a sentence.   hint: what can be done with it.
 */
export function chart({ label, data, height = 200, describe, hint = "Drag to zoom, double-click to see all." }) {
  if (!canChart()) {
    return h(
      "p",
      { class: "note" },
      "There is no chart here, because uPlot was not available from npm when Leadline was built. The table has the numbers.",
    );
  }
  const place = h("div", { class: "plot", role: "img", "aria-label": label });
  charts.push({ place, data, height, describe, plot: null });
  return h("figure", null, place, hint ? h("figcaption", null, hint) : null);
}

/** Draws every chart of the page; called once it is in the document, and again when colours change. */
export function drawCharts() {
  for (const each of charts) draw(each);
}

function draw(each) {
  each.plot?.destroy();
  const options = { width: widthOf(each), height: each.height, ...each.describe(colors()) };
  each.plot = new globalThis.uPlot(options, each.data, each.place);
  each.observer ??= watch(each);
}

function watch(each) {
  const fit = () => {
    const width = widthOf(each);
    if (width !== each.plot.width) each.plot.setSize({ width, height: each.height });
  };
  // In the next frame: browsers report an error if a size changes while sizes are being reported.
  const observer = new ResizeObserver(() => requestAnimationFrame(fit));
  observer.observe(each.place);
  return observer;
}

function widthOf(each) {
  return Math.max(240, Math.floor(each.place.clientWidth));
}

function colors() {
  return { ink: custom("--ink"), muted: custom("--muted"), rule: custom("--rule"), of: custom };
}

/** Labels of an axis of times. */
export function timeTicks(_, at) {
  return at.map((value) => (value === 0 ? "0" : seconds(value)));
}

/** An axis in the page's colours. */
export function axis(color, more = {}) {
  const font = "12px system-ui, sans-serif";
  return {
    stroke: color.muted,
    font,
    labelFont: font,
    labelSize: 18,
    grid: { stroke: color.rule, width: 1 },
    ticks: { stroke: color.rule, width: 1, size: 4 },
    ...more,
  };
}

onThemeChange(drawCharts);
addEventListener("beforeprint", () => {
  for (const each of charts) each.plot?.setSize({ width: Math.min(PAPER_WIDTH, widthOf(each)), height: each.height });
});
addEventListener("afterprint", () => {
  for (const each of charts) each.plot?.setSize({ width: widthOf(each), height: each.height });
});

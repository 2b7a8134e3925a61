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
      "Chart missing: uPlot was not available when Leadline was built. The table below has the numbers.",
    );
  }
  const place = h("div", { class: "plot", tabindex: 0, role: "img", "aria-label": `${label} (arrow keys to navigate)` });
  const each = { place, data, height, describe, plot: null };
  place.addEventListener("keydown", (event) => move(each, event));
  charts.push(each);
  return h("figure", null, place, h("figcaption", null, `${hint ?? ""} Keys: ← → Home End.`.trim()));
}

/** Moves the cursor from one value to another; the legend shows the values there. */
function move({ plot, data }, event) {
  const last = data[0].length - 1;
  const at = plot.cursor.idx;
  const to = {
    ArrowLeft: at === null || at === undefined ? last : Math.max(0, at - 1),
    ArrowRight: at === null || at === undefined ? 0 : Math.min(last, at + 1),
    Home: 0,
    End: last,
  }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  plot.setCursor({ left: plot.valToPos(data[0][to], "x"), top: plot.bbox.height / devicePixelRatio / 2 });
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

/** Distances of an axis's marks where there is nothing between whole numbers, such as iterations. */
export const WHOLE = Array.from({ length: 15 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat();

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

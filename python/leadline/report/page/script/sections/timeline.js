// Representative steps call by call, one at a time: chosen, filtered and zoomed by what stands around the picture.

import { sum } from "../data.js";
import { h } from "../dom.js";
import { capital, count, percent, plural, seconds } from "../format.js";
import { callsInView } from "../timeline/calls_in_view.js";
import { COLORS, colorOf } from "../timeline/colors.js";
import { lanesOf } from "../timeline/filter.js";
import { Picture } from "../timeline/picture.js";
import { StepData } from "../timeline/step.js";

const KINDS = {
  chosen: "chosen",
  typical: "typical",
  slowest: "slowest",
  output: "with output",
  files: "with file I/O",
  other_calls: "with other calls",
};

export const drawing = {
  remark: (report) => (report.timeline ? intro(report) : `No timeline: ${report.no_timeline}.`),
  render: (report) => (report.timeline ? new Timeline(report.timeline).element : null),
};

function intro(report) {
  const { ranks_why: why, ranks } = report.timeline;
  const which = why ? `Showing ${why}.` : `All ${plural(ranks.length, "rank")}.`;
  return `One iteration of the main loop at a time, call by call, on one time axis for all ranks. ${which}${aboutClocks(report.iterations?.clocks)}`;
}

/** By how much times of ranks on different hosts may be off. */
function aboutClocks(clocks) {
  if (!clocks || clocks.kind === "shared") return "";
  if (clocks.kind === "system" || clocks.error_s === null) return " Clocks of different hosts are compared by wall-clock time with unknown error.";
  return ` Clocks of different hosts agree to ±${seconds(clocks.error_s)}, so arrows may point backwards by as much.`;
}

class Timeline {
  constructor(timeline) {
    this.timeline = timeline;
    this.steps = new Map();
    this.picture = new Picture(() => this.viewChanged());
    this.about = h("p", { class: "note about-step" });
    this.legend = h("fieldset", { class: "choice timeline-legend" });
    this.notes = h("p", { class: "note" });
    this.table = h("div");
    this.details = h("details", { on: { toggle: () => this.tabulate() } }, h("summary", null, "The calls in the picture as a table"), this.table);
    this.element = h(
      "div",
      { class: "timeline-section" },
      this.choice(),
      this.about,
      this.controls(),
      h("figure", { class: "timeline-figure" }, this.picture.place, this.picture.status),
      this.legend,
      this.notes,
      h(
        "p",
        { class: "note timeline-keys" },
        "Drag to zoom, double-click to see all; Ctrl and the wheel zoom too. Keys, when the picture has the focus: ← → move, ↑ ↓ change the rank, + − zoom, 0 shows all, Home and End, Enter shows the call at the cursor, Shift with ← → the one before or after.",
      ),
      this.details,
    );
    this.show(timeline.steps[0]);
  }

  choice() {
    const radios = this.timeline.steps.map((step, i) =>
      h(
        "label",
        null,
        h("input", { type: "radio", name: "timeline-step", checked: i === 0, on: { change: () => this.show(step) } }),
        `${capital(step.kinds.map((kind) => KINDS[kind] ?? kind).join(", "))}: iteration ${count(step.iteration)}`,
      ),
    );
    return h("fieldset", { class: "choice" }, h("legend", null, "Step"), radios);
  }

  controls() {
    const { picture } = this;
    const button = (text, name, does) => h("button", { type: "button", "aria-label": name, title: name, on: { click: does } }, text);
    this.ranks = h("input", {
      type: "text",
      placeholder: "all, or 0-3, 8",
      "aria-label": "Ranks to show",
      size: 14,
      spellcheck: "false",
      autocomplete: "off",
      on: { input: () => this.filterRanks() },
    });
    return h(
      "div",
      { class: "timeline-controls" },
      button("+", "Zoom in", () => picture.zoom(0.5)),
      button("−", "Zoom out", () => picture.zoom(2)),
      button("←", "Earlier", () => picture.move(-0.25)),
      button("→", "Later", () => picture.move(0.25)),
      button("All", "Whole iteration", () => picture.all()),
      this.timeline.ranks.length > 1 ? h("label", null, "Ranks ", this.ranks) : null,
    );
  }

  show(step) {
    const { timeline, picture } = this;
    if (!this.steps.has(step)) this.steps.set(step, new StepData(step, timeline.sites, timeline.ranks));
    this.step = step;
    const data = this.steps.get(step);
    this.about.textContent = aboutStep(step, timeline);
    picture.show(data, `Timeline of iteration ${step.iteration} on ${plural(timeline.ranks.length, "rank")}; use the arrow keys, the line below describes what is at the cursor`);
    this.filterRanks();
    this.fillLegend(data);
  }

  fillLegend(data) {
    const { picture } = this;
    const check = (checked, change, ...content) =>
      h("label", null, h("input", { type: "checkbox", checked, on: { change: (event) => change(event.target.checked) } }), ...content);
    const kinds = Object.keys(COLORS).filter((key) => data.categories().includes(key));
    const categories = kinds.map((key) =>
      check(
        !picture.hidden.has(key),
        (on) => {
          picture.hidden[on ? "delete" : "add"](key);
          picture.update();
        },
        swatch(colorOf(key)),
        COLORS[key].name,
      ),
    );
    const toggle = (name, text, ...mark) =>
      check(
        picture[name],
        (on) => {
          picture[name] = on;
          picture.update();
        },
        ...mark,
        text,
      );
    const stroke = (color) => h("i", { class: "stroke", style: { background: `var(${color})` } });
    this.legend.replaceChildren(
      h("legend", null, "Show"),
      h("span", { class: "ground" }, swatch("--timeline-ground"), "computation"),
      ...categories,
      ...(data.waits ? [toggle("waiting", "waiting for another rank", h("i", { class: "swatch hatched" }))] : []),
      ...(data.messages.send.length ? [toggle("arrows", "messages", stroke("--ink"))] : []),
      ...(data.critical.length ? [toggle("critical", "critical path", stroke("--critical"))] : []),
    );
  }

  filterRanks() {
    const lanes = lanesOf(this.ranks.value, this.timeline.ranks);
    this.ranks.toggleAttribute("aria-invalid", lanes === null);
    if (lanes === null) return;
    const { picture } = this;
    picture.shown = lanes;
    if (!lanes.includes(picture.cursor.lane)) picture.cursor.lane = lanes[0];
    picture.update();
  }

  viewChanged() {
    const { drawn } = this.picture.scene;
    const { step } = this;
    const notes = [];
    if (step.tiles) {
      const width = (this.picture.data.span * step.unit_s) / step.tiles.tiles;
      notes.push(
        `${count(step.calls)} calls are too many to draw. Each bar covers ${seconds(width)}, and messages are not drawn; the ${count(step.marks.site.length)} longest calls can be inspected.`,
      );
    }
    if (drawn?.seen > drawn?.drawn) notes.push(`${plural(drawn.seen, "message")} are too many to draw: zoom in, or choose fewer ranks.`);
    if (step.messages?.elsewhere) notes.push(`${plural(step.messages.elsewhere, "message")} not drawn: the partner is in another iteration, on a hidden rank, or unknown.`);
    this.notes.textContent = notes.join(" ");
    this.notes.hidden = !notes.length;
    this.tabulate();
  }

  tabulate() {
    if (this.details.open) this.table.replaceChildren(...callsInView(this.picture).filter(Boolean));
  }
}

function aboutStep(step, { median_s: median, ranks_why: why }) {
  const parts = [
    `Iteration ${count(step.iteration)}: mean ${seconds(step.mean_s)} over the ranks${why ? " shown" : ""}, max ${seconds(step.longest_s)} on rank ${step.longest_rank}`,
    `the run's median is ${seconds(median)}`,
    plural(step.calls, "call"),
  ];
  if (step.waits || step.tiles?.waiting) parts.push(`${percent(waitedShare(step))} of the ranks' time is waiting for other ranks`);
  if (step.messages?.send.length) parts.push(plural(step.messages.send.length, "message"));
  return `${parts.join("; ")}.`;
}

/** Of the time that the ranks shown were in the step. */
function waitedShare({ waits, tiles, lanes }) {
  const span = Math.max(1, ...lanes.to);
  const waited = tiles ? (sum(tiles.waiting, (level) => level) / tiles.levels) * (span / tiles.tiles) : sum(waits.waited, (units) => units);
  return waited / Math.max(1, lanes.to.reduce((time, to, lane) => time + Math.max(0, to - Math.max(0, lanes.from[lane])), 0));
}

function swatch(color) {
  return h("i", { class: "swatch", style: { background: `var(${color})` } });
}

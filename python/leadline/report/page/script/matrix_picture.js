// The matrix of ranks as a picture on a canvas, with a cursor that follows the mouse and the arrow keys.

import { custom, h } from "./dom.js";
import { blockName } from "./matrix_cells.js";
import { onThemeChange } from "./theme.js";

const PICTURE = 520; // CSS pixels at most
const LARGEST_CELL = 58;
const STEPS = 64;
const DECADES = 4; // of the logarithmic scale below the greatest, at most
const LEAST_RANGE = 4; // and at least: what differs by less looks alike
const MARGIN = 34; // for the ranks' numbers, left and above
const RIGHT = 14; // for half of the last one
const NUMBERS_FROM = 34; // pixels: where a number fits into a cell

/**
 * how: { name: of its choice, across: what the columns are, says(cells, index, row, column) -> a cell in words,
 *   values: [{ field, where: the field that is not 0 where there is something, title, text, short }], the first at first }
 */
export function picture(cells, how) {
  const cell = Math.max(1, Math.min(LARGEST_CELL, Math.floor(PICTURE / cells.n)));
  const side = cell * cells.n;
  const status = h("p", { class: "status", role: "status" }, "Point at a cell, or use the arrow keys.");
  const canvas = h("canvas", {
    tabindex: 0,
    role: "img",
    class: "matrix",
    "aria-label": `Communication matrix, ${cells.n * cells.n} cells; use the arrow keys, the line below describes the cell`,
  });
  const state = { cells, how, cell, side, canvas, status, value: how.values[0], at: null };
  canvas.addEventListener("mousemove", (event) => point(state, event));
  canvas.addEventListener("keydown", (event) => step(state, event));
  canvas.addEventListener("mouseleave", () => move(state, null));
  onThemeChange(() => draw(state));
  const scale = h("span", { class: "scale" }, h("span"), h("i", { class: "ramp" }), h("span"));
  const choose = choice(state, scale);
  return h(
    "figure",
    { class: "matrix-figure" },
    choose,
    canvas,
    status,
    h(
      "figcaption",
      null,
      scale,
      cells.block > 1 ? ` Each cell: ${cells.block} × ${cells.block} ranks.` : "",
      " Logarithmic colour scale.",
    ),
  );
}

/** Which of the values is drawn. */
function choice(state, scale) {
  const { name, values } = state.how;
  const show = (value) => {
    state.value = value;
    state.limits = limits(state.cells.of[value.field], state.cells.of[value.where]);
    draw(state);
    scale.firstChild.textContent = value.text(state.limits.low);
    scale.lastChild.textContent = value.text(state.limits.high);
  };
  const radios = values.map((value) =>
    h(
      "label",
      null,
      h("input", { type: "radio", name, checked: value === values[0], on: { change: () => show(value) } }),
      value.title,
    ),
  );
  show(values[0]);
  return h("fieldset", { class: "choice" }, h("legend", null, "Colour by"), radios);
}

/** What the first and the last shade stand for. */
function limits(values, there) {
  let [low, high] = [Infinity, 0];
  values.forEach((value, index) => {
    if (!there[index]) return;
    low = Math.min(low, value);
    high = Math.max(high, value);
  });
  return { low: Math.min(Math.max(low, high / 10 ** DECADES), high / LEAST_RANGE), high };
}

function draw(state) {
  const { cells, cell, side, canvas } = state;
  const ratio = Math.min(4, globalThis.devicePixelRatio || 1);
  canvas.width = Math.round((side + MARGIN + RIGHT) * ratio);
  canvas.height = Math.round((side + MARGIN) * ratio);
  canvas.style.width = `${side + MARGIN + RIGHT}px`;
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  context.translate(MARGIN, MARGIN);
  ranksAlong(state, context);
  context.fillStyle = custom("--matrix-empty");
  context.fillRect(0, 0, side, side);
  const values = cells.of[state.value.field];
  const there = cells.of[state.value.where];
  const ramp = colors();
  const gap = cell > 6 ? 1 : 0;
  for (let index = 0; index < values.length; index++) {
    if (!there[index]) continue;
    context.fillStyle = ramp[shade(values[index], state.limits)];
    context.fillRect((index % cells.n) * cell, Math.floor(index / cells.n) * cell, cell - gap, cell - gap);
  }
  if (cell >= NUMBERS_FROM) numbers(state, context, values, there);
  if (state.at) outline(state, context);
}

/** Numbers of the ranks above and at the left, as many as there is room for. */
function ranksAlong({ cells, cell, side, how }, context) {
  context.font = "11px system-ui, sans-serif";
  context.fillStyle = custom("--muted");
  context.textBaseline = "middle";
  const label = (i) => String(cells.labels[i * cells.block]);
  const wide = context.measureText(label(cells.n - 1)).width + 10;
  const along = (room, write) => {
    const every = Math.ceil(room / cell);
    for (let i = 0; i < cells.n; i += every) write(label(i), Math.min((i + 0.5) * cell, side - (cell > 12 ? 0 : 4)));
  };
  context.textAlign = "center";
  along(Math.max(wide, 24), (text, at) => context.fillText(text, at, -9, 60));
  context.fillText(how.across, side / 2, -MARGIN + 7);
  context.textAlign = "right";
  along(18, (text, at) => context.fillText(text, -5, at, MARGIN - 6));
}

/** 0 … STEPS - 1 from the least to the most that shades tell apart. */
function shade(value, { low, high }) {
  if (!(value > 0) || !(high > low)) return 0;
  const part = Math.log(value / low) / Math.log(high / low);
  return Math.max(0, Math.min(STEPS - 1, Math.round(part * (STEPS - 1))));
}

function colors() {
  const parts = (name) => custom(name).split(",").map(Number);
  const [from, to] = [parts("--ramp-from"), parts("--ramp-to")];
  return Array.from(
    { length: STEPS },
    (_, i) => `rgb(${from.map((low, c) => Math.round(low + ((to[c] - low) * i) / (STEPS - 1))).join(",")})`,
  );
}

function numbers({ cells, cell, value: shown, limits }, context, values, there) {
  context.font = "10.5px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  values.forEach((value, index) => {
    if (!there[index]) return;
    context.fillStyle = shade(value, limits) > STEPS * 0.55 ? custom("--ramp-ink-dark") : custom("--ramp-ink-light");
    context.fillText(
      short(shown.short(value)),
      (index % cells.n) * cell + cell / 2,
      Math.floor(index / cells.n) * cell + cell / 2,
      cell - 3,
    );
  });
}

function short(text) {
  return text.replace(/^(\d[\d,]*),(\d)\d\d$/, "$1.$2k").replace(" ", "\u2009");
}

function outline({ cell, canvas, at }, context) {
  context.strokeStyle = custom("--ink");
  context.lineWidth = 2;
  const extent = Math.max(cell, 5);
  context.strokeRect(at[1] * cell - 1, at[0] * cell - 1, extent + 1, extent + 1);
}

function point(state, event) {
  const box = state.canvas.getBoundingClientRect();
  const scale = (state.side + MARGIN + RIGHT) / box.width; // a narrow window shrinks the picture
  const to = (offset) => Math.max(0, Math.min(state.cells.n - 1, Math.floor((offset * scale - MARGIN) / state.cell)));
  move(state, [to(event.clientY - box.top), to(event.clientX - box.left)]);
}

function step(state, event) {
  const way = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
  if (!way) return;
  event.preventDefault();
  const inside = (value) => Math.max(0, Math.min(state.cells.n - 1, value));
  move(state, state.at ? [inside(state.at[0] + way[0]), inside(state.at[1] + way[1])] : [0, 0]);
}

function move(state, at) {
  if (at && state.at && at[0] === state.at[0] && at[1] === state.at[1]) return;
  state.at = at;
  draw(state);
  if (!at) return;
  const index = at[0] * state.cells.n + at[1];
  const names = at.map((block) => blockName(state.cells, block));
  state.status.textContent = state.how.says(state.cells, index, ...names);
}


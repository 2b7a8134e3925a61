// Draws a step on a canvas: a lane per rank, computation as the ground, calls in the colours of their categories. What
// they waited for other ranks is hatched.

import { custom } from "../dom.js";
import { ticks } from "./axis.js";
import { Coverage } from "./coverage.js";
import { paintCritical, paintMessages } from "./messages.js";

const AXIS = 22; // above the lanes, for the times
const TRACK = 8; // beneath them: which part of the step is seen
const DIRECT = 1.5; // pixels: narrower calls are summed by column
const NAMES_FROM = 13; // pixels: lanes that are as high have room for names
const FONT = "11px system-ui, sans-serif";

/** Sizes of a picture of so many lanes, in CSS pixels.   high: what the lanes may take; 0: as much as suits the window. */
export function layout(width, lanes, label, high = 0) {
  const narrow = width < 520;
  const most = high || (narrow ? 420 : 600);
  const pitch = Math.max(6, Math.min(28, Math.floor(most / Math.max(1, lanes))));
  const gap = pitch >= 14 ? 3 : 1;
  const left = Math.min(Math.ceil(label) + 12, Math.floor(width / 3));
  return { left, top: AXIS, width: Math.max(40, width - left - 6), pitch, lane: pitch - gap, height: AXIS + pitch * lanes + TRACK };
}

export function paint(context, scene) {
  const { layout, view, shown, data } = scene;
  const x = (time) => layout.left + ((time - view.from) / view.width) * layout.width;
  const y = (place) => layout.top + place * layout.pitch;
  Object.assign(scene, { x, y, places: new Map(shown.map((lane, place) => [lane, place])) });
  context.font = FONT;
  paintAxis(context, scene);
  paintRanks(context, scene);
  context.save();
  context.beginPath();
  context.rect(layout.left, 0, layout.width, layout.height);
  context.clip();
  const coverage = new Coverage(layout.width, scene.categories.filter((each) => !scene.hidden.has(each)));
  const colors = new Map(scene.categories.map((each) => [each, custom(scene.colorOf(each))]));
  scene.hatch = scene.waiting && data.waits ? hatching(context) : null;
  shown.forEach((lane, place) => {
    paintGround(context, scene, lane, y(place));
    coverage.clear();
    if (data.tiles) addTiles(scene, lane, coverage);
    const wide = addCalls(scene, lane, coverage);
    coverage.paint(context, layout.left, y(place), layout.lane, colors, scene.hatch);
    paintCalls(context, scene, wide, y(place), colors);
  });
  scene.drawn = paintMessages(context, scene);
  paintCritical(context, scene);
  paintSelection(context, scene);
  context.restore();
  paintTrack(context, scene);
}

function paintAxis(context, { layout, view, data, x }) {
  context.fillStyle = custom("--muted");
  context.strokeStyle = custom("--rule");
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  context.lineWidth = 1;
  for (const [seconds, text] of ticks(view.from * data.unit, view.to * data.unit, layout.width / 70)) {
    const at = Math.round(x(seconds / data.unit)) + 0.5;
    context.beginPath();
    context.moveTo(at, AXIS - 5);
    context.lineTo(at, layout.height - TRACK);
    context.stroke();
    const half = context.measureText(text).width / 2;
    context.fillText(text, Math.max(layout.left + half, Math.min(layout.left + layout.width - half, at)), AXIS - 9);
  }
}

function paintRanks(context, { layout, shown, data, cursor, y }) {
  context.textAlign = "right";
  context.textBaseline = "middle";
  const every = Math.ceil(12 / layout.pitch);
  shown.forEach((lane, place) => {
    const here = cursor.used && cursor.lane === lane;
    if (place % every && !here) return;
    context.fillStyle = custom(here ? "--ink" : "--muted");
    context.font = here ? `600 ${FONT}` : FONT;
    context.fillText(String(data.ranks[lane]), layout.left - 6, y(place) + layout.lane / 2 + 0.5, layout.left - 8);
  });
  context.font = FONT;
}

function paintGround(context, { data, layout, x }, lane, top) {
  const { first, last, from, to } = data.lanes[lane];
  if (to < 0) return;
  const stretch = (begin, end, color) => {
    const [left, right] = [Math.max(layout.left, x(begin)), Math.min(layout.left + layout.width, x(end))];
    if (right <= left) return;
    context.fillStyle = custom(color);
    context.fillRect(left, top, right - left, layout.lane);
  };
  stretch(from, to, "--timeline-ground");
  for (const row of data.afterOthers) if (row > first && row < last) stretch(data.end[row - 1], data.begin[row], "--panel");
}

/** Narrow calls go to their columns; returns the others. */
function addCalls({ data, view, layout, hidden, x }, lane, coverage) {
  const wide = [];
  const { last } = data.lanes[lane];
  for (let row = data.firstAfter(lane, view.from); row < last && data.begin[row] < view.to; row++) {
    const category = data.category(row);
    if (hidden.has(category)) continue;
    const [from, to] = [x(data.begin[row]), x(data.end[row])];
    if (to - from >= DIRECT) wide.push(row);
    else if (!data.tiles) {
      coverage.add(from - layout.left, to - layout.left, category);
      if (data.waited[row]) coverage.wait(from - layout.left, x(data.begin[row] + data.waited[row]) - layout.left);
    }
  }
  return wide;
}

function addTiles({ data, view, layout, hidden }, lane, coverage) {
  const { tiles, levels, categories, share, waiting } = data.tiles;
  for (let column = 0; column < coverage.width; column++) {
    const time = view.from + ((column + 0.5) / layout.width) * view.width;
    const tile = Math.min(tiles - 1, Math.floor((time / data.span) * tiles));
    categories.forEach((category, at) => {
      const level = share[(lane * tiles + tile) * categories.length + at];
      if (level && !hidden.has(category)) coverage.put(column, coverage.index.get(category), level / levels);
    });
    if (waiting) coverage.waiting[column] += waiting[lane * tiles + tile] / levels;
  }
}

/** Diagonal stripes that can be told from every category's colour, wherever they begin. */
function hatching(context) {
  const size = 6;
  const tile = Object.assign(document.createElement("canvas"), { width: size, height: size });
  const stripes = tile.getContext("2d");
  stripes.strokeStyle = custom("--waiting");
  stripes.lineWidth = 2;
  stripes.beginPath();
  for (const at of [-size, 0, size]) {
    stripes.moveTo(at - 1, size + 1);
    stripes.lineTo(at + size + 1, -1);
  }
  stripes.stroke();
  return context.createPattern(tile, "repeat");
}

function paintCalls(context, { data, layout, hatch, x }, rows, top, colors) {
  const named = layout.lane >= NAMES_FROM;
  context.textAlign = "left";
  context.textBaseline = "middle";
  for (const row of rows) {
    const [from, to] = [Math.max(layout.left - 1, x(data.begin[row])), Math.min(layout.left + layout.width + 1, x(data.end[row]))];
    context.fillStyle = colors.get(data.category(row));
    context.fillRect(from, top, to - from - (to - from > 4 ? 0.5 : 0), layout.lane);
    const waitedTo = Math.min(to, x(data.begin[row] + data.waited[row]));
    if (hatch && waitedTo > from) {
      context.fillStyle = hatch;
      context.fillRect(from, top, waitedTo - from, layout.lane);
    }
    if (!named || to - from < 24) continue;
    const name = data.sites[data.site[row]].function.replace(/^MPI_/, "");
    if (context.measureText(name).width + 8 > to - from) continue;
    if (hatch && waitedTo > from + 4) {
      context.fillStyle = colors.get(data.category(row));
      context.fillRect(from + 2, top + layout.lane / 2 - 6, Math.min(context.measureText(name).width + 4, to - from - 4), 12);
    }
    context.fillStyle = custom("--panel");
    context.fillText(name, from + 4, top + layout.lane / 2 + 0.5);
  }
}

function paintSelection(context, { data, layout, view, cursor, selected, places, x, y }) {
  context.strokeStyle = custom("--ink");
  if (selected >= 0 && places.has(data.laneOf[selected])) {
    context.lineWidth = 2;
    const [from, to] = [x(data.begin[selected]), x(data.end[selected])];
    context.strokeRect(from - 1, y(places.get(data.laneOf[selected])) - 1, Math.max(3, to - from + 2), layout.lane + 2);
  }
  if (!cursor.used || cursor.time < view.from || cursor.time > view.to) return;
  const at = Math.round(x(cursor.time)) + 0.5;
  context.lineWidth = 1;
  context.setLineDash([3, 3]);
  context.beginPath();
  context.moveTo(at, AXIS - 5);
  context.lineTo(at, layout.height - TRACK);
  context.stroke();
  context.setLineDash([]);
}

function paintTrack(context, { layout, view }) {
  const top = layout.height - 4;
  context.fillStyle = custom("--rule");
  context.fillRect(layout.left, top, layout.width, 3);
  if (view.whole) return;
  context.fillStyle = custom("--muted");
  const from = layout.left + (view.from / view.span) * layout.width;
  context.fillRect(from, top, Math.max(3, (view.width / view.span) * layout.width), 3);
}

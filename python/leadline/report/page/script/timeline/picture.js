// The canvas of a timeline: what is seen of which step, the cursor, and how mouse and keyboard move them.

import { h } from "../dom.js";
import { onThemeChange } from "../theme.js";
import { colorOf } from "./colors.js";
import { layout, paint } from "./paint.js";
import { View } from "./view.js";
import { callWords, groundWords } from "./words.js";

const PAPER_WIDTH = 680;
const REACH = 4; // pixels beside a call that still mean it
const DRAG_FROM = 5; // pixels: less is a click

export class Picture {
  /** changed(): called when another part of the step is seen, or other lanes are.   high: as for layout(). */
  constructor(changed, high = 0) {
    this.changed = changed;
    this.high = high;
    this.canvas = h("canvas", { class: "timeline", tabindex: 0, role: "img" });
    this.place = h("div", null, this.canvas);
    this.status = h("p", { class: "status", role: "status" });
    this.hidden = new Set();
    this.arrows = this.critical = this.waiting = true;
    this.width = 0;
    this.listen();
  }

  /** Shows a step (StepData) as a whole. */
  show(data, label) {
    this.data = data;
    this.view = new View(data.span);
    this.shown = data.ranks.map((_, lane) => lane);
    this.categories = data.categories();
    this.cursor = { lane: 0, time: 0, used: false };
    this.selected = -1;
    this.canvas.setAttribute("aria-label", label);
    this.say("Point at a call, or use the keys: arrows move, + and − zoom, Home and End, Enter shows a call.");
    this.redraw();
  }

  listen() {
    const { canvas } = this;
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("mousemove", (event) => this.hover(event));
    canvas.addEventListener("mousedown", (event) => this.press(event));
    canvas.addEventListener("dblclick", () => this.all());
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    addEventListener("mouseup", (event) => this.release(event));
    onThemeChange(() => this.redraw());
    // In the next frame: browsers report an error if a size changes while sizes are being reported.
    new ResizeObserver(() => requestAnimationFrame(() => this.fit())).observe(this.place);
    const print = (onPaper) => {
      this.onPaper = onPaper;
      this.redraw();
    };
    addEventListener("beforeprint", () => print(true));
    addEventListener("afterprint", () => print(false));
  }

  /** CSS pixels that there are for it. */
  room() {
    const room = Math.max(240, Math.floor(this.place.clientWidth || PAPER_WIDTH));
    return this.onPaper ? Math.min(PAPER_WIDTH, room) : room;
  }

  fit() {
    if (this.data && this.room() !== this.width) this.redraw();
  }

  redraw() {
    if (!this.data) return;
    const width = this.room();
    this.width = width;
    const context = this.canvas.getContext("2d");
    const labels = this.shown.map((lane) => String(this.data.ranks[lane]).length);
    this.layout = layout(width, this.shown.length, 6.5 * Math.max(1, ...labels), this.high);
    const ratio = Math.min(3, globalThis.devicePixelRatio || 1);
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(this.layout.height * ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${this.layout.height}px`;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const { data, view, shown, hidden, categories, cursor, selected, arrows, critical, waiting } = this;
    this.scene = { layout: this.layout, data, view, shown, hidden, categories, cursor, selected, arrows, critical, waiting, colorOf };
    paint(context, this.scene);
  }

  say(text) {
    this.status.textContent = text;
  }

  update() {
    this.redraw();
    this.changed();
  }

  // What buttons and keys do.

  all() {
    this.view.all();
    this.update();
  }

  zoom(factor) {
    const { time } = this.cursor;
    const seen = time >= this.view.from && time <= this.view.to;
    this.view.zoom(factor, seen ? time : (this.view.from + this.view.to) / 2);
    this.update();
  }

  /** Moves what is seen, and the cursor with it; where there is nothing more to see, the cursor alone. */
  move(part) {
    const before = this.view.from;
    this.view.pan(part * this.view.width);
    const moved = this.view.from - before;
    this.cursor.time += moved || (part * this.view.width) / 4;
    this.keepCursor();
    this.tell();
    this.update();
  }

  to(time) {
    this.view.reveal(time);
    this.cursor.time = time;
    this.keepCursor();
    this.tell();
    this.update();
  }

  lane(by) {
    const place = Math.max(0, this.shown.indexOf(this.cursor.lane));
    this.cursor.lane = this.shown[Math.max(0, Math.min(this.shown.length - 1, place + by))];
    this.tell();
    this.redraw();
  }

  /** The call before or after the selected one (or the cursor), on its lane. */
  neighbour(by) {
    const { data, cursor } = this;
    const { first, last } = data.lanes[cursor.lane];
    const here = this.selected >= 0 && data.laneOf[this.selected] === cursor.lane;
    const next = data.firstAfter(cursor.lane, cursor.time);
    const row = here ? this.selected + by : by > 0 ? next : next - 1;
    if (row >= first && row < last) this.select(row);
  }

  select(row) {
    const { data } = this;
    this.selected = row;
    this.cursor = { lane: data.laneOf[row], time: (data.begin[row] + data.end[row]) / 2, used: true };
    this.view.reveal(data.begin[row], data.end[row]);
    this.say(callWords(data, row));
    this.update();
  }

  /** The call under the cursor, or the next one on its lane. */
  enter() {
    const { data, cursor } = this;
    const row = data.at(cursor.lane, cursor.time, (REACH * this.view.width) / this.layout.width);
    const next = row >= 0 ? row : data.firstAfter(cursor.lane, cursor.time);
    if (next < data.lanes[cursor.lane].last) this.select(next);
    else this.tell();
  }

  tell() {
    const { data, cursor } = this;
    const row = data.at(cursor.lane, cursor.time, (REACH * this.view.width) / this.layout.width);
    this.say(row >= 0 ? callWords(data, row) : groundWords(data, cursor.lane, cursor.time));
  }

  keepCursor() {
    this.cursor.time = Math.max(this.view.from, Math.min(this.view.to, this.cursor.time));
  }

  key(event) {
    if (event.altKey || event.metaKey || (event.ctrlKey && event.key !== "Home")) return;
    const does = {
      ArrowLeft: () => (event.shiftKey ? this.neighbour(-1) : this.move(-0.1)),
      ArrowRight: () => (event.shiftKey ? this.neighbour(1) : this.move(0.1)),
      ArrowUp: () => this.lane(-1),
      ArrowDown: () => this.lane(1),
      "+": () => this.zoom(0.5),
      "=": () => this.zoom(0.5),
      "-": () => this.zoom(2),
      0: () => this.all(),
      Home: () => this.to(0),
      End: () => this.to(this.data.span),
      Enter: () => this.enter(),
      Escape: () => {
        this.selected = -1;
        this.redraw();
      },
    }[event.key];
    if (!does) return;
    event.preventDefault();
    this.cursor.used = true;
    does();
  }

  // The mouse.

  pointed(event) {
    const box = this.canvas.getBoundingClientRect();
    const { left, top, width, pitch } = this.layout;
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const place = Math.max(0, Math.min(this.shown.length - 1, Math.floor((y - top) / pitch)));
    return { x, lane: this.shown[place], time: this.view.from + ((x - left) / width) * this.view.width };
  }

  hover(event) {
    const { x, lane, time } = this.pointed(event);
    if (this.pressed !== undefined) {
      this.redraw();
      this.paintDrag(x);
      return;
    }
    this.cursor = { lane, time: Math.max(this.view.from, Math.min(this.view.to, time)), used: true };
    this.tell();
    this.redraw();
  }

  paintDrag(x) {
    const context = this.canvas.getContext("2d");
    context.globalAlpha = 0.2;
    context.fillStyle = getComputedStyle(this.canvas).color;
    context.fillRect(Math.min(this.pressed, x), this.layout.top, Math.abs(x - this.pressed), this.layout.height - this.layout.top);
    context.globalAlpha = 1;
  }

  press(event) {
    if (event.button === 0) this.pressed = this.pointed(event).x;
  }

  release(event) {
    if (this.pressed === undefined) return;
    const [from, to] = [this.pressed, this.pointed(event).x].sort((a, b) => a - b);
    this.pressed = undefined;
    const time = (x) => this.view.from + ((x - this.layout.left) / this.layout.width) * this.view.width;
    if (to - from >= DRAG_FROM) {
      this.view.set(Math.max(0, time(from)), Math.min(this.view.span, time(to)));
      this.update();
      return;
    }
    const row = this.data.at(this.cursor.lane, this.cursor.time, (REACH * this.view.width) / this.layout.width);
    this.selected = row;
    this.redraw();
  }

  /** With Ctrl it zooms; sideways it moves. Otherwise the page scrolls as ever. */
  wheel(event) {
    if (event.ctrlKey) {
      event.preventDefault();
      this.view.zoom(2 ** (event.deltaY / 240), this.pointed(event).time);
      this.update();
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY) && !this.view.whole) {
      event.preventDefault();
      this.view.pan((event.deltaX / this.layout.width) * this.view.width);
      this.update();
    }
  }
}

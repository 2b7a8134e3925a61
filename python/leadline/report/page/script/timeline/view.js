// The part of a step that is seen: from one time to another, never beyond its ends.

const CLOSEST = 20; // units that fill the picture at most

export class View {
  constructor(span) {
    this.span = span;
    this.all();
  }

  all() {
    this.set(0, this.span);
  }

  get width() {
    return this.to - this.from;
  }

  get whole() {
    return this.width >= this.span;
  }

  set(from, to) {
    const width = Math.min(this.span, Math.max(to - from, Math.min(CLOSEST, this.span)));
    this.from = Math.max(0, Math.min(from, this.span - width));
    this.to = this.from + width;
  }

  /** factor < 1: closer. `at` keeps its place. */
  zoom(factor, at) {
    const part = (at - this.from) / this.width;
    const width = Math.max(Math.min(CLOSEST, this.span), Math.min(this.span, this.width * factor));
    this.set(at - part * width, at + (1 - part) * width);
  }

  pan(by) {
    this.set(this.from + by, this.to + by);
  }

  /** Moves as little as needed for the time to be seen. */
  reveal(from, to = from) {
    if (from < this.from) this.pan(from - this.from - this.width / 10);
    else if (to > this.to) this.pan(Math.min(to - this.to, from - this.from) + this.width / 10);
  }
}

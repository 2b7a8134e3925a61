// Calls narrower than a pixel: each column of a lane is filled as far as they cover it, by category, with waiting hatched.

export class Coverage {
  /** categories: those that are drawn, from the bottom up. */
  constructor(width, categories) {
    this.width = Math.max(1, Math.ceil(width));
    this.categories = categories;
    this.index = new Map(categories.map((category, i) => [category, i]));
    this.part = new Float32Array(this.width * categories.length);
    this.waiting = new Float32Array(this.width);
    this.clear();
  }

  clear() {
    this.part.fill(0);
    this.waiting.fill(0);
    [this.least, this.most] = [this.width, -1];
  }

  /** A call from one place to another, in pixels: what lies in a column is added to it, and something if it is nothing. */
  add(from, to, category) {
    const at = this.index.get(category);
    const [first, last] = [Math.max(0, Math.floor(from)), Math.min(this.width - 1, Math.max(Math.floor(from), Math.ceil(to) - 1))];
    for (let column = first; column <= last; column++) {
      const covered = Math.min(to, column + 1) - Math.max(from, column);
      this.put(column, at, Math.max(covered, 1e-6));
    }
  }

  /** Waiting from one place to another, within what was added. */
  wait(from, to) {
    for (let column = Math.max(0, Math.floor(from)); column < Math.min(this.width, Math.ceil(to)); column++) {
      this.waiting[column] += Math.min(to, column + 1) - Math.max(from, column);
    }
  }

  put(column, at, covered) {
    this.part[column * this.categories.length + at] += covered;
    this.least = Math.min(this.least, column);
    this.most = Math.max(this.most, column);
  }

  /** Draws the columns from the bottom of the lane; what is there is at least `visible` pixels high. */
  paint(context, left, top, height, colors, hatch, visible = 2) {
    const kinds = this.categories.length;
    for (let column = this.least; column <= this.most; column++) {
      let bottom = top + height;
      for (let at = 0; at < kinds; at++) {
        const covered = this.part[column * kinds + at];
        if (!covered) continue;
        const high = Math.min(bottom - top, Math.max(Math.min(visible, height / 3), Math.min(1, covered) * height));
        context.fillStyle = colors.get(this.categories[at]);
        context.fillRect(left + column, bottom - high, 1, high);
        bottom -= high;
      }
      const waiting = Math.min(top + height - bottom, this.waiting[column] * height);
      if (!hatch || waiting < 1) continue;
      context.fillStyle = hatch;
      context.fillRect(left + column, top + height - waiting, 1, waiting);
    }
  }
}

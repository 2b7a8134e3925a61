// A step as it is drawn: the calls of each lane (rank), in order, and the messages between them. Times are in units.

export class StepData {
  /** span: units that the picture is wide; as many as the step takes, unless it is to be compared with another one. */
  constructor(step, sites, ranks, span = 0) {
    Object.assign(this, { step, sites, ranks, unit: step.unit_s, tiles: step.tiles });
    const { marks, lanes } = step;
    this.count = marks.site.length;
    this.site = marks.site;
    this.begin = Float64Array.from(marks.begin);
    this.end = Float64Array.from(marks.begin, (begin, row) => begin + marks.duration[row]);
    this.bytes = marks.bytes;
    this.waited = new Float64Array(this.count);
    this.wait = new Map();
    step.waits?.mark.forEach((row, n) => {
      this.waited[row] = Math.min(step.waits.waited[n], marks.duration[row]);
      this.wait.set(row, n);
    });
    this.polled = new Set(step.polled);
    this.afterOthers = new Set(step.after_others ?? []);
    this.laneOf = new Int32Array(this.count);
    let row = 0;
    this.lanes = marks.by_rank.map((calls, lane) => {
      this.laneOf.fill(lane, row, row + calls);
      const first = row;
      row += calls;
      return { first, last: row, from: lanes.from[lane], to: lanes.to[lane] };
    });
    this.span = Math.max(1, span, ...lanes.to);
    this.messages = messagesOf(this);
    this.critical = criticalOf(this);
  }

  category(row) {
    return this.sites[this.site[row]].category;
  }

  categories() {
    if (this.tiles) return this.tiles.categories;
    return [...new Set(this.site)].map((site) => this.sites[site].category).filter((each, i, all) => all.indexOf(each) === i);
  }

  /** Some of it waited for another rank. */
  get waits() {
    return this.wait.size > 0 || Boolean(this.tiles?.waiting?.some((level) => level > 0));
  }

  /** { kind, rank }: why and for which rank a call waited; null if it did not, or if that is unknown. */
  waitOf(row) {
    const n = this.wait.get(row);
    return n === undefined ? null : { kind: this.step.waits.kind[n], rank: this.step.waits.rank[n] };
  }

  /** The first call of a lane that ends after the time; `last` of the lane if there is none. Calls do not overlap. */
  firstAfter(lane, time) {
    let { first, last } = this.lanes[lane];
    while (first < last) {
      const middle = (first + last) >> 1;
      if (this.end[middle] <= time) first = middle + 1;
      else last = middle;
    }
    return first;
  }

  /** The call of a lane at a time, or the nearest one within `reach` of it; -1: none. */
  at(lane, time, reach = 0) {
    const row = this.firstAfter(lane, time);
    const { first, last } = this.lanes[lane];
    const away = (each) => Math.max(0, this.begin[each] - time, time - this.end[each]);
    const near = [row, row - 1].filter((each) => each >= first && each < last && away(each) <= reach);
    return near.reduce((best, each) => (best < 0 || away(each) < away(best) ? each : best), -1);
  }

  /** The time of a lane between the call before and this one. */
  gap(row) {
    const { first, from } = this.lanes[this.laneOf[row]];
    return this.begin[row] - (row > first ? this.end[row - 1] : Math.max(0, from));
  }
}

/** Messages in columns, and those of each call. An arrival of -1 is unknown. */
function messagesOf(data) {
  const { send = [], receive = [], completion = [], arrival = [], bytes = [] } = data.step.messages ?? {};
  const of = new Map();
  const add = (row, message) => (of.has(row) ? of.get(row).push(message) : of.set(row, [message]));
  send.forEach((row, message) => {
    for (const each of new Set([row, receive[message], completion[message]])) if (each >= 0) add(each, message);
  });
  return { send, receive, arrival, bytes, of };
}

/** The critical path, where the report has one: stretches of time, each on a lane. */
function criticalOf({ step, ranks }) {
  const path = step.critical_path;
  if (!path) return [];
  return path.rank.map((rank, i) => ({
    lane: ranks.indexOf(rank),
    from: path.begin[i],
    to: path.begin[i] + path.duration[i],
  }));
}

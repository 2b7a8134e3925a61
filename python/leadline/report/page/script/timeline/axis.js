// Times along a picture, at round values.

const UNITS = [
  [1, "s"],
  [1e-3, "ms"],
  [1e-6, "µs"],
  [1e-9, "ns"],
];

/** The largest of 1, 2, 5 · 10^n seconds of which at least `fewest` lie in the range. */
export function step(range, fewest) {
  const power = 10 ** Math.floor(Math.log10(range / fewest));
  return [5, 2, 1].map((each) => each * power).find((each) => range / each >= fewest) ?? power;
}

/** Seconds in the unit of the greatest time, with as many decimals as tell ticks so far apart from one another. */
export function timeText(seconds, apart, greatest = seconds) {
  if (seconds === 0) return "0";
  const [unit, name] = UNITS.find(([unit]) => greatest >= 0.9999 * unit) ?? UNITS[3];
  const decimals = Math.max(0, Math.ceil(-Math.log10((apart / unit) * 1.0001)));
  return `${(seconds / unit).toFixed(Math.min(decimals, 6))} ${name}`;
}

/** [seconds, text] of the ticks between two times, about `most` of them. */
export function ticks(from, to, most) {
  const apart = step(to - from, Math.max(2, most / 2.5));
  const found = [];
  for (let n = Math.ceil(from / apart - 1e-9); n * apart <= to * (1 + 1e-12); n++) {
    found.push([n * apart, timeText(n * apart, apart, to)]);
  }
  return found;
}

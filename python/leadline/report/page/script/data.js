// The report object of this page: what `leadline report --json` prints, unpacked (report/page/packing.py).

export function unpack(value) {
  if (Array.isArray(value)) return value.map(unpack);
  if (value === null || typeof value !== "object") return value;
  if (typeof value.$integers === "string") return integers(value.$integers);
  if (typeof value.$deltas === "string") return sums(integers(value.$deltas));
  if (Array.isArray(value.$keys)) {
    return value.$rows.map((row) => Object.fromEntries(value.$keys.map((key, i) => [key, unpack(row[i])])));
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unpack(item)]));
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const DIGIT_OF = new Map([...DIGITS].map((digit, i) => [digit.charCodeAt(0), i]));

/** Digits of five bits, the lowest first, with a sixth bit if more follow; the lowest bit of a number is its sign. */
function integers(text) {
  const found = [];
  let [value, scale] = [0, 1];
  for (let i = 0; i < text.length; i++) {
    const digit = DIGIT_OF.get(text.charCodeAt(i));
    value += (digit & 31) * scale;
    scale *= 32;
    if (digit & 32) continue;
    found.push(value % 2 ? -(value + 1) / 2 : value / 2);
    [value, scale] = [0, 1];
  }
  return found;
}

function sums(differences) {
  let total = 0;
  return differences.map((each) => (total += each));
}

export function sum(rows, value) {
  return rows.reduce((total, row) => total + value(row), 0);
}

export function median(values) {
  const ordered = [...values].sort((a, b) => a - b);
  const middle = ordered.length >> 1;
  return ordered.length % 2 ? ordered[middle] : (ordered[middle - 1] + ordered[middle]) / 2;
}

/** "/a/b/ocean/halo.cpp", 41 -> "ocean/halo.cpp:41": enough to find the file. "" where it is unknown. */
export function place(site) {
  return site.file ? `${site.file.split("/").filter(Boolean).slice(-2).join("/")}:${lineText(site)}` : "";
}

/** A line as the terminal shows it: "~41" near it, where the compiler gave the call no line of its own. */
export function lineText(site) {
  return `${site.line_exact === false && site.line != null ? "~" : ""}${site.line ?? "?"}`;
}

/** The program without its directory, and its arguments; of several programs their names. */
export function programName(report) {
  const programs = report.programs || [];
  const names = [...new Set(programs.map((program) => program.name))].join(" + ");
  return [names, ...(programs.length === 1 ? programs[0].arguments : [])].join(" ");
}

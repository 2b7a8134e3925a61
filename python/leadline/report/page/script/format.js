// Numbers as the terminal's report writes them (text/format.py), to the digit.

const UNITS = ["B", "kB", "MB", "GB", "TB", "PB"];

/** Like Python's f"{value:,.{decimals}f}", which rounds exact halves to even where toFixed rounds them up. */
export function fixed(value, decimals) {
  let text = Math.abs(value).toFixed(decimals);
  if (Math.abs(value) < 1e21) {
    const exact = Math.abs(value).toFixed(Math.min(decimals + 20, 60));
    const rest = exact.slice(exact.indexOf(".") + 1 + decimals);
    const below = exact.slice(0, exact.length - rest.length);
    if (/^50*$/.test(rest) && /[02468]\.?$/.test(below)) text = decimals ? below : below.replace(".", "");
  }
  const [whole, part] = text.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return (value < 0 ? "-" : "") + grouped + (part === undefined ? "" : "." + part);
}

function threeDigits(value) {
  const size = Math.abs(value);
  return fixed(value, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

/** 1234567 -> "1.23 MB"; below 10 kB exact. */
export function size(bytes) {
  if (bytes === null || bytes === undefined) return "";
  if (Math.abs(bytes) < 10000) return `${fixed(bytes, 0)} B`;
  let value = bytes;
  for (const unit of UNITS) {
    if (Math.abs(value) < 999.5 || unit === "PB") return `${threeDigits(value)} ${unit}`;
    value /= 1000;
  }
}

/** 0.00123 -> "1.23 ms". */
export function seconds(value) {
  if (value === null || value === undefined) return "";
  for (const [factor, unit] of [
    [1, "s"],
    [1e3, "ms"],
    [1e6, "µs"],
  ]) {
    if (Math.abs(value) * factor >= 0.9995) return `${threeDigits(value * factor)} ${unit}`;
  }
  return `${fixed(value * 1e9, 0)} ns`;
}

/** 1234567 -> "1,234,567"; medians may be halves. */
export function count(value) {
  if (value === null || value === undefined) return "";
  return fixed(value, Number.isInteger(value) ? 0 : 1);
}

/** 0.416 -> "42 %", 0.034 -> "3.4 %", 0.0004 -> "<0.1 %". */
export function percent(fraction) {
  const value = fraction * 100;
  if (value === 0) return "0 %";
  if (value < 0.1) return "<0.1 %";
  return `${fixed(value, value < 9.95 ? 1 : 0)} %`;
}

/** In a column: always one decimal. */
export function percentColumn(fraction) {
  return fixed(fraction * 100, 1);
}

export function plural(number, one, several) {
  return `${count(number)} ${number === 1 ? one : (several ?? one + "s")}`;
}

/** 3.74 -> "3.74 times", 258.3 -> "258 times". */
export function times(ratio) {
  return `${threeDigits(ratio)} times`;
}

/** 4096 -> "4 Ki": the powers of two that bound the classes of message sizes. */
export function power(value) {
  for (const [unit, bytes] of [
    ["Ti", 2 ** 40],
    ["Gi", 2 ** 30],
    ["Mi", 2 ** 20],
    ["Ki", 2 ** 10],
  ]) {
    if (value >= bytes) return `${count(value / bytes)} ${unit}`;
  }
  return String(value);
}

export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// What goes before a number of iterations that is not certain.
export const bound = (e) => (e.at_least ? "≥ " : e.about ? "about " : "");

// Undoes raw deflate (RFC 1951), at once and in any browser; DecompressionStream would make the whole page wait for it.

const LENGTHS = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCES = [
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
  8193, 12289, 16385, 24577,
];
const CODE_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const LONGEST = 15;

/** bytes: what was compressed.   length: of the result in bytes.   Throws an Error where the two do not fit. */
export function inflate(bytes, length) {
  const state = { bytes, at: 0, held: 0, n: 0, out: new Uint8Array(length), end: 0 };
  let last = 0;
  while (!last) {
    last = take(state, 1);
    const kind = take(state, 2);
    if (kind === 0) stored(state);
    else if (kind === 1) block(state, fixedCodes());
    else block(state, ownCodes(state));
  }
  if (state.end !== length) throw new Error("page data truncated: was the download complete?");
  return state.out;
}

function take(state, count) {
  while (state.n < count) {
    if (state.at >= state.bytes.length) throw new Error("page data truncated");
    state.held |= state.bytes[state.at++] << state.n;
    state.n += 8;
  }
  const value = state.held & ((1 << count) - 1);
  state.held >>>= count;
  state.n -= count;
  return value;
}

function stored(state) {
  [state.held, state.n] = [0, 0]; // never more than 7 bits, the rest of a byte
  const { bytes, at } = state;
  const count = bytes[at] | (bytes[at + 1] << 8);
  if (at + 4 + count > bytes.length) throw new Error("page data truncated");
  state.out.set(bytes.subarray(at + 4, at + 4 + count), state.end);
  state.at += 4 + count;
  state.end += count;
}

/** Canonical codes by length: how many there are of each, and their symbols in order. */
function codes(lengths) {
  const counts = new Uint16Array(LONGEST + 1);
  for (const length of lengths) counts[length]++;
  counts[0] = 0;
  const starts = new Uint16Array(LONGEST + 2);
  for (let i = 1; i <= LONGEST; i++) starts[i + 1] = starts[i] + counts[i];
  const symbols = new Uint16Array(lengths.length);
  lengths.forEach((length, symbol) => {
    if (length) symbols[starts[length]++] = symbol;
  });
  return { counts, symbols };
}

function symbol(state, { counts, symbols }) {
  let [code, first, index] = [0, 0, 0];
  for (let length = 1; length <= LONGEST; length++) {
    code |= take(state, 1);
    const count = counts[length];
    if (code - count < first) return symbols[index + (code - first)];
    index += count;
    first = (first + count) << 1;
    code <<= 1;
  }
  throw new Error("page data damaged: write the page again with leadline report --html");
}

function fixedCodes() {
  const length = (i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8);
  return [codes(Array.from({ length: 288 }, (_, i) => length(i))), codes(new Array(30).fill(5))];
}

function ownCodes(state) {
  const [literals, distances, count] = [take(state, 5) + 257, take(state, 5) + 1, take(state, 4) + 4];
  const ofLengths = new Array(19).fill(0);
  for (let i = 0; i < count; i++) ofLengths[CODE_ORDER[i]] = take(state, 3);
  const codesOfLengths = codes(ofLengths);
  const lengths = [];
  while (lengths.length < literals + distances) {
    const each = symbol(state, codesOfLengths);
    if (each < 16) lengths.push(each);
    else if (each === 16) repeat(lengths, lengths[lengths.length - 1], take(state, 2) + 3);
    else repeat(lengths, 0, each === 17 ? take(state, 3) + 3 : take(state, 7) + 11);
  }
  return [codes(lengths.slice(0, literals)), codes(lengths.slice(literals))];
}

function repeat(lengths, value, times) {
  for (let i = 0; i < times; i++) lengths.push(value);
}

function block(state, [literals, distances]) {
  const { out } = state;
  for (;;) {
    const each = symbol(state, literals);
    if (each === 256) return;
    if (each < 256) {
      out[state.end++] = each;
      continue;
    }
    const length = LENGTHS[each - 257] + take(state, LENGTH_BITS[each - 257]);
    const far = symbol(state, distances);
    const distance = DISTANCES[far] + take(state, far < 2 ? 0 : (far >> 1) - 1);
    if (distance > state.end) throw new Error("page data damaged: write the page again with leadline report --html");
    for (let i = 0; i < length; i++, state.end++) out[state.end] = out[state.end - distance];
  }
}

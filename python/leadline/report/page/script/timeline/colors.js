// The colours and names of what a timeline shows.

import { KINDS } from "../kinds.js";

export const COLORS = Object.fromEntries([
  ...KINDS.map(({ key, name, color }) => [key, { name, color }]),
  ["files", { name: "file I/O", color: "--files" }],
]);

export function colorOf(category) {
  return COLORS[category]?.color ?? "--setup";
}
